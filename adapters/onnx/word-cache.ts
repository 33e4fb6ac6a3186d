import type { WordPieces } from './word-piece.js'

/** Words remembered at most; a text of random strings must not grow the memory. */
const MOST_WORDS = 30_000
/** Words longer than this are rare, and would cost more than they save. */
const MOST_UNITS = 64
/** A power of two, about twice the words: with more, those that are met often would lie farther apart. */
const SLOTS = 2 ** 16
/** Slots that one word may be in: words that were made to share a place must not cost more than their cutting. */
const MOST_PROBES = 8
/** Where a word is for which there is no room, until the next such word. */
const LAST = SLOTS

/** What a slot says of its word, beside each other: all that is read before units are compared. */
const FIELDS = 4
const [HASH, LENGTH, TOKENS, FROM] = [0, 1, 2, 3]

/**
 * The pieces of words that were met before, found by the words' UTF-16 units: no string is made to look one up,
 * which would take longer than all the rest. Words have numbers, which hold until the next word is added.
 */
export class WordCache {
  /** For each slot the word's hash, its length (0 where there is none), its tokens, and where its units begin. */
  readonly #slots = new Int32Array((SLOTS + 1) * FIELDS)
  #units = new Uint16Array(2 ** 16)
  /** How many of the units are taken. */
  #end = 0
  /** By slot. */
  readonly #pieces: (WordPieces | undefined)[] = new Array<undefined>(SLOTS + 1).fill(undefined)
  #words = 0

  /**
   * @param hash of the units, by {@link hashOf}
   * @returns the word's number, -1 where it is not known
   */
  find(units: Uint16Array, start: number, end: number, hash: number): number {
    const [slots, known] = [this.#slots, this.#units]
    const length = end - start
    for (let probe = 0; probe < MOST_PROBES; probe += 1) {
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

  /** Takes a word that was not found, and remembers it if there is room where it would be looked for. @returns its number */
  add(units: Uint16Array, start: number, end: number, hash: number, pieces: WordPieces): number {
    return this.#put(end - start > MOST_UNITS ? LAST : this.#reserve(units.subarray(start, end), hash), pieces)
  }

  /** Takes a word that is not remembered. @returns its number */
  addOnce(pieces: WordPieces): number {
    return this.#put(LAST, pieces)
  }

  /** How many tokens a word becomes. */
  tokens(word: number): number {
    return this.#slots[word * FIELDS + TOKENS] ?? 0
  }

  pieces(word: number): WordPieces {
    return this.#pieces[word] ?? NOTHING
  }

  #put(word: number, pieces: WordPieces): number {
    this.#pieces[word] = pieces
    this.#slots[word * FIELDS + TOKENS] = pieces.ids.length
    return word
  }

  #reserve(units: Uint16Array, hash: number): number {
    if (this.#words === MOST_WORDS) this.#clear()
    for (let probe = 0; probe < MOST_PROBES; probe += 1) {
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
    return LAST
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

const NOTHING: WordPieces = { ids: [], starts: [], ends: [] }

/** Of a run of units. Source: FNV-1a, with 32 bits. */
export function hashOf(units: Uint16Array, start: number, end: number): number {
  let hash = 0
  for (let at = start; at < end; at += 1) hash = hashed(hash, units[at] ?? 0)
  return hash
}

/** The hash of a run with one unit more. */
export function hashed(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193)
}

function slotOf(hash: number, probe: number): number {
  return ((hash ^ (hash >>> 15)) + probe) & (SLOTS - 1)
}
