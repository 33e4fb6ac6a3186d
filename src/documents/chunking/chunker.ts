import { booleanSchema, closedObjectSchema, fractionSchema, integerSchema, validate } from '../../kernel/validate.js'
import type { TokenCounter } from '../../ports/index.js'
import { BOUNDARY, maxCharacters } from './boundaries.js'
import { CODE, type CutRules, leastCut, PROSE } from './cut-rules.js'
import type { FormerEnds } from './former-ends.js'
import { layWindows, type Window } from './windows.js'
import { WordBuffer } from './word-buffer.js'

/** The sizes of chunks and windows. */
export interface ChunkerOptions {
  /** Most tokens in a chunk. */
  readonly chunkSizeTokens: number
  /** Share of a chunk's tokens that the next one repeats: from 0 to less than 1. */
  readonly overlap: number
  /** Most tokens of text in a window: the model's limit, less its special tokens and its prefix. */
  readonly windowTokens: number
  /** True for source code: chunks begin and end at definitions and lines. Default: false. */
  readonly isCode?: boolean
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

/** Longer white space separates chunks as the end of the text does: the next chunk repeats nothing. */
const MAX_GAP_CHARACTERS = 1_024

/** A chunk may end this early if the former version of the text was cut there: from then on, both are cut alike. */
const EARLIEST_FORMER_END = 0.3

/**
 * Cuts a text that arrives in pieces into chunks of at most `chunkSizeTokens` tokens, at the best boundaries near that
 * size. The borders of the pieces do not change the chunks. Each character that is not white space is in a chunk. Text
 * with hardly any tokens is cut by its length.
 */
export class Chunker {
  readonly #maxCharacters: number
  readonly #words: WordBuffer
  readonly #rules: CutRules
  readonly #leastCut: number
  #ordinal = 0
  /** Number of words at the front that the previous chunk has too. No chunk may consist of them alone. */
  #repeated = 0

  /** @param formerEnds the places at which the former version of the text was cut; undefined if there is none */
  constructor(
    tokenizer: TokenCounter,
    private readonly options: ChunkerOptions,
    private readonly formerEnds?: FormerEnds | undefined,
  ) {
    this.#maxCharacters = maxCharacters(options.chunkSizeTokens)
    this.#rules = options.isCode === true ? CODE : PROSE
    this.#leastCut = leastCut(this.#rules)
    this.#words = new WordBuffer(tokenizer, Math.min(options.chunkSizeTokens, options.windowTokens))
  }

  /** Tokens of the text so far. Counts each token once. */
  get tokens(): number {
    return this.#words.tokensRead
  }

  /** Offset in the whole text before which no later chunk begins. */
  get settled(): number {
    return this.#words.offset + (this.#words.count > 0 ? this.#words.start(0) : this.#words.readTo)
  }

  /** Adds a piece of text. Yields the chunks that later pieces cannot change. */
  *push(piece: string): Generator<Chunk> {
    this.#words.append(piece, false)
    for (let end = this.#limit(); this.#isCertain(end); end = this.#limit()) yield this.#cut(this.#endAt(end))
  }

  /** Ends the text. Yields the remaining chunks. */
  *end(): Generator<Chunk> {
    this.#words.append('', true)
    while (this.#words.count > this.#repeated) {
      const limit = this.#limit()
      yield this.#cut(limit < this.#words.count ? this.#endAt(limit) : limit)
    }
  }

  /** True if no later word can be in one chunk with all words before `end`. */
  #isCertain(end: number): boolean {
    if (end < this.#words.count) return true
    return end > 0 && this.#gap(end) > MAX_GAP_CHARACTERS && !this.#isShort(0, this.#words.readTo)
  }

  /** Number of words from the front that fit in a chunk; all words, if more might fit. */
  #limit(): number {
    return this.#words.fitting(this.options.chunkSizeTokens, this.#maxCharacters)
  }

  /** The end of the chunk: where the former version was cut too, or else the best boundary at or before the limit. */
  #endAt(limit: number): number {
    const best = this.#bestEnd(limit)
    const isFormer = (word: number) => this.formerEnds?.has(this.#words.text, this.#words.end(word - 1)) === true
    if (this.formerEnds === undefined || isFormer(best)) return best
    const minTokens = this.options.chunkSizeTokens * EARLIEST_FORMER_END
    let tokens = this.#words.tokensOf(0, limit)
    for (let word = limit; word > this.#repeated && tokens >= minTokens; word -= 1) {
      if (isFormer(word)) return word
      tokens -= this.#words.tokens(word - 1)
    }
    return best
  }

