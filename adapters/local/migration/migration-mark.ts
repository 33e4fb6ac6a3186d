import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { NotInitializedError } from '../../../src/index.js'
import type { Storage } from '../../../src/ports/index.js'
import { DATABASE, isThere } from '../data-dir-names.js'

/**
 * In a folder's database: which copy of it was begun. In the database it is copied to: `copying` or `copied`, with
 * the ids of the database and of the copy.
 */
export const MARK_SETTING = 'migration'

/** What the mark of a database says that rows are copied to: all of it is there once it is `copied`, and somebody works with it once it is `live`. */
export type CopyState = 'copying' | 'copied' | 'live'

/** The mark in a database that rows are copied to. */
export function copyMark(state: CopyState, databaseId: string, copyId: string): string {
  return `${state} ${databaseId} ${copyId}`
}

/** Whether a mark is of a copy of this database with which nobody has worked, whichever. */
export function isUnusedCopyOf(databaseId: string, mark: string | undefined): boolean {
  return mark?.startsWith(`copying ${databaseId} `) === true || mark?.startsWith(`copied ${databaseId} `) === true
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

/**
 * Lets a database be worked with that a folder was migrated to.
 * @throws NotInitializedError where the migration has not come to its end: the folder may still be worked with
 */
export async function requireWholeCopy(dataDir: string, storage: Storage): Promise<void> {
  const [state = '', ...ids] = ((await storage.read(({ settings }) => settings.get(MARK_SETTING))) ?? '').split(' ')
  if (state === 'copying' || (state === 'copied' && (await isThere(join(dataDir, DATABASE))))) {
    throw new NotInitializedError(
      'a folder is being migrated to this database: wait for "alcove migrate" to end, or, where it was ended, run it again',
    )
  }
  if (state !== 'copied') return
  await storage.transaction(async ({ settings }) => settings.put(MARK_SETTING, ['live', ...ids].join(' ')))
}
