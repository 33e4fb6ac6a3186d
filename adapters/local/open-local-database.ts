import { join } from 'node:path'
import { createEngine, type Engine, NotInitializedError } from '../../src/index.js'
import type { KnexStorage } from '../knex/index.js'
import { TemplateStarterPromptWriter } from '../starter-prompts/index.js'
import { lockForCommand, readHolderSettings } from './data-dir-lock.js'
import { DATABASE, isThere } from './data-dir-names.js'
import { dataDirOf, type LocalEngineOptions } from './local-engine-options.js'
import { BUNDLED_MODEL, NO_LOCK, openModels, openSecurity, openStorage, releasing, withKey } from './local-parts.js'
import { forgetMigration, requireNotMigrated, requireWholeCopy } from './migration/migration-mark.js'
import { OpenedParts } from './opened-parts.js'
import { makePrivateDataDir } from './private-data-dir.js'
import { isOfOtherDatabase, requireNoOtherFolder, requireNoOwnDatabase } from './same-database.js'
import { openSharedStorage } from './shared-database.js'
import { NO_FILE_STORE, NO_LEXICAL_INDEX, NO_TEXT_EXTRACTOR, NO_VECTOR_INDEX, withoutWeights } from './unavailable.js'

export type LocalDatabaseOptions = Pick<
  LocalEngineOptions,
  | 'dataDir'
  | 'databaseUrl'
  | 'modelDirs'
  | 'mail'
  | 'mailer'
  | 'signingKeyFile'
  | 'secretKeyFile'
  | 'webhooks'
  | 'hostClientId'
>

/**
 * An engine on the database of a folder alone, beside one that works on the
 * folder: companies, contexts and the records of documents, but no upload and
 * no search. What it deletes is cleared away by the engine that works.
 *
 * @throws InvalidInputError where `dataDir` is missing
 * @throws NotInitializedError where the folder was never initialised
 * @throws DataDirUnusableError where others can read the folder and that cannot be mended
 */
export async function openLocalDatabase(options: LocalDatabaseOptions): Promise<Engine> {
  const dataDir = dataDirOf(options)
  const { databaseUrl } = options
  await requireLocalDatabase(dataDir, databaseUrl)
  const opened = new OpenedParts()
  try {
    const lock = databaseUrl === undefined ? await lockForCommand(dataDir) : NO_LOCK
    opened.note({ close: async () => await lock.release() })
    // A migration may have come between.
    if (databaseUrl === undefined) {
      await requireLocalDatabase(dataDir)
      await makePrivateDataDir(dataDir)
    }
    return releasing(await openDatabaseAlone(dataDir, options, opened), lock)
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function openDatabaseAlone(dataDir: string, options: LocalDatabaseOptions, opened: OpenedParts): Promise<Engine> {
  const models = await openModels(options.modelDirs ?? [BUNDLED_MODEL], opened)
  // What the engine beside this one will send is what may be asked of it here.
  const { webhookAllow: allow } = await readHolderSettings(dataDir)
  return await withKey(dataDir, options, async (secretKey) =>
    createEngine({
      storage: await openStorageAlone(dataDir, options.databaseUrl, opened),
      vectorIndex: NO_VECTOR_INDEX,
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

async function openStorageAlone(
  dataDir: string,
  databaseUrl: string | undefined,
  opened: OpenedParts,
): Promise<KnexStorage> {
  if (databaseUrl !== undefined) return opened.note(openSharedStorage(databaseUrl, {}))
  const storage = opened.note(openStorage(dataDir, {}))
  await storage.open()
  await forgetMigration(storage)
  return storage
}

/** @throws NotInitializedError where a folder has no database of its own, and where nothing is in the one at a URL */
export async function requireLocalDatabase(dataDir: string, databaseUrl?: string): Promise<void> {
  if (databaseUrl !== undefined) {
    await requireOwner(dataDir, databaseUrl)
    return
  }
  if (await isThere(join(dataDir, DATABASE))) return
  await requireNotMigrated(dataDir)
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
    await requireNoOwnDatabase(dataDir)
    await requireNoOtherFolder(dataDir, storage)
    if ((await storage.read(({ settings }) => settings.get('owner'))) !== undefined) return
  } finally {
    await storage.close()
  }
  throw new NotInitializedError('there is no data in the database: run "alcove init" first')
}
