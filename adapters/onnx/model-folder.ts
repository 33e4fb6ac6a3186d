import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type EmbeddingProfile, ModelError } from '../../src/ports/index.js'

const SHA256 = z.string().regex(/^[0-9a-f]{64}$/)

const PROFILE_FILE = z.object({
  id: z.string().min(1).max(255),
  dimensions: z.int().positive(),
  windowTokens: z.int().min(8),
  pooling: z.enum(['mean', 'cls']),
  normalized: z.boolean(),
  queryPrefix: z.string(),
  passagePrefix: z.string(),
  files: z.object({ 'onnx/model_quantized.onnx': SHA256, 'tokenizer.json': SHA256 }),
})

/** A model's folder, as its `profile.json` describes it. */
export interface ModelFolder {
  readonly folder: string
  readonly profile: EmbeddingProfile
  /** The SHA-256 of the files that determine its vectors, by their path in the folder. */
  readonly files: Readonly<Record<ModelFile, string>>
}

type ModelFile = 'onnx/model_quantized.onnx' | 'tokenizer.json'

/**
 * Reads the profile of a model's folder, but not its weights.
 *
 * @throws ModelError `ERR_MODEL_MISSING` without a `profile.json`, `ERR_MODEL_CHANGED` for an invalid profile
 */
export async function readModelFolder(folder: string): Promise<ModelFolder> {
  const text = await readModelFile(folder, 'profile.json')
  const parsed = PROFILE_FILE.safeParse(parseJson(text.toString('utf8')))
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.') ?? ''
    throw new ModelError(
      'ERR_MODEL_CHANGED',
      `the profile.json of the model folder ${folder} is not valid: ${field || 'it is not a JSON object'}`,
    )
  }
  const { files, ...profile } = parsed.data
  const name = profile.id.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 40)
  const fingerprint = `${name}-${createHash('sha256').update(JSON.stringify(parsed.data)).digest('hex').slice(0, 16)}`
  return { folder, profile: { ...profile, fingerprint }, files }
}

/** @throws ModelError `ERR_MODEL_MISSING` */
export async function readModelFile(folder: string, file: string): Promise<Buffer> {
  try {
    return await readFile(join(folder, file))
  } catch (error) {
    throw missingFileError(folder, file, error)
  }
}

/**
 * Compares a file with its checksum in the profile.
 * @throws ModelError `ERR_MODEL_MISSING`, `ERR_MODEL_CHANGED`
 */
export async function checkModelFile(
  { folder, files }: Pick<ModelFolder, 'folder' | 'files'>,
  file: ModelFile,
): Promise<void> {
  const hash = createHash('sha256')
  try {
    for await (const piece of createReadStream(join(folder, file))) hash.update(piece as Uint8Array)
  } catch (error) {
    throw missingFileError(folder, file, error)
  }
  if (hash.digest('hex') === files[file]) return
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
  for (const file of Object.keys(model.files)) await checkModelFile(model, file as ModelFile)
}

function missingFileError(folder: string, file: string, cause: unknown): ModelError {
  return new ModelError(
    'ERR_MODEL_MISSING',
    `the model folder ${folder} has no readable ${file}: put the model there, or name another folder`,
    { cause },
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
