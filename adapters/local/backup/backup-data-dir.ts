import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { withAnySignal } from '../../../src/ports/index.js'
import { KnexStorage, openSqlite, requireTables, SqliteSnapshot } from '../../knex/index.js'
import { lockForCommand } from '../data-dir-lock.js'
import { DATABASE, VECTORS, WORDS } from '../data-dir-names.js'
import { requireFolderFiles } from '../file-place.js'
import { dataDirOf } from '../local-engine-options.js'
import { requireLocalDatabase } from '../open-local-database.js'
import { isCode } from '../system-code.js'
import { ArchiveWriter } from './backup-archive-writer.js'
import { type WrittenContents, writeContents } from './backup-contents.js'
import { existing, explained, resolveBackupFile } from './backup-file.js'
import { BackupLease } from './backup-lease.js'
import { choosePartial, listStaging, makeStaging, removeStaging } from './backup-staging.js'
import { copyVectors } from './backup-vectors.js'
import { copyWords } from './backup-words.js'

export interface BackupOptions {
  /** The data folder. Engines may work on it meanwhile, of this process or another. */
  readonly dataDir: string
  /** Where the backup is to be, outside of the data folder. */
  readonly file: string
  /** Whether a file that is there is replaced; default false. It stays until the new one is whole. */
  readonly overwrite?: boolean
  /** Whether the folder's `keys` are left out; default false. What is restored cannot be opened without its secret key. */
  readonly withoutKeys?: boolean
  /** As the engine was opened with; default `alcove_`. */
  readonly tablePrefix?: string
  readonly signal?: AbortSignal
  /** Told after each file how far it is. */
  readonly onProgress?: (progress: BackupProgress) => void
}

export interface BackupProgress {
  readonly bytes: number
  /** About as many as there will be. */
  readonly totalBytes: number
}

/** What a backup holds: the folder as it was at one moment, without what was deleted. */
export interface BackupResult extends WrittenContents {
  /** Absolute path. */
  readonly file: string
  /** Size of the file. */
  readonly bytes: number
  /** The moment, ISO 8601. */
  readonly created: string
  readonly contexts: number
  readonly documents: number
  /** Collections of vectors. */
  readonly collections: number
  readonly vectors: number
  /** Collections of words. */
  readonly wordCollections: number
  /** Chunks whose words are in it. The engine that opens what is restored indexes others in the background. */
  readonly indexedChunks: number
  /** UUIDs of documents that lack vectors in the data folder. */
  readonly documentsWithoutVectors: readonly string[]
}

/**
 * Makes a backup of a data folder, in one file, while engines work on it: database, files, vectors, words and keys as they
 * were at one moment. Whoever has the file can read everything that is in the folder. In the end there is the whole
 * file, or nothing.
 *
 * @throws InvalidInputError for a file that is there, or lies in the data folder
 * @throws NotInitializedError where the folder has no database of its own
 * @throws DataDirMismatchError where the files are in a bucket, which a backup would be without
 * @throws BackupRunningError where another backup of the folder is being made
 * @throws BackupFailedError where it cannot be written, or the folder cannot be read
 * @throws SchemaTooNewError where a newer version wrote the folder
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
      // Nobody else makes one now: what is there was left behind.
      for (const left of await listStaging(dataDir)) await removeStaging(left)
      const staging = await makeStaging(dataDir)
      try {
        const snapshot = await SqliteSnapshot.take(knex, join(staging, DATABASE), tablePrefix)
        return await makeBackup({ ...options, dataDir, file, tablePrefix, staging, lease, snapshot })
      } finally {
        await removeStaging(staging)
      }
    } finally {
      await lease.release()
    }
  } catch (error) {
    throw explained(error, `the backup ${file} could not be made`)
  } finally {
    await storage.close()
  }
}

interface Making extends BackupOptions {
  readonly tablePrefix: string
  readonly staging: string
  readonly lease: BackupLease
  readonly snapshot: SqliteSnapshot
}

async function makeBackup(making: Making): Promise<BackupResult> {
  return await withAnySignal([making.lease.signal, making.signal], async (signal) => await writeBackup(making, signal))
}

async function writeBackup(making: Making, signal: AbortSignal): Promise<BackupResult> {
  const { dataDir, file, staging, lease, snapshot } = making
  const created = new Date().toISOString()
  try {
    signal.throwIfAborted()
    await snapshot.settle()
    const counts = await snapshot.counts()
    const pathsOf = (name: string) => ({ from: join(dataDir, name), to: join(staging, name) })
    const { documentsWithoutVectors, ...vectors } = await copyVectors(pathsOf(VECTORS), snapshot, signal)
    const words = await copyWords(pathsOf(WORDS), snapshot, signal)
    const partial = await choosePartial(staging, file)
    const writer = await ArchiveWriter.create({ file, partial, checksums: join(staging, 'checksums') })
    try {
      const written = await writeContents({ ...making, ...vectors, ...words, counts, created, writer, signal })
      await writer.finish(signal)
      // Whatever was removed by others until now, was removed after it had been copied.
      await lease.confirm()
      signal.throwIfAborted()
      await writer.publish({ overwrite: making.overwrite === true }).catch((error: unknown) => {
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
