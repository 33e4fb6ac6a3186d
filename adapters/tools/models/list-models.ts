import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { EmbeddingProfile } from '../../../src/ports/index.js'
import { type ModelSource, openModelFolder, type TokenizerKind, tokenizerKindOf } from '../../device/index.js'
import { modelDirsOf } from '../../local/model-dirs.js'
import { dataDirOf } from '../../local/options/local-engine-options.js'

/** A model that an engine on the folder has. */
export interface LocalModel extends EmbeddingProfile {
  readonly folder: string
  readonly tokenizer: TokenizerKind
  /** Size of its files in megabytes. */
  readonly sizeMb: number
  /** True for the model of new contexts. */
  readonly isDefault: boolean
  /** The repository and the commit of a model that `downloadModel` brought. */
  readonly source?: ModelSource
}

/** The models of an engine on a folder. */
export interface ListModelsOptions {
  readonly dataDir: string
  /** As of `openLocalEngine`. Default: the bundled model, and those that {@link addModel} added. */
  readonly modelDirs?: readonly string[]
}

/**
 * Lists the models of an engine on a folder, the default one first. It reads their profiles, not their weights.
 *
 * @throws ModelError for a folder that is not a model's
 */
export async function listModels(options: ListModelsOptions): Promise<readonly LocalModel[]> {
  const folders = await modelDirsOf(dataDirOf(options), options.modelDirs)
  return await Promise.all(folders.map(async (folder, index) => await describeModel(folder, index === 0)))
}

/** @throws ModelError */
export async function describeModel(folder: string, isDefault: boolean): Promise<LocalModel> {
  const { profile, files, source } = await openModelFolder(folder, { isReadOnly: true })
  const sizes = await Promise.all(
    Object.keys(files).map(async (file) => (await stat(join(folder, file)).catch(() => undefined))?.size ?? 0),
  )
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  const tokenizer = await tokenizerKindOf(folder)
  const sizeMb = Math.round(bytes / 1e5) / 10
  return { ...profile, folder, tokenizer, sizeMb, isDefault, ...(source && { source }) }
}
