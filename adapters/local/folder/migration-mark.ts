import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { NotInitializedError } from '../../../src/index.js'
import type { Storage } from '../../../src/ports/index.js'
import { MIGRATION_SETTING } from '../../knex/index.js'
import { DATABASE, formerName, pathExists } from './data-dir.js'

/** The state of a target database: `copying`; `copied` when it is complete; `live` when an engine has opened it. */
export type CopyState = 'copying' | 'copied' | 'live'

/** The mark in a target database. */
export function copyMark(state: CopyState, databaseId: string, copyId: string): string {
  return `${state} ${databaseId} ${copyId}`
}

/** True for the mark of any copy of this database that no engine has opened. */
export function isUnusedCopyOf(databaseId: string, mark: string | undefined): boolean {
  return mark?.startsWith(`copying ${databaseId} `) === true || mark?.startsWith(`copied ${databaseId} `) === true
}

/** The id of the unfinished copy of a folder's database. A new id if an engine has worked on the folder since. */
export async function markSource(storage: Storage): Promise<string> {
  return await storage.transaction(async ({ settings }) => {
    const unfinishedId = await settings.get(MIGRATION_SETTING)
    if (unfinishedId !== undefined && unfinishedId !== '') return unfinishedId
    const id = randomUUID()
    await settings.put(MIGRATION_SETTING, id)
    return id
  })
}

/** Call it before any write to a folder's database: an unfinished copy is out of date then. */
export async function forgetMigration(storage: Storage): Promise<void> {
  const mark = await storage.read(({ settings }) => settings.get(MIGRATION_SETTING))
  if (mark === undefined || mark === '') return
  await storage.transaction(async ({ settings }) => settings.put(MIGRATION_SETTING, ''))
}

/** @throws NotInitializedError for a folder whose own database was migrated */
export async function requireNotMigrated(dataDir: string): Promise<void> {
  if (!(await pathExists(formerName(join(dataDir, DATABASE))))) return
  throw new NotInitializedError(
    `the database of ${dataDir} was migrated to PostgreSQL: open the folder with databaseUrl (--database-url)`,
  )
}

/** @throws NotInitializedError if a migration to the database is not finished: engines may still use the folder */
export async function requireWholeCopy(dataDir: string, storage: Storage): Promise<void> {
  const { state } = await readMark(storage)
  if (state === 'copying' || (state === 'copied' && (await pathExists(join(dataDir, DATABASE))))) {
    throw new NotInitializedError(
      'a migration to this database is not finished: wait until "alcove migrate" ends; if it was interrupted, run it a second time',
    )
  }
}

/** Call it when an engine opens a database and its folder: no later migration may empty the database then. */
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
