import type { Tokenizer } from '../../ports/index.js'
import { closedObjectSchema, fractionSchema, integerSchema, validate } from '../../shared/validate.js'
import { type Chunk, Chunker, type ChunkerOptions } from './chunker.js'
import { textParts } from './text-parts.js'

/** How {@link chunkText} cuts. */
export interface ChunkTextOptions extends Partial<ChunkerOptions> {
  /** What counts the tokens: of the model that is to embed the chunks, `await model.tokenizer()`. */
  readonly tokenizer: Tokenizer
}

const OPTIONS = closedObjectSchema({
  chunkSizeTokens: integerSchema({ min: 16 }).default(1_000),
  overlap: fractionSchema({ min: 0, max: 1, isBelow: true }).default(0.2),
  windowTokens: integerSchema({ min: 16 }).optional(),
})

/**
 * Cuts a text as the engine cuts documents: at headings, paragraphs, sentences or words, by tokens, each chunk a slice
 * of the text. Chunks are made when they are asked for, some tens of microseconds each.
 *
 * Chunks have 1,000 tokens at most by default, a fifth of which the next one repeats, and one window each.
 *
 * @throws InvalidInputError for an option that is unknown, or outside its range
 */
export function chunkText(
  text: string,
  { tokenizer, ...options }: ChunkTextOptions,
): Generator<Chunk, void, undefined> {
  const { chunkSizeTokens, overlap, windowTokens = chunkSizeTokens } = validate(OPTIONS, options)
  return chunksOf(text, new Chunker(tokenizer, { chunkSizeTokens, overlap, windowTokens }))
}

function* chunksOf(text: string, chunker: Chunker): Generator<Chunk, void, undefined> {
  for (const part of textParts(text)) yield* chunker.push(part)
  yield* chunker.end()
}
