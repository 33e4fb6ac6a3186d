import { type FileHandle, mkdir, open, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  AlcoveError,
  BackupFailedError,
  BackupInvalidError,
  InvalidInputError,
  SchemaTooNewError,
} from '../../../src/index.js'
import { syncFolder } from '../../files/index.js'
import { SqliteSnapshot } from '../../knex/index.js'
import { DATABASE, DATABASE_ID, isThere } from '../data-dir-names.js'
import { dataDirOf } from '../local-engine-options.js'
import { ID_SETTING } from '../same-database.js'
import { isCode } from '../system-code.js'
import { backupFileOf, explained } from './backup-file.js'
import {
  type BackupManifest,
  FORMAT_SCHEMA,
  FORMAT_VERSION,
  isEntryName,
  MANIFEST,
  MANIFEST_SCHEMA,
  MAX_MANIFEST_BYTES,
  SECRET_KEY,
} from './backup-format.js'
import { type ArchiveEntry, ArchiveReader } from './restore-archive-reader.js'
import { makeRestoreTarget, requireNothingThere } from './restore-target.js'

export interface RestoreOptions {
  /** Where the folder is to be: new, or an empty folder. */
  readonly dataDir: string
  /** A backup. */
  readonly file: string
  readonly signal?: AbortSignal
  /** Told after each file how far it is. */
  readonly onProgress?: (progress: { readonly bytes: number; readonly totalBytes: number }) => void
}

/** What was restored. */
export interface RestoreResult {
  /** Absolute path. */
  readonly dataDir: string
  /** When the backup was made, ISO 8601. */
  readonly created: string
  readonly contexts: number
  readonly documents: number
  /** Of documents. */
  readonly files: number
  /** Collections of vectors. */
  readonly collections: number
  readonly vectors: number
  /** Collections of words; 0 for a backup of before there were any. */
  readonly wordCollections: number
  /** Chunks whose words are there. The engine that opens the folder indexes others in the background. */
  readonly indexedChunks: number
  /** Size of all files together. */
  readonly bytes: number
  /** Deliveries that were not at their end: the next engine with the role `relay` sends them, perhaps once more. */
  readonly pendingDeliveries: number
  /** Whether the key was in it that secrets are encrypted with. Where it was not, the folder needs it to be opened. */
  readonly hasSecretKey: boolean
}

/**
 * Makes a data folder from a backup, readable for this user alone. In the end there is the whole folder, or nothing.
 *
 * @throws DataDirUnusableError where something is there that is no empty folder
 * @throws BackupInvalidError for what is no backup, is damaged, or was made by a newer version
 * @throws BackupFailedError where the folder cannot be written, or the file not be read
 */
