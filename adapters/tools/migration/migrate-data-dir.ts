import { join, resolve } from 'node:path'
import type { Knex } from 'knex'
import { InvalidInputError, MigrationFailedError, rebuildWords } from '../../../src/index.js'
import { DatabaseCopy, KnexStorage, MIGRATION_SETTING, openPostgres, PostgresProcessLocks } from '../../knex/index.js'
import { LanceDbVectorIndex } from '../../lancedb/index.js'
import { DATABASE, VECTORS, WORDS } from '../../local/folder/data-dir.js'
import { type CopyState, copyMark, isUnusedCopyOf } from '../../local/folder/migration-mark.js'
import { VECTOR_STORE_SETTING } from '../../local/shared-database.js'
import { hasPgVector, PgVectorIndex } from '../../pgvector/index.js'
import { PgLexicalIndex } from '../../words/index.js'
import { type CopiedVectors, copyVectors } from './copy-vectors.js'
import { MigrationSource } from './migration-source.js'

export interface MigrationOptions {
  /** The data folder. No engine may work on it. It remains the folder of files, keys and mails. */
  readonly from: string
  /** URL of a PostgreSQL database without data of an engine. */
  readonly to: string
  /** The table prefix of the engine, in both databases. Default: `alcove_`. */
  readonly tablePrefix?: string
  readonly signal?: AbortSignal
  /** Called after each part. `rows` counts copied rows, vectors, and chunks whose words are indexed. */
  readonly onProgress?: (progress: { readonly rows: number; readonly totalRows: number }) => void
}

/** The copied and compared data. */
export interface MigrationResult {
  /** Absolute path of the folder. */
  readonly from: string
  readonly contexts: number
  readonly documents: number
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>
  /** `pgvector`: the database now contains the vectors; `lancedb`: they stay in the folder. */
  readonly vectorStore: 'pgvector' | 'lancedb'
  /** The number of copied vectors. */
  readonly vectors: number
  /** Chunks whose words are indexed in the database. The engine that opens it indexes the others. */
  readonly indexedChunks: number
  /** UUIDs of completed documents that lack vectors in the folder and in the database. */
  readonly documentsWithoutVectors: readonly string[]
  /** The path of the former database. Nothing reads it. */
  readonly formerDatabase: string
}

/**
 * Copies the database of a data folder to PostgreSQL, and compares everything by counts and checksums. If the server
 * has pgvector, it copies the vectors too. Words are indexed in the new database. From then on the folder is opened with
 * `databaseUrl`; its former database is kept under another name. A second run continues an interrupted one. Until the
 * end the folder is unchanged, and the database cannot be opened.
 *
 * @throws InvalidInputError if the URL is not one of PostgreSQL, or if the database contains data
 * @throws NotInitializedError if the folder has no database of its own
 * @throws DataDirLockedError if an engine works on the folder
 * @throws MigrationFailedError if the database returns other data than was written
 * @throws StorageError if one of the databases fails
 */
export async function migrateDataDir(options: MigrationOptions): Promise<MigrationResult> {
  const { tablePrefix = 'alcove_', signal = new AbortController().signal } = options
  const folder = folderOf(options.from)
  const knex = openPostgres(options.to, { field: 'to' })
  const locks = new PostgresProcessLocks({ knex, tablePrefix })
  try {
    const source = await MigrationSource.open(folder, tablePrefix)
    let target: Target | undefined
    try {
      target = await openTables(knex, tablePrefix)
      const migration = { ...options, ...target, knex, tablePrefix, source, signal }
      let migrated: MigrationResult | undefined
      const isFree = await locks.tryToHold('migration', async () => {
        migrated = await migrateFrom(migration)
        // An engine that opens the folder without the URL from now on gets an error that says what to do.
        await source.setAside(migrated.vectorStore === 'pgvector' ? [DATABASE, VECTORS, WORDS] : [DATABASE, WORDS])
      })
      if (isFree && migrated !== undefined) return migrated
      throw new InvalidInputError('to', 'another folder is being migrated to this database: use another database')
    } finally {
      await target?.index?.close()
      await target?.words.close()
      await source.close()
    }
  } finally {
    await locks.close()
  }
}

/** If another process has changed the source, the next run copies everything from the beginning. */
async function migrateFrom(migration: Migration & { readonly knex: Knex; readonly tablePrefix: string }) {
  const { source, knex, tablePrefix } = migration
  try {
    return await source.readWithoutWriters(async (sourceKnex) => {
      return await migrate(migration, new DatabaseCopy({ source: sourceKnex, target: knex, tablePrefix }))
    })
  } catch (error) {
    if (error instanceof MigrationFailedError && !source.isSetAside) await source.forget()
    throw error
  }
}

