import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Knex } from 'knex'
import {
  createEngine,
  type Engine,
  type EngineOptions,
  InvalidInputError,
  NotInitializedError,
} from '../../src/index.js'
import type { Storage } from '../../src/ports/index.js'
import { Argon2PasswordHasher } from '../argon2/index.js'
import { HttpsTransport, type HttpsTransportOptions } from '../https-transport/index.js'
import { JoseTokenSigner } from '../jose/index.js'
import { KnexStorage, openSqlite } from '../knex/index.js'
import { LanceDbVectorIndex } from '../lancedb/index.js'
import { FolderMailer } from '../mail/index.js'
import { TemplateStarterPromptWriter } from '../starter-prompts/index.js'
import { WorkerTextExtractor } from '../text-extraction/index.js'
import { TransformersEmbeddingModel } from '../transformers/index.js'
import { removeLeftStaging } from './backup/backup-staging.js'
import { type DataDirLock, lockDataDir, lockForCommand, readHolderSettings, unusable } from './data-dir-lock.js'
import { DATABASE, formerName, isThere, VECTORS } from './data-dir-names.js'
import { openFiles } from './file-place.js'
import { parseFilesUrl } from './files-url.js'
import { forgetMigration, requireWholeCopy } from './migration/migration-mark.js'
import { isOfOtherDatabase, mismatch, requireSameDatabase } from './same-database.js'
import { withSecretKey } from './secret-key-file.js'
import { openSharedDatabase, openSharedStorage, requireFolderVectors } from './shared-database.js'
import { NO_FILE_STORE, NO_TEXT_EXTRACTOR, NO_VECTOR_INDEX, withoutWeights } from './unavailable.js'

export interface LocalEngineOptions extends Partial<Omit<EngineOptions, 'isAlone' | 'isShared'>> {
  /** Holds everything the engine keeps; made if it is not there. */
  readonly dataDir: string
  /** Folders of embedding models; the first is the default. Default: the bundled all-MiniLM-L6-v2. */
  readonly modelDirs?: readonly string[]
  /** File with the keys that sign access tokens. Default: `keys/signing-keys.json` in the folder, made with mode 0600. */
  readonly signingKeyFile?: string
  /**
   * File with the key that signing secrets of destinations are encrypted with: 32 bytes as base64, such as
   * `openssl rand -base64 32` makes. Default: `keys/secret-key` in the folder, made with mode 0600.
   */
  readonly secretKeyFile?: string
  /**
   * Connections to a database of the host's own, SQLite or PostgreSQL, in which the tables are then kept: events
   * can be recorded in its transactions. Default: `alcove.sqlite` in the folder. The host destroys them, after the
   * engine is closed. Engines of other folders may work on the database: what a dead process held is then taken
   * up when its leases run out.
   */
  readonly knex?: Knex
  /**
   * A PostgreSQL database in which everything relational is then kept, such as
   * `postgresql://user:password@host:5432/database`. Any number of processes may work with one database and one folder
   * at a time, which holds files and keys for all of them. Vectors are in the database where its server has pgvector
   * 0.8 or newer, otherwise in the folder, where the processes write in turn. Default: `alcove.sqlite` in the folder.
   */
  readonly databaseUrl?: string
  /**
   * A bucket of S3, or of a server that speaks its protocol, in which the files are then kept, as they were received:
   * `s3://bucket` or `s3://bucket/prefix`. Needs `@aws-sdk/client-s3` and `@aws-sdk/lib-storage`, which read server,
   * region and credentials from the environment (`AWS_ENDPOINT_URL_S3`, `AWS_REGION`, `AWS_ACCESS_KEY_ID`, ...).
   * Decided when the database is new. Default: `files` in the folder.
   */
  readonly filesUrl?: string
  /** Put before every table's name; default `alcove_`. */
  readonly tablePrefix?: string
  /** Where events may be sent to beside public addresses, and what is never a destination. */
  readonly webhooks?: Pick<
    HttpsTransportOptions,
    'allow' | 'deny' | 'ownEndpoints' | 'resolver' | 'certificateAuthorities'
  >
}

/** Where the model is that comes with the package. */
const BUNDLED_MODEL = fileURLToPath(new URL('../../../models/all-MiniLM-L6-v2', import.meta.url))

