import type { TokenCounter, WordSpans } from '../../ports/index.js'
import type { WordRun } from './windows.js'

/**
 * A word at the end of a piece may continue in the next one. So this much text is held back, and read a second time with
 * the next piece.
 */
const HELD_BACK_CHARACTERS = 256

/**
 * The words of a text that arrives in pieces, from a first word on, which moves. Words before it are dropped, so memory
 * holds only the text of a chunk or two.
 */
export class WordBuffer {
  readonly #tokenizer: TokenCounter
  readonly #maxWordTokens: number
  #text = ''
  /** Offset of `#text` in the whole text. */
  #offset = 0
  /** Offset in `#text` up to which it was read into words. */
  #readTo = 0
  /** Index of the first word in the arrays, and of the next word to add. */
  #first = 0
  #next = 0
  readonly #words = new WordArrays()
  /** Tokens of all words so far, dropped ones included. */
  tokensRead = 0

  constructor(tokenizer: TokenCounter, maxWordTokens: number) {
    this.#tokenizer = tokenizer
    this.#maxWordTokens = maxWordTokens
  }

  /** The text from the first word on, or from an offset before it. */
  get text(): string {
    return this.#text
  }

  /** Offset of {@link text} in the whole text. */
  get offset(): number {
    return this.#offset
  }

  /** Offset up to which {@link text} was read. Between the last word and this offset is only white space. */
  get readTo(): number {
    return this.#readTo
  }

  get count(): number {
    return this.#next - this.#first
  }

