import { randomUUID } from 'node:crypto'
import { rename, stat, unlink, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { type EmbeddingProfile, InvalidInputError, ModelError } from '../../src/ports/index.js'
import { isCode } from '../node-kit/index.js'
import { CONFIG_DIMENSIONS, POOLING, POOLING_FILE, requireDimensions } from './model-dimensions.js'
import {
  CONFIG_FILE,
  hashModelFile,
  type ModelFolder,
  type ModelProfileFile,
  missingFileError,
  PROFILE_FILE,
  parseJson,
  readModelFile,
  readModelFolder,
  TOKENIZER_CONFIG_FILE,
  TOKENIZER_FILE,
  toModelFolder,
  WEIGHTS_FILES,
} from './model-folder.js'

/** Facts that the files of a model do not have, or that a user wants otherwise. */
export interface ModelProfileChanges {
  /** The name that contexts store. Default: the name of the folder. */
  readonly id?: string
  /** Text before every query. Default: the prompt of the model's own files, or none. */
  readonly queryPrefix?: string
  /** Text before every passage. Default: the prompt of the model's own files, or none. */
  readonly passagePrefix?: string
  /** The most tokens of an input, up to the limit of the model's own files. Default: that limit, at most 1,024. */
  readonly windowTokens?: number
  /**
   * The components of a vector, if fewer than the model gives: vectors are cut to them, and normalised after that. Only a
   * model that is trained for it (Matryoshka) keeps its quality. From 8 to the number that the model gives, which is the
   * default.
   */
  readonly dimensions?: number
  /** Default: that of the model's own files, or the mean. */
  readonly pooling?: EmbeddingProfile['pooling']
}

export interface OpenFolderOptions {
  /** True to leave the folder as it is: a missing profile is made, and not written. Default: false. */
  readonly isReadOnly?: boolean
}

/** Maximum number of tokens in a window, also if the model allows more. */
const MAX_WINDOW_TOKENS = 8_192
/**
 * The most tokens of a window unless a user wants more: a chunk of usual size in one window. The memory of a window grows
 * with the square of its length, to gigabytes.
 */
const USUAL_WINDOW_TOKENS = 1_024

const CONFIG = z.object({
  model_type: z.string().optional(),
  ...CONFIG_DIMENSIONS,
  max_position_embeddings: z.int().positive().optional(),
  pad_token_id: z.int().nullish(),
})
const TOKENIZER_CONFIG = z.object({ model_max_length: z.number().positive().nullish() })
const MODULES = z.array(z.object({ type: z.string() }))
const SENTENCE_CONFIG = z.object({ max_seq_length: z.int().positive().nullish() })
const PROMPTS = z.object({
  prompts: z.record(z.string(), z.string()).nullish(),
  default_prompt_name: z.string().nullish(),
})

/** Models whose positions begin after the padding token's, so the last positions hold no text. */
const PADDED_POSITIONS = new Set(['roberta', 'xlm-roberta', 'camembert', 'mpnet'])

const POOLING_MODES: Readonly<Record<string, 'cls' | 'mean' | undefined>> = {
  pooling_mode_cls_token: 'cls',
  pooling_mode_mean_tokens: 'mean',
}

/**
 * Reads a model's folder. If it has no `profile.json`, the profile is made of the files that transformers.js and
 * sentence-transformers lay there, and written. A folder that cannot be written works too: its profile is made at each
 * opening, which reads its files once more.
 *
 * @throws ModelError `ERR_MODEL_MISSING` for a file that is missing, `ERR_MODEL_CHANGED` for an invalid profile,
 *   `ERR_MODEL_UNSUPPORTED` for a model that the engine cannot run as its files say
 */
export async function openModelFolder(
  folder: string,
  { isReadOnly = false }: OpenFolderOptions = {},
): Promise<ModelFolder> {
  if (await exists(folder, PROFILE_FILE)) return await readStoredFolder(folder)
  const profile = await profileOf(folder)
  if (!isReadOnly) {
    await writeProfile(folder, profile).catch((error: unknown) => {
      if (!isCode(error, 'EROFS', 'EACCES', 'EPERM')) throw error
    })
  }
  return toModelFolder(folder, profile)
}

/** @throws ModelError `ERR_MODEL_CHANGED` for an invalid profile */
async function readStoredFolder(folder: string): Promise<ModelFolder> {
  const model = await readModelFolder(folder)
  await requireDimensions(model)
  return model
}

/** Returns the profile of a model's folder with changes. It writes nothing. @throws ModelError as {@link openModelFolder} */
export async function profileOf(folder: string, changes: ModelProfileChanges = {}): Promise<ModelProfileFile> {
  if (!(await exists(folder, PROFILE_FILE))) {
    // A folder without any file of a model gets the message about the file that a user looks for first.
    if (!(await exists(folder, TOKENIZER_FILE))) throw missingFileError(folder, PROFILE_FILE)
    return await describeModelFolder(folder, changes)
  }
  const { profile, files, source } = await readStoredFolder(folder)
  const { fingerprint: _, similarity, ...given } = profile
  const { windowTokens = given.windowTokens } = changes
  if (windowTokens > given.windowTokens || windowTokens < 8) throw wrongWindow(folder, windowTokens, given.windowTokens)
  const dimensions = dimensionsOf(folder, given.dimensions, changes.dimensions)
  // Shorter vectors have another scale.
  const isSameScale = similarity !== undefined && dimensions === given.dimensions
  return { ...given, ...changes, dimensions, ...(isSameScale && { similarity }), files, ...(source && { source }) }
}

/** Makes the profile of a model from the files in its folder. It reads all of them. @throws ModelError */
async function describeModelFolder(folder: string, changes: ModelProfileChanges): Promise<ModelProfileFile> {
  const facts = await modelFactsOf(folder, changes)
  return { ...facts, files: await readHashes(folder) }
}

/** The facts of a model that its weights are not needed for. */
export type ModelFacts = Omit<ModelProfileFile, 'files' | 'similarity' | 'source'>

/**
 * Reads the facts of a model from the files beside its weights, which need not be there.
 *
 * @throws ModelError `ERR_MODEL_MISSING` without a `config.json`, `ERR_MODEL_UNSUPPORTED` for a model that the engine
 *   cannot run as its files say
 */
export async function modelFactsOf(folder: string, changes: ModelProfileChanges = {}): Promise<ModelFacts> {
  const config = await readJson(folder, CONFIG_FILE, CONFIG)
  if (config === undefined) throw missingFileError(folder, CONFIG_FILE)
  await requireKnownModules(folder)
  const pooling = await readPooling(folder)
  const ofConfig = config.hidden_size ?? config.dim ?? config.d_model
  const dimensions = pooling.dimensions ?? ofConfig
  if (dimensions === undefined) throw unsupported(folder, 'its config.json has no hidden_size')
  if (ofConfig !== undefined && ofConfig !== dimensions) {
    // Without this, a smaller number would cut the vectors.
    throw unsupported(folder, `its ${POOLING_FILE} says ${dimensions} dimensions, and its config.json ${ofConfig}`)
  }
  const prefixes = await readPrefixes(folder)
  return {
    id: changes.id ?? basename(resolve(folder)),
    dimensions: dimensionsOf(folder, dimensions, changes.dimensions),
    windowTokens: await readWindowTokens(folder, config, changes.windowTokens),
    pooling: changes.pooling ?? pooling.mode,
    normalized: await isNormalized(folder),
    queryPrefix: changes.queryPrefix ?? prefixes.query,
    passagePrefix: changes.passagePrefix ?? prefixes.passage,
  }
}

/** Writes a profile. Other processes see the former file or the whole new one. */
export async function writeProfile(folder: string, profile: ModelProfileFile): Promise<void> {
  const path = join(folder, PROFILE_FILE)
  const temporary = `${path}.${randomUUID()}`
  try {
    await writeFile(temporary, `${JSON.stringify(profile, undefined, 2)}\n`, { flag: 'wx', flush: true })
    await rename(temporary, path)
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  }
}

async function readHashes(folder: string): Promise<Record<string, string>> {
  const weights = await firstOf(folder, WEIGHTS_FILES)
  if (weights === undefined) throw missingFileError(folder, WEIGHTS_FILES.join(' or '))
  // An export of a large model keeps the weights beside the graph.
  const beside = await firstOf(folder, [`${weights}_data`, `${weights}.data`])
  const names = [weights, ...(beside === undefined ? [] : [beside]), TOKENIZER_FILE]
  const hashes: Record<string, string> = {}
  for (const name of names) hashes[name] = await hashModelFile(folder, name)
  return hashes
}

/** @throws ModelError `ERR_MODEL_UNSUPPORTED` for a step after pooling that the graph does not have */
async function requireKnownModules(folder: string): Promise<void> {
  const modules = (await readJson(folder, 'modules.json', MODULES)) ?? []
  const unknown = modules.map(({ type }) => nameOf(type)).find((name) => !KNOWN_MODULES.has(name))
  if (unknown === undefined) return
  throw unsupported(folder, `its modules.json has the step ${unknown}, which the engine does not compute`)
}

const KNOWN_MODULES = new Set(['Transformer', 'Pooling', 'Normalize'])

/** Models without `modules.json` are normalised: it does not change the order of results. */
async function isNormalized(folder: string): Promise<boolean> {
  const modules = await readJson(folder, 'modules.json', MODULES)
  return modules?.some(({ type }) => nameOf(type) === 'Normalize') ?? true
}

function nameOf(type: string): string {
  return type.split('.').at(-1) ?? type
}

async function readPooling(
  folder: string,
): Promise<{ readonly mode: 'cls' | 'mean'; readonly dimensions: number | undefined }> {
  const pooling = await readJson(folder, POOLING_FILE, POOLING)
  // The mean is the choice of most models, and of transformers.js's own examples.
  if (pooling === undefined) return { mode: 'mean', dimensions: undefined }
  const modes = Object.keys(pooling).filter((name) => name.startsWith('pooling_mode_') && pooling[name] === true)
  const [name = '', ...others] = modes
  const mode = others.length === 0 ? POOLING_MODES[name] : undefined
  if (mode === undefined) {
    throw unsupported(
      folder,
      `its ${POOLING_FILE} pools by ${modes.join(' and ') || 'nothing'}, and the engine by mean or cls`,
    )
  }
  return { mode, dimensions: pooling.word_embedding_dimension }
}

async function readWindowTokens(
  folder: string,
  { model_type: type = '', max_position_embeddings: positions, pad_token_id: padding }: z.infer<typeof CONFIG>,
  wanted: number | undefined,
): Promise<number> {
  const { max_seq_length: sentence } = (await readJson(folder, 'sentence_bert_config.json', SENTENCE_CONFIG)) ?? {}
  const { model_max_length: tokenizer } = (await readJson(folder, TOKENIZER_CONFIG_FILE, TOKENIZER_CONFIG)) ?? {}
  const unused = PADDED_POSITIONS.has(type) ? (padding ?? 1) + 1 : 0
  const limits = [sentence, tokenizer, positions === undefined ? undefined : positions - unused, MAX_WINDOW_TOKENS]
  const limit = Math.floor(Math.min(...limits.filter((each) => each !== null && each !== undefined)))
  if (wanted !== undefined && (wanted > limit || wanted < 8)) throw wrongWindow(folder, wanted, limit)
  if (limit < 8) throw unsupported(folder, `its limit of ${limit} tokens is too short for a window`)
  return wanted ?? Math.min(limit, USUAL_WINDOW_TOKENS)
}

async function readPrefixes(folder: string): Promise<{ readonly query: string; readonly passage: string }> {
  const { prompts, default_prompt_name: name } =
    (await readJson(folder, 'config_sentence_transformers.json', PROMPTS)) ?? {}
  const found = prompts ?? {}
  const usual = name === null || name === undefined ? '' : (found[name] ?? '')
  return {
    query: found['query'] ?? usual,
    passage: found['passage'] ?? found['document'] ?? found['corpus'] ?? usual,
  }
}

/** @returns undefined if the file is missing */
async function readJson<Output>(folder: string, file: string, schema: z.ZodType<Output>): Promise<Output | undefined> {
  if (!(await exists(folder, file))) return undefined
  const text = await readModelFile(folder, file)
  const parsed = schema.safeParse(parseJson(text.toString('utf8')))
  if (parsed.success) return parsed.data
  const field = parsed.error.issues[0]?.path.join('.') ?? ''
  throw unsupported(folder, `its ${file} is not valid: ${field || 'it is not JSON of the expected kind'}`)
}

async function firstOf(folder: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) if (await exists(folder, name)) return name
  return undefined
}

async function exists(folder: string, file: string): Promise<boolean> {
  return await stat(join(folder, file)).then(
    (found) => found.isFile(),
    () => false,
  )
}

/** @throws InvalidInputError */
function dimensionsOf(folder: string, given: number, wanted: number = given): number {
  if (wanted === given || (Number.isInteger(wanted) && wanted >= 8 && wanted < given)) return wanted
  throw new InvalidInputError('dimensions', `must be from 8 to ${given} for the model in ${folder}, not ${wanted}`)
}

function wrongWindow(folder: string, wanted: number, limit: number): InvalidInputError {
  return new InvalidInputError('windowTokens', `must be from 8 to ${limit} for the model in ${folder}, not ${wanted}`)
}

function unsupported(folder: string, reason: string): ModelError {
  return new ModelError(
    'ERR_MODEL_UNSUPPORTED',
    `the model in ${folder} cannot be used: ${reason}; use another model, or write a profile.json by hand`,
  )
}
