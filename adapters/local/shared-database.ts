import type { EngineOptions } from '../../src/index.js'
import { type LexicalIndex, type Storage, UnsupportedError, type VectorIndex } from '../../src/ports/index.js'
import { KnexStorage, openPostgres, PostgresProcessLocks } from '../knex/index.js'
import { hasPgVector, PgVectorIndex } from '../pgvector/index.js'
import { PgLexicalIndex } from '../words/index.js'
import { lockDataDir } from './folder/data-dir-lock.js'
import { hasFilesInFolder } from './folder/file-place.js'
import { openFolderVectors } from './folder-vectors.js'
import type { OpenedParts } from './opened-parts.js'
import { decide, readDecided, requireSameDatabase } from './same-database.js'

/** The setting with the location of the vectors: `pgvector`, `lancedb` or `given`. The first engine sets it. */
export const VECTOR_STORE_SETTING = 'vector-store'
/** The host gives its own vector index. */
const GIVEN = 'given'

/** A search by words uses a connection for a few milliseconds. */
const MAX_WORD_CONNECTIONS = 6

/** A database on a server, and the indexes that engines share. */
interface SharedDatabase {
  readonly storage: Storage
  readonly vectorIndex: VectorIndex
  readonly lexicalIndex: LexicalIndex
}

interface SharedDatabaseOptions
  extends Pick<
    Partial<EngineOptions>,
    'storage' | 'fileStore' | 'vectorIndex' | 'lexicalIndex' | 'telemetry' | 'isWorking'
  > {
  readonly knex?: unknown
  readonly tablePrefix?: string
  /** The folder for temporary files, which may be the data folder. */
  readonly tempFolder: string
}

/**
 * Opens a PostgreSQL database with its word index, and with its vector index if the server has pgvector. A new
 * database stores now where its vectors are.
 *
 * @param opened gets each part that is created here
 * @throws InvalidInputError if the URL is not one of PostgreSQL
 * @throws NotInitializedError if a folder is being migrated to the database
 * @throws DataDirMismatchError if the documents in the folder belong to another database, or to the folder's own
 * @throws UnsupportedError if the `vectorIndex` that the database was created with is not given
 */
export async function openSharedDatabase(
  dataDir: string,
  databaseUrl: string,
  options: SharedDatabaseOptions,
  opened: OpenedParts,
): Promise<SharedDatabase> {
  const storage = opened.add(openSharedStorage(databaseUrl, options))
  await requireSameDatabase(dataDir, storage, () => isFolderNeeded(storage, options))
  if (options.vectorIndex !== undefined) await noteGivenVectors(storage)
  const vectorIndex = options.vectorIndex ?? opened.add(await openSharedVectors(dataDir, storage, databaseUrl, options))
  const lexicalIndex = options.lexicalIndex ?? opened.add(openSharedWords(databaseUrl, options))
  return { storage, vectorIndex, lexicalIndex }
}

/** Words are in the database, which needs no extension for them. */
function openSharedWords(databaseUrl: string, { tablePrefix, telemetry }: SharedDatabaseOptions): LexicalIndex {
  const knex = openPostgres(databaseUrl, { maxConnections: MAX_WORD_CONNECTIONS, keepsProcess: false })
  return new PgLexicalIndex({
    knex,
    ...(tablePrefix !== undefined && { tablePrefix }),
    ...(telemetry && { telemetry }),
  })
}

/** True if the folder contains more of the database's data than keys and mails. */
async function isFolderNeeded(storage: Storage, { fileStore }: SharedDatabaseOptions): Promise<boolean> {
  if (fileStore === undefined && (await hasFilesInFolder(storage))) return true
  return (await storage.read(({ settings }) => settings.get(VECTOR_STORE_SETTING))) === 'lancedb'
}

/**
 * Notes that the host gives the vector index, if the database has no contexts yet. An engine without that index would
 * not find its vectors, and would store others elsewhere.
 */