  start(word: number): number {
    return word < this.count ? (this.#words.starts[this.#first + word] ?? 0) : this.#text.length
  }

  end(word: number): number {
    return word < this.count ? (this.#words.ends[this.#first + word] ?? 0) : this.#text.length
  }

  tokens(word: number): number {
    return word < this.count ? (this.#words.tokens[this.#first + word] ?? 0) : 0
  }

  /**
   * True if a chunk must end before this word. A part of a long word has another number of tokens beside the words that
   * it touches than alone.
   */
  mustCutBefore(word: number): boolean {
    // After the last word, the arrays may have values of dropped words.
    if (word >= this.count) return false
    const index = this.#first + word
    const isBesidePart = this.#words.isPart[index] === 1 || (word > 0 && this.#words.isPart[index - 1] === 1)
    return isBesidePart && this.start(word) === this.end(word - 1)
  }

  /** Tokens of the words from `from` to before `to`. */
  tokensOf(from: number, to: number): number {
    return (this.#words.tokensBefore[this.#first + to] ?? 0) - (this.#words.tokensBefore[this.#first + from] ?? 0)
  }

  /** Number of words from the front within these limits, up to the first word that must start a chunk. */
  fitting(maxTokens: number, maxLength: number): number {
    const { tokensBefore, ends, isPart } = this.#words
    const first = this.#first
    const maxTokensBefore = (tokensBefore[first] ?? 0) + maxTokens
    const maxEnd = this.start(0) + maxLength
    let fitting = firstFalse(0, this.count, (word) => (tokensBefore[first + word + 1] ?? 0) <= maxTokensBefore)
    // A chunk takes its first word in any case, even if it is too long.
    fitting = firstFalse(Math.min(1, fitting), fitting, (word) => (ends[first + word] ?? 0) <= maxEnd)
    const part = isPart.subarray(first, first + fitting).indexOf(1)
    if (part < 0) return fitting
    for (let word = Math.max(1, part); word < fitting; word += 1) if (this.mustCutBefore(word)) return word
    return fitting
  }

  /** The words from `from` to before `to`. Valid until the next {@link append}. */
  run(from: number, to: number): WordRun {
    const [start, end] = [this.#first + from, this.#first + to]
    return {
      starts: this.#words.starts.subarray(start, end),
      ends: this.#words.ends.subarray(start, end),
      tokens: this.#words.tokens.subarray(start, end),
    }
  }

  /** Adds a piece of text. With `isLast`, no text is held back. */
  append(piece: string, isLast: boolean): void {
    this.#compact()
    this.#text += piece
    const unread = this.#text.slice(this.#readTo)
    const spans = this.#tokenizer.split(unread)
    const limit = isLast ? unread.length : unread.length - HELD_BACK_CHARACTERS
    let count = spans.count
    while (count > 0 && (spans.ends[count - 1] ?? 0) > limit) count -= 1
    for (let word = this.#addSmall(spans, 0, count); word < count; word = this.#addSmall(spans, word + 1, count)) {
      const [start, end] = [spans.starts[word] ?? 0, spans.ends[word] ?? 0]
      for (const part of wordParts(unread.slice(start, end), this.#tokenizer, this.#maxWordTokens)) {
        this.#addPart(this.#readTo + start + part.start, this.#readTo + start + part.end, part.tokens)
      }
    }
    const end = count > 0 ? (spans.ends[count - 1] ?? 0) : 0
    // White space counts as read too. Otherwise each piece would read a long run of it from its start.
    const next = count < spans.count ? (spans.starts[count] ?? 0) : unread.length
    this.#readTo += Math.max(end, Math.min(next, limit))
  }

  /** Drops the words before `word`. */
  dropBefore(word: number): void {
    this.#first = Math.min(this.#first + word, this.#next)
  }

  /** Frees the memory of dropped words, and of the text before the first word. */
  #compact(): void {
    const cut = this.count > 0 ? this.start(0) : this.#readTo
    this.#words.moveToFront(this.#first, this.#next, cut)
    this.#next -= this.#first
    this.#first = 0
    this.#text = this.#text.slice(cut)
    this.#offset += cut
    this.#readTo -= cut
  }

  /**
   * Adds words up to the first that is larger than a chunk or a window. It adds all of them in one call: one call for each
   * word would take longer than everything else.
   * @returns the index of the large word; `count` if there is none
   */
  #addSmall({ starts, ends, tokens }: WordSpans, first: number, count: number): number {
    this.#words.reserve(this.#next + count - first)
    const { starts: ownStarts, ends: ownEnds, tokens: ownTokens, tokensBefore: ownBefore } = this.#words
    const [offset, maxTokens] = [this.#readTo, this.#maxWordTokens]
    const startTokens = ownBefore[this.#next] ?? 0
    let next = this.#next
    let word = first
    let before = startTokens
    for (; word < count && (tokens[word] ?? 0) <= maxTokens; word += 1) {
      ownStarts[next] = offset + (starts[word] ?? 0)
      ownEnds[next] = offset + (ends[word] ?? 0)
      ownTokens[next] = tokens[word] ?? 0
      before += tokens[word] ?? 0
      next += 1
      ownBefore[next] = before
    }
    this.#words.isPart.fill(0, this.#next, next)
    this.#next = next
    this.tokensRead += before - startTokens
    return word
  }

  #addPart(start: number, end: number, tokens: number): void {
    const words = this.#words
    words.reserve(this.#next + 1)
    words.starts[this.#next] = start
    words.ends[this.#next] = end
    words.tokens[this.#next] = tokens
    words.isPart[this.#next] = 1
    words.tokensBefore[this.#next + 1] = (words.tokensBefore[this.#next] ?? 0) + tokens
    this.#next += 1
    this.tokensRead += tokens
  }
}

/** Words that the arrays can have at first: more than a chunk of usual size and the text that is read ahead of it. */
const INITIAL_CAPACITY = 8_192

/** Facts about words, as parallel arrays that grow together. */
class WordArrays {
  /** UTF-16 offset of each word's start, and the offset just after it. */
  starts: Uint32Array = new Uint32Array(INITIAL_CAPACITY)
  ends: Uint32Array = new Uint32Array(INITIAL_CAPACITY)
  tokens: Uint16Array = new Uint16Array(INITIAL_CAPACITY)
  /** Running total of the tokens before each word. After the last word it has one more number. */
  tokensBefore: Uint32Array = new Uint32Array(INITIAL_CAPACITY + 1)
  /** 1 for each part of a word that was too large, otherwise 0. */
  isPart: Uint8Array = new Uint8Array(INITIAL_CAPACITY)

  /** Makes room for `count` words. */
  reserve(count: number): void {
    let capacity = this.starts.length
    if (count <= capacity) return
    while (capacity < count) capacity *= 2
    this.starts = copied(this.starts, new Uint32Array(capacity))
    this.ends = copied(this.ends, new Uint32Array(capacity))
    this.tokens = copied(this.tokens, new Uint16Array(capacity))
    this.tokensBefore = copied(this.tokensBefore, new Uint32Array(capacity + 1))
    this.isPart = copied(this.isPart, new Uint8Array(capacity))
  }

  /** Moves the words from `first` to before `next` to the front. Adjusts their offsets; their running total starts at 0. */
  moveToFront(first: number, next: number, offsetShift: number): void {
    const { starts, ends, tokensBefore } = this
    const tokenShift = tokensBefore[first] ?? 0
    for (let word = first; word < next; word += 1) {
      starts[word - first] = (starts[word] ?? 0) - offsetShift
      ends[word - first] = (ends[word] ?? 0) - offsetShift
      tokensBefore[word - first] = (tokensBefore[word] ?? 0) - tokenShift
    }
    tokensBefore[next - first] = (tokensBefore[next] ?? 0) - tokenShift
    this.tokens.copyWithin(0, first, next)
    this.isPart.copyWithin(0, first, next)
  }
}

function copied<Numbers extends Uint8Array | Uint16Array | Uint32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from)
  return to
}

/** A part of a word. Offsets are relative to the word. */
interface WordPart {
  readonly start: number
  readonly end: number
  readonly tokens: number
}

/** Cuts a word with too many tokens into parts. Each part is the longest one that fits. */
function* wordParts(word: string, tokenizer: TokenCounter, maxTokens: number): Generator<WordPart> {
  for (let start = 0; start < word.length; ) {
    const end = longestPartEnd(word, start, tokenizer, maxTokens)
    yield { start, end, tokens: tokenizer.count(word.slice(start, end)) }
    start = end
  }
}

/** The end of the longest part that fits. It has at least one character. */
function longestPartEnd(word: string, from: number, tokenizer: TokenCounter, maxTokens: number): number {
  const borders: number[] = []
  for (let offset = from; offset < word.length; ) {
    offset += (word.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
    borders.push(offset)
  }
  const fits = (border: number): boolean => tokenizer.count(word.slice(from, borders[border])) <= maxTokens
  return borders[firstFalse(1, borders.length, fits) - 1] ?? word.length
}

/** The first number from `low` on for which `isTrue` is false; `high` if there is none. All true numbers come first. */
function firstFalse(low: number, high: number, isTrue: (number: number) => boolean): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (isTrue(middle)) from = middle + 1
    else to = middle
  }
  return from
}
