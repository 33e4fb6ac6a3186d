import { join } from 'node:path'
import { createEngine, type Engine, type EngineOptions } from '../../src/index.js'
import type { LexicalIndex, Storage, TextRecognizer } from '../../src/ports/index.js'
import { HttpReranker } from '../http-reranker/index.js'
import { isPostgres, type KnexStorage } from '../knex/index.js'
import { TemplateStarterPromptWriter } from '../starter-prompts/index.js'
import { TesseractRecognizer } from '../tesseract/index.js'
import { WorkerTextExtractor } from '../text-extraction/index.js'
import { PgLexicalIndex, SqliteLexicalIndex } from '../words/index.js'
import { removeLeftStaging } from './folder/backup-staging.js'
import { DATABASE, makePrivateDataDir, pathExists, WORDS } from './folder/data-dir.js'
import { lockDataDir } from './folder/data-dir-lock.js'
import { openFiles } from './folder/file-place.js'
import { forgetMigration, requireNotMigrated } from './folder/migration-mark.js'
import { removeLeftShadows } from './folder/shadow-folder.js'
import { type Folders, makeTempFolder } from './folder/temp-folder.js'
import { openFolderVectors } from './folder-vectors.js'
import { NO_LOCK, openSecurity, openStorage, releasing, withEncryptionKey } from './local-parts.js'
import { modelDirsOf, openModels } from './model-dirs.js'
import { openShared } from './open-engines.js'
import { OpenedParts } from './opened-parts.js'
import { checkLocalOptions } from './options/check-local-options.js'
import { dataDirOf, type LocalEngineOptions } from './options/local-engine-options.js'
import { isOfOtherDatabase, mismatch, requireSameDatabase } from './same-database.js'
import { noteVectorsOfHost, openSharedDatabase, requireFolderVectors } from './shared-database.js'

/**
 * Opens an engine on a folder: SQLite, LanceDB, files and an embedding model on this device.
 *
 * It creates the folder if it is missing, and starts the workers. The options can replace any port. Only one engine
 * works on a folder at a time: a second call in the same process with the same options gives that engine, and the last
 * `close` closes it. A program that ends without `close` lets the engine close by itself. With `databaseUrl` and `roles`,
 * the engine keeps its process alive, because other processes bring it work.
 *
 * @throws InvalidInputError if `dataDir` is missing, or for options that are not valid
 * @throws SecretKeyError if the secret-encryption key of the database is missing, or another one is given
 * @throws NativePartError if a package with a native part, such as SQLite's driver, is not built on this system
 * @throws DataDirLockedError if an engine of another process works on the folder, or one of this process with other
 *   options
 * @throws DataDirUnusableError if the folder, or that of temporary files, cannot be created or written, or if other users
 *   can read the folder and that cannot be changed
 * @throws DataDirMismatchError if the documents in the folder or in the bucket belong to another database, or if the
 *   files of the database are in another location
 * @throws NotInitializedError if the folder's database was migrated to PostgreSQL
 * @throws StorageError if a database or a bucket cannot be reached
 * @throws UnsupportedError for packages of text recognition that are missing; for a bucket whose packages or server operations are missing; for a database whose vectors
 *   are in an index that is not given; if the database user may not create the extension `vector`
 * @throws ModelError `ERR_MODEL_MISSING` for a model folder that lacks files, `ERR_MODEL_UNSUPPORTED` for a model that
 *   the engine cannot run; others if the dimensions of a remote model are not given and its server does not answer
 * @throws SchemaTooNewError if a newer version wrote the folder
 * @throws SchemaTooOldError if the folder is from a version that this one cannot update
 */
export async function openLocalEngine(options: LocalEngineOptions): Promise<Engine> {
  // First: a misspelt `dataDir` is an unknown option.
  await checkLocalOptions(options)
  const dataDir = dataDirOf(options)
  await makePrivateDataDir(dataDir)
  const { databaseUrl, isWorking = true, roles = [] } = options
  const isExclusive = databaseUrl === undefined
  // A process of named roles is a worker, to which other processes bring work.
  const keepsProcess = !isExclusive && isWorking && roles.length > 0
  return await openShared(options, dataDir, {
    isExclusive,
    keepsProcess,
    open: async () => await openOn(dataDir, options),
  })
}

