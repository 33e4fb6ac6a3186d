import type { Tokenizer, WordSpans } from '../../ports/index.js'
import type { WordRun } from './windows.js'
import { wordParts } from './word-parts.js'

/**
 * Text that a context's characters may still depend on: a word at the very end
 * may go on in the next piece, so this much is kept back and read again.
 */
const HELD_BACK_CHARACTERS = 256

/** Words for which there is room at first: more than a chunk of usual size has, and what is read ahead of it. */
const CAPACITY = 8_192

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
  /** Where the first word is in the arrays, and where the next one will be. */
  #first = 0
  #next = 0
  #starts = new Uint32Array(CAPACITY)
  #ends = new Uint32Array(CAPACITY)
  #tokens = new Uint16Array(CAPACITY)
  /** Tokens of the words in front of each, from somewhere on; behind the last word there is one number more. */
  #tokensBefore = new Uint32Array(CAPACITY + 1)
  #isPart = new Uint8Array(CAPACITY)
  /** Tokens of all words so far, forgotten ones too. */
  tokensRead = 0

  constructor(tokenizer: Tokenizer, maxWordTokens: number) {
    this.#tokenizer = tokenizer
    this.#maxWordTokens = maxWordTokens
  }

  /** The text from the first word on, or from somewhere before it. */
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
    return this.#next - this.#first
  }

  start(word: number): number {
    return word < this.count ? (this.#starts[this.#first + word] ?? 0) : this.#text.length
  }

  end(word: number): number {
    return word < this.count ? (this.#ends[this.#first + word] ?? 0) : this.#text.length
  }

  tokens(word: number): number {
    return word < this.count ? (this.#tokens[this.#first + word] ?? 0) : 0
  }

  /**
   * Whether a chunk must not go on with this word: a part of a long word would,
   * beside what it touches, have another number of tokens than on its own.
   */
  mustCutBefore(word: number): boolean {
    // Behind the last one there may be traces of others.
    if (word >= this.count) return false
    const at = this.#first + word
    const isBesidePart = this.#isPart[at] === 1 || (word > 0 && this.#isPart[at - 1] === 1)
    return isBesidePart && this.start(word) === this.end(word - 1)
  }

  /** Tokens of the words from `from` to before `to`. */
  tokensOf(from: number, to: number): number {
    return (this.#tokensBefore[this.#first + to] ?? 0) - (this.#tokensBefore[this.#first + from] ?? 0)
  }

  /** How many words from the front have no more tokens, and no more characters, and go on with none that must not. */
  fitting(mostTokens: number, mostCharacters: number): number {
    const [first, before, ends] = [this.#first, this.#tokensBefore, this.#ends]
    const [tokens, length] = [(before[first] ?? 0) + mostTokens, this.start(0) + mostCharacters]
    let fitting = firstFalse(0, this.count, (word) => (before[first + word + 1] ?? 0) <= tokens)
    // However long the first word is: what has no words yet takes it.
    fitting = firstFalse(Math.min(1, fitting), fitting, (word) => (ends[first + word] ?? 0) <= length)
    const part = this.#isPart.subarray(first, first + fitting).indexOf(1)
    if (part < 0) return fitting
    for (let word = Math.max(1, part); word < fitting; word += 1) if (this.mustCutBefore(word)) return word
    return fitting
  }

  /** The words from `from` to before `to`, until more are added. */
  run(from: number, to: number): WordRun {
    const [start, end] = [this.#first + from, this.#first + to]
    return {
      starts: this.#starts.subarray(start, end),
      ends: this.#ends.subarray(start, end),
      tokens: this.#tokens.subarray(start, end),
    }
  }

  /** Adds a piece of text; with `isLast`, nothing is kept back. */
  append(piece: string, isLast: boolean): void {
    this.#forget()
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
    // White space is read too, or a long run of it would be read again with every piece.
    const next = count < spans.count ? (spans.starts[count] ?? 0) : unread.length
    this.#readTo += Math.max(end, Math.min(next, limit))
  }

  /** Forgets the words before `word`. */
  dropBefore(word: number): void {
    this.#first = Math.min(this.#first + word, this.#next)
  }

  /** Makes room: of the words that are dropped nothing is kept, nor of the text in front of the first one. */
  #forget(): void {
    const cut = this.count > 0 ? this.start(0) : this.#readTo
    const tokens = this.#tokensBefore[this.#first] ?? 0
    for (let at = this.#first; at < this.#next; at += 1) {
      this.#starts[at - this.#first] = (this.#starts[at] ?? 0) - cut
      this.#ends[at - this.#first] = (this.#ends[at] ?? 0) - cut
      this.#tokensBefore[at - this.#first] = (this.#tokensBefore[at] ?? 0) - tokens
    }
    this.#tokensBefore[this.count] = (this.#tokensBefore[this.#next] ?? 0) - tokens
    this.#tokens.copyWithin(0, this.#first, this.#next)
    this.#isPart.copyWithin(0, this.#first, this.#next)
    this.#next -= this.#first
    this.#first = 0
    this.#text = this.#text.slice(cut)
    this.#offset += cut
    this.#readTo -= cut
  }

  /**
   * Adds words up to the first that is larger than a chunk or a window: a call for each would take longer than all the
   * rest. @returns which that is, `count` where there is none
   */
  #addSmall({ starts, ends, tokens }: WordSpans, first: number, count: number): number {
    while (this.#starts.length < this.#next + count - first) this.#grow()
    const [ownStarts, ownEnds, ownTokens, ownBefore] = [this.#starts, this.#ends, this.#tokens, this.#tokensBefore]
    const [offset, most] = [this.#readTo, this.#maxWordTokens]
    const tokensBefore = ownBefore[this.#next] ?? 0
    let next = this.#next
    let word = first
    let before = tokensBefore
    for (; word < count && (tokens[word] ?? 0) <= most; word += 1) {
      ownStarts[next] = offset + (starts[word] ?? 0)
      ownEnds[next] = offset + (ends[word] ?? 0)
      ownTokens[next] = tokens[word] ?? 0
      before += tokens[word] ?? 0
      next += 1
      ownBefore[next] = before
    }
    this.#isPart.fill(0, this.#next, next)
    this.#next = next
    this.tokensRead += before - tokensBefore
    return word
  }

  #addPart(start: number, end: number, tokens: number): void {
    if (this.#next === this.#starts.length) this.#grow()
    this.#starts[this.#next] = start
    this.#ends[this.#next] = end
    this.#tokens[this.#next] = tokens
    this.#isPart[this.#next] = 1
    this.#tokensBefore[this.#next + 1] = (this.#tokensBefore[this.#next] ?? 0) + tokens
    this.#next += 1
    this.tokensRead += tokens
  }

  #grow(): void {
    this.#starts = twice(this.#starts, new Uint32Array(this.#starts.length * 2))
    this.#ends = twice(this.#ends, new Uint32Array(this.#ends.length * 2))
    this.#tokens = twice(this.#tokens, new Uint16Array(this.#tokens.length * 2))
    this.#tokensBefore = twice(this.#tokensBefore, new Uint32Array(this.#starts.length + 1))
    this.#isPart = twice(this.#isPart, new Uint8Array(this.#isPart.length * 2))
  }
}

function twice<Numbers extends Uint8Array | Uint16Array | Uint32Array>(numbers: Numbers, larger: Numbers): Numbers {
  larger.set(numbers)
  return larger
}

/** The first number from `low` on of which something is false, `high` where it is true of all; true ones come first. */
function firstFalse(low: number, high: number, isTrue: (number: number) => boolean): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (isTrue(middle)) from = middle + 1
    else to = middle
  }
  return from
}
