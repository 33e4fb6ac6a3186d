import type { Tokenizer, WordSpans } from '../../ports/index.js'
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
  /** Where the first word is in the arrays, and where the next one will be. */
  #first = 0
  #next = 0
  readonly #words = new WordArrays()
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
    return word < this.count ? (this.#words.starts[this.#first + word] ?? 0) : this.#text.length
  }

  end(word: number): number {
    return word < this.count ? (this.#words.ends[this.#first + word] ?? 0) : this.#text.length
  }

  tokens(word: number): number {
    return word < this.count ? (this.#words.tokens[this.#first + word] ?? 0) : 0
  }

  /**
   * Whether a chunk must not go on with this word: a part of a long word would,
   * beside what it touches, have another number of tokens than on its own.
   */
  mustCutBefore(word: number): boolean {
    // Behind the last one there may be traces of others.
    if (word >= this.count) return false
    const at = this.#first + word
    const isBesidePart = this.#words.isPart[at] === 1 || (word > 0 && this.#words.isPart[at - 1] === 1)
    return isBesidePart && this.start(word) === this.end(word - 1)
  }

  /** Tokens of the words from `from` to before `to`. */
  tokensOf(from: number, to: number): number {
    return (this.#words.tokensBefore[this.#first + to] ?? 0) - (this.#words.tokensBefore[this.#first + from] ?? 0)
  }

  /** Words from the front with at most so many tokens and characters, up to the first that must begin a chunk. */
  fitting(mostTokens: number, mostCharacters: number): number {
    const { tokensBefore: before, ends, isPart } = this.#words
    const first = this.#first
    const [tokens, length] = [(before[first] ?? 0) + mostTokens, this.start(0) + mostCharacters]
    let fitting = firstFalse(0, this.count, (word) => (before[first + word + 1] ?? 0) <= tokens)
    // However long the first word is: what has no words yet takes it.
    fitting = firstFalse(Math.min(1, fitting), fitting, (word) => (ends[first + word] ?? 0) <= length)
    const part = isPart.subarray(first, first + fitting).indexOf(1)
    if (part < 0) return fitting
    for (let word = Math.max(1, part); word < fitting; word += 1) if (this.mustCutBefore(word)) return word
    return fitting
  }

  /** The words from `from` to before `to`, until more are added. */
  run(from: number, to: number): WordRun {
    const [start, end] = [this.#first + from, this.#first + to]
    return {
      starts: this.#words.starts.subarray(start, end),
      ends: this.#words.ends.subarray(start, end),
      tokens: this.#words.tokens.subarray(start, end),
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
    this.#words.moveToFront(this.#first, this.#next, cut)
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
    this.#words.reserve(this.#next + count - first)
    const { starts: ownStarts, ends: ownEnds, tokens: ownTokens, tokensBefore: ownBefore } = this.#words
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
    this.#words.isPart.fill(0, this.#next, next)
    this.#next = next
    this.tokensRead += before - tokensBefore
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

/** Words for which there is room at first: more than a chunk of usual size has, and what is read ahead of it. */
const CAPACITY = 8_192

/** What is known of words, side by side in arrays that grow together. */
class WordArrays {
  /** UTF-16 offset at which each word begins, and that just behind it. */
  starts: Uint32Array = new Uint32Array(CAPACITY)
  ends: Uint32Array = new Uint32Array(CAPACITY)
  tokens: Uint16Array = new Uint16Array(CAPACITY)
  /** Tokens of the words in front of each, from somewhere on; behind the last word there is one number more. */
  tokensBefore: Uint32Array = new Uint32Array(CAPACITY + 1)
  /** 1 for each part of a word that was too large. */
  isPart: Uint8Array = new Uint8Array(CAPACITY)

  /** Makes room for so many words. */
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

  /** Moves words to the front: those from `first` to before `next`, with other offsets; their sums begin with 0. */
  moveToFront(first: number, next: number, lessOffset: number): void {
    const { starts, ends, tokensBefore } = this
    const lessTokens = tokensBefore[first] ?? 0
    for (let at = first; at < next; at += 1) {
      starts[at - first] = (starts[at] ?? 0) - lessOffset
      ends[at - first] = (ends[at] ?? 0) - lessOffset
      tokensBefore[at - first] = (tokensBefore[at] ?? 0) - lessTokens
    }
    tokensBefore[next - first] = (tokensBefore[next] ?? 0) - lessTokens
    this.tokens.copyWithin(0, first, next)
    this.isPart.copyWithin(0, first, next)
  }
}

function copied<Numbers extends Uint8Array | Uint16Array | Uint32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from)
  return to
}

/** A part of a word, by offsets in it. */
interface WordPart {
  readonly start: number
  readonly end: number
  readonly tokens: number
}

/** Parts of a word that has too many tokens: the longest part that fits, again and again. */
function* wordParts(word: string, tokenizer: Tokenizer, maxTokens: number): Generator<WordPart> {
  for (let start = 0; start < word.length; ) {
    const end = longestPart(word, start, tokenizer, maxTokens)
    yield { start, end, tokens: tokenizer.count(word.slice(start, end)) }
    start = end
  }
}

/** Where it ends; it has one character at least. */
function longestPart(word: string, from: number, tokenizer: Tokenizer, maxTokens: number): number {
  const borders: number[] = []
  for (let at = from; at < word.length; ) {
    at += (word.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
    borders.push(at)
  }
  const fits = (border: number): boolean => tokenizer.count(word.slice(from, borders[border])) <= maxTokens
  return borders[firstFalse(1, borders.length, fits) - 1] ?? word.length
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
