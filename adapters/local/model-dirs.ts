import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type EmbeddingModel, withinField } from '../../src/ports/index.js'
import { DeviceEmbeddingModel } from '../device/index.js'
import { ifPresent } from '../node-kit/index.js'
import { OpenAiEmbeddingModel, type OpenAiModelOptions } from '../openai/index.js'
import type { OpenedParts } from './opened-parts.js'
import type { LocalEngineOptions } from './options/local-engine-options.js'

/** The folder of the model in the package. */
const BUNDLED_MODEL: string = fileURLToPath(new URL('../../../models/all-MiniLM-L6-v2', import.meta.url))

/** The folder of added models in a data folder. Each has a folder of its own, with the name of its id. */
export const MODELS = 'models'
/** The start of the name of a folder whose model is not complete yet. */
export const UNFINISHED_MODEL = '.adding-'

/** The folders of an engine's models: those of the option, or the bundled model and all that were added. */
export async function modelDirsOf(dataDir: string, modelDirs: readonly string[] | undefined): Promise<string[]> {
  if (modelDirs !== undefined) return modelDirs.map((folder) => resolve(folder))
  return [BUNDLED_MODEL, ...(await addedModels(dataDir))]
}

/** Returns the folders of the models that were added to a data folder, by their names. */
async function addedModels(dataDir: string): Promise<string[]> {
  const entries = await ifPresent(readdir(join(dataDir, MODELS), { withFileTypes: true }), [])
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(UNFINISHED_MODEL))
  return folders.map(({ name }) => resolve(dataDir, MODELS, name)).sort()
}

/**
 * Opens the models on servers, then those of folders.
 * @throws ModelError the first one, after every model is opened or has failed
 */
export async function openModels(
  {
    remoteModels = [],
    modelDirs,
  }: {
    readonly remoteModels: LocalEngineOptions['remoteModels'] | undefined
    readonly modelDirs: readonly string[]
  },
  opened: OpenedParts,
): Promise<EmbeddingModel[]> {
  const models = await Promise.allSettled<EmbeddingModel>([
    ...remoteModels.map(async (remote, index) => opened.add(await openRemote(remote, index))),
    ...modelDirs.map(async (folder) => opened.add(await DeviceEmbeddingModel.open(resolve(folder)))),
  ])
  return models.map((model) => {
    if (model.status === 'rejected') throw model.reason
    return model.value
  })
}

/** @throws InvalidInputError about a member of `remoteModels` @throws ModelError */
async function openRemote(options: OpenAiModelOptions, index: number): Promise<EmbeddingModel> {
  try {
    return await OpenAiEmbeddingModel.open(options)
  } catch (error) {
    throw withinField(`remoteModels[${index}]`, error)
  }
}
