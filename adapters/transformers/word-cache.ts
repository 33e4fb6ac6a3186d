import type { WordPieces } from './word-piece.js'

/** Words remembered at most; a text of random strings must not grow the memory. */
const MOST_WORDS = 30_000
/** Words longer than this are rare, and would cost more than they save. */
const MOST_UNITS = 64
/** A power of two, about twice the words: more would not stay near the processor. */
const SLOTS = 2 ** 16
/** Slots that one word may be in: words that were made to share a place must not cost more than their cutting. */
const MOST_PROBES = 8
/** The number of a word for which there is no room, until the next such word. */
const LAST = 0

/**
 * The pieces of words that were met before, found by the words' UTF-16 units: no string is made to look one up,
 * which would take longer than all the rest. Words have numbers, which hold until the next word is added.
 */
export class WordCache {
  /** Tokens of each word, by its number. */
  readonly tokens: Uint16Array = new Uint16Array(MOST_WORDS + 1)
  /** For each slot the number of a word, 0 where there is none. */
  readonly #slots = new Int32Array(SLOTS)
  /** Of each word by its number, from 1 on: where its units begin, and, last, where the next one's will. */
  readonly #starts = new Uint32Array(MOST_WORDS + 2)
  #units = new Uint16Array(2 ** 16)
  #pieces: WordPieces[] = [NOTHING]

  /** @returns the word's number, -1 where it is not known */
  find(units: Uint16Array, start: number, end: number): number {
    const hash = hashOf(units, start, end)
    const [slots, starts, known] = [this.#slots, this.#starts, this.#units]
    const length = end - start
    for (let probe = 0; probe < MOST_PROBES; probe += 1) {
      const word = slots[slotOf(hash, probe)] ?? 0
      if (word === 0) return -1
      const from = starts[word] ?? 0
      if ((starts[word + 1] ?? 0) - from !== length) continue
      let at = 0
      while (at < length && known[from + at] === units[start + at]) at += 1
      if (at === length) return word
    }
    return -1
  }

  /** Takes a word that was not found, and remembers it if there is room where it would be looked for. @returns its number */
  add(units: Uint16Array, start: number, end: number, pieces: WordPieces): number {
    return this.#put(end - start > MOST_UNITS ? LAST : this.#reserve(units.subarray(start, end)), pieces)
  }

  /** Takes a word that is not remembered. @returns its number */
  addOnce(pieces: WordPieces): number {
    return this.#put(LAST, pieces)
  }

  pieces(word: number): WordPieces {
    return this.#pieces[word] ?? NOTHING
  }

  #put(word: number, pieces: WordPieces): number {
    this.#pieces[word] = pieces
    this.tokens[word] = pieces.ids.length
    return word
  }

  #reserve(units: Uint16Array): number {
    const hash = hashOf(units, 0, units.length)
    if (this.#pieces.length > MOST_WORDS) this.#clear()
    for (let probe = 0; probe < MOST_PROBES; probe += 1) {
      const slot = slotOf(hash, probe)
      if (this.#slots[slot] !== 0) continue
      const word = this.#pieces.length
      const from = this.#starts[word] ?? 0
      while (this.#units.length < from + units.length) this.#grow()
      this.#units.set(units, from)
      this.#starts[word + 1] = from + units.length
      this.#slots[slot] = word
      return word
    }
    return LAST
  }

  #clear(): void {
    this.#slots.fill(0)
    this.#pieces = [NOTHING]
  }

  #grow(): void {
    const units = new Uint16Array(this.#units.length * 2)
    units.set(this.#units)
    this.#units = units
  }
}

const NOTHING: WordPieces = { ids: [], starts: [], ends: [] }

/** Source: FNV-1a, with 32 bits. */
function hashOf(units: Uint16Array, start: number, end: number): number {
  let hash = 0
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (units[at] ?? 0), 0x01000193)
  return hash
}

function slotOf(hash: number, probe: number): number {
  return ((hash ^ (hash >>> 15)) + probe) & (SLOTS - 1)
}
