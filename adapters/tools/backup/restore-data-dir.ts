import { type FileHandle, mkdir, open, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  AlcoveError,
  BackupFailedError,
  BackupInvalidError,
  InvalidInputError,
  SchemaTooNewError,
  SchemaTooOldError,
} from '../../../src/index.js'
import { SqliteSnapshot } from '../../knex/index.js'
import { DATABASE, DATABASE_ID, pathExists } from '../../local/folder/data-dir.js'
import { dataDirOf } from '../../local/options/local-engine-options.js'
import { ID_SETTING } from '../../local/same-database.js'
import { isCode, syncFolder } from '../../node-kit/index.js'
import { backupFileOf, explained } from './backup-file.js'
import {
  type BackupCounts,
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

const UNRELEASED = 'an unreleased version of alcove created it, and this one cannot restore it'

export interface RestoreOptions {
  /** The folder to restore to: new or empty. */
  readonly dataDir: string
  /** The file of the backup. */
  readonly file: string
  readonly signal?: AbortSignal
  /** Called after each file. */
  readonly onProgress?: (progress: { readonly bytes: number; readonly totalBytes: number }) => void
}

export interface RestoreResult extends BackupCounts {
  /** Absolute path. */
  readonly dataDir: string
  /** The number of document files. */
  readonly files: number
  /** The size of all files together. */
  readonly bytes: number
  /** Unfinished deliveries. The next engine with the role `relay` sends them, perhaps for the second time. */
  readonly pendingDeliveries: number
  /** True if the backup contains the key that encrypts secrets. Otherwise the folder does not open without that key. */
  readonly hasSecretKey: boolean
}

/**
 * Creates a data folder from a backup. Only this user may read it. The result is the complete folder or no folder.
 *
 * @throws DataDirUnusableError if the path exists and is not an empty folder
 * @throws BackupInvalidError for a file that is no backup, is damaged, or was created by a newer version
 * @throws BackupFailedError if the folder cannot be written, or the file cannot be read
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
      throw new BackupInvalidError(`cannot restore ${file}: ${error.message}; nothing was changed`, {
        cause: error,
      })
    }
    throw explained(error, `restoring ${file} to ${dataDir} failed`)
  }
}

/** Checked before the file is opened, because opening a pipe blocks until a process writes to it. */
async function requireFile(file: string): Promise<void> {
  const found = await stat(file).catch((error: unknown) => {
    if (!isCode(error, 'ENOENT')) throw error
    throw new InvalidInputError('file', `${file} does not exist: use a file that "alcove backup" created`, {
      cause: error,
    })
  })
  if (!found.isFile()) throw new BackupInvalidError('it is not a regular file')
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

/** Reads the first entry, which describes the others. */
async function readManifest(entries: AsyncIterator<ArchiveEntry>): Promise<BackupManifest> {
  const notBackup = (cause?: unknown): BackupInvalidError =>
    new BackupInvalidError('it is not a backup that "alcove backup" created', { cause })
  const first = await entries.next().catch((error: unknown) => {
    throw error instanceof BackupInvalidError ? notBackup(error) : error
  })
  if (first.done === true || first.value.name !== MANIFEST || first.value.size > MAX_MANIFEST_BYTES) throw notBackup()
  const pieces: Buffer[] = []
  for await (const piece of first.value.content) pieces.push(piece)
  const json = parseJson(Buffer.concat(pieces).toString('utf8'))
  const format = FORMAT_SCHEMA.safeParse(json)
  if (!format.success) throw notBackup(format.error)
  if (format.data.version < FORMAT_VERSION) throw new BackupInvalidError(UNRELEASED)
  if (format.data.version > FORMAT_VERSION)
    throw new BackupInvalidError('a newer version of alcove created it: restore it with that version')
  const manifest = MANIFEST_SCHEMA.safeParse(json)
  if (!manifest.success) throw notBackup(manifest.error)
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
  if (!isEntryName(name)) throw new BackupInvalidError('it contains a file that does not belong in a data folder')
  const path = join(folder, name)
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const piece of content) await file.writeFile(piece)
      await file.sync()
    } finally {
      await file.close()
    }
    return dirname(path)
  } catch (error) {
    // Two entries have the same name, or one is a folder of the other. No backup has such entries.
    const isDuplicate = isCode(error, 'EEXIST', 'ENOTDIR', 'EISDIR')
    throw isDuplicate ? new BackupInvalidError('it contains a file twice', { cause: error }) : error
  }
}

/** Checks the database even if the checksums are right: a restore must not create a folder that does not open. */
async function checkDatabase(folder: string, { tablePrefix }: BackupManifest): Promise<void> {
  if (!(await pathExists(join(folder, DATABASE)))) throw new BackupInvalidError('it has no database')
  try {
    const database = await SqliteSnapshot.open(join(folder, DATABASE), tablePrefix)
    try {
      await database.migrate()
      const id = await readFile(join(folder, DATABASE_ID), 'utf8').catch(() => undefined)
      if (id !== (await database.setting(ID_SETTING)))
        throw new BackupInvalidError('its database belongs to another folder')
    } finally {
      await database.close()
    }
  } catch (error) {
    if (error instanceof SchemaTooNewError) throw new BackupInvalidError(error.message, { cause: error })
    if (error instanceof SchemaTooOldError) throw new BackupInvalidError(UNRELEASED, { cause: error })
    if (error instanceof BackupInvalidError || error instanceof BackupFailedError) throw error
    if (error instanceof AlcoveError && error.isTransient) throw error
    throw new BackupInvalidError('its database cannot be opened', { cause: error })
  }
}
