import { closedObjectSchema, fractionSchema, integerSchema, validate } from '../../kernel/validate.js'
import type { Tokenizer } from '../../ports/index.js'
import { type Chunk, Chunker, type ChunkerOptions } from './chunker.js'

/** Options of {@link chunkText}. */
export interface ChunkTextOptions extends Partial<ChunkerOptions> {
  /** Counts the tokens. Use the one of the model that will embed the chunks: `await model.tokenizer()`. */
  readonly tokenizer: Tokenizer
}

const OPTIONS = closedObjectSchema({
  chunkSizeTokens: integerSchema({ min: 16 }).default(1_000),
  overlap: fractionSchema({ min: 0, max: 1, isBelow: true }).default(0.2),
  windowTokens: integerSchema({ min: 16 }).optional(),
})

/**
 * Cuts a text into chunks as the engine cuts documents: by tokens, at headings, paragraphs, sentences or words. Each chunk
 * is a slice of the text. The generator makes a chunk when the caller asks for it, in some tens of microseconds.
 *
 * Defaults: at most 1,000 tokens in a chunk, a fifth of which the next chunk repeats, and one window in a chunk.
 *
 * @throws InvalidInputError for an unknown option, or a value out of range
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

/** Length of a step: a few milliseconds of work if each word is new to the tokenizer. */
const PART_CHARACTERS = 1_024

/** The windows of a text, and the number of its tokens. */
interface TextWindows {
  /** Counts each token once. */
  readonly tokens: number
  /** Slices of the text: one for a short text, none for a blank one. */
  readonly windows: readonly string[]
}

/** Lays windows over a whole text, in short steps: the caller may pause or stop between two of them. */
export function* textWindows(
  text: string,
  tokenizer: Tokenizer,
  windowTokens: number,
): Generator<undefined, TextWindows, undefined> {
  // One chunk without a limit: its windows are the windows of the whole text.
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

/** Longest text that one call of the chunker receives: a few milliseconds of work. */
const MAX_PART_CHARACTERS = 32_768

/** Splits a text into parts. No part ends inside a surrogate pair. */
export function* splitText(text: string, maxCharacters: number = MAX_PART_CHARACTERS): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + maxCharacters)
    const last = text.charCodeAt(end - 1)
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end += 1
    yield text.slice(start, end)
    start = end
  }
}