/**
 * An engine on a folder: SQLite, LanceDB, files and an embedding model on this device.
 *
 * Creates the folder, or reopens it; starts its workers. Any port can be replaced.
 * One engine works on a folder at a time.
 *
 * @throws InvalidInputError where `dataDir` is missing, and for options that cannot be used
 * @throws SecretKeyError for another secret-encryption key than that of the database, or none
 * @throws DataDirLockedError where an engine works on the folder, of another process or of this one
 * @throws DataDirUnusableError where the folder cannot be made or written
 * @throws DataDirMismatchError where the folder's documents belong to another database, or those in the bucket, and
 *   where the database has its files elsewhere
 * @throws StorageError where a database or a bucket cannot be reached
 * @throws UnsupportedError for a bucket without the packages that it needs
 * @throws ModelError `ERR_MODEL_MISSING` for a model folder without a profile
 * @throws SchemaTooNewError where a newer version wrote the folder
 */
export async function openLocalEngine(options: LocalEngineOptions): Promise<Engine> {
  const dataDir = dataDirOf(options)
  const { dataDir: _, modelDirs = [BUNDLED_MODEL], ...overrides } = options
  requireFilesUrl(options)
  await makeDataDir(dataDir)
  const { allow = [] } = options.webhooks ?? {}
  const { databaseUrl } = options
  const shared = databaseUrl === undefined ? undefined : await openSharedDatabase(dataDir, databaseUrl, options)
  // Who shares everything with others needs nothing for itself.
  const lock = shared === undefined ? await lockDataDir(dataDir, { webhookAllow: allow }) : NO_LOCK
  try {
    const isOwnDatabase = overrides.storage === undefined && options.knex === undefined && shared === undefined
    const engine = await withKey(dataDir, options, async (secretKey) =>
      createEngine({
        ...(await openRecords(dataDir, options, shared?.storage)),
        vectorIndex: shared?.vectorIndex ?? overrides.vectorIndex ?? openVectors(dataDir, options),
        embeddingModels: overrides.embeddingModels ?? (await openModels(modelDirs)),
        textExtractor:
          overrides.textExtractor ?? new WorkerTextExtractor({ readersAtOnce: overrides.ingestionConcurrency }),
        starterPromptWriter: overrides.starterPromptWriter ?? new TemplateStarterPromptWriter(),
        ...(await openSecurity(dataDir, options)),
        ...pickSettings(overrides),
        secretKey,
        // The lock is on the folder; a database elsewhere may have engines of other folders.
        isAlone: isOwnDatabase,
        isShared: shared !== undefined,
      }),
    )
    return releasing(engine, lock)
  } catch (error) {
    await lock.release()
    // Not the host's own.
    if (options.vectorIndex === undefined) await shared?.vectorIndex.close()
    await shared?.storage.close()
    throw error
  }
}

const NO_LOCK: DataDirLock = { release: () => Promise.resolve() }

/**
 * An engine on the database of a folder alone, beside one that works on the
 * folder: companies, contexts and the records of documents, but no upload and
 * no search. What it deletes is cleared away by the engine that works.
 *
 * @throws InvalidInputError where `dataDir` is missing
 * @throws NotInitializedError where the folder was never initialised
 */
export async function openLocalDatabase(
  options: Pick<
    LocalEngineOptions,
    'dataDir' | 'databaseUrl' | 'modelDirs' | 'mail' | 'mailer' | 'signingKeyFile' | 'secretKeyFile' | 'webhooks'
  >,
): Promise<Engine> {
  const dataDir = dataDirOf(options)
  const { databaseUrl } = options
  await requireLocalDatabase(dataDir, databaseUrl)
  const lock = databaseUrl === undefined ? await lockForCommand(dataDir) : NO_LOCK
  try {
    // A migration may have come between.
    if (databaseUrl === undefined) await requireLocalDatabase(dataDir)
    return releasing(await openDatabaseAlone(dataDir, options), lock)
  } catch (error) {
    await lock.release()
    throw error
  }
}

type LocalDatabaseOptions = Parameters<typeof openLocalDatabase>[0]

