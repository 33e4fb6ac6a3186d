import { join } from 'node:path'
import { createEngine, type Engine, NotInitializedError } from '../../src/index.js'
import {
  type EmbeddingModel,
  type FileStore,
  type LexicalIndex,
  type TextExtractor,
  UnsupportedError,
  type VectorIndex,
} from '../../src/ports/index.js'
import type { KnexStorage } from '../knex/index.js'
import { freeBytesOf } from '../node-kit/index.js'
import { TemplateStarterPromptWriter } from '../starter-prompts/index.js'
import { DATABASE, makePrivateDataDir, pathExists, requireNoFile, VECTORS } from './folder/data-dir.js'
import { lockForCommand, readHolderSettings } from './folder/data-dir-lock.js'
import { forgetMigration, requireNotMigrated, requireWholeCopy } from './folder/migration-mark.js'
import { NO_LOCK, openSecurity, openStorage, releasing, withEncryptionKey } from './local-parts.js'
import { modelDirsOf, openModels } from './model-dirs.js'
import { OpenedParts } from './opened-parts.js'
import { dataDirOf, type LocalEngineOptions } from './options/local-engine-options.js'
import { isOfOtherDatabase, requireNoOtherFolder, requireNoOwnDatabase } from './same-database.js'
import { openSharedStorage } from './shared-database.js'

type LocalDatabaseOptions = Pick<
  LocalEngineOptions,
  | 'dataDir'
  | 'databaseUrl'
  | 'modelDirs'
  | 'remoteModels'
  | 'remoteReranker'
  | 'ocr'
  | 'mail'
  | 'mailer'
  | 'signingKeyFile'
  | 'secretKeyFile'
  | 'webhooks'
  | 'hostClientId'
>

/**
 * Opens an engine on the database of a folder only, while another engine works on the folder. It manages companies,
 * contexts and records of documents; it has no upload and no search. The other engine removes the files, vectors and
 * words of deleted documents.
 *
 * @throws InvalidInputError if `dataDir` is missing
 * @throws NotInitializedError if the folder was never initialised
 * @throws DataDirUnusableError if other users can read the folder and that cannot be changed
 */
export async function openLocalDatabase(options: LocalDatabaseOptions): Promise<Engine> {
  const dataDir = dataDirOf(options)
  const { databaseUrl } = options
  await requireLocalDatabase(dataDir, databaseUrl)
  const opened = new OpenedParts()
  try {
    const lock = databaseUrl === undefined ? await lockForCommand(dataDir) : NO_LOCK
    opened.add({ close: async () => await lock.release() })
    // A migration may have run before the lock was taken.
    if (databaseUrl === undefined) {
      await requireLocalDatabase(dataDir)
      await makePrivateDataDir(dataDir)
    }
    return releasing(await openEngineOnDatabase(dataDir, options, opened), lock)
  } catch (error) {
    await opened.close()
    throw error
  }
}

/**
 * @throws NotInitializedError if the folder has no database of its own, or the database at the URL is empty
 * @throws DataDirUnusableError if the folder is a file
 */
export async function requireLocalDatabase(dataDir: string, databaseUrl?: string): Promise<void> {
  if (databaseUrl !== undefined) {
    await requireOwner(dataDir, databaseUrl)
    return
  }
  if (await pathExists(join(dataDir, DATABASE))) return
  await requireNoFile(dataDir)
  await requireNotMigrated(dataDir)
  const isElsewhere = await isOfOtherDatabase(dataDir)
  throw new NotInitializedError(
    isElsewhere
      ? `${dataDir} has no database: if an application keeps it in its own database, use that application; if ${DATABASE} is lost, restore a backup`
      : `${dataDir} has no data: run "alcove init" first`,
  )
}

async function requireOwner(dataDir: string, databaseUrl: string): Promise<void> {
  const storage = openSharedStorage(databaseUrl, {})
  try {
    await storage.open()
    await requireWholeCopy(dataDir, storage)
    await requireNoOwnDatabase(dataDir)
    await requireNoOtherFolder(dataDir, storage)
    if ((await storage.read(({ settings }) => settings.get('owner'))) !== undefined) return
  } finally {
    await storage.close()
  }
  throw new NotInitializedError('the database has no data: run "alcove init" first')
}

