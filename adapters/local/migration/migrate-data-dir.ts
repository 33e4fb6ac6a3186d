import { join, resolve } from 'node:path'
import type { Knex } from 'knex'
import { InvalidInputError, MigrationFailedError, rebuildWords } from '../../../src/index.js'
import { DatabaseCopy, KnexStorage, MIGRATION_SETTING, openPostgres, PostgresProcessLocks } from '../../knex/index.js'
import { LanceDbVectorIndex } from '../../lancedb/index.js'
import { hasPgVector, PgVectorIndex } from '../../pgvector/index.js'
import { PgLexicalIndex } from '../../words/index.js'
import { DATABASE, VECTORS, WORDS } from '../data-dir-names.js'
import { VECTOR_STORE_SETTING } from '../shared-database.js'
import { type CopiedVectors, copyVectors } from './copy-vectors.js'
import { type CopyState, copyMark, isUnusedCopyOf } from './migration-mark.js'
import { MigrationSource } from './migration-source.js'

export interface MigrationOptions {
  /** The data folder, on which no engine works. It stays the folder of files, keys and mails. */
  readonly from: string
  /** URL of a PostgreSQL database that has no data of an engine's. */
  readonly to: string
  /** As the engine was opened with, and will be; default `alcove_`. */
  readonly tablePrefix?: string
  readonly signal?: AbortSignal
  /** Told after each part how many rows, vectors and chunks with their words are done. */
  readonly onProgress?: (progress: { readonly rows: number; readonly totalRows: number }) => void
}

/** What was copied, and compared with what it was copied from. */
export interface MigrationResult {
  /** Absolute path of the folder. */
  readonly from: string
  readonly contexts: number
  readonly documents: number
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>
  /** `pgvector`: vectors are in the database from now on; `lancedb`: they are in the folder, as before. */
  readonly vectorStore: 'pgvector' | 'lancedb'
  /** Vectors that were copied. */
  readonly vectors: number
  /** Chunks whose words were indexed in the database; those of other documents are, by the engine that opens it. */
  readonly indexedChunks: number
  /** UUIDs of documents that lack vectors in the folder, and in the database. */
  readonly documentsWithoutVectors: readonly string[]
  /** Where the folder's former database is kept. Nothing reads it. */
  readonly formerDatabase: string
}

/**
 * Copies the database of a data folder to PostgreSQL, and its vectors where that has pgvector, and compares everything
 * by counts and checksums. Words are indexed there anew. The folder is opened with `databaseUrl` from then on; its former database is kept under
 * another name. Where it was ended on its way, it is run again and goes on. Until it has come to its end the folder is
 * as it was, and the database cannot be opened.
 *
 * @throws InvalidInputError for what is no URL of PostgreSQL, and where the database has data already
 * @throws NotInitializedError where the folder has no database of its own
 * @throws DataDirLockedError where an engine works on the folder
 * @throws MigrationFailedError where the database does not give back what was written to it
 * @throws StorageError where one of the databases fails
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
        // Whoever opens the folder without the database from now on is told that there is one.
        await source.setAside(migrated.vectorStore === 'pgvector' ? [DATABASE, VECTORS, WORDS] : [DATABASE, WORDS])
      })
      if (isFree && migrated !== undefined) return migrated
      throw new InvalidInputError('to', 'another folder is being migrated to the database: name another one')
    } finally {
      await target?.index?.close()
      await target?.words.close()
      await source.close()
    }
  } finally {
    await locks.close()
  }
}

/** What was changed by others meanwhile is copied anew the next time. */
async function migrateFrom(migration: Migration & { readonly knex: Knex; readonly tablePrefix: string }) {
  const { source, knex, tablePrefix } = migration
  try {
    return await source.reading(async (reading) => {
      return await migrate(migration, new DatabaseCopy({ source: reading, target: knex, tablePrefix }))
    })
  } catch (error) {
    if (error instanceof MigrationFailedError && !source.isSetAside) await source.forget()
    throw error
  }
}

