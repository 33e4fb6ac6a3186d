import type { Tokenizer } from '../../ports/index.js'
import { Chunker } from './chunker.js'
import { textParts } from './text-parts.js'

/** A few milliseconds of work where every word is new to the tokenizer. */
const PART_CHARACTERS = 1_024

/** The windows of a text, and its tokens. */
export interface TextWindows {
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
  for (const part of textParts(text, PART_CHARACTERS)) {
    chunks.push(...chunker.push(part))
    yield
  }
  chunks.push(...chunker.end())
  const windows = chunks.flatMap((chunk) => chunk.windows.map(({ start, end }) => chunk.text.slice(start, end)))
  return { tokens: chunker.tokens, windows }
}
