import type { EngineOptions } from '../../src/index.js'
import { InvalidInputError, type Storage, type VectorIndex } from '../../src/ports/index.js'
import { KnexStorage, openPostgres } from '../knex/index.js'
import { hasPgVector, PgVectorIndex } from '../pgvector/index.js'
import { requireSameDatabase } from './same-database.js'

/** Where the vectors are that belong to a database: as it was when the first engine opened it. */
const VECTOR_STORE_SETTING = 'vector-store'

/** A database on a server, and what engines share on it. */
export interface SharedDatabase {
  readonly storage: Storage
  /** `undefined` where the vectors are in the data folder, on which one engine works at a time. */
  readonly vectorIndex: VectorIndex | undefined
}

/** How it is opened. */
export interface SharedDatabaseOptions extends Pick<Partial<EngineOptions>, 'storage' | 'vectorIndex' | 'telemetry'> {
  readonly knex?: unknown
  readonly tablePrefix?: string
}

/**
 * Opens a PostgreSQL database, with the vectors in it where the server has pgvector; for a new one that is decided now.
 *
 * @throws InvalidInputError for what is no URL of PostgreSQL, and beside `knex` or `storage`
 * @throws DataDirMismatchError where the folder's documents belong to another database
 */
export async function openSharedDatabase(
  dataDir: string,
  databaseUrl: string,
  options: SharedDatabaseOptions,
): Promise<SharedDatabase> {
  for (const other of ['knex', 'storage'] as const) {
    if (options[other] !== undefined) throw new InvalidInputError('databaseUrl', `cannot be given beside ${other}`)
  }
  const storage = openSharedStorage(databaseUrl, options)
  try {
    await requireSameDatabase(dataDir, storage)
    if (options.vectorIndex !== undefined) return { storage, vectorIndex: options.vectorIndex }
    const knex = openPostgres(databaseUrl)
    if ((await vectorStoreOf(storage, () => hasPgVector(knex))) === 'pgvector') {
      const { tablePrefix, telemetry } = options
      const named = tablePrefix !== undefined && { tablePrefix }
      return { storage, vectorIndex: new PgVectorIndex({ knex, ...named, ...(telemetry && { telemetry }) }) }
    }
    await knex.destroy()
    return { storage, vectorIndex: undefined }
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** The storage alone. */
export function openSharedStorage(
  databaseUrl: string,
  { tablePrefix }: Pick<SharedDatabaseOptions, 'tablePrefix'>,
): KnexStorage {
  return new KnexStorage({ knex: openPostgres(databaseUrl), ...(tablePrefix !== undefined && { tablePrefix }) })
}

/** Decided once: an extension that is installed later must not hide the vectors that there are. */
async function vectorStoreOf(storage: Storage, hasExtension: () => Promise<boolean>): Promise<string> {
  const known = await storage.read(({ settings }) => settings.get(VECTOR_STORE_SETTING))
  if (known !== undefined) return known
  const found = (await hasExtension()) ? 'pgvector' : 'lancedb'
  return await storage.transaction(async ({ settings }) => {
    const store = (await settings.get(VECTOR_STORE_SETTING)) ?? found
    await settings.put(VECTOR_STORE_SETTING, store)
    return store
  })
}
