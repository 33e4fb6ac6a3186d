import type { Encoding, WordSpans } from '../../../src/ports/index.js'
import type { WordPieces } from './word-piece-vocabulary.js'

/** The highest number of cached words: a text of random strings must not use more and more memory. */
const MAX_WORDS = 30_000
/** Longer words are not cached: they are rare, and would cost more than they save. */
const MAX_UNITS = 64
/**
 * A power of two, about twice the number of words. With more slots, frequent words would be farther apart in memory.
 */
const SLOTS = 2 ** 16
/**
 * The number of slots that one word may be in. Words that were made to collide must not cost more than cutting them.
 */
const MAX_PROBES = 8
/** The slot of a word for which there is no room, until the next such word. */
const UNCACHED_SLOT = SLOTS

/** The fields of a slot, side by side: all that is read before units are compared. */
const FIELDS = 4
const [HASH, LENGTH, TOKENS, FROM] = [0, 1, 2, 3]

const NO_PIECES: WordPieces = { ids: [], starts: [], ends: [] }

/**
 * The pieces of known words, found by the words' UTF-16 units. Making a string for each look-up would take longer than
 * all the rest. Words have numbers, which are valid until the next word is added.
 */
export class WordCache {
  /**
   * For each slot: the word's hash, its length (0 for an empty slot), its number of tokens, and the start of its units.
   */
  readonly #slots = new Int32Array((SLOTS + 1) * FIELDS)
  #units = new Uint16Array(2 ** 16)
  /** The number of units in use. */
  #end = 0
  /** The pieces, by slot. */
  readonly #pieces: (WordPieces | undefined)[] = new Array<undefined>(SLOTS + 1).fill(undefined)
  #words = 0

  /**
   * @param hash the hash of the units, by {@link hashOf}
   * @returns the word's number, or -1 for an unknown word
   */
  find(units: Uint16Array, start: number, end: number, hash: number): number {
    const [slots, known] = [this.#slots, this.#units]
    const length = end - start
    for (let probe = 0; probe < MAX_PROBES; probe += 1) {
      const slot = slotOf(hash, probe)
      const at = slot * FIELDS
      const found = slots[at + LENGTH] ?? 0
      if (found === 0) return -1
      if (found !== length || slots[at + HASH] !== hash) continue
      const from = slots[at + FROM] ?? 0
      let same = 0
      while (same < length && known[from + same] === units[start + same]) same += 1
      if (same === length) return slot
    }
    return -1
  }

  /** Adds a word that was not found, and caches it if one of its slots is free. @returns its number */
  add(units: Uint16Array, start: number, end: number, hash: number, pieces: WordPieces): number {
    return this.#put(end - start > MAX_UNITS ? UNCACHED_SLOT : this.#reserve(units.subarray(start, end), hash), pieces)
  }

  /** Adds a word without caching it. @returns its number */
  addOnce(pieces: WordPieces): number {
    return this.#put(UNCACHED_SLOT, pieces)
  }

  /** Returns the number of tokens of a word. */
  tokens(word: number): number {
    return this.#slots[word * FIELDS + TOKENS] ?? 0
  }

  pieces(word: number): WordPieces {
    return this.#pieces[word] ?? NO_PIECES
  }

  #put(word: number, pieces: WordPieces): number {
    this.#pieces[word] = pieces
    this.#slots[word * FIELDS + TOKENS] = pieces.ids.length
    return word
  }

  #reserve(units: Uint16Array, hash: number): number {
    if (this.#words === MAX_WORDS) this.#clear()
    for (let probe = 0; probe < MAX_PROBES; probe += 1) {
      const slot = slotOf(hash, probe)
      const at = slot * FIELDS
      if (this.#slots[at + LENGTH] !== 0) continue
      while (this.#units.length < this.#end + units.length) this.#grow()
      this.#units.set(units, this.#end)
      this.#slots[at + HASH] = hash
      this.#slots[at + LENGTH] = units.length
      this.#slots[at + FROM] = this.#end
      this.#end += units.length
      this.#words += 1
      return slot
    }
    return UNCACHED_SLOT
  }

  #clear(): void {
    this.#slots.fill(0)
    this.#pieces.fill(undefined)
    this.#end = 0
    this.#words = 0
  }

  #grow(): void {
    const units = new Uint16Array(this.#units.length * 2)
    units.set(this.#units)
    this.#units = units
  }
}

/** Computes the hash of a run of units. Source: FNV-1a, with 32 bits. */
export function hashOf(units: Uint16Array, start: number, end: number): number {
  let hash = 0
  for (let at = start; at < end; at += 1) hash = extendHash(hash, units[at] ?? 0)
  return hash
}

/** Extends the hash of a run by one unit. */
export function extendHash(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193)
}

function slotOf(hash: number, probe: number): number {
  return ((hash ^ (hash >>> 15)) + probe) & (SLOTS - 1)
}

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
  readonly #ids: number[] = []
  readonly #starts: number[] = []
  readonly #ends: number[] = []

  constructor(private readonly words: WordCache) {}

  add(start: number, _end: number, _tokens: number, word: number): void {
    const { ids, starts, ends } = this.words.pieces(word)
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