async function noteGivenVectors(storage: Storage): Promise<void> {
  await storage.transaction(async ({ settings, contexts }) => {
    const [first] = await contexts.page({ after: 0, limit: 1 })
    if (first === undefined) await settings.put(VECTOR_STORE_SETTING, GIVEN)
  })
}

/** Notes the same for an engine on the host's knex: engines that open the database without knex may share it. */
export async function noteVectorsOfHost(storage: Storage): Promise<void> {
  const { known, isNew } = await readDecided(storage, VECTOR_STORE_SETTING)
  if (known === undefined && isNew) await decide(storage, VECTOR_STORE_SETTING, GIVEN)
}

/** Vectors are in the database, or in the folder, where the processes write in turn. */
async function openSharedVectors(
  dataDir: string,
  storage: Storage,
  databaseUrl: string,
  options: SharedDatabaseOptions,
): Promise<VectorIndex> {
  const { tablePrefix, telemetry, tempFolder } = options
  const knex = openPostgres(databaseUrl, { keepsProcess: false })
  try {
    const prefixOption = tablePrefix !== undefined && { tablePrefix }
    const index = new PgVectorIndex({ knex, ...prefixOption, ...(telemetry && { telemetry }) })
    const canUsePgVector = async (): Promise<boolean> => {
      if (!(await hasPgVector(knex))) return false
      // An unusable extension is reported now, and not by each document.
      await index.prepare()
      return true
    }
    const store = await vectorStoreOf(dataDir, storage, canUsePgVector)
    requireNotGiven(store)
    if (store === 'pgvector') return index
    const locks = new PostgresProcessLocks({ knex, ...prefixOption })
    return openFolderVectors({ dataDir, tempFolder }, options, locks)
  } catch (error) {
    await knex.destroy()
    throw error
  }
}

/**
 * @throws UnsupportedError if the vectors are in the database, or in a folder that engines share: an engine on a
 *   host's knex reads neither
 */
export async function requireFolderVectors(storage: Storage): Promise<void> {
  const store = await storage.read(({ settings }) => settings.get(VECTOR_STORE_SETTING))
  if (store === undefined) return
  requireNotGiven(store)
  throw new UnsupportedError(
    store === 'pgvector'
      ? 'this database contains its vectors: open it with databaseUrl, or give vectorIndex: new PgVectorIndex({ knex })'
      : 'engines with databaseUrl share the vectors of this database: open it with databaseUrl too, or give vectorIndex: new LanceDbVectorIndex(folder, { locks: new PostgresProcessLocks({ knex }) }), with a knex of its own',
  )
}

/** @throws UnsupportedError if the vectors are in an index of the host, which was not given */
function requireNotGiven(store: string): void {
  if (store !== GIVEN) return
  throw new UnsupportedError(
    'the vectors of this database are in an index of its host: give this engine the same vectorIndex',
  )
}

export function openSharedStorage(
  databaseUrl: string,
  { tablePrefix }: Pick<SharedDatabaseOptions, 'tablePrefix'>,
): KnexStorage {
  return new KnexStorage({
    knex: openPostgres(databaseUrl, { keepsProcess: false }),
    ...(tablePrefix !== undefined && { tablePrefix }),
  })
}

/**
 * Finds the location of the vectors. A new database stores it once, so that an extension that is installed later does
 * not hide existing vectors. A database that a host opened by its own knex has its vectors in the folder.
 */
async function vectorStoreOf(
  dataDir: string,
  storage: Storage,
  canUsePgVector: () => Promise<boolean>,
): Promise<string> {
  const { known, isNew } = await readDecided(storage, VECTOR_STORE_SETTING)
  if (known !== undefined) return known
  // An engine on a host's own knex may work on the folder. Taking its lock shows that.
  if (!isNew) await (await lockDataDir(dataDir, { webhookAllow: [] })).release()
  const found = isNew && (await canUsePgVector()) ? 'pgvector' : 'lancedb'
  return await decide(storage, VECTOR_STORE_SETTING, found)
}