export async function restoreDataDir(options: RestoreOptions): Promise<RestoreResult> {
  const dataDir = dataDirOf(options)
  const file = backupFileOf((options as Partial<RestoreOptions>).file)
  try {
    await requireNothingThere(dataDir)
    await requireFile(file)
    const handle = await open(file, 'r')
    try {
      return await restoreFrom(handle, { ...options, dataDir, file })
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (error instanceof BackupInvalidError) {
      throw new BackupInvalidError(`${file} cannot be restored: ${error.message}; nothing was changed`, {
        cause: error,
      })
    }
    throw explained(error, `${file} could not be restored to ${dataDir}`)
  }
}

/** Before it is opened: whoever opens a pipe waits for its other end. */
async function requireFile(file: string): Promise<void> {
  const found = await stat(file).catch((error: unknown) => {
    if (!isCode(error, 'ENOENT')) throw error
    throw new InvalidInputError('file', `there is no ${file}: name what "alcove backup" has made`, { cause: error })
  })
  if (!found.isFile()) throw new BackupInvalidError('it is no file')
}

async function restoreFrom(handle: FileHandle, options: RestoreOptions): Promise<RestoreResult> {
  const { size: totalBytes } = await handle.stat()
  const reader = new ArchiveReader(handle, totalBytes)
  const entries = reader.entries(options.signal)
  const manifest = await readManifest(entries)
  const target = await makeRestoreTarget(options.dataDir)
  try {
    const unpacked = { files: 0, bytes: 0, hasSecretKey: false }
    const folders = new Set<string>()
    for await (const entry of entries) {
      folders.add(await unpack(entry, target.folder))
      unpacked.bytes += entry.size
      if (entry.name.startsWith('files/')) unpacked.files += 1
      if (entry.name === SECRET_KEY) unpacked.hasSecretKey = true
      options.onProgress?.({ bytes: reader.bytes, totalBytes })
    }
    await checkDatabase(target.folder, manifest)
    for (const folder of folders) await syncFolder(folder)
    await target.commit()
    const { format: _format, version: _version, tablePrefix: _prefix, ...counts } = manifest
    return { dataDir: options.dataDir, ...counts, ...unpacked }
  } finally {
    await target.abandon()
  }
}

/** The first entry, which says what the others are. */
async function readManifest(entries: AsyncIterator<ArchiveEntry>): Promise<BackupManifest> {
  const notOne = (cause?: unknown): BackupInvalidError =>
    new BackupInvalidError('it is no backup that "alcove backup" has made', { cause })
  const first = await entries.next().catch((error: unknown) => {
    throw error instanceof BackupInvalidError ? notOne(error) : error
  })
  if (first.done === true || first.value.name !== MANIFEST || first.value.size > MAX_MANIFEST_BYTES) throw notOne()
  const pieces: Buffer[] = []
  for await (const piece of first.value.content()) pieces.push(Buffer.from(piece))
  const json = parseJson(Buffer.concat(pieces).toString('utf8'))
  const format = FORMAT_SCHEMA.safeParse(json)
  if (!format.success) throw notOne(format.error)
  if (format.data.version > FORMAT_VERSION)
    throw new BackupInvalidError('a newer version of alcove has made it: restore it with that version')
  const manifest = MANIFEST_SCHEMA.safeParse(json)
  if (!manifest.success) throw notOne(manifest.error)
  return manifest.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @returns the folder that the file is in */
async function unpack({ name, content }: ArchiveEntry, folder: string): Promise<string> {
  if (!isEntryName(name)) throw new BackupInvalidError('it holds a file that does not belong in a data folder')
  const path = join(folder, name)
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const piece of content()) await file.writeFile(piece)
      await file.sync()
    } finally {
      await file.close()
    }
    return dirname(path)
  } catch (error) {
    // Two entries of one name, or one that is a folder for another: no backup has them.
    const isTwice = isCode(error, 'EEXIST', 'ENOTDIR', 'EISDIR')
    throw isTwice ? new BackupInvalidError('it holds a file twice', { cause: error }) : error
  }
}

/** Whatever the checksums say: a folder that could not be opened must not come in place of nothing. */
async function checkDatabase(folder: string, { tablePrefix }: BackupManifest): Promise<void> {
  if (!(await isThere(join(folder, DATABASE)))) throw new BackupInvalidError('it has no database')
  try {
    const database = await SqliteSnapshot.open(join(folder, DATABASE), tablePrefix)
    try {
      await database.migrate()
      const id = await readFile(join(folder, DATABASE_ID), 'utf8').catch(() => undefined)
      if (id !== (await database.setting(ID_SETTING))) throw new BackupInvalidError('its database is of another folder')
    } finally {
      await database.close()
    }
  } catch (error) {
    if (error instanceof SchemaTooNewError) throw new BackupInvalidError(error.message, { cause: error })
    if (error instanceof BackupInvalidError || error instanceof BackupFailedError) throw error
    if (error instanceof AlcoveError && error.isTransient) throw error
    throw new BackupInvalidError('its database cannot be opened', { cause: error })
  }
}
