import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { withAnySignal } from '../../../src/ports/index.js'
import { KnexStorage, openSqlite, requireTables, SqliteSnapshot } from '../../knex/index.js'
import { choosePartial, listStaging, makeStaging, removeStaging } from '../../local/folder/backup-staging.js'
import { DATABASE, VECTORS, WORDS } from '../../local/folder/data-dir.js'
import { lockForCommand } from '../../local/folder/data-dir-lock.js'
import { requireFolderFiles } from '../../local/folder/file-place.js'
import { makeTempFolder } from '../../local/folder/temp-folder.js'
import { requireLocalDatabase } from '../../local/open-local-database.js'
import { dataDirOf } from '../../local/options/local-engine-options.js'
import { isCode } from '../../node-kit/index.js'
import { ArchiveWriter } from './backup-archive-writer.js'
import { type WrittenContents, writeContents } from './backup-contents.js'
import { existing, explained, resolveBackupFile } from './backup-file.js'
import type { BackupCounts } from './backup-format.js'
import { BackupLease } from './backup-lease.js'
import { copying } from './backup-room.js'
import { copyVectors } from './backup-vectors.js'
import { copyWords } from './backup-words.js'

export interface BackupOptions {
  /** The data folder. Engines of this or another process may work on it at the same time. */
  readonly dataDir: string
  /** The path of the backup, outside the data folder. */
  readonly file: string
  /** True to replace an existing file. It stays until the new one is complete. Default: false. */
  readonly overwrite?: boolean
  /** True to leave the folder's `keys` out. The restored folder does not open without its secret key. Default: false. */
  readonly withoutKeys?: boolean
  /** The folder for temporary files, as the engine has it. Default: the data folder. */
  readonly tempDir?: string
  /** The table prefix of the engine. Default: `alcove_`. */
  readonly tablePrefix?: string
  readonly signal?: AbortSignal
  /** Called after each file. */
  readonly onProgress?: (progress: BackupProgress) => void
}

export interface BackupProgress {
  readonly bytes: number
  /** An estimate. */
  readonly totalBytes: number
}

/** The contents of a backup: the folder at one moment, without deleted data. */
export interface BackupResult extends BackupCounts, WrittenContents {
  /** Absolute path. */
  readonly file: string
  /** The size of the file. */
  readonly bytes: number
  /** UUIDs of completed documents that lack vectors in the data folder. */
  readonly documentsWithoutVectors: readonly string[]
}

/**
 * Backs up a data folder into one file while engines work on it: database, files, vectors, words and keys of one
 * moment. The file is as secret as the folder. The result is the complete file or no file.
 *
 * @throws InvalidInputError for a file that exists, or is in the data folder
 * @throws NotInitializedError if the folder has no database of its own
 * @throws DataDirMismatchError if the files are in a bucket, because a backup would not contain them
 * @throws BackupRunningError if another backup of the folder runs
 * @throws BackupFailedError if the backup cannot be written, or the folder cannot be read
 * @throws SchemaTooNewError if a newer version wrote the folder
 * @throws SchemaTooOldError if the folder is from a version that this one cannot update
 */
export async function backupDataDir(options: BackupOptions): Promise<BackupResult> {
  const dataDir = dataDirOf(options)
  await requireLocalDatabase(dataDir)
  const file = await resolveBackupFile(options, dataDir)
  const commands = await lockForCommand(dataDir)
  try {
    return await backupTo(file, { ...options, dataDir })
  } finally {
    await commands.release()
  }
}

async function backupTo(file: string, options: BackupOptions): Promise<BackupResult> {
  const { dataDir } = options
  const { tablePrefix = 'alcove_' } = options
  const knex = openSqlite(join(dataDir, DATABASE))
  const storage = new KnexStorage({ knex, tablePrefix })
  try {
    await requireTables(knex, tablePrefix)
    await storage.open()
    await requireFolderFiles(storage)
    const lease = await BackupLease.take(storage)
    try {
      // This backup has the lease, so existing staging folders are of killed backups.
      const tempFolder = await makeTempFolder(dataDir, options.tempDir)
      for (const orphan of await listStaging([dataDir, tempFolder])) await removeStaging(orphan)
      const place = { tempFolder, file }
      const staging = await copying(place, async () => await makeStaging(tempFolder))
      try {
        const snapshot = await copying(
          place,
          async () => await SqliteSnapshot.take(knex, join(staging, DATABASE), tablePrefix),
        )
        return await makeBackup({ ...options, dataDir, file, tablePrefix, tempFolder, staging, lease, snapshot })
      } finally {
        await removeStaging(staging)
      }
    } finally {
      await lease.release()
    }
  } catch (error) {
    throw explained(error, `the backup ${file} failed`)
  } finally {
    await storage.close()
  }
}

interface BackupInput extends BackupOptions {
  readonly tablePrefix: string
  readonly tempFolder: string
  readonly staging: string
  readonly lease: BackupLease
  readonly snapshot: SqliteSnapshot
}

async function makeBackup(input: BackupInput): Promise<BackupResult> {
  return await withAnySignal([input.lease.signal, input.signal], async (signal) => await writeBackup(input, signal))
}

async function writeBackup(input: BackupInput, signal: AbortSignal): Promise<BackupResult> {
  const { file, tempFolder, staging, lease, snapshot } = input
  const created = new Date().toISOString()
  try {
    signal.throwIfAborted()
    const { counts, vectors, words, documentsWithoutVectors, partial } = await copying(
      { tempFolder, file, signal },
      async () => await copyParts(input, signal),
    )
    const writer = await ArchiveWriter.create({ file, partial, checksums: join(staging, 'checksums') })
    try {
      const written = await writeContents({ ...input, ...vectors, ...words, counts, created, writer, signal })
      await writer.finish(signal)
      // While the lease holds, no engine removes data, so everything was copied before its removal.
      await lease.confirm()
      signal.throwIfAborted()
      await writer.publish({ overwrite: input.overwrite === true }).catch((error: unknown) => {
        throw isCode(error, 'EEXIST') ? existing(file, error) : error
      })
      const { contexts, documents } = counts
      const { size: bytes } = await stat(file)
      const indexed = { ...vectors, ...words, documentsWithoutVectors }
      return { file, bytes, created, contexts, documents, ...indexed, ...written }
    } finally {
      await writer.abandon()
    }
  } finally {
    await snapshot.close()
  }
}

/** Copies what the archive has beside files of documents and keys. */
async function copyParts({ dataDir, file, staging, snapshot }: BackupInput, signal: AbortSignal) {
  await snapshot.settle()
  const counts = await snapshot.counts()
  const pathsOf = (name: string) => ({ from: join(dataDir, name), to: join(staging, name) })
  const { documentsWithoutVectors, ...vectors } = await copyVectors(pathsOf(VECTORS), snapshot, signal)
  const words = await copyWords(pathsOf(WORDS), snapshot, signal)
  return { counts, vectors, words, documentsWithoutVectors, partial: await choosePartial(staging, file) }
}
