import type { Tokenizer } from '../../ports/index.js'
import { BOUNDARY, maxCharacters, rateBoundary } from './boundaries.js'
import { layWindows, type Window } from './windows.js'
import { WordBuffer } from './word-buffer.js'

/** How a text is cut. */
export interface ChunkerOptions {
  /** Most tokens in a chunk. */
  readonly chunkSizeTokens: number
  /** Part of a chunk's tokens that the next one repeats, 0 to under 1. */
  readonly overlap: number
  /** Most tokens of text in a window: the model's, less its special tokens and prefix. */
  readonly windowTokens: number
}

/** A verbatim slice of the text, and the windows over it. */
export interface Chunk {
  /** 0 for a text's first chunk. */
  readonly ordinal: number
  /** UTF-16 offset in the whole text. */
  readonly start: number
  readonly text: string
  readonly tokens: number
  /** In order, overlapping, covering every word; offsets within `text`. */
  readonly windows: readonly Window[]
}

/**
 * A chunk may repeat less than the overlap for a better beginning, but hardly less than this part of it: what is repeated
 * is what a search finds where a cut parts it (Q1, chunks of 250 tokens: recall 0.91 with 0.9, and 0.88 with 0.75).
 */
const LEAST_OVERLAP = 0.9
/** So much less where it would begin inside of a word else: an address in a list of links has dozens of tokens. */
const LEAST_OVERLAP_INSIDE = 0.75

/** White space of more characters parts chunks as an end of the text does; nothing is repeated behind it. */
const MAX_GAP_CHARACTERS = 1_024

/**
 * A chunk may end early for a better boundary, but not before this part of its size;
 * by the boundary's rate. A word is not parted from its comma if that can be helped at all.
 */
const EARLIEST_CUT: readonly number[] = [1, 0.75, 0.95, 0.92, 0.85, 0.75]

/**
 * Cuts a text that arrives in pieces into chunks of at most `chunkSizeTokens`
 * tokens, at the best boundaries near that size. How the text was cut into
 * pieces does not change the chunks. Every character that is not white space
 * is in some chunk. Text with hardly any tokens is cut by its length.
 */
export class Chunker {
  readonly #options: ChunkerOptions
  readonly #maxCharacters: number
  readonly #words: WordBuffer
  #ordinal = 0
  /** Words at the front that the chunk before has already: no chunk may hold them alone. */
  #repeated = 0

  constructor(tokenizer: Tokenizer, options: ChunkerOptions) {
    this.#options = options
    this.#maxCharacters = maxCharacters(options.chunkSizeTokens)
    this.#words = new WordBuffer(tokenizer, Math.min(options.chunkSizeTokens, options.windowTokens))
  }

  /** Tokens of the text so far, each counted once. */
  get tokens(): number {
    return this.#words.tokensRead
  }

  /** Adds a piece of text; yields the chunks that are now certain. */
  *push(piece: string): Generator<Chunk> {
    this.#words.append(piece, false)
    for (let end = this.#limit(); this.#isCertain(end); end = this.#limit()) yield this.#cut(this.#bestEnd(end))
  }

  /** Ends the text; yields the chunks that are left. */
  *end(): Generator<Chunk> {
    this.#words.append('', true)
    while (this.#words.count > this.#repeated) {
      const limit = this.#limit()
      yield this.#cut(limit < this.#words.count ? this.#bestEnd(limit) : limit)
    }
  }

  /** Whether no word that is still to come can be in a chunk with all those before `end`. */
  #isCertain(end: number): boolean {
    if (end < this.#words.count) return true
    return end > 0 && this.#gap(end) > MAX_GAP_CHARACTERS && !this.#isShort(0, this.#words.readTo)
  }

  /** Words from the front that fit in a chunk; all of them where more might. */
  #limit(): number {
    return this.#words.fitting(this.#options.chunkSizeTokens, this.#maxCharacters)
  }

  /** The best boundary at or before the limit. */
  #bestEnd(limit: number): number {
    let best = limit
    let bestRate = this.#rate(limit)
    let tokens = this.#words.tokensOf(0, limit)
    for (let word = limit - 1; word > this.#repeated && bestRate < BOUNDARY.heading; word -= 1) {
      tokens -= this.#words.tokens(word)
      if (tokens < this.#options.chunkSizeTokens * (EARLIEST_CUT[BOUNDARY.heading] ?? 1)) break
      const rate = this.#rate(word)
      if (rate > bestRate && tokens >= this.#options.chunkSizeTokens * (EARLIEST_CUT[rate] ?? 1)) {
        best = word
        bestRate = rate
      }
    }
    return best
  }

  #cut(end: number): Chunk {
    const words = this.#words.run(0, end)
    const start = this.#words.start(0)
    const chunk: Chunk = {
      ordinal: this.#ordinal,
      start: this.#words.offset + start,
      text: this.#words.text.slice(start, this.#words.end(end - 1)),
      tokens: this.#words.tokensOf(0, end),
      windows: layWindows(words, this.#options.windowTokens),
    }
    this.#ordinal += 1
    const next = this.#nextStart(end)
    this.#repeated = end - next
    this.#words.dropBefore(next)
    return chunk
  }

  /** Where the next chunk begins: the best boundary that repeats most of the overlap. */
  #nextStart(end: number): number {
    const overlap = this.#options.chunkSizeTokens * this.#options.overlap
    let best = this.#earliestStart(end)
    let bestRate: number = BOUNDARY.inside
    for (let word = best; word < end && bestRate < BOUNDARY.heading; word += 1) {
      const rate = this.#rate(word)
      if (rate > bestRate) {
        best = word
        bestRate = rate
      }
      const least = bestRate === BOUNDARY.inside ? LEAST_OVERLAP_INSIDE : LEAST_OVERLAP
      if (this.#words.tokensOf(word, end) <= overlap * least) break
    }
    return best
  }

  /** The first word of those in front of `end` that the next chunk may repeat; `end` where that is none. */
  #earliestStart(end: number): number {
    if (this.#gap(end) > MAX_GAP_CHARACTERS) return end
    const most = Math.floor(this.#options.chunkSizeTokens * this.#options.overlap)
    // The first word that is new must fit beside what is repeated.
    const mostTokens = Math.min(most, this.#options.chunkSizeTokens - this.#words.tokens(end))
    const mostCharacters = maxCharacters(Math.max(1, most))
    let earliest = end
    while (earliest > 1 && !this.#words.mustCutBefore(earliest)) {
      const word = earliest - 1
      if (this.#words.tokensOf(word, end) > mostTokens) break
      if (this.#words.end(end - 1) - this.#words.start(word) > mostCharacters) break
      if (!this.#isShort(word, this.#words.end(end))) break
      earliest = word
    }
    return earliest
  }

  /** Characters of white space in front of a word; behind the last one, as many as there are so far. */
  #gap(word: number): number {
    return (word < this.#words.count ? this.#words.start(word) : this.#words.readTo) - this.#words.end(word - 1)
  }

  /** Whether the text from a word to an offset has no more characters than a chunk may have. */
  #isShort(word: number, end: number): boolean {
    return end - this.#words.start(word) <= this.#maxCharacters
  }

  #rate(word: number): number {
    if (word >= this.#words.count || this.#gap(word) > MAX_GAP_CHARACTERS) return BOUNDARY.heading
    return rateBoundary(this.#words.text, this.#words.end(word - 1), this.#words.start(word))
  }
}
