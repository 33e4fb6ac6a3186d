import type { Tokenizer } from '../dist/src/ports/index.js'

/** A chunk, and where in its text it stands. */
export interface PlacedChunk {
  readonly text: string
  /** Of its first character that is no white space; -1 where it is not in the text as it stands there. */
  readonly at: number
  /** Whether all of it is there as it stands. */
  readonly isWhole: boolean
}

/** What a splitter made of a text. */
export interface CutText {
  readonly text: string
  readonly chunks: readonly PlacedChunk[]
}

/** By this many characters a chunk is found whose white space the splitter has changed further on. */
const PROBE_CHARACTERS = 80

/** Looks the chunks up in their text, one behind the other. Peers trim chunks, and some change white space. */
export function placesOf(text: string, chunks: readonly string[]): readonly PlacedChunk[] {
  let from = 0
  return chunks.map((chunk) => {
    const trimmed = chunk.trim()
    const whole = text.indexOf(trimmed, from)
    const at = whole === -1 ? text.indexOf(trimmed.slice(0, PROBE_CHARACTERS), from) : whole
    if (at !== -1) from = at + 1
    return { text: chunk, at, isWhole: whole !== -1 }
  })
}

/**
 * How many tokens a chunk has, on average, that the one before it has too; of those that are in their text as they stand,
 * but for first ones.
 */
export function repeatedTokens(cutTexts: readonly CutText[], tokenizer: Tokenizer): number {
  const repeated = cutTexts.flatMap(({ text, chunks }) =>
    chunks.slice(1).flatMap(({ at, isWhole }, index) => {
      const before = chunks[index]
      if (!isWhole || before?.isWhole !== true) return []
      return [tokenizer.count(text.slice(at, Math.max(at, before.at + before.text.trim().length)))]
    }),
  )
  return Math.round(repeated.reduce((sum, tokens) => sum + tokens, 0) / repeated.length)
}
