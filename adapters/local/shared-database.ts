import { join } from 'node:path'
import type { EngineOptions } from '../../src/index.js'
import {
  InvalidInputError,
  type LexicalIndex,
  type Storage,
  UnsupportedError,
  type VectorIndex,
} from '../../src/ports/index.js'
import { KnexStorage, openPostgres, PostgresProcessLocks } from '../knex/index.js'
import { LanceDbVectorIndex } from '../lancedb/index.js'
import { hasPgVector, PgVectorIndex } from '../pgvector/index.js'
import { PgLexicalIndex } from '../words/index.js'
import { lockDataDir } from './data-dir-lock.js'
import { VECTORS } from './data-dir-names.js'
import { decide, readDecided } from './decided-settings.js'
import { hasFilesInFolder } from './file-place.js'
import type { OpenedParts } from './opened-parts.js'
import { requireSameDatabase } from './same-database.js'

/** Where the vectors are that belong to a database: as it was when the first engine opened it. */
export const VECTOR_STORE_SETTING = 'vector-store'
/** Where the host says. */
const GIVEN = 'given'

/** A search by words holds one for some milliseconds. */
const MAX_WORD_CONNECTIONS = 6

/** A database on a server, and what engines share on it. */
export interface SharedDatabase {
  readonly storage: Storage
  readonly vectorIndex: VectorIndex
  readonly lexicalIndex: LexicalIndex
}

/** How it is opened. */
export interface SharedDatabaseOptions
  extends Pick<
    Partial<EngineOptions>,
    'storage' | 'fileStore' | 'vectorIndex' | 'lexicalIndex' | 'telemetry' | 'isWorking'
  > {
  readonly knex?: unknown
  readonly tablePrefix?: string
}

/**
 * Opens a PostgreSQL database, with the words in it, and with the vectors where the server has pgvector; for a new one
 * that is decided now.
 *
 * @param opened notes what is made here
 * @throws InvalidInputError for what is no URL of PostgreSQL, and beside `knex` or `storage`
 * @throws NotInitializedError where a folder is being migrated to the database
 * @throws DataDirMismatchError where the folder's documents belong to another database, the folder's own among them
 * @throws UnsupportedError without the `vectorIndex` that the database was begun with
 */
export async function openSharedDatabase(
  dataDir: string,
  databaseUrl: string,
  options: SharedDatabaseOptions,
  opened: OpenedParts,
): Promise<SharedDatabase> {
  for (const other of ['knex', 'storage'] as const) {
    if (options[other] !== undefined) throw new InvalidInputError('databaseUrl', `cannot be given beside ${other}`)
  }
  const storage = opened.note(openSharedStorage(databaseUrl, options))
  await requireSameDatabase(dataDir, storage, () => isFolderNeeded(storage, options))
  if (options.vectorIndex !== undefined) await noteGivenVectors(storage)
  const vectorIndex =
    options.vectorIndex ?? opened.note(await openSharedVectors(dataDir, storage, databaseUrl, options))
  const lexicalIndex = options.lexicalIndex ?? opened.note(openSharedWords(databaseUrl, options))
  return { storage, vectorIndex, lexicalIndex }
}

/** The words: in the database, which needs no extension for them. */
function openSharedWords(databaseUrl: string, { tablePrefix, telemetry }: SharedDatabaseOptions): LexicalIndex {
  const knex = openPostgres(databaseUrl, { maxConnections: MAX_WORD_CONNECTIONS })
  return new PgLexicalIndex({
    knex,
    ...(tablePrefix !== undefined && { tablePrefix }),
    ...(telemetry && { telemetry }),
  })
}

/** Whether there is more of a database in its folder than keys and mails. */
async function isFolderNeeded(storage: Storage, { fileStore }: SharedDatabaseOptions): Promise<boolean> {
  if (fileStore === undefined && (await hasFilesInFolder(storage))) return true
  return (await storage.read(({ settings }) => settings.get(VECTOR_STORE_SETTING))) === 'lancedb'
}

