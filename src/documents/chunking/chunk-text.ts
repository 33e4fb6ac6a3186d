import { closedObjectSchema, fractionSchema, integerSchema, validate } from '../../kernel/validate.js'
import type { Tokenizer } from '../../ports/index.js'
import { type Chunk, Chunker, type ChunkerOptions } from './chunker.js'

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
  for (const part of splitText(text)) yield* chunker.push(part)
  yield* chunker.end()
}

/** A few milliseconds of work where every word is new to the tokenizer. */
const PART_CHARACTERS = 1_024

/** The windows of a text, and its tokens. */
interface TextWindows {
  /** Each token counted once. */
  readonly tokens: number
  /** As slices of the text: one for a short text, none for a blank one. */
  readonly windows: readonly string[]
}

/** Lays windows over a whole text, in short steps: whoever does it may stop between two of them. */
export function* textWindows(
  text: string,
  tokenizer: Tokenizer,
  windowTokens: number,
): Generator<undefined, TextWindows, undefined> {
  // A chunk without an end: the windows of all of the text.
  const chunker = new Chunker(tokenizer, { chunkSizeTokens: Number.MAX_SAFE_INTEGER, overlap: 0, windowTokens })
  const chunks = []
  for (const part of splitText(text, PART_CHARACTERS)) {
    chunks.push(...chunker.push(part))
    yield
  }
  chunks.push(...chunker.end())
  const windows = chunks.flatMap((chunk) => chunk.windows.map(({ start, end }) => chunk.text.slice(start, end)))
  return { tokens: chunker.tokens, windows }
}

/** Longest text that is cut in one go: a few milliseconds of work. */
const MAX_PART_CHARACTERS = 32_768

/** Parts of a text, none ending between the halves of a surrogate pair. */
export function* splitText(text: string, maxCharacters: number = MAX_PART_CHARACTERS): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + maxCharacters)
    const last = text.charCodeAt(end - 1)
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end += 1
    yield text.slice(at, end)
    at = end
  }
}
