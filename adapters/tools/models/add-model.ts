import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { InvalidInputError, measureSimilarity } from '../../../src/index.js'
import type { SimilarityScale } from '../../../src/ports/index.js'
import {
  DeviceEmbeddingModel,
  type ModelProfileChanges,
  type ModelProfileFile,
  profileOf,
  toModelFolder,
  writeProfile,
} from '../../device/index.js'
import { makePrivateDataDir } from '../../local/folder/data-dir.js'
import { unusable } from '../../local/folder/data-dir-lock.js'
import { MODELS, UNFINISHED_MODEL } from '../../local/model-dirs.js'
import { dataDirOf } from '../../local/options/local-engine-options.js'
import { ifPresent, isCode } from '../../node-kit/index.js'
import { describeModel, type LocalModel, listModels } from './list-models.js'
import { requireFamilyFacts } from './model-families.js'

export interface AddModelOptions extends ModelProfileChanges {
  readonly dataDir: string
  /** The folder of the model, in the layout of transformers.js. */
  readonly folder: string
}

export interface AddModelResult extends LocalModel {
  /** False if the folder had the same model already. */
  readonly isNew: boolean
}

/** Files that a model may have beside those of its profile, and that the adapters or a reader need. */
export const OTHER_FILES: readonly string[] = [
  'config.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
  'modules.json',
  '1_Pooling/config.json',
  'LICENSE',
  'README.md',
]

/** A name of a folder on every system. */
const ID = /^(?!\.)[\w.-]{1,100}$/
const SAMPLE = 'A model that is added must embed a text.'

/**
 * Adds a model to a data folder: every engine that opens the folder without `modelDirs` has it from then on. The model
 * embeds some texts first, so one that does not run here is not added; its profile gets the scale of its similarities.
 * Its files are copied: the folder that is given may go away, and a backup of the data folder has no models.
 *
 * @throws InvalidInputError for an id that another model has, or that cannot be the name of a folder; also for a model of
 *   a known family, such as E5, whose prefixes or pooling neither its files nor the options say
 * @throws ModelError `ERR_MODEL_MISSING`, `ERR_MODEL_CHANGED` or `ERR_MODEL_UNSUPPORTED` for a model that cannot be used
 * @throws UnsupportedError if the model needs a package that is not installed
 */
export async function addModel(options: AddModelOptions): Promise<AddModelResult> {
  const dataDir = dataDirOf(options)
  const { dataDir: _, folder: given, ...changes } = options
  const folder = resolve(given)
  const profile = await profileOf(folder, changes)
  await requireFamilyFacts(folder, profile, changes)
  return await placeModel(dataDir, folder, profile, async (from, to) => await copyFile(from, to))
}

/**
 * Tries a model, and puts its files into a data folder.
 *
 * @param place puts a file of the folder at its new path
 * @throws as {@link addModel}
 */
export async function placeModel(
  dataDir: string,
  source: string,
  profile: ModelProfileFile,
  place: (from: string, to: string) => Promise<void>,
): Promise<AddModelResult> {
  requireFolderName(profile.id)
  const { fingerprint } = toModelFolder(source, profile).profile
  const same = await modelOfId(dataDir, profile.id)
  if (same?.fingerprint === fingerprint) return { ...same, isNew: false }
  if (same !== undefined) throw idTaken(same)
  await makePrivateDataDir(dataDir)
  await removeAbandoned(join(dataDir, MODELS))
  const target = join(dataDir, MODELS, profile.id)
  const unfinished = join(dataDir, MODELS, `${UNFINISHED_MODEL}${randomUUID()}`)
  try {
    for (const file of [...Object.keys(profile.files), ...OTHER_FILES]) {
      if (!(await exists(join(source, file)))) continue
      await mkdir(dirname(join(unfinished, file)), { recursive: true, mode: 0o700 })
      await place(join(source, file), join(unfinished, file))
    }
    await writeProfile(unfinished, profile)
    const similarity = await tryModel(unfinished)
    if (similarity !== undefined) await writeProfile(unfinished, { ...profile, similarity })
    await rename(unfinished, target)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
  return { ...(await describeModel(target, false)), isNew: true }
}

/** @throws InvalidInputError for an id that cannot be the name of a folder */
export function requireFolderName(id: string): void {
  if (ID.test(id)) return
  throw new InvalidInputError('id', 'must be the name of a folder, of up to 100 letters, digits, ".", "_" and "-"')
}

/** @throws DataDirUnusableError if the process may not read the data folder */
export async function modelOfId(dataDir: string, id: string): Promise<LocalModel | undefined> {
  const models = await listModels({ dataDir }).catch((error: unknown) => {
    throw isCode(error, 'EACCES', 'EPERM') ? unusable(dataDir, error) : error
  })
  return models.find((model) => model.id === id)
}

export function idTaken({ id, folder }: LocalModel): InvalidInputError {
  return new InvalidInputError('id', `${id} is the id of another model, in ${folder}: give another id`)
}

/** The start of the name of a folder with a download that is not complete: a later one goes on with it. */
export const PARTIAL_DOWNLOAD: string = `${UNFINISHED_MODEL}download-`

/**
 * Removes what killed processes have left. The copy of a process that still works is younger, and a download that is
 * still wanted was tried again.
 */
export async function removeAbandoned(models: string): Promise<void> {
  const names = await ifPresent(readdir(models), [])
  for (const name of names.filter((each) => each.startsWith(UNFINISHED_MODEL))) {
    const found = await ifPresent(stat(join(models, name)), undefined)
    const abandonedMs = name.startsWith(PARTIAL_DOWNLOAD) ? ABANDONED_DOWNLOAD_MS : ABANDONED_MS
    if (found === undefined || Date.now() - found.mtimeMs < abandonedMs) continue
    await rm(join(models, name), { recursive: true, force: true })
  }
}

const ABANDONED_MS = 24 * 3_600_000
const ABANDONED_DOWNLOAD_MS = 30 * ABANDONED_MS

/**
 * The copy has the checksums of the profile, or it is refused.
 *
 * @returns the scale of its similarities; undefined if the model embeds one text, and not all of the sample
 */
async function tryModel(folder: string): Promise<SimilarityScale | undefined> {
  const model = await DeviceEmbeddingModel.open(folder)
  try {
    await model.verify()
    await model.embed([SAMPLE], { kind: 'passage' })
    return await measureSimilarity(model).catch(() => undefined)
  } finally {
    await model.close()
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    (error: unknown) => {
      if (isCode(error, 'ENOENT', 'ENOTDIR')) return false
      throw error
    },
  )
}
