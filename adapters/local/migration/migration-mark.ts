import { randomUUID } from 'node:crypto'
import { NotInitializedError } from '../../../src/index.js'
import type { Storage } from '../../../src/ports/index.js'

/**
 * In a folder's database: which copy of it was begun. In the database it is copied to: `copying` or `copied`, with
 * the ids of the database and of the copy.
 */
export const MARK_SETTING = 'migration'

/** What the mark of a database says that rows are copied to. */
export type CopyState = 'copying' | 'copied'

/** The mark in a database that rows are copied to. */
export function copyMark(state: CopyState, databaseId: string, copyId: string): string {
  return `${state} ${databaseId} ${copyId}`
}

/** Whether a mark is of a copy of this database that was begun, whichever. */
export function isBegunCopyOf(databaseId: string, mark: string | undefined): boolean {
  return mark?.startsWith(`copying ${databaseId} `) === true
}

/** The id of the copy that was begun of a folder's database; a new one, where it was worked on since. */
export async function markSource(storage: Storage): Promise<string> {
  return await storage.transaction(async ({ settings }) => {
    const begun = await settings.get(MARK_SETTING)
    if (begun !== undefined && begun !== '') return begun
    const id = randomUUID()
    await settings.put(MARK_SETTING, id)
    return id
  })
}

/** To be told of everybody who may write to a folder's database: what was copied of it is out of date then. */
export async function forgetMigration(storage: Storage): Promise<void> {
  const mark = await storage.read(({ settings }) => settings.get(MARK_SETTING))
  if (mark === undefined || mark === '') return
  await storage.transaction(async ({ settings }) => settings.put(MARK_SETTING, ''))
}

/** @throws NotInitializedError where a copy into this database was begun, and is not whole */
export async function requireWholeCopy(storage: Storage): Promise<void> {
  const mark = await storage.read(({ settings }) => settings.get(MARK_SETTING))
  if (mark?.startsWith('copying ') !== true) return
  throw new NotInitializedError(
    'a folder is being migrated to this database: wait for "alcove migrate" to end, or, where it was ended, run it again',
  )
}
