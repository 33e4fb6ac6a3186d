import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DataDirMismatchError } from '../../src/index.js'
import type { Storage } from '../../src/ports/index.js'
import { syncFolder } from '../files/index.js'
import type { KnexStorage } from '../knex/index.js'
import { unusable } from './data-dir-lock.js'
import { DATABASE, DATABASE_ID, isThere, VECTORS } from './data-dir-names.js'
import { decide, readDecided } from './decided-settings.js'
import { noteLive, requireWholeCopy } from './migration/migration-mark.js'
import { isCode } from './system-code.js'

export const ID_SETTING = 'database-id'
/** What belongs to documents, and so to one database. */
const CONTENTS = ['files', VECTORS]

/**
 * Makes sure that a folder and a database belong together, before anything is swept: to another database, the
 * documents of the folder would be what a crash has left behind, and it would remove them. Both carry an id.
 *
 * @throws NotInitializedError where a folder is being migrated to the database
 * @throws DataDirMismatchError where they do not, for a new database on a folder with documents, for one on a server
 *   where the folder has its own, and for one that was begun with another folder, if that is needed
 * @throws DataDirUnusableError where the folder's id cannot be read or written
 * @param isFolderNeeded whether there is more in the folder that the database was begun with than keys and mails
 */
export async function requireSameDatabase(
  dataDir: string,
  storage: KnexStorage,
  isFolderNeeded: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<void> {
  await storage.open()
  await requireWholeCopy(dataDir, storage)
  if (storage.isOnServer) await requireNoOwnDatabase(dataDir)
  // Before the database: another engine that begins now writes its id there first.
  const before = await readFolderId(dataDir)
  const { known: id, isNew } = await readDecided(storage, ID_SETTING)
  const hasOthers = before === undefined && isNew && (await hasDocuments(dataDir))
  // Another engine may have begun since, and have taken in documents.
  const ofFolder = hasOthers ? await readFolderId(dataDir) : before
  if (ofFolder === undefined ? hasOthers : ofFolder !== (id ?? (await storedId(storage)))) throw mismatch(dataDir)
  // First the database: a folder with an id that its database lacks would be refused.
  if (ofFolder === undefined) {
    if (id !== undefined && !isNew && (await isFolderNeeded())) await requireFormerFolder(dataDir, id)
    await writeFolderId(dataDir, id ?? (await giveId(storage)))
  }
  await noteLive(storage)
}

export function mismatch(dataDir: string): DataDirMismatchError {
  return new DataDirMismatchError(
    `the documents in ${dataDir} belong to another database: open it with the databaseUrl, or the knex, and the tablePrefix that it was made with, or use another folder; nothing was changed`,
  )
}

/**
 * Of a database that was begun on one folder, an empty one is not mounted, or mistyped: searches would find nothing, and
 * uploads would go there.
 *
 * @throws DataDirMismatchError for a folder with nothing in it
 */
async function requireFormerFolder(dataDir: string, id: string): Promise<void> {
  // Whoever made data in the database since has written the folder's id before.
  if (await isOfOtherDatabase(dataDir)) return
  throw new DataDirMismatchError(
    `${dataDir} is not the folder that this database was begun with: name, or mount, that one; where it is lost for good, bring its keys back, and write ${id} into ${join(dataDir, DATABASE_ID)}: then "alcove doctor" says what is missing; nothing was changed`,
  )
}

/** @throws DataDirMismatchError for a folder of another database; one that belongs to none passes */
export async function requireNoOtherFolder(dataDir: string, storage: Storage): Promise<void> {
  const ofFolder = await readFolderId(dataDir)
  if (ofFolder === undefined) return
  if (ofFolder !== (await storedId(storage))) throw mismatch(dataDir)
  await noteLive(storage)
}

/**
 * A folder has one database, its own or one elsewhere: to each of two, the documents of the other would be what a crash
 * has left behind.
 *
 * @throws DataDirMismatchError where a database elsewhere is to be opened on a folder that has its own
 */
export async function requireNoOwnDatabase(dataDir: string): Promise<void> {
  if (!(await isThere(join(dataDir, DATABASE)))) return
  throw new DataDirMismatchError(
    `the folder ${dataDir} has a database of its own, ${DATABASE}: copy it with "alcove migrate" to a new database, or use another folder; nothing was changed`,
  )
}

/** Whether the data of a folder is in a database elsewhere. */
export async function isOfOtherDatabase(dataDir: string): Promise<boolean> {
  return (await readFolderId(dataDir)) !== undefined || (await hasDocuments(dataDir))
}

/** The id of a database, which it has from now on. */
export async function giveId(storage: Storage): Promise<string> {
  return await decide(storage, ID_SETTING, randomUUID())
}

async function storedId(storage: Storage): Promise<string | undefined> {
  return (await readDecided(storage, ID_SETTING)).known
}

async function readFolderId(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, DATABASE_ID), 'utf8')).trim() || undefined
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw unusable(dataDir, error)
  }
}

/** What the database relies on is there after a loss of power, too. */
async function writeFolderId(dataDir: string, id: string): Promise<void> {
  const temporary = join(dataDir, `${DATABASE_ID}.${randomUUID()}`)
  try {
    await writeFile(temporary, id, { flag: 'wx', mode: 0o600, flush: true })
    await rename(temporary, join(dataDir, DATABASE_ID))
    await syncFolder(dataDir)
  } catch (error) {
    throw unusable(dataDir, error)
  }
}

async function hasDocuments(dataDir: string): Promise<boolean> {
  const lists = await Promise.all(CONTENTS.map((name) => readdir(join(dataDir, name)).catch(() => [])))
  return lists.some((list) => list.length > 0)
}