interface Target {
  readonly storage: KnexStorage
  /** `undefined` where the server has no pgvector. */
  readonly index: PgVectorIndex | undefined
  readonly words: PgLexicalIndex
}

async function openTables(knex: Knex, tablePrefix: string): Promise<Target> {
  const storage = new KnexStorage({ knex, keepKnex: true, tablePrefix })
  await storage.open()
  const words = new PgLexicalIndex({ knex, keepKnex: true, tablePrefix })
  if (!(await hasPgVector(knex))) return { storage, index: undefined, words }
  // The engines build indexes, when it is worked with.
  const index = new PgVectorIndex({ knex, keepKnex: true, tablePrefix, indexFromRows: Number.POSITIVE_INFINITY })
  await index.prepare()
  return { storage, index, words }
}

/** What was copied beside rows. */
interface Copied extends CopiedVectors {
  readonly indexedChunks: number
}

interface Migration extends Pick<MigrationOptions, 'onProgress'>, Target {
  readonly source: MigrationSource
  readonly signal: AbortSignal
}

async function migrate(migration: Migration, copy: DatabaseCopy): Promise<MigrationResult> {
  const { source, storage, index } = migration
  const mark = (state: CopyState): string => copyMark(state, source.databaseId, source.copyId)
  const there = await storage.read(({ settings }) => settings.get(MIGRATION_SETTING))
  let copied: Copied = { vectors: 0, documentsWithoutVectors: [], indexedChunks: 0 }
  if (there !== mark('copied') && there !== mark('live')) {
    if (source.isSetAside) throw new MigrationFailedError(`${source.folder} was migrated to another database already`)
    if (there !== mark('copying')) await begin(migration, copy, there, mark('copying'))
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

/** @param there the mark that the database has */
async function begin(
  { source, index, words }: Migration,
  copy: DatabaseCopy,
  there: string | undefined,
  mark: string,
): Promise<void> {
  const isFree = isUnusedCopyOf(source.databaseId, there) || (there === undefined && (await copy.isTargetEmpty()))
  if (!isFree) {
    throw new InvalidInputError('to', 'the database has data of an engine already: name an empty one')
  }
  await copy.begin(mark)
  for (const name of (await index?.listCollections()) ?? []) await index?.drop(name)
  for (const name of await words.listCollections()) await words.drop(name)
}

async function copyAndCompare(
  { source, index, words, signal, onProgress }: Migration,
  copy: DatabaseCopy,
): Promise<Copied> {
  const counts = Object.values(await copy.countRows())
  const progress = { rows: 0, totalRows: counts.reduce((sum, rows) => sum + rows, 0) }
  const copied = (rows: number): void => {
    progress.rows += rows
    progress.totalRows = Math.max(progress.rows, progress.totalRows)
    onProgress?.({ ...progress })
  }
  await copy.copy(signal, copied)
  const vectors = index && (await copyIndex(source, index, signal, copied))
  const { storage } = source.snapshot
  const indexedChunks = await rebuildWords({ storage, index: words, signal, onDocument: copied })
  await copy.verify(signal)
  return { vectors: 0, documentsWithoutVectors: [], ...vectors, indexedChunks }
}

async function copyIndex(
  { folder, snapshot }: MigrationSource,
  target: PgVectorIndex,
  signal: AbortSignal,
  copied: (vectors: number) => void,
): Promise<CopiedVectors> {
  const source = new LanceDbVectorIndex(join(folder, VECTORS), { maintains: false })
  try {
    return await copyVectors({ source, target, snapshot, signal, copied })
  } finally {
    await source.close()
  }
}

function folderOf(from: unknown): string {
  if (typeof from === 'string' && from.trim() !== '') return resolve(from)
  throw new InvalidInputError('from', 'must be the path of a data folder, such as ./alcove-data')
}
