import { z } from 'zod'
import { ModelError } from '../../src/ports/index.js'
import { CONFIG_FILE, type ModelFolder, parseJson, readModelFile } from './model-folder.js'

export const POOLING_FILE = '1_Pooling/config.json'

const NUMBER: z.ZodOptional<z.ZodInt> = z.int().positive().optional()

/** The members of a `config.json` that have the length of a vector, by the kind of the model. */
export const CONFIG_DIMENSIONS: Readonly<Record<'hidden_size' | 'dim' | 'd_model', typeof NUMBER>> = {
  hidden_size: NUMBER,
  dim: NUMBER,
  d_model: NUMBER,
}

type Pooling = Readonly<Record<string, unknown>> & { readonly word_embedding_dimension?: number | undefined }

export const POOLING: z.ZodType<Pooling> = z.looseObject({ word_embedding_dimension: NUMBER })
const CONFIG = z.object(CONFIG_DIMENSIONS)

/** The components of the vectors that a model gives, as its files say. @returns undefined if they do not say it */
export async function dimensionsInFiles(folder: string): Promise<number | undefined> {
  const config = await readIfValid(folder, CONFIG_FILE, CONFIG)
  const pooling = await readIfValid(folder, POOLING_FILE, POOLING)
  return config?.hidden_size ?? config?.dim ?? config?.d_model ?? pooling?.word_embedding_dimension
}

/**
 * Refuses a stored profile with longer vectors than the model gives. Shorter ones are a wish.
 *
 * @throws ModelError `ERR_MODEL_CHANGED`
 */
export async function requireDimensions({ folder, profile: { dimensions } }: ModelFolder): Promise<void> {
  const given = await dimensionsInFiles(folder)
  if (given === undefined || dimensions <= given) return
  throw new ModelError(
    'ERR_MODEL_CHANGED',
    `the profile.json of the model folder ${folder} is not valid: dimensions is ${dimensions}, and the model gives vectors of ${given}: write ${given}, or fewer to cut them`,
  )
}

async function readIfValid<Output>(
  folder: string,
  file: string,
  schema: z.ZodType<Output>,
): Promise<Output | undefined> {
  const text = await readModelFile(folder, file).catch(() => undefined)
  return schema.safeParse(parseJson(text?.toString('utf8') ?? '')).data
}
