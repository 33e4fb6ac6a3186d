import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DataDirMismatchError } from '../../src/index.js'
import type { Storage } from '../../src/ports/index.js'
import { DATABASE_ID, VECTORS } from './data-dir-names.js'
import { requireWholeCopy } from './migration/migration-mark.js'

export const ID_SETTING = 'database-id'
/** What belongs to documents, and so to one database. */
const CONTENTS = ['files', VECTORS]

/**
 * Makes sure that a folder and a database belong together, before anything is swept: to another database, the
 * documents of the folder would be what a crash has left behind, and it would remove them. Both carry an id.
 *
 * @throws NotInitializedError where a folder is being migrated to the database
 * @throws DataDirMismatchError where they do not, and for a new database on a folder with documents
 */
export async function requireSameDatabase(dataDir: string, storage: Storage): Promise<void> {
  await storage.open()
  await requireWholeCopy(dataDir, storage)
  // Before the database: another engine that begins now writes its id there first.
  const ofFolder = await readFolderId(dataDir)
  const { id, isNew } = await storage.read(async ({ settings }) => ({
    id: await settings.get(ID_SETTING),
    isNew: (await settings.get('owner')) === undefined,
  }))
  const isOther = ofFolder === undefined ? isNew && (await hasDocuments(dataDir)) : ofFolder !== id
  if (isOther) throw mismatch(dataDir)
  if (ofFolder !== undefined) return
  // First the database: a folder with an id that its database lacks would be refused.
  const temporary = join(dataDir, `${DATABASE_ID}.${randomUUID()}`)
  await writeFile(temporary, id ?? (await giveId(storage)), { mode: 0o600 })
  await rename(temporary, join(dataDir, DATABASE_ID))
}

export function mismatch(dataDir: string): DataDirMismatchError {
  return new DataDirMismatchError(
    `the documents in ${dataDir} belong to another database: open it with the databaseUrl, or the knex, and the tablePrefix that it was made with, or use another folder; nothing was changed`,
  )
}

/** Whether the data of a folder is in a database elsewhere. */
export async function isOfOtherDatabase(dataDir: string): Promise<boolean> {
  return (await readFolderId(dataDir)) !== undefined || (await hasDocuments(dataDir))
}

/** The id of a database, which it has from now on. */
export async function giveId(storage: Storage): Promise<string> {
  return await storage.transaction(async ({ settings }) => {
    const id = (await settings.get(ID_SETTING)) ?? randomUUID()
    await settings.put(ID_SETTING, id)
    return id
  })
}

async function readFolderId(dataDir: string): Promise<string | undefined> {
  return await readFile(join(dataDir, DATABASE_ID), 'utf8').then(
    (text) => text.trim() || undefined,
    () => undefined,
  )
}

async function hasDocuments(dataDir: string): Promise<boolean> {
  const lists = await Promise.all(CONTENTS.map((name) => readdir(join(dataDir, name)).catch(() => [])))
  return lists.some((list) => list.length > 0)
}
