import type { Tokenizer } from '../../ports/index.js'
import type { WordRun } from './windows.js'

/**
 * Text that a context's characters may still depend on: a word at the very end
 * may go on in the next piece, so this much is kept back and read again.
 */
const HELD_BACK_CHARACTERS = 256

/**
 * The words of a text that arrives in pieces, from some moving first word on.
 * What lies before the first word is forgotten, so memory holds a chunk or two.
 */
export class WordBuffer {
  readonly #tokenizer: Tokenizer
  readonly #maxWordTokens: number
  #text = ''
  /** Offset of `#text` in the whole text. */
  #offset = 0
  /** How much of `#text` has been read into words. */
  #readTo = 0
  #starts: number[] = []
  #ends: number[] = []
  #tokens: number[] = []
  #isPart: boolean[] = []
  /** Tokens of all words so far, forgotten ones too. */
  tokensRead = 0

  constructor(tokenizer: Tokenizer, maxWordTokens: number) {
    this.#tokenizer = tokenizer
    this.#maxWordTokens = maxWordTokens
  }

  get text(): string {
    return this.#text
  }

  /** Offset of {@link text} in the whole text. */
  get offset(): number {
    return this.#offset
  }

  /** How far {@link text} has been read: what lies behind the last word up to here is white space. */
  get readTo(): number {
    return this.#readTo
  }

  get count(): number {
    return this.#starts.length
  }

  start(word: number): number {
    return this.#starts[word] ?? this.#text.length
  }

  end(word: number): number {
    return this.#ends[word] ?? this.#text.length
  }

  tokens(word: number): number {
    return this.#tokens[word] ?? 0
  }

  /**
   * Whether a chunk must not go on with this word: a part of a long word would,
   * beside what it touches, have another number of tokens than on its own.
   */
  mustCutBefore(word: number): boolean {
    const isBesidePart = this.#isPart[word] === true || this.#isPart[word - 1] === true
    return isBesidePart && this.#starts[word] === this.#ends[word - 1]
  }

  /** The words from `from` to before `to`, seen on their own. */
  run(from: number, to: number): WordRun {
    return {
      count: to - from,
      start: (word) => this.start(from + word),
      end: (word) => this.end(from + word),
      tokens: (word) => this.tokens(from + word),
    }
  }

  /** Adds a piece of text; with `isLast`, nothing is kept back. */
  append(piece: string, isLast: boolean): void {
    this.#text += piece
    const unread = this.#text.slice(this.#readTo)
    const spans = this.#tokenizer.split(unread)
    const limit = isLast ? unread.length : unread.length - HELD_BACK_CHARACTERS
    let index = 0
    let end = 0
    for (; index < spans.count && (spans.ends[index] ?? 0) <= limit; index += 1) {
      end = spans.ends[index] ?? 0
      this.#push(this.#readTo + (spans.starts[index] ?? 0), this.#readTo + end, spans.tokens[index] ?? 0)
    }
    // White space is read too, or a long run of it would be read again with every piece.
    const next = index < spans.count ? (spans.starts[index] ?? 0) : unread.length
    this.#readTo += Math.max(end, Math.min(next, limit))
    if (this.count === 0) this.dropBefore(0)
  }

  /** Forgets the words before `word`, and the text in front of it. */
  dropBefore(word: number): void {
    const cut = word < this.count ? this.start(word) : this.#readTo
    this.#starts = this.#starts.slice(word).map((at) => at - cut)
    this.#ends = this.#ends.slice(word).map((at) => at - cut)
    this.#tokens = this.#tokens.slice(word)
    this.#isPart = this.#isPart.slice(word)
    this.#text = this.#text.slice(cut)
    this.#offset += cut
    this.#readTo -= cut
  }

  #push(start: number, end: number, tokens: number): void {
    if (tokens <= this.#maxWordTokens) {
      this.#add(start, end, tokens, false)
      return
    }
    // A word larger than a chunk or a window: the longest part that fits, again and again.
    for (let from = start; from < end; ) {
      const to = this.#longestPart(from, end)
      this.#add(from, to, this.#tokenizer.count(this.#text.slice(from, to)), true)
      from = to
    }
  }

  #longestPart(from: number, end: number): number {
    const borders: number[] = []
    for (let at = from; at < end; ) {
      at += (this.#text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
      borders.push(at)
    }
    let low = 0
    for (let high = borders.length - 1; low < high; ) {
      const middle = Math.ceil((low + high) / 2)
      const fits = this.#tokenizer.count(this.#text.slice(from, borders[middle])) <= this.#maxWordTokens
      if (fits) low = middle
      else high = middle - 1
    }
    return borders[low] ?? end
  }

  #add(start: number, end: number, tokens: number, isPart: boolean): void {
    this.#starts.push(start)
    this.#ends.push(end)
    this.#tokens.push(tokens)
    this.#isPart.push(isPart)
    this.tokensRead += tokens
  }
}
