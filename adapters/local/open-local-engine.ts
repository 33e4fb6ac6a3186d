import { join } from 'node:path'
import { createEngine, type Engine, type EngineOptions, InvalidInputError } from '../../src/index.js'
import type { LexicalIndex, Storage } from '../../src/ports/index.js'
import { isPostgres, type KnexStorage } from '../knex/index.js'
import { LanceDbVectorIndex } from '../lancedb/index.js'
import { TemplateStarterPromptWriter } from '../starter-prompts/index.js'
import { WorkerTextExtractor } from '../text-extraction/index.js'
import { PgLexicalIndex, SqliteLexicalIndex } from '../words/index.js'
import { removeLeftStaging } from './backup/backup-staging.js'
import { lockDataDir } from './data-dir-lock.js'
import { DATABASE, isThere, VECTORS, WORDS } from './data-dir-names.js'
import { openFiles } from './file-place.js'
import { parseFilesUrl } from './files-url.js'
import { dataDirOf, type LocalEngineOptions } from './local-engine-options.js'
import { BUNDLED_MODEL, NO_LOCK, openModels, openSecurity, openStorage, releasing, withKey } from './local-parts.js'
import { forgetMigration, requireNotMigrated } from './migration/migration-mark.js'
import { OpenedParts } from './opened-parts.js'
import { makePrivateDataDir } from './private-data-dir.js'
import { isOfOtherDatabase, mismatch, requireSameDatabase } from './same-database.js'
import { noteVectorsOfHost, openSharedDatabase, requireFolderVectors } from './shared-database.js'

/**
 * An engine on a folder: SQLite, LanceDB, files and an embedding model on this device.
 *
 * Creates the folder, or reopens it; starts its workers. Any port can be replaced.
 * One engine works on a folder at a time.
 *
 * @throws InvalidInputError where `dataDir` is missing, and for options that cannot be used
 * @throws SecretKeyError for another secret-encryption key than that of the database, or none
 * @throws DataDirLockedError where an engine works on the folder, of another process or of this one
 * @throws DataDirUnusableError where the folder cannot be made or written, or where others can read it and that cannot
 *   be mended
 * @throws DataDirMismatchError where the folder's documents belong to another database, or those in the bucket, and
 *   where the database has its files elsewhere
 * @throws NotInitializedError where the folder's database was migrated to PostgreSQL
 * @throws StorageError where a database or a bucket cannot be reached
 * @throws UnsupportedError for a bucket without the packages, or on a server without the operations, that it needs; for
 *   a database whose vectors are in an index that is not given; and where its user may not make the extension `vector`
 * @throws ModelError `ERR_MODEL_MISSING` for a model folder without a profile
 * @throws SchemaTooNewError where a newer version wrote the folder
 */
export async function openLocalEngine(options: LocalEngineOptions): Promise<Engine> {
  const dataDir = dataDirOf(options)
  const { dataDir: _, modelDirs = [BUNDLED_MODEL], ...overrides } = options
  requireFilesUrl(options)
  await makePrivateDataDir(dataDir)
  const { allow = [] } = options.webhooks ?? {}
  const { databaseUrl } = options
  const opened = new OpenedParts()
  try {
    const shared =
      databaseUrl === undefined ? undefined : await openSharedDatabase(dataDir, databaseUrl, options, opened)
    // An engine that shares everything with others locks nothing for itself.
    const lock = shared === undefined ? await lockDataDir(dataDir, { webhookAllow: allow }) : NO_LOCK
    opened.note({ close: async () => await lock.release() })
    const isOwnDatabase = overrides.storage === undefined && options.knex === undefined && shared === undefined
    const engine = await withKey(dataDir, options, async (secretKey) =>
      createEngine({
        ...(await openRecords(dataDir, options, shared?.storage, opened)),
        vectorIndex: shared?.vectorIndex ?? overrides.vectorIndex ?? openVectors(dataDir, options),
        lexicalIndex: shared?.lexicalIndex ?? overrides.lexicalIndex ?? openWords(dataDir, options),
        embeddingModels: overrides.embeddingModels ?? (await openModels(modelDirs, opened)),
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
    await opened.close()
    throw error
  }
}

/** Opens the rows, and the files that belong to them. */
async function openRecords(
  dataDir: string,
  options: Omit<LocalEngineOptions, 'dataDir'>,
  sharedStorage: Storage | undefined,
  opened: OpenedParts,
): Promise<Pick<EngineOptions, 'storage' | 'fileStore'>> {
  const storage = sharedStorage ?? options.storage ?? (await openOwnStorage(dataDir, options, opened))
  return { storage, fileStore: options.fileStore ?? (await openFiles(dataDir, storage, options.filesUrl)) }
}

/** Before anything is made. @throws InvalidInputError */
function requireFilesUrl({ filesUrl, fileStore }: Omit<LocalEngineOptions, 'dataDir'>): void {
  if (filesUrl === undefined) return
  if (fileStore !== undefined) throw new InvalidInputError('filesUrl', 'cannot be given beside fileStore')
  parseFilesUrl(filesUrl)
}

/** The folder's own database, or the host's, once it is known to be the one that the folder belongs to. */
async function openOwnStorage(
  dataDir: string,
  options: Omit<LocalEngineOptions, 'dataDir'>,
  opened: OpenedParts,
): Promise<KnexStorage> {
  const isMissing = options.knex === undefined && !(await isThere(join(dataDir, DATABASE)))
  if (isMissing) await requireNotMigrated(dataDir)
  // An empty database must not come to stand there.
  if (isMissing && (await isOfOtherDatabase(dataDir))) throw mismatch(dataDir)
  const storage = opened.note(openStorage(dataDir, options))
  await requireSameDatabase(dataDir, storage)
  if (options.knex !== undefined) {
    await (options.vectorIndex === undefined ? requireFolderVectors(storage) : noteVectorsOfHost(storage))
  }
  if (options.knex === undefined) await removeLeftStaging(dataDir, storage)
  await forgetMigration(storage)
  return storage
}

/** Who only looks leaves the files as they are. */
function openVectors(
  dataDir: string,
  { isWorking: maintains = true, telemetry }: Partial<EngineOptions>,
): LanceDbVectorIndex {
  return new LanceDbVectorIndex(join(dataDir, VECTORS), { maintains, ...(telemetry && { telemetry }) })
}

/** Words: in the database where that is PostgreSQL, for other folders may share it; otherwise in the folder. */
function openWords(
  dataDir: string,
  { knex, tablePrefix, isWorking: maintains = true, telemetry }: Omit<LocalEngineOptions, 'dataDir'>,
): LexicalIndex {
  const heard = telemetry && { telemetry }
  if (knex !== undefined && isPostgres(knex)) {
    return new PgLexicalIndex({ knex, keepKnex: true, ...(tablePrefix !== undefined && { tablePrefix }), ...heard })
  }
  return new SqliteLexicalIndex(join(dataDir, WORDS), { maintains, ...heard })
}

function pickSettings(overrides: Partial<EngineOptions>) {
  const { clock, telemetry, ingestionConcurrency, initial, mail, isWorking, roles, isSweeping, deliveryRetentionDays } =
    overrides
  const { limits, hostClientId, auditRetentionDays, tokenIssuer } = overrides
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
    ...(hostClientId !== undefined && { hostClientId }),
    ...(auditRetentionDays !== undefined && { auditRetentionDays }),
  }
}
