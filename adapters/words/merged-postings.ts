import { LRUCache } from 'lru-cache'
import type { SimilarTerms } from '../../src/ports/index.js'
import { firstNumberOf, gallop, lastNumberOf, POSTING_BYTES, type Turns, viewOf } from './postings.js'

/** The occurrences of merged postings are counted in parts of one: the weights of terms are fractions. */
export const FREQUENCY_SCALE = 64
const MAX_COUNT = 0xff_ff
/** The number of consecutive chunk numbers that are merged together. */
const BLOCK_NUMBERS = 8_192
const BITS_PER_WORD = 32

/** Postings of one term, with the weight of its occurrences. */
export interface WeighedPostings {
  /** In ascending order of their numbers. */
  readonly postings: Buffer
  readonly weight: number
}

/** The postings of terms that count as one. */
export interface MergedPostings {
  /** In ascending order of their numbers. */
  readonly postings: Buffer
  /** The number of chunks, each times the best weight of its terms. */
  readonly count: number
}

/** One block of chunk numbers. All blocks share this memory, because no other work runs while one is merged. */
const OCCURRENCES = new Float32Array(BLOCK_NUMBERS)
/** The best weight of the terms of each chunk. */
const WEIGHTS = new Float32Array(BLOCK_NUMBERS)
const LENGTHS = new Uint16Array(BLOCK_NUMBERS)
/** A bit for each number of the block that has a posting. */
const BITS = new Int32Array(BLOCK_NUMBERS / BITS_PER_WORD)

/** A position in postings. */
interface Cursor {
  readonly view: DataView
  readonly weight: number
  at: number
  /** The number of the next posting; `Infinity` at the end. */
  next: number
}

/**
 * Merges the postings of terms that count as one. A chunk gets the sum of its occurrences, each times its weight and
 * {@link FREQUENCY_SCALE}. Works on one block of chunk numbers after the other, as `addUp` does.
 */
export async function mergePostings(parts: readonly WeighedPostings[], turns: Turns): Promise<MergedPostings> {
  const cursors = parts.map(({ postings, weight }): Cursor => {
    return { view: viewOf(postings), weight, at: 0, next: firstNumberOf(postings) }
  })
  const most = parts.reduce((sum, { postings }) => sum + postings.length, 0)
  const merged = Buffer.allocUnsafeSlow(most)
  const target = viewOf(merged)
  let [length, count] = [0, 0]
  for (;;) {
    let first = Number.POSITIVE_INFINITY
    for (const { next } of cursors) first = Math.min(first, next)
    if (first === Number.POSITIVE_INFINITY) break
    const start = first - (first % BLOCK_NUMBERS)
    for (const cursor of cursors) if (cursor.next < start + BLOCK_NUMBERS) addBlock(cursor, start)
    const [before, block] = [length, writeBlock(target, length, start)]
    length = block.length
    count += block.count
    await turns.yieldAfter((length - before) / POSTING_BYTES)
  }
  // A copy: the rest of the memory would stay in use as long as the postings.
  return { postings: length === most ? merged : Buffer.from(merged.subarray(0, length)), count }
}

function addBlock(cursor: Cursor, start: number): void {
  const { view, weight } = cursor
  const postings = view.byteLength / POSTING_BYTES
  let { at } = cursor
  for (; at < postings; at += 1) {
    const byte = at * POSTING_BYTES
    const place = view.getUint32(byte) - start
    if (place >= BLOCK_NUMBERS) break
    OCCURRENCES[place] = (OCCURRENCES[place] ?? 0) + view.getUint16(byte + 4) * weight
    if (weight > (WEIGHTS[place] ?? 0)) WEIGHTS[place] = weight
    LENGTHS[place] = view.getUint16(byte + 6)
    BITS[place >> 5] = (BITS[place >> 5] ?? 0) | (1 << (place & 31))
  }
  cursor.at = at
  cursor.next = at === postings ? Number.POSITIVE_INFINITY : view.getUint32(at * POSTING_BYTES)
}

/** Writes the postings of the block behind `length` bytes. @returns the number of bytes after it, and the sum of weights */
function writeBlock(target: DataView, length: number, start: number): { length: number; count: number } {
  let [to, count] = [length, 0]
  for (let word = 0; word < BITS.length; word += 1) {
    let left = BITS[word] ?? 0
    if (left === 0) continue
    BITS[word] = 0
    while (left !== 0) {
      const lowest = left & -left
      const place = word * BITS_PER_WORD + 31 - Math.clz32(lowest)
      writePosting(target, to, start + place, OCCURRENCES[place] ?? 0, LENGTHS[place] ?? 0)
      count += WEIGHTS[place] ?? 0
      OCCURRENCES[place] = 0
      WEIGHTS[place] = 0
      to += POSTING_BYTES
      left ^= lowest
    }
  }
  return { length: to, count }
}

function writePosting(target: DataView, byte: number, number: number, occurrences: number, length: number): void {
  target.setUint32(byte, number)
  target.setUint16(byte + 4, Math.min(MAX_COUNT, Math.max(1, Math.round(occurrences * FREQUENCY_SCALE))))
  target.setUint16(byte + 6, length)
}

/**
 * Looks up some chunks in the postings of terms that count as one. Returns the merged postings of these chunks.
 * @param numbers in ascending order
 */
export async function mergeSome(
  parts: readonly WeighedPostings[],
  numbers: Uint32Array,
  turns: Turns,
): Promise<Buffer> {
  // Sums of the same precision as those of all postings, in the same order.
  const [occurrences, lengths] = [new Float32Array(numbers.length), new Uint16Array(numbers.length)]
  for (const { postings, weight } of parts) {
    const view = viewOf(postings)
    const end = postings.length / POSTING_BYTES
    const [first, last] = [firstNumberOf(postings), lastNumberOf(postings)]
    let index = 0
    for (let at = 0; at < numbers.length; at += 1) {
      const number = numbers[at] ?? 0
      if (number < first) continue
      if (number > last) break
      index = gallop(view, index, end, number)
      const byte = index * POSTING_BYTES
      if (view.getUint32(byte) !== number) continue
      occurrences[at] = (occurrences[at] ?? 0) + view.getUint16(byte + 4) * weight
      lengths[at] = view.getUint16(byte + 6)
    }
    await turns.yieldAfter(numbers.length)
  }
  const merged = Buffer.allocUnsafe(numbers.length * POSTING_BYTES)
  const target = viewOf(merged)
  let to = 0
  for (let at = 0; at < numbers.length; at += 1) {
    const sum = occurrences[at] ?? 0
    if (sum === 0) continue
    writePosting(target, to, numbers[at] ?? 0, sum, lengths[at] ?? 0)
    to += POSTING_BYTES
  }
  return merged.subarray(0, to)
}

/** The size of all merged postings in memory, and of those of one word. */
const MAX_BYTES = 32 * 1_048_576
const MAX_WORD_BYTES = 4 * 1_048_576
/** The memory of an entry beside its postings. */
const ENTRY_BYTES = 256

/** Keeps merged postings by the terms that they stand for. Terms are found again once their collection has changed. */
export class MergedCache {
  readonly #entries = new LRUCache<SimilarTerms, MergedPostings>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_WORD_BYTES,
    sizeCalculation: ({ postings }) => ENTRY_BYTES + postings.length,
  })

  get(similar: SimilarTerms): MergedPostings | undefined {
    return this.#entries.get(similar)
  }

  set(similar: SimilarTerms, merged: MergedPostings): void {
    this.#entries.set(similar, merged)
  }

  clear(): void {
    this.#entries.clear()
  }
}