async function openEngineOnDatabase(
  dataDir: string,
  options: LocalDatabaseOptions,
  opened: OpenedParts,
): Promise<Engine> {
  // Only the names of the models count here, so no server is asked for dimensions.
  const remoteModels = (options.remoteModels ?? []).map((remote) => ({ ...remote, dimensions: remote.dimensions ?? 1 }))
  const models = await openModels({ remoteModels, modelDirs: await modelDirsOf(dataDir, options.modelDirs) }, opened)
  // The other engine sends the events, so its rules for destinations count.
  const { webhookAllow: allow } = await readHolderSettings(dataDir)
  return await withEncryptionKey(dataDir, options, async (secretKey) =>
    createEngine({
      storage: await openDatabaseStorage(dataDir, options.databaseUrl, opened),
      vectorIndex: { ...NO_VECTOR_INDEX, freeBytes: async () => await freeForVectors(dataDir) },
      lexicalIndex: NO_LEXICAL_INDEX,
      embeddingModels: models.map(withoutWeights),
      textExtractor: NO_TEXT_EXTRACTOR,
      fileStore: NO_FILE_STORE,
      starterPromptWriter: new TemplateStarterPromptWriter(),
      ...(await openSecurity(dataDir, { webhooks: { allow }, ...options })),
      ...(options.mail && { mail: options.mail }),
      ...(options.hostClientId !== undefined && { hostClientId: options.hostClientId }),
      secretKey,
      isWorking: false,
    }),
  )
}

async function openDatabaseStorage(
  dataDir: string,
  databaseUrl: string | undefined,
  opened: OpenedParts,
): Promise<KnexStorage> {
  if (databaseUrl !== undefined) return opened.add(openSharedStorage(databaseUrl, {}))
  const storage = opened.add(openStorage(dataDir, {}))
  await storage.open()
  await forgetMigration(storage)
  return storage
}

/** @returns the free bytes of the disk with the vectors; undefined if the folder has none, as they are elsewhere */
async function freeForVectors(dataDir: string): Promise<number | undefined> {
  return await freeBytesOf(join(dataDir, VECTORS)).catch(() => undefined)
}

/** An engine without the data folder lacks this port and the next three. */
const NO_VECTOR_INDEX: VectorIndex = {
  add: refuseAsync,
  search: refuseAsync,
  nearestWindows: refuseAsync,
  count: refuseAsync,
  read: refuseAsync,
  deleteDocument: refuseAsync,
  countByDocument: refuseAsync,
  listCollections: refuseAsync,
  drop: refuseAsync,
  close: doNothing,
}

const NO_LEXICAL_INDEX: LexicalIndex = {
  add: refuseAsync,
  search: refuseAsync,
  statistics: refuseAsync,
  countTerms: refuseAsync,
  findTerms: refuseAsync,
  deleteDocument: refuseAsync,
  count: refuseAsync,
  countByDocument: refuseAsync,
  listCollections: refuseAsync,
  drop: refuseAsync,
  close: doNothing,
}

const NO_FILE_STORE: FileStore = {
  write: refuseAsync,
  read: refuseIteration,
  sizeOf: refuseAsync,
  digest: refuseAsync,
  delete: refuseAsync,
  list: refuseIteration,
  removeUnfinished: refuseAsync,
}

const NO_TEXT_EXTRACTOR: TextExtractor = {
  formats: [],
  identify: refuseAsync,
  extract: refuseIteration,
  close: doNothing,
}

/** A model of which only the profile can be used. */
function withoutWeights({ profile }: Pick<EmbeddingModel, 'profile'>): EmbeddingModel {
  return { profile, tokenizer: refuseAsync, embed: refuseAsync, verify: refuseAsync, close: doNothing }
}

async function refuseAsync(): Promise<never> {
  return await Promise.resolve().then(refuse)
}

async function* refuseIteration(): AsyncGenerator<never> {
  await refuseAsync()
}

function refuse(): never {
  throw new UnsupportedError('this engine has only the database: open the data folder to upload or search')
}

async function doNothing(): Promise<void> {
  await Promise.resolve()
}
