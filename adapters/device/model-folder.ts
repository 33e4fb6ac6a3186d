import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type EmbeddingProfile, ModelError } from '../../src/ports/index.js'

/** The files that may hold a model's graph and weights. The first that exists is used. */
export const WEIGHTS_FILES: readonly string[] = ['onnx/model_quantized.onnx', 'onnx/model.onnx']
export const TOKENIZER_FILE = 'tokenizer.json'
export const TOKENIZER_CONFIG_FILE = 'tokenizer_config.json'
export const CONFIG_FILE = 'config.json'
export const PROFILE_FILE = 'profile.json'

const SHA256 = z.string().regex(/^[0-9a-f]{64}$/)

/** The place that a model was downloaded from. */
export interface ModelSource {
  /** Owner and name on the hub, such as `Xenova/multilingual-e5-small`. */
  readonly repository: string
  /** The commit of all its files, as 40 digits of lower-case hex. */
  readonly commit: string
}

/** The content of a `profile.json`: the profile, and the SHA-256 of each file of the model as lower-case hex. */
export interface ModelProfileFile extends Omit<EmbeddingProfile, 'fingerprint'> {
  readonly files: Readonly<Record<string, string>>
  /** Missing for a model of a folder. It is no part of the fingerprint. */
  readonly source?: ModelSource
}

const PROFILE: z.ZodType<ModelProfileFile> = z.object({
  id: z.string().min(1).max(255),
  dimensions: z.int().positive(),
  windowTokens: z.int().min(8),
  pooling: z.enum(['mean', 'cls']),
  normalized: z.boolean(),
  queryPrefix: z.string(),
  passagePrefix: z.string(),
  similarity: z
    .object({ unrelated: z.number().min(-1).lt(1), related: z.number().min(-1).max(1), languages: z.array(z.string()) })
    .exactOptional(),
  files: z
    .record(z.string().regex(/^(onnx\/)?[\w-]+(\.[\w-]+)+$/), SHA256)
    .refine((files) => TOKENIZER_FILE in files && WEIGHTS_FILES.some((name) => name in files)),
  source: z.object({ repository: z.string().min(1), commit: z.string().regex(/^[0-9a-f]{40}$/) }).exactOptional(),
})

/** A model's folder, as its profile describes it. */
export interface ModelFolder {
  readonly folder: string
  readonly profile: EmbeddingProfile
  /** The SHA-256 of the files that determine its vectors, by their path in the folder. */
  readonly files: Readonly<Record<string, string>>
  /** The file with the graph and the weights, by its path in the folder. */
  readonly weights: string
  /** Undefined for a model that was not downloaded by the engine. */
  readonly source: ModelSource | undefined
}

/**
 * Reads the profile of a model's folder, but not its weights.
 *
 * @throws ModelError `ERR_MODEL_MISSING` without a `profile.json`, `ERR_MODEL_CHANGED` for an invalid profile
 */
export async function readModelFolder(folder: string): Promise<ModelFolder> {
  const text = await readModelFile(folder, PROFILE_FILE)
  const parsed = PROFILE.safeParse(parseJson(text.toString('utf8')))
  if (parsed.success) return toModelFolder(folder, parsed.data)
  const field = parsed.error.issues[0]?.path.join('.') ?? ''
  const rule = field === 'dimensions' ? ' must be a whole number of at least 1' : ''
  throw new ModelError(
    'ERR_MODEL_CHANGED',
    `the profile.json of the model folder ${folder} is not valid: ${field || 'it is not a JSON object'}${rule}`,
  )
}

export function toModelFolder(
  folder: string,
  { files: unsorted, similarity, source, ...data }: ModelProfileFile,
): ModelFolder {
  // The order of the files in the profile does not change the model.
  const files = Object.fromEntries(Object.entries(unsorted).sort(([one], [other]) => (one < other ? -1 : 1)))
  const name = data.id.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 40)
  const digest = createHash('sha256').update(JSON.stringify({ ...data, files }))
  const fingerprint = `${name}-${digest.digest('hex').slice(0, 16)}`
  const weights = WEIGHTS_FILES.find((file) => file in files) ?? 'onnx/model_quantized.onnx'
  return { folder, profile: { ...data, fingerprint, ...(similarity && { similarity }) }, files, weights, source }
}

/** @throws ModelError `ERR_MODEL_MISSING` */
export async function readModelFile(folder: string, file: string): Promise<Buffer> {
  try {
    return await readFile(join(folder, file))
  } catch (error) {
    throw missingFileError(folder, file, error)
  }
}

/** Computes the SHA-256 of a file of a model, as lower-case hex. @throws ModelError `ERR_MODEL_MISSING` */
export async function hashModelFile(folder: string, file: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    for await (const piece of createReadStream(join(folder, file))) hash.update(piece as Uint8Array)
  } catch (error) {
    throw missingFileError(folder, file, error)
  }
  return hash.digest('hex')
}

/**
 * Compares a file with its checksum in the profile.
 * @throws ModelError `ERR_MODEL_MISSING`, `ERR_MODEL_CHANGED`
 */
export async function checkModelFile(
  { folder, files }: Pick<ModelFolder, 'folder' | 'files'>,
  file: string,
): Promise<void> {
  if ((await hashModelFile(folder, file)) === files[file]) return
  throw new ModelError(
    'ERR_MODEL_CHANGED',
    `${file} in the model folder ${folder} is not the file that its profile.json names: put the original file back`,
  )
}

/**
 * Compares all files of a model with their checksums in the profile.
 * @throws ModelError `ERR_MODEL_MISSING`, `ERR_MODEL_CHANGED`
 */
export async function checkModelFiles(model: ModelFolder): Promise<void> {
  for (const file of Object.keys(model.files)) await checkModelFile(model, file)
}

/** Compares the graph, and weights beside it, with their checksums. @throws ModelError as {@link checkModelFile} */
export async function checkWeights(model: ModelFolder): Promise<void> {
  for (const file of Object.keys(model.files)) if (file.startsWith('onnx/')) await checkModelFile(model, file)
}

export function missingFileError(folder: string, file: string, cause?: unknown): ModelError {
  // A folder as transformers.js lays it out needs no profile: that is made from its own files.
  const needs = file === PROFILE_FILE ? '; it may have config.json, tokenizer.json and onnx/model.onnx instead' : ''
  return new ModelError(
    'ERR_MODEL_MISSING',
    `the model folder ${folder} has no readable ${file}, or does not exist: put the model there, or name another folder${needs}`,
    { cause },
  )
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