async function openDatabaseAlone(dataDir: string, options: LocalDatabaseOptions): Promise<Engine> {
  const models = await openModels(options.modelDirs ?? [BUNDLED_MODEL])
  // What the engine beside this one will send is what may be asked of it here.
  const { webhookAllow: allow } = await readHolderSettings(dataDir)
  return await withKey(dataDir, options, async (secretKey) =>
    createEngine({
      storage: await openStorageAlone(dataDir, options.databaseUrl),
      vectorIndex: NO_VECTOR_INDEX,
      embeddingModels: models.map(withoutWeights),
      textExtractor: NO_TEXT_EXTRACTOR,
      fileStore: NO_FILE_STORE,
      starterPromptWriter: new TemplateStarterPromptWriter(),
      ...(await openSecurity(dataDir, { webhooks: { allow }, ...options })),
      ...(options.mail && { mail: options.mail }),
      secretKey,
      isWorking: false,
    }),
  )
}

async function openStorageAlone(dataDir: string, databaseUrl: string | undefined): Promise<KnexStorage> {
  if (databaseUrl !== undefined) return openSharedStorage(databaseUrl, {})
  const storage = openStorage(dataDir, {})
  try {
    await storage.open()
    await forgetMigration(storage)
    return storage
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** @throws NotInitializedError where a folder has no database of its own, and where nothing is in the one at a URL */
export async function requireLocalDatabase(dataDir: string, databaseUrl?: string): Promise<void> {
  if (databaseUrl !== undefined) {
    await requireOwner(dataDir, databaseUrl)
    return
  }
  if (await hasDatabase(dataDir)) return
  if (await isThere(formerName(join(dataDir, DATABASE)))) {
    throw new NotInitializedError(
      `the database of ${dataDir} was migrated to PostgreSQL: open the folder with databaseUrl, which is --database-url`,
    )
  }
  const isElsewhere = await isOfOtherDatabase(dataDir)
  throw new NotInitializedError(
    isElsewhere
      ? `${dataDir} has no database: where an application keeps it in its own, that looks after it by the engine; where ${DATABASE} was lost, restore a backup`
      : `there is no data in ${dataDir}: run "alcove init" first`,
  )
}

async function requireOwner(dataDir: string, databaseUrl: string): Promise<void> {
  const storage = openSharedStorage(databaseUrl, {})
  try {
    await storage.open()
    await requireWholeCopy(dataDir, storage)
    if ((await storage.read(({ settings }) => settings.get('owner'))) !== undefined) return
  } finally {
    await storage.close()
  }
  throw new NotInitializedError('there is no data in the database: run "alcove init" first')
}

async function hasDatabase(dataDir: string): Promise<boolean> {
  return await isThere(join(dataDir, DATABASE))
}

/** In plain JavaScript anything may come; an empty path would mean the current folder. */
export function dataDirOf(options: unknown): string {
  const { dataDir } = (options ?? {}) as { readonly dataDir?: unknown }
  if (typeof dataDir === 'string' && dataDir.trim() !== '') return resolve(dataDir)
  throw new InvalidInputError('dataDir', "must be the path of a folder, such as openLocalEngine({ dataDir: './data' })")
}

/** Tokens, passwords, mails and webhooks. */
async function openSecurity(dataDir: string, options: Omit<LocalEngineOptions, 'dataDir'>) {
  const keyFile = resolve(options.signingKeyFile ?? join(dataDir, 'keys', 'signing-keys.json'))
  return {
    tokenSigner: options.tokenSigner ?? (await new JoseTokenSigner({ keyFile }).open()),
    passwordHasher: options.passwordHasher ?? new Argon2PasswordHasher(),
    mailer: options.mailer ?? new FolderMailer(join(dataDir, 'mail')),
    httpTransport: options.httpTransport ?? new HttpsTransport(options.webhooks),
  }
}

async function withKey(
  dataDir: string,
  { secretKey, secretKeyFile = join(dataDir, 'keys', 'secret-key') }: Omit<LocalEngineOptions, 'dataDir'>,
  open: (secretKey: Uint8Array) => Promise<Engine>,
): Promise<Engine> {
  return secretKey === undefined ? await withSecretKey(resolve(secretKeyFile), open) : await open(secretKey)
}

/** Rows, and the files that belong to them. */
async function openRecords(
  dataDir: string,
  options: Omit<LocalEngineOptions, 'dataDir'>,
  sharedStorage: Storage | undefined,
): Promise<Pick<EngineOptions, 'storage' | 'fileStore'>> {
  const given = sharedStorage ?? options.storage
  const storage = given ?? (await openOwnStorage(dataDir, options))
  try {
    return { storage, fileStore: options.fileStore ?? (await openFiles(dataDir, storage, options.filesUrl)) }
  } catch (error) {
    if (given === undefined) await storage.close()
    throw error
  }
}

/** Before anything is made. @throws InvalidInputError */
function requireFilesUrl({ filesUrl, fileStore }: Omit<LocalEngineOptions, 'dataDir'>): void {
  if (filesUrl === undefined) return
  if (fileStore !== undefined) throw new InvalidInputError('filesUrl', 'cannot be given beside fileStore')
  parseFilesUrl(filesUrl)
}

/** The folder's own database, or the host's, once it is known to be the one that the folder belongs to. */
async function openOwnStorage(dataDir: string, options: Omit<LocalEngineOptions, 'dataDir'>): Promise<KnexStorage> {
  const isMissing = options.knex === undefined && !(await hasDatabase(dataDir))
  // An empty database must not come to stand there.
  if (isMissing && (await isOfOtherDatabase(dataDir))) throw mismatch(dataDir)
  const storage = openStorage(dataDir, options)
  try {
    await requireSameDatabase(dataDir, storage)
    if (options.knex !== undefined && options.vectorIndex === undefined) await requireFolderVectors(storage)
    if (options.knex === undefined) await removeLeftStaging(dataDir, storage)
    await forgetMigration(storage)
    return storage
  } catch (error) {
    await storage.close()
    throw error
  }
}

function openStorage(dataDir: string, options: Pick<LocalEngineOptions, 'knex' | 'tablePrefix'>): KnexStorage {
  const { knex, tablePrefix } = options
  return new KnexStorage({
    knex: knex ?? openSqlite(join(dataDir, DATABASE)),
    keepKnex: knex !== undefined,
    ...(tablePrefix !== undefined && { tablePrefix }),
  })
}

/** Who only looks leaves the files as they are. */
function openVectors(
  dataDir: string,
  { isWorking: maintains = true, telemetry }: Partial<EngineOptions>,
): LanceDbVectorIndex {
  return new LanceDbVectorIndex(join(dataDir, VECTORS), { maintains, ...(telemetry && { telemetry }) })
}

async function openModels(folders: readonly string[]): Promise<TransformersEmbeddingModel[]> {
  return await Promise.all(folders.map((folder) => TransformersEmbeddingModel.open(resolve(folder))))
}

/** What is the host's is for the host's user alone. */
async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw unusable(dataDir, error)
  }
}

