import { join } from 'node:path'
import { DataDirMismatchError } from '../../../src/index.js'
import { type FileStore, InvalidInputError, type Storage } from '../../../src/ports/index.js'
import { FolderFileStore } from '../../files/index.js'
import { S3FileStore } from '../../s3/index.js'
import { decide, ensureDatabaseId, readDecided } from '../same-database.js'

/** The setting with the location of the files: `folder` or the URL of a bucket. The first engine sets it. */
const FILE_STORE_SETTING = 'file-store'
const FOLDER = 'folder'

/**
 * Opens the files of a database. A new database stores their location now. The check comes before the first sweep: in
 * another location all files would be missing, and the sweep would remove the files there as orphans.
 *
 * @param filesUrl a bucket. Default: the data folder
 * @throws UnsupportedError if the server of the bucket lacks a needed operation
 * @throws DataDirMismatchError if the files are in another location, or the bucket belongs to another database
 */
export async function openFiles(dataDir: string, storage: Storage, filesUrl: string | undefined): Promise<FileStore> {
  await storage.open()
  if (filesUrl === undefined) {
    await requireLocation(storage, FOLDER)
    return new FolderFileStore(join(dataDir, 'files'))
  }
  const bucketLocation = parseFilesUrl(filesUrl)
  const known = await readLocation(storage)
  if (known !== undefined && known !== bucketLocation.url) throw elsewhere(known)
  const { bucket, prefix } = bucketLocation
  const files = new S3FileStore({ bucket, prefix })
  await requireSameOwner(storage, files, bucketLocation, known !== undefined)
  // After the bucket has the id of the database: a stored location always has that mark.
  await requireLocation(storage, bucketLocation.url)
  return files
}

/** True if the files of a database, if it has any, are in its data folder. */
export async function hasFilesInFolder(storage: Storage): Promise<boolean> {
  return (await readLocation(storage)) === FOLDER
}

/** @throws DataDirMismatchError if the files of a database are not in its data folder */
export async function requireFolderFiles(storage: Storage): Promise<void> {
  const known = await readLocation(storage)
  if (known !== undefined && known !== FOLDER) throw elsewhere(known)
}

/** A bucket and a prefix in it. */
interface BucketLocation {
  readonly bucket: string
  /** Empty, or ends with a slash. */
  readonly prefix: string
  /** The normalized URL, for comparisons: `s3://bucket/prefix/`. */
  readonly url: string
}

/** The rules for bucket names, and for prefixes that every server accepts. */
const BUCKET_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9!_*'()-][A-Za-z0-9!_.*'()-]*)*)\/?$/
/** S3 allows names of 1,024 bytes, which include the name of the file. */
const MAX_CHARACTERS = 900

/** @throws InvalidInputError for a value that is no bucket URL */
export function parseFilesUrl(url: unknown): BucketLocation {
  const isText = typeof url === 'string' && url.length <= MAX_CHARACTERS
  const [, bucket, path = ''] = (isText ? BUCKET_URL.exec(url) : null) ?? []
  if (bucket === undefined) {
    throw new InvalidInputError(
      'filesUrl',
      'must be a bucket, such as s3://bucket or s3://bucket/prefix; set its server, region and credentials in AWS_ENDPOINT_URL_S3, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    )
  }
  const prefix = path === '' ? '' : `${path.slice(1)}/`
  return { bucket, prefix, url: `s3://${bucket}/${prefix}` }
}

async function requireLocation(storage: Storage, location: string): Promise<void> {
  const known = (await readLocation(storage)) ?? (await decide(storage, FILE_STORE_SETTING, location))
  if (known !== location) throw elsewhere(known)
}

/** @returns `undefined` for a new database */
async function readLocation(storage: Storage): Promise<string | undefined> {
  return (await readDecided(storage, FILE_STORE_SETTING)).known
}

/** @param isKnown true if the database already has its files there: then the bucket must have its id */
async function requireSameOwner(
  storage: Storage,
  files: S3FileStore,
  { url }: BucketLocation,
  isKnown: boolean,
): Promise<void> {
  if (!isKnown) await files.requireOffered()
  const id = await ensureDatabaseId(storage)
  const owner = await files.owner()
  if (owner === undefined && isKnown) {
    throw new DataDirMismatchError(
      `${url} does not contain the files of this database: it is on another server, or its object database-id is lost; set AWS_ENDPOINT_URL_S3 to the right server, or restore all objects of the bucket; nothing was changed`,
    )
  }
  const isOther = owner === undefined ? await hasFiles(files) : owner !== id
  if (isOther || (owner === undefined && (await files.claim(id)) !== id)) {
    throw new DataDirMismatchError(
      `the files in ${url} belong to another database: open that database, or use another prefix, such as ${url}more; nothing was changed`,
    )
  }
}

async function hasFiles(files: FileStore): Promise<boolean> {
  for await (const _ of files.list()) return true
  return false
}

function elsewhere(known: string): DataDirMismatchError {
  const advice =
    known === FOLDER
      ? 'the files of this database are in the data folder: open it without filesUrl (--files-url, ALCOVE_FILES_URL)'
      : `the files of this database are in ${known}: open it with filesUrl (--files-url, ALCOVE_FILES_URL) ${known}`
  return new DataDirMismatchError(`${advice}; nothing was changed`)
}
