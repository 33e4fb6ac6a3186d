import { join } from 'node:path'
import { DeviceEmbeddingModel } from '../../dist/adapters/device/index.js'
import { chunkText } from '../../dist/src/index.js'
import { type EmbeddingModel, isTokenizer, type Tokenizer } from '../../dist/src/ports/index.js'

export const MODELS: string = join(import.meta.dirname, '../../models')
export const MODEL = 'all-MiniLM-L6-v2'

/** The model that comes with the engine. */
export async function openDefaultModel(): Promise<EmbeddingModel> {
  return await DeviceEmbeddingModel.open(join(MODELS, MODEL))
}

/** The tokenizer of a model that has a whole one, as the models on the device have. */
export async function wholeTokenizerOf(model: EmbeddingModel): Promise<Tokenizer> {
  const tokenizer = await model.tokenizer()
  if (isTokenizer(tokenizer)) return tokenizer
  throw new Error(`the model ${model.profile.id} only counts tokens`)
}

/** The windows that the engine makes of texts with its default chunks, for this model. */
export async function windowsOf(texts: readonly string[], model: EmbeddingModel): Promise<readonly string[]> {
  const tokenizer = await model.tokenizer()
  const windowTokens = model.profile.windowTokens - tokenizer.specialTokens
  const chunks = texts.flatMap((text) => [...chunkText(text, { tokenizer, windowTokens })])
  return chunks.flatMap((chunk) => chunk.windows.map(({ start, end }) => chunk.text.slice(start, end)))
}
