import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { NotInitializedError } from '../../../src/index.js'
import type { Storage } from '../../../src/ports/index.js'
import { MIGRATION_SETTING } from '../../knex/index.js'
import { DATABASE, formerName, isThere } from '../data-dir-names.js'

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
    const begun = await settings.get(MIGRATION_SETTING)
    if (begun !== undefined && begun !== '') return begun
    const id = randomUUID()
    await settings.put(MIGRATION_SETTING, id)
    return id
  })
}

/** To be told of everybody who may write to a folder's database: what was copied of it is out of date then. */
export async function forgetMigration(storage: Storage): Promise<void> {
  const mark = await storage.read(({ settings }) => settings.get(MIGRATION_SETTING))
  if (mark === undefined || mark === '') return
  await storage.transaction(async ({ settings }) => settings.put(MIGRATION_SETTING, ''))
}

/** @throws NotInitializedError for a folder whose own database is not used any more */
export async function requireNotMigrated(dataDir: string): Promise<void> {
  if (!(await isThere(formerName(join(dataDir, DATABASE))))) return
  throw new NotInitializedError(
    `the database of ${dataDir} was migrated to PostgreSQL: open the folder with databaseUrl, which is --database-url`,
  )
}

/** @throws NotInitializedError where a migration to a database has not come to its end: the folder may still be worked with */
export async function requireWholeCopy(dataDir: string, storage: Storage): Promise<void> {
  const { state } = await readMark(storage)
  if (state === 'copying' || (state === 'copied' && (await isThere(join(dataDir, DATABASE))))) {
    throw new NotInitializedError(
      'a folder is being migrated to this database: wait for "alcove migrate" to end, or, where it was ended, run it again',
    )
  }
}

/** To be told of everybody who works with a database and its folder: it is never emptied again. */
export async function noteLive(storage: Storage): Promise<void> {
  const { state, ids } = await readMark(storage)
  if (state !== 'copied') return
  await storage.transaction(async ({ settings }) => settings.put(MIGRATION_SETTING, ['live', ...ids].join(' ')))
}

async function readMark(storage: Storage): Promise<{ readonly state: string; readonly ids: readonly string[] }> {
  const mark = await storage.read(({ settings }) => settings.get(MIGRATION_SETTING))
  const [state = '', ...ids] = (mark ?? '').split(' ')
  return { state, ids }
}
