import type { Encoding, WordSpans } from '../../src/ports/index.js'
import type { WordCache } from './word-cache.js'

/** Receives the words of a text, in their order. */
export interface WordSink {
  /**
   * @param start the UTF-16 offset of the word
   * @param end the UTF-16 offset just behind it
   * @param tokens the number of its tokens
   * @param word its number in the {@link WordCache}, valid until the next word is added
   */
  add(start: number, end: number, tokens: number, word: number): void
}

/** Counts the tokens of the words. */
export class TokenCount implements WordSink {
  tokens = 0

  add(_start: number, _end: number, tokens: number): void {
    this.tokens += tokens
  }
}

/** Growing arrays of words. A text has at most as many words as UTF-16 units. */
export class SpanList implements WordSink, WordSpans {
  count = 0
  starts: Uint32Array
  ends: Uint32Array
  tokens: Uint16Array

  constructor(textLength: number) {
    const capacity = Math.min(textLength, Math.ceil(textLength / 4) + 16)
    this.starts = new Uint32Array(capacity)
    this.ends = new Uint32Array(capacity)
    this.tokens = new Uint16Array(capacity)
  }

  add(start: number, end: number, tokens: number): void {
    const index = this.count
    if (index === this.starts.length) this.#grow()
    this.starts[index] = start
    this.ends[index] = end
    this.tokens[index] = tokens
    this.count = index + 1
  }

  #grow(): void {
    const capacity = this.starts.length * 2
    const starts = new Uint32Array(capacity)
    const ends = new Uint32Array(capacity)
    const tokens = new Uint16Array(capacity)
    starts.set(this.starts)
    ends.set(this.ends)
    tokens.set(this.tokens)
    this.starts = starts
    this.ends = ends
    this.tokens = tokens
  }
}

/** Collects all tokens of the words, one by one. */
export class TokenList implements WordSink {
  readonly #words: WordCache
  readonly #ids: number[] = []
  readonly #starts: number[] = []
  readonly #ends: number[] = []

  constructor(words: WordCache) {
    this.#words = words
  }

  add(start: number, _end: number, _tokens: number, word: number): void {
    const { ids, starts, ends } = this.#words.pieces(word)
    for (let index = 0; index < ids.length; index += 1) {
      this.#ids.push(ids[index] ?? 0)
      this.#starts.push(start + (starts[index] ?? 0))
      this.#ends.push(start + (ends[index] ?? 0))
    }
  }

  toEncoding(): Encoding {
    return {
      ids: Int32Array.from(this.#ids),
      starts: Uint32Array.from(this.#starts),
      ends: Uint32Array.from(this.#ends),
    }
  }
}