async function openOn(dataDir: string, options: LocalEngineOptions): Promise<Engine> {
  const { dataDir: _, modelDirs, remoteModels, remoteReranker, ...overrides } = options
  const tempFolder = await makeTempFolder(dataDir, options.tempDir)
  if (options.isWorking !== false) await removeLeftShadows([dataDir, tempFolder])
  const { allow = [] } = options.webhooks ?? {}
  const { databaseUrl } = options
  // SQLite looks there first for a place of its temporary files, which have no names. The system's may be read-only.
  process.env['SQLITE_TMPDIR'] ??= tempFolder
  const opened = new OpenedParts()
  try {
    const shared =
      databaseUrl === undefined
        ? undefined
        : await openSharedDatabase(dataDir, databaseUrl, { ...options, tempFolder }, opened)
    // An engine that shares its database takes no lock on the folder.
    const lock = shared === undefined ? await lockDataDir(dataDir, { webhookAllow: allow }) : NO_LOCK
    opened.add({ close: async () => await lock.release() })
    // Before the folder gets a database: a model that cannot be opened leaves no data behind.
    const embeddingModels =
      overrides.embeddingModels ??
      (await openModels({ remoteModels, modelDirs: await modelDirsOf(dataDir, modelDirs) }, opened))
    const reranker =
      remoteReranker === undefined ? overrides.reranker : opened.add(await HttpReranker.open(remoteReranker))
    const isOwnDatabase = overrides.storage === undefined && options.knex === undefined && shared === undefined
    const engine = await withEncryptionKey(dataDir, options, async (secretKey) =>
      createEngine({
        ...(await openRecords({ dataDir, tempFolder }, options, shared?.storage, opened)),
        vectorIndex:
          shared?.vectorIndex ?? overrides.vectorIndex ?? openFolderVectors({ dataDir, tempFolder }, options),
        lexicalIndex: shared?.lexicalIndex ?? overrides.lexicalIndex ?? openWords(dataDir, options),
        embeddingModels,
        textExtractor:
          overrides.textExtractor ??
          new WorkerTextExtractor({
            readersAtOnce: readersOf(overrides.ingestionConcurrency),
            recognizer: recognizerOf(options, tempFolder),
          }),
        starterPromptWriter: overrides.starterPromptWriter ?? new TemplateStarterPromptWriter(),
        ...(await openSecurity(dataDir, options)),
        ...(reranker && { reranker }),
        ...pickSettings(overrides),
        secretKey,
        // The lock protects only the folder: engines of other folders may work on a database elsewhere.
        isAlone: isOwnDatabase,
        isShared: shared !== undefined,
      }),
    )
    return releasing(engine, lock)
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Opens the database and the files of its documents. */
async function openRecords(
  folders: Folders,
  options: Omit<LocalEngineOptions, 'dataDir'>,
  sharedStorage: Storage | undefined,
  opened: OpenedParts,
): Promise<Pick<EngineOptions, 'storage' | 'fileStore'>> {
  const storage = sharedStorage ?? options.storage ?? (await openOwnStorage(folders, options, opened))
  return { storage, fileStore: options.fileStore ?? (await openFiles(folders.dataDir, storage, options.filesUrl)) }
}

/** Opens the folder's own database or the host's, and checks that the folder belongs to it. */
async function openOwnStorage(
  { dataDir, tempFolder }: Folders,
  options: Omit<LocalEngineOptions, 'dataDir'>,
  opened: OpenedParts,
): Promise<KnexStorage> {
  const isMissing = options.knex === undefined && !(await pathExists(join(dataDir, DATABASE)))
  if (isMissing) await requireNotMigrated(dataDir)
  // Opening the storage would create an empty database there.
  if (isMissing && (await isOfOtherDatabase(dataDir))) throw mismatch(dataDir)
  const storage = opened.add(openStorage(dataDir, options))
  await requireSameDatabase(dataDir, storage)
  if (options.knex !== undefined) {
    await (options.vectorIndex === undefined ? requireFolderVectors(storage) : noteVectorsOfHost(storage))
  }
  if (options.knex === undefined) await removeLeftStaging(dataDir, tempFolder, storage)
  await forgetMigration(storage)
  return storage
}

/** Words are in the database if that is PostgreSQL, because other folders may share it. Otherwise in the folder. */
function openWords(
  dataDir: string,
  { knex, tablePrefix, isWorking: maintains = true, telemetry }: Omit<LocalEngineOptions, 'dataDir'>,
): LexicalIndex {
  const telemetryOption = telemetry && { telemetry }
  if (knex !== undefined && isPostgres(knex)) {
    return new PgLexicalIndex({
      knex,
      keepKnex: true,
      ...(tablePrefix !== undefined && { tablePrefix }),
      ...telemetryOption,
    })
  }
  return new SqliteLexicalIndex(join(dataDir, WORDS), { maintains, ...telemetryOption })
}

function recognizerOf(
  { ocr, textRecognizer, tempDir }: Pick<LocalEngineOptions, 'ocr' | 'textRecognizer' | 'tempDir'>,
  tempFolder: string,
): TextRecognizer | undefined {
  if (ocr === undefined) return textRecognizer
  // Without `tempDir`, that folder is the data folder, which has only files that last.
  return TesseractRecognizer.open({ languages: ocr, ...(tempDir !== undefined && { tempDir: tempFolder }) })
}

/** The engine reads one document more, of a company that has none in progress. All readers share the memory. */
function readersOf(ingestionConcurrency = 4): number {
  return ingestionConcurrency + 1
}

function pickSettings(overrides: Partial<EngineOptions>) {
  const { clock, telemetry, ingestionConcurrency, initial, mail, isWorking, roles, isSweeping, deliveryRetentionDays } =
    overrides
  const { limits, hostClientId, auditRetentionDays, tokenIssuer, sendsTraceparent } = overrides
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
    ...(limits !== undefined && { limits }),
    ...(tokenIssuer !== undefined && { tokenIssuer }),
    ...(sendsTraceparent !== undefined && { sendsTraceparent }),
    ...(hostClientId !== undefined && { hostClientId }),
    ...(auditRetentionDays !== undefined && { auditRetentionDays }),
  }
}