function pickSettings(overrides: Partial<EngineOptions>) {
  const { clock, telemetry, ingestionConcurrency, initial, mail, isWorking, roles, isSweeping, deliveryRetentionDays } =
    overrides
  return {
    ...(clock && { clock }),
    ...(telemetry && { telemetry }),
    ...(ingestionConcurrency !== undefined && { ingestionConcurrency }),
    ...(initial && { initial }),
    ...(mail && { mail }),
    ...(isWorking !== undefined && { isWorking }),
    ...(roles !== undefined && { roles }),
    ...(isSweeping !== undefined && { isSweeping }),
    ...(deliveryRetentionDays !== undefined && { deliveryRetentionDays }),
  }
}

/** The lock goes last, when nothing writes any more. */
function releasing(engine: Engine, lock: DataDirLock): Engine {
  let closing: Promise<void> | undefined
  return {
    owner: engine.owner,
    administration: engine.administration,
    authentication: engine.authentication,
    events: engine.events,
    as: (principal) => engine.as(principal),
    on: (name, listener) => engine.on(name, listener),
    initialize: async (input) => await engine.initialize(input),
    health: async () => await engine.health(),
    whenCleared: async () => await engine.whenCleared(),
    close: async () => {
      closing ??= engine.close().finally(() => lock.release())
      await closing
    },
  }
}