interface Target {
  readonly storage: KnexStorage
  /** `undefined` if the server has no pgvector. */
  readonly index: PgVectorIndex | undefined
  readonly words: PgLexicalIndex
}

async function openTables(knex: Knex, tablePrefix: string): Promise<Target> {
  const storage = new KnexStorage({ knex, keepKnex: true, tablePrefix })
  await storage.open()
  const words = new PgLexicalIndex({ knex, keepKnex: true, tablePrefix })
  if (!(await hasPgVector(knex))) return { storage, index: undefined, words }
  // Engines build the nearest-neighbor indexes later, when they use the database.
  const index = new PgVectorIndex({ knex, keepKnex: true, tablePrefix, indexFromRows: Number.POSITIVE_INFINITY })
  await index.prepare()
  return { storage, index, words }
}

/** The copied data besides rows. */
interface CopiedIndexes extends CopiedVectors {
  readonly indexedChunks: number
}

interface Migration extends Pick<MigrationOptions, 'onProgress'>, Target {
  readonly source: MigrationSource
  readonly signal: AbortSignal
}

async function migrate(migration: Migration, copy: DatabaseCopy): Promise<MigrationResult> {
  const { source, storage, index } = migration
  const mark = (state: CopyState): string => copyMark(state, source.databaseId, source.copyId)
  const targetMark = await storage.read(({ settings }) => settings.get(MIGRATION_SETTING))
  let copied: CopiedIndexes = { vectors: 0, documentsWithoutVectors: [], indexedChunks: 0 }
  if (targetMark !== mark('copied') && targetMark !== mark('live')) {
    if (source.isSetAside) throw new MigrationFailedError(`${source.folder} is already migrated to another database`)
    if (targetMark !== mark('copying')) await startCopy(migration, copy, targetMark, mark('copying'))
    copied = await copyAndCompare(migration, copy)
    await copy.finish([mark('copying'), mark('copied')], {
      [VECTOR_STORE_SETTING]: index === undefined ? 'lancedb' : 'pgvector',
    })
  }
  const store = await storage.read(({ settings }) => settings.get(VECTOR_STORE_SETTING))
  const { contexts, documents } = await source.snapshot.counts()
  return {
    from: source.folder,
    contexts,
    documents,
    rows: await copy.countRows(),
    vectorStore: store === 'pgvector' ? store : 'lancedb',
    ...copied,
    formerDatabase: source.former(DATABASE),
  }
}

/** @param targetMark the mark in the target database */
async function startCopy(
  { source, index, words }: Migration,
  copy: DatabaseCopy,
  targetMark: string | undefined,
  newMark: string,
): Promise<void> {
  const isFree =
    isUnusedCopyOf(source.databaseId, targetMark) || (targetMark === undefined && (await copy.isTargetEmpty()))
  if (!isFree) {
    throw new InvalidInputError('to', 'the database contains data of an engine: use an empty one')
  }
  await copy.begin(newMark)
  for (const name of (await index?.listCollections()) ?? []) await index?.drop(name)
  for (const name of await words.listCollections()) await words.drop(name)
}

async function copyAndCompare(
  { source, index, words, signal, onProgress }: Migration,
  copy: DatabaseCopy,
): Promise<CopiedIndexes> {
  const counts = Object.values(await copy.countRows())
  const progress = { rows: 0, totalRows: counts.reduce((sum, rows) => sum + rows, 0) }
  const onCopied = (rows: number): void => {
    progress.rows += rows
    progress.totalRows = Math.max(progress.rows, progress.totalRows)
    onProgress?.({ ...progress })
  }
  await copy.copy(signal, onCopied)
  const vectors = index && (await copyIndex(source, index, signal, onCopied))
  const { storage } = source.snapshot
  const indexedChunks = await rebuildWords({ storage, index: words, signal, onDocument: onCopied })
  await copy.verify(signal)
  return { vectors: 0, documentsWithoutVectors: [], ...vectors, indexedChunks }
}

async function copyIndex(
  { folder, snapshot }: MigrationSource,
  target: PgVectorIndex,
  signal: AbortSignal,
  onCopied: (vectors: number) => void,
): Promise<CopiedVectors> {
  const source = new LanceDbVectorIndex(join(folder, VECTORS), { maintains: false })
  try {
    return await copyVectors({ source, target, snapshot, signal, onCopied })
  } finally {
    await source.close()
  }
}

function folderOf(from: unknown): string {
  if (typeof from === 'string' && from.trim() !== '') return resolve(from)
  throw new InvalidInputError('from', 'must be the path of a data folder, such as ./alcove-data')
}