  /** The best boundary at or before the limit. */
  #bestEnd(limit: number): number {
    let best = limit
    let bestRate = this.#rate(limit)
    let tokens = this.#words.tokensOf(0, limit)
    for (let word = limit - 1; word > this.#repeated && bestRate < BOUNDARY.heading; word -= 1) {
      tokens -= this.#words.tokens(word)
      if (tokens < this.options.chunkSizeTokens * this.#leastCut) break
      const rate = this.#rate(word)
      if (rate > bestRate && tokens >= this.options.chunkSizeTokens * (this.#rules.earliestCut[rate] ?? 1)) {
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
      windows: layWindows(words, this.options.windowTokens),
    }
    this.#ordinal += 1
    const next = this.#nextStart(end)
    this.#repeated = end - next
    this.#words.dropBefore(next)
    return chunk
  }

  /** The first word of the next chunk: at the best boundary that repeats most of the overlap. */
  #nextStart(end: number): number {
    const overlap = this.options.chunkSizeTokens * this.options.overlap
    let best = this.#earliestStart(end)
    let bestRate: number = BOUNDARY.inside
    for (let word = best; word < end && bestRate < BOUNDARY.heading; word += 1) {
      const rate = this.#rate(word)
      if (rate > bestRate) {
        best = word
        bestRate = rate
      }
      if (this.#words.tokensOf(word, end) <= overlap * (this.#rules.minOverlapShare[bestRate] ?? 1)) break
    }
    return best
  }

  /** The first word before `end` that the next chunk may repeat; `end` if it may repeat none. */
  #earliestStart(end: number): number {
    if (this.#gap(end) > MAX_GAP_CHARACTERS) return end
    const maxOverlap = Math.floor(this.options.chunkSizeTokens * this.options.overlap)
    // The first new word must fit in the chunk beside the repeated words.
    const maxTokens = Math.min(maxOverlap, this.options.chunkSizeTokens - this.#words.tokens(end))
    const maxLength = maxCharacters(Math.max(1, maxOverlap))
    let earliest = end
    while (earliest > 1 && !this.#words.mustCutBefore(earliest)) {
      const word = earliest - 1
      if (this.#words.tokensOf(word, end) > maxTokens) break
      if (this.#words.end(end - 1) - this.#words.start(word) > maxLength) break
      if (!this.#isShort(word, this.#words.end(end))) break
      earliest = word
    }
    return earliest
  }

  /** Characters of white space before a word; after the last word, those that have arrived so far. */
  #gap(word: number): number {
    return (word < this.#words.count ? this.#words.start(word) : this.#words.readTo) - this.#words.end(word - 1)
  }

  /** True if the text from a word to an offset has at most as many characters as a chunk may have. */
  #isShort(word: number, end: number): boolean {
    return end - this.#words.start(word) <= this.#maxCharacters
  }

  #rate(word: number): number {
    if (word >= this.#words.count || this.#gap(word) > MAX_GAP_CHARACTERS) return BOUNDARY.heading
    return this.#rules.rate(this.#words.text, this.#words.end(word - 1), this.#words.start(word))
  }
}

/** Options of {@link chunkText}. */
export interface ChunkTextOptions extends Partial<ChunkerOptions> {
  /** Counts the tokens. Use the one of the model that will embed the chunks: `await model.tokenizer()`. */
  readonly tokenizer: TokenCounter
}

const OPTIONS = closedObjectSchema({
  chunkSizeTokens: integerSchema({ min: 16 }).default(1_000),
  overlap: fractionSchema({ min: 0, max: 1, isBelow: true }).default(0.2),
  windowTokens: integerSchema({ min: 16 }).optional(),
  isCode: booleanSchema().default(false),
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
  const { windowTokens, ...sizes } = validate(OPTIONS, options)
  return chunksOf(text, new Chunker(tokenizer, { ...sizes, windowTokens: windowTokens ?? sizes.chunkSizeTokens }))
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
  tokenizer: TokenCounter,
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

/**
 * Longest text that one call of the chunker receives. It is less than a millisecond of work for the default tokenizer. A
 * tokenizer of another library takes up to 30 if each word is new.
 */
const MAX_PART_CHARACTERS = 8_192

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