/** While there is nothing in it: engines that are not given it would not find what is, and keep vectors elsewhere. */
async function noteGivenVectors(storage: Storage): Promise<void> {
  await storage.transaction(async ({ settings, contexts }) => {
    const [first] = await contexts.page({ after: 0, limit: 1 })
    if (first === undefined) await settings.put(VECTOR_STORE_SETTING, GIVEN)
  })
}

/** The same for an engine on the host's knex, which may share with engines that have the index by themselves. */
export async function noteVectorsOfHost(storage: Storage): Promise<void> {
  const { known, isNew } = await readDecided(storage, VECTOR_STORE_SETTING)
  if (known === undefined && isNew) await decide(storage, VECTOR_STORE_SETTING, GIVEN)
}

/** The vectors: in the database, or in the folder, where the processes write in turn. */
async function openSharedVectors(
  dataDir: string,
  storage: Storage,
  databaseUrl: string,
  { tablePrefix, telemetry, isWorking: maintains = true }: SharedDatabaseOptions,
): Promise<VectorIndex> {
  const knex = openPostgres(databaseUrl)
  try {
    const named = tablePrefix !== undefined && { tablePrefix }
    const index = new PgVectorIndex({ knex, ...named, ...(telemetry && { telemetry }) })
    const isOffered = async (): Promise<boolean> => {
      if (!(await hasPgVector(knex))) return false
      // What cannot be used is told now, and not by each document.
      await index.prepare()
      return true
    }
    const store = await vectorStoreOf(dataDir, storage, isOffered)
    requireNotGiven(store)
    if (store === 'pgvector') return index
    const locks = new PostgresProcessLocks({ knex, ...named })
    return new LanceDbVectorIndex(join(dataDir, VECTORS), { locks, maintains, ...(telemetry && { telemetry }) })
  } catch (error) {
    await knex.destroy()
    throw error
  }
}

/** @throws UnsupportedError where the vectors are in the database, or in a folder that engines share, which an engine on a host's knex does not look into */
export async function requireFolderVectors(storage: Storage): Promise<void> {
  const store = await storage.read(({ settings }) => settings.get(VECTOR_STORE_SETTING))
  if (store === undefined) return
  requireNotGiven(store)
  throw new UnsupportedError(
    store === 'pgvector'
      ? 'the vectors of this database are in it: open it with databaseUrl, or give vectorIndex: new PgVectorIndex({ knex })'
      : 'engines that were given databaseUrl share the vectors of this database: open it so, or give vectorIndex: new LanceDbVectorIndex(folder, { locks: new PostgresProcessLocks({ knex }) }), with a knex of its own',
  )
}

/** @throws UnsupportedError where the vectors are in an index that the host gives, which was not given */
function requireNotGiven(store: string): void {
  if (store !== GIVEN) return
  throw new UnsupportedError(
    'the vectors of this database are where its host keeps them: give this engine the same vectorIndex',
  )
}

/** The storage alone. */
export function openSharedStorage(
  databaseUrl: string,
  { tablePrefix }: Pick<SharedDatabaseOptions, 'tablePrefix'>,
): KnexStorage {
  return new KnexStorage({ knex: openPostgres(databaseUrl), ...(tablePrefix !== undefined && { tablePrefix }) })
}

/**
 * Decided once, for a new database: an extension that is installed later must not hide the vectors that there are. One
 * that a host has opened by its own knex has them in the folder.
 */
async function vectorStoreOf(dataDir: string, storage: Storage, isOffered: () => Promise<boolean>): Promise<string> {
  const { known, isNew } = await readDecided(storage, VECTOR_STORE_SETTING)
  if (known !== undefined) return known
  // An engine on a host's own knex may be at work, which takes the folder for its own.
  if (!isNew) await (await lockDataDir(dataDir, { webhookAllow: [] })).release()
  const found = isNew && (await isOffered()) ? 'pgvector' : 'lancedb'
  return await decide(storage, VECTOR_STORE_SETTING, found)
}
