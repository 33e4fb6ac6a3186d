import type { Tokenizer } from '../../dist/src/ports/index.js'

/** A chunk with its place in the text. */
export interface PlacedChunk {
  readonly text: string
  /** Offset of its first character that is no white space; -1 if the text has no such characters. */
  readonly at: number
  /** True if the text has all characters of the chunk without a change. */
  readonly isWhole: boolean
}

/** A text with the chunks that a splitter made of it. */
export interface CutText {
  readonly text: string
  readonly chunks: readonly PlacedChunk[]
}

/** The number of first characters by which a chunk with changed white space is found. */
const PROBE_CHARACTERS = 80

/** Finds the chunks in their text, one after the other. Peers trim chunks, and some change white space. */
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
 * The mean number of tokens that a chunk shares with the chunk before it. Only chunks that the text has without a
 * change count; the first chunk of a text does not.
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
