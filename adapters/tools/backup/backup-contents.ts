import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BackupFailedError } from '../../../src/index.js'
import type { SnapshotCounts, SqliteSnapshot } from '../../knex/index.js'
import { DATABASE, DATABASE_ID, VECTORS, WORDS } from '../../local/folder/data-dir.js'
import { ID_SETTING } from '../../local/same-database.js'
import { ifPresent } from '../../node-kit/index.js'
import type { ArchiveWriter } from './backup-archive-writer.js'
import {
  type BackupCounts,
  type BackupManifest,
  FORMAT,
  FORMAT_VERSION,
  isEntryName,
  MANIFEST,
  SECRET_KEY,
} from './backup-format.js'
import { filesIn } from './backup-tables.js'

export interface Contents extends Omit<BackupCounts, 'contexts' | 'documents'> {
  readonly dataDir: string
  /** The folder with the snapshot and the copied vectors and words. */
  readonly staging: string
  readonly snapshot: SqliteSnapshot
  readonly counts: SnapshotCounts
  readonly tablePrefix: string
  readonly withoutKeys?: boolean
  readonly writer: ArchiveWriter
  readonly signal: AbortSignal
  readonly onProgress?: (progress: { readonly bytes: number; readonly totalBytes: number }) => void
}

export interface WrittenContents {
  /** The number of document files. */
  readonly files: number
  /** True if the backup contains the key that encrypts secrets. */
  readonly hasSecretKey: boolean
  /** UUIDs of documents whose file is missing in the data folder. */
  readonly documentsWithoutFile: readonly string[]
  /** UUIDs of documents whose file differs from the upload. The backup contains the file as it is. */
  readonly documentsWithOtherBytes: readonly string[]
}

/** Writes the contents of a backup: the manifest first, the database last, because it is complete only then. */
export async function writeContents(contents: Contents): Promise<WrittenContents> {
  const { staging, snapshot, writer } = contents
  const indexed = [...(await filesOf(staging, VECTORS)), ...(await filesOf(staging, WORDS))]
  const totalBytes = await sizeOf(contents, indexed)
  const add = async (name: string, path: string) => {
    const added = await writer.addFile(name, path, contents.signal)
    contents.onProgress?.({ bytes: writer.bytes, totalBytes })
    return added
  }
  await writer.addText(MANIFEST, `${JSON.stringify(manifestOf(contents), null, 2)}\n`)
  const files = await addDocuments(contents, add)
  for (const name of indexed) await add(name, join(staging, name))
  const keys = contents.withoutKeys === true ? [] : await keysIn(contents.dataDir)
  for (const name of keys) await add(name, join(contents.dataDir, name))
  const id = await snapshot.setting(ID_SETTING)
  if (id !== undefined) await writer.addText(DATABASE_ID, id)
  await snapshot.close()
  await addDatabase(staging, add)
  return { ...files, hasSecretKey: keys.includes(SECRET_KEY) }
}

type Add = (name: string, path: string) => ReturnType<ArchiveWriter['addFile']>

function manifestOf(contents: Contents): BackupManifest {
  const { created, tablePrefix, counts, collections, vectors, wordCollections, indexedChunks } = contents
  const { contexts, documents, pendingDeliveries } = counts
  const format = { format: FORMAT, version: FORMAT_VERSION } as const
  const indexed = { collections, vectors, wordCollections, indexedChunks }
  return { ...format, created, tablePrefix, contexts, documents, ...indexed, pendingDeliveries }
}

async function addDocuments({ dataDir, snapshot }: Contents, add: Add): Promise<Omit<WrittenContents, 'hasSecretKey'>> {
  let files = 0
  const documentsWithoutFile: string[] = []
  const documentsWithOtherBytes: string[] = []
  for await (const { uuid, contentHash, isShadow } of snapshot.documents()) {
    if (isShadow) continue
    const name = `files/${uuid.slice(0, 2)}/${uuid}`
    const added = await add(name, join(dataDir, name))
    if (added === undefined) {
      documentsWithoutFile.push(uuid)
      continue
    }
    files += 1
    if (added.sha256 !== contentHash) documentsWithOtherBytes.push(uuid)
  }
  return { files, documentsWithoutFile, documentsWithOtherBytes }
}

async function addDatabase(staging: string, add: Add): Promise<void> {
  const path = join(staging, DATABASE)
  // The last connection writes the log into the file when it closes. If the log still exists, the file is incomplete.
  if ((await readdir(staging)).includes(`${DATABASE}-wal`))
    throw new BackupFailedError(
      'the copy of the database is incomplete: check if the disk is full, then retry the backup',
    )
  await add(DATABASE, path)
}

/** The signing keys and the secret key, if they are in the folder. */
async function keysIn(dataDir: string): Promise<string[]> {
  const entries = await ifPresent(readdir(join(dataDir, 'keys'), { withFileTypes: true }), [])
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => `keys/${name}`)
    .filter(isEntryName)
}

/** The paths of the files of an index, relative to the staging folder. */
async function filesOf(staging: string, name: string): Promise<string[]> {
  return (await filesIn(join(staging, name))).map((file) => `${name}/${file}`)
}

async function sizeOf({ staging, counts }: Contents, indexed: readonly string[]): Promise<number> {
  let bytes = counts.documentBytes + (await stat(join(staging, DATABASE))).size
  for (const name of indexed) bytes += (await stat(join(staging, name))).size
  return bytes
}
