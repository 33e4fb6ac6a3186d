import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DataDirMismatchError } from '../../src/index.js'
import type { Storage } from '../../src/ports/index.js'
import type { KnexStorage } from '../knex/index.js'
import { isCode, replacePrivateFile, syncFolder } from '../node-kit/index.js'
import { DATABASE, DATABASE_ID, pathExists, VECTORS } from './folder/data-dir.js'
import { unusable } from './folder/data-dir-lock.js'
import { noteLive, requireWholeCopy } from './folder/migration-mark.js'

export const ID_SETTING = 'database-id'
/** Folders with data of documents, which belong to one database. */
const CONTENTS = ['files', VECTORS]

/**
 * Checks that a folder and a database belong together, by an id that both have. The check comes before the first
 * sweep: the sweep of another database would remove the documents in the folder as orphans.
 *
 * @throws NotInitializedError if a folder is being migrated to the database
 * @throws DataDirMismatchError if the ids differ; for a new database and a folder with documents; for a database on a
 *   server if the folder has its own; if the database was created with another folder and needs it
 * @throws DataDirUnusableError if the id of the folder cannot be read or written
 * @param isFolderNeeded true if the folder of the database contains more than keys and mails
 */
export async function requireSameDatabase(
  dataDir: string,
  storage: KnexStorage,
  isFolderNeeded: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<void> {
  await storage.open()
  await requireWholeCopy(dataDir, storage)
  if (storage.isOnServer) await requireNoOwnDatabase(dataDir)
  // Read before the database, because an engine that starts now writes the id to the database first.
  const firstFolderId = await readFolderId(dataDir)
  const { known: id, isNew } = await readDecided(storage, ID_SETTING)
  const hasUnknownDocuments = firstFolderId === undefined && isNew && (await hasDocuments(dataDir))
  // The documents may belong to an engine that has started in the meantime. It has written the folder's id then.
  const folderId = hasUnknownDocuments ? await readFolderId(dataDir) : firstFolderId
  const isMismatch = folderId === undefined ? hasUnknownDocuments : folderId !== (id ?? (await storedId(storage)))
  if (isMismatch) throw mismatch(dataDir)
  // The database gets its id first: a folder with an id that its database lacks would be refused.
  if (folderId === undefined) {
    if (id !== undefined && !isNew && (await isFolderNeeded())) await requireFormerFolder(dataDir, id)
    await writeFolderId(dataDir, id ?? (await ensureDatabaseId(storage)))
  }
  await noteLive(storage)
}

export function mismatch(dataDir: string): DataDirMismatchError {
  return new DataDirMismatchError(
    `the documents in ${dataDir} belong to another database: open the folder with the databaseUrl or knex, and the tablePrefix, of that database, or use another folder; nothing was changed`,
  )
}

/**
 * An empty folder is not the folder of this database: it is not mounted, or its name is mistyped. Searches would find
 * nothing, and uploads would be written there.
 *
 * @throws DataDirMismatchError for an empty folder
 */
async function requireFormerFolder(dataDir: string, id: string): Promise<void> {
  // An engine that has stored data since then has written the folder's id first.
  if (await isOfOtherDatabase(dataDir)) return
  throw new DataDirMismatchError(
    `${dataDir} is not the folder of this database: use, or mount, that folder; if it is lost, restore its keys and write ${id} into ${join(dataDir, DATABASE_ID)}, then "alcove doctor" lists what is missing; nothing was changed`,
  )
}

/** @throws DataDirMismatchError for a folder of another database. A folder without an id passes */
export async function requireNoOtherFolder(dataDir: string, storage: Storage): Promise<void> {
  const folderId = await readFolderId(dataDir)
  if (folderId === undefined) return
  if (folderId !== (await storedId(storage))) throw mismatch(dataDir)
  await noteLive(storage)
}

/**
 * A folder has one database, its own or one elsewhere. With two, each would sweep the documents of the other.
 *
 * @throws DataDirMismatchError if the folder has its own database and another one is opened
 */
export async function requireNoOwnDatabase(dataDir: string): Promise<void> {
  if (!(await pathExists(join(dataDir, DATABASE)))) return
  throw new DataDirMismatchError(
    `the folder ${dataDir} has its own database, ${DATABASE}: copy that to a new database with "alcove migrate", or use another folder; nothing was changed`,
  )
}

/** True if the data of a folder is in a database elsewhere. */
export async function isOfOtherDatabase(dataDir: string): Promise<boolean> {
  return (await readFolderId(dataDir)) !== undefined || (await hasDocuments(dataDir))
}

/** Reads the id of a database. Creates it if the database has none. */
export async function ensureDatabaseId(storage: Storage): Promise<string> {
  return await decide(storage, ID_SETTING, randomUUID())
}

async function storedId(storage: Storage): Promise<string | undefined> {
  return (await readDecided(storage, ID_SETTING)).known
}

/** Reads a setting of a database. `isNew` is true if no engine has opened the database yet. */
export async function readDecided(
  storage: Storage,
  key: string,
): Promise<{ readonly known: string | undefined; readonly isNew: boolean }> {
  return await storage.read(async ({ settings }) => ({
    known: await settings.get(key),
    isNew: (await settings.get('owner')) === undefined,
  }))
}

/** Stores a setting once. If several engines do that at the same time, the first one wins. @returns the stored value */
export async function decide(storage: Storage, key: string, value: string): Promise<string> {
  return await storage.transaction(async ({ settings }) => {
    const decided = (await settings.get(key)) ?? value
    await settings.put(key, decided)
    return decided
  })
}

async function readFolderId(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, DATABASE_ID), 'utf8')).trim() || undefined
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw unusable(dataDir, error)
  }
}

/** Syncs the id to the disk: the database relies on it after a power cut too. */
async function writeFolderId(dataDir: string, id: string): Promise<void> {
  try {
    await replacePrivateFile(join(dataDir, DATABASE_ID), id)
    await syncFolder(dataDir)
  } catch (error) {
    throw unusable(dataDir, error)
  }
}

async function hasDocuments(dataDir: string): Promise<boolean> {
  const lists = await Promise.all(CONTENTS.map((name) => readdir(join(dataDir, name)).catch(() => [])))
  return lists.some((list) => list.length > 0)
}
