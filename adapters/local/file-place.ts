import { join } from 'node:path'
import { DataDirMismatchError } from '../../src/index.js'
import type { FileStore, Storage } from '../../src/ports/index.js'
import { FolderFileStore } from '../files/index.js'
import { S3FileStore } from '../s3/index.js'
import { decide, readDecided } from './decided-settings.js'
import { type BucketPlace, parseFilesUrl } from './files-url.js'
import { giveId } from './same-database.js'

/** Where the files are that belong to a database: as it was when the first engine opened it. */
const FILE_STORE_SETTING = 'file-store'
const FOLDER = 'folder'

/**
 * Opens the place where the files of a database are, before anything is swept: in another place all of its files would
 * be missing, and whatever lies there would be what a crash has left behind. For a new database it is decided now.
 *
 * @param filesUrl a bucket; without it the files are in the data folder
 * @throws UnsupportedError where the server of the bucket cannot do what is needed
 * @throws DataDirMismatchError where they are elsewhere, and where the files in the bucket belong to another database
 */
export async function openFiles(dataDir: string, storage: Storage, filesUrl: string | undefined): Promise<FileStore> {
  await storage.open()
  if (filesUrl === undefined) {
    await requirePlace(storage, FOLDER)
    return new FolderFileStore(join(dataDir, 'files'))
  }
  const place = parseFilesUrl(filesUrl)
  const known = await knownPlace(storage)
  if (known !== undefined && known !== place.url) throw elsewhere(known)
  const { bucket, prefix } = place
  const files = new S3FileStore({ bucket, prefix })
  await requireSameOwner(storage, files, place, known !== undefined)
  // Once the bucket says whose it is: what is decided always has its mark there.
  await requirePlace(storage, place.url)
  return files
}

/** Whether the files of a database, if it has any, are in its data folder. */
export async function hasFilesInFolder(storage: Storage): Promise<boolean> {
  return (await knownPlace(storage)) === FOLDER
}

/** @throws DataDirMismatchError where the files of a database are not in its data folder */
export async function requireFolderFiles(storage: Storage): Promise<void> {
  const known = await knownPlace(storage)
  if (known !== undefined && known !== FOLDER) throw elsewhere(known)
}

async function requirePlace(storage: Storage, place: string): Promise<void> {
  const known = (await knownPlace(storage)) ?? (await decide(storage, FILE_STORE_SETTING, place))
  if (known !== place) throw elsewhere(known)
}

/** `undefined` for a new database. Those that are older than this setting have their files in the folder. */
async function knownPlace(storage: Storage): Promise<string | undefined> {
  const { known, isNew } = await readDecided(storage, FILE_STORE_SETTING)
  return known ?? (isNew ? undefined : FOLDER)
}

/** @param isKnown whether the database has its files there already: then the bucket says so, if it is the same one */
async function requireSameOwner(
  storage: Storage,
  files: S3FileStore,
  { url }: BucketPlace,
  isKnown: boolean,
): Promise<void> {
  if (!isKnown) await files.requireOffered()
  const id = await giveId(storage)
  const owner = await files.owner()
  if (owner === undefined && isKnown) {
    throw new DataDirMismatchError(
      `${url} does not have the files of this database: its server is another one, or the object database-id is lost; set AWS_ENDPOINT_URL_S3 to the server it was made with, or bring all of its objects back; nothing was changed`,
    )
  }
  const isOther = owner === undefined ? await hasFiles(files) : owner !== id
  if (isOther || (owner === undefined && (await files.claim(id)) !== id)) {
    throw new DataDirMismatchError(
      `the files in ${url} belong to another database: open that one, or name another prefix, such as ${url}more; nothing was changed`,
    )
  }
}

async function hasFiles(files: FileStore): Promise<boolean> {
  for await (const _ of files.list()) return true
  return false
}

function elsewhere(known: string): DataDirMismatchError {
  const how =
    known === FOLDER
      ? 'the files of this database are in the data folder: open it without filesUrl (--files-url, ALCOVE_FILES_URL)'
      : `the files of this database are in ${known}: open it with filesUrl (--files-url, ALCOVE_FILES_URL) ${known}`
  return new DataDirMismatchError(`${how}; nothing was changed`)
}
