import { setImmediate } from 'node:timers/promises'
import { bm25LengthFactor, bm25OfTerm, type LexicalRows, StorageError } from '../../src/ports/index.js'

/**
 * A posting means that a chunk has a term. It has the chunk's number (4 bytes, big-endian), the number of occurrences
 * of the term, and the number of terms of the chunk (2 bytes each). All postings have the same width, so the database
 * can join, count and filter them as bytes, without separators.
 */
export const POSTING_BYTES = 8
/** A chunk's number is below this. */
const NUMBER_LIMIT = 2 ** 32
/** A count that does not fit in 2 bytes is stored as this. */
const MAX_COUNT = 0xff_ff
/** One occurrence, in the second word of a posting, above the length of the chunk. */
const ONE_OCCURRENCE = 0x1_00_00
/** The number of terms between two turns of the event loop: about 5 ms. */
const TERMS_PER_TURN = 20_000

/** The postings of one term. */
export interface TermPostings {
  readonly term: string
  /** In ascending order of chunk numbers. */
  readonly postings: Buffer
}

/** A view of postings, to read their numbers and counts. */
export function viewOf(postings: Buffer): DataView {
  return new DataView(postings.buffer, postings.byteOffset, postings.length)
}

/** The lowest number, which is that of the first posting. */
export function firstNumberOf(postings: Buffer): number {
  return postings.readUInt32BE(0)
}

/** The highest number, which is that of the last posting. */
export function lastNumberOf(postings: Buffer): number {
  return postings.readUInt32BE(postings.length - POSTING_BYTES)
}

/** Splits postings wherever a number is not above the one before it. */
export function ascendingParts(postings: Buffer): readonly Buffer[] {
  const parts: Buffer[] = []
  let [from, last] = [0, -1]
  for (let at = 0; at < postings.length; at += POSTING_BYTES) {
    const number = postings.readUInt32BE(at)
    if (number <= last) {
      parts.push(postings.subarray(from, at))
      from = at
    }
    last = number
  }
  return [...parts, postings.subarray(from)]
}

/**
 * Makes the postings of chunks with consecutive numbers.
 * @param names terms that count as occurrences, and not in the length
 * @throws StorageError if no numbers are left
 */
export async function postingsOf(
  { terms, names = [] }: Pick<LexicalRows, 'terms' | 'names'>,
  firstNumber: number,
): Promise<readonly TermPostings[]> {
  if (firstNumber + terms.length > NUMBER_LIMIT) {
    throw new StorageError(
      'the word index of this context has used all 4,294,967,296 chunk numbers: move its documents to a new context',
      {
        isTransient: false,
      },
    )
  }
  const turns = new Turns(TERMS_PER_TURN)
  const byTerm = new Map<string, number[]>()
  for (const [at, chunkTerms] of terms.entries()) {
    const number = firstNumber + at
    const once = ONE_OCCURRENCE + Math.min(chunkTerms.length, MAX_COUNT)
    const named = names[at] ?? []
    const occurring = named.length === 0 ? chunkTerms : [...chunkTerms, ...named]
    for (let from = 0; from < occurring.length; from += TERMS_PER_TURN) {
      const part = occurring.slice(from, from + TERMS_PER_TURN)
      for (const term of part) {
        const words = byTerm.get(term)
        if (words === undefined) byTerm.set(term, [number, once])
        else if (words[words.length - 2] !== number) words.push(number, once)
        else words[words.length - 1] = withOneMore(words[words.length - 1] ?? 0)
      }
      await turns.yieldAfter(part.length)
    }
  }
  const encoded: TermPostings[] = []
  for (const [term, words] of byTerm) {
    encoded.push({ term, postings: encode(words) })
    await turns.yieldAfter(words.length)
  }
  return encoded
}

/** Adds one occurrence to the second word of a posting. */
function withOneMore(word: number): number {
  return word < MAX_COUNT * ONE_OCCURRENCE ? word + ONE_OCCURRENCE : word
}

function encode(words: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(words.length * 4)
  for (const [at, word] of words.entries()) bytes.writeUInt32BE(word, at * 4)
  return bytes
}

/** The score of the posting at an index. */
export type TermScore = (postings: DataView, index: number) => number

/** Factors of shorter chunks are computed once and kept. */
const KEPT_LENGTHS = 1_024

/**
 * Makes the score functions of terms in one collection.
 * @param meanLength the mean length of a chunk, in terms
 * @param scale the number that stands for one occurrence in the postings
 * @returns a function that makes the score function of a term from its idf times its weight
 */
export function makeTermScores(meanLength: number, scale = 1): (idf: number) => TermScore {
  const factors = new Float64Array(KEPT_LENGTHS)
  const factorOf = (length: number): number => {
    const kept = factors[length] ?? 0
    if (kept > 0) return kept
    const factor = bm25LengthFactor(length, meanLength)
    // A length that is not kept stays outside the array.
    factors[length] = factor
    return factor
  }
  return (idf) => {
    // Most chunks that have a term have it once. A division for each of them would take half of the time.
    const once = new Float64Array(KEPT_LENGTHS)
    return (postings, index) => {
      const byte = index * POSTING_BYTES
      const frequency = postings.getUint16(byte + 4)
      const length = postings.getUint16(byte + 6)
      if (frequency !== scale) return bm25OfTerm(idf, frequency / scale, factorOf(length))
      const kept = once[length] ?? 0
      if (kept > 0) return kept
      const score = bm25OfTerm(idf, 1, factorOf(length))
      once[length] = score
      return score
    }
  }
}

/**
 * Finds the first index, from `from` to `end` (exclusive), that is not below the target; `end` if all are below.
 * Indexes below the target must come first.
 */
export function bisect(from: number, end: number, isBelow: (index: number) => boolean): number {
  let [low, high] = [from, end]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBelow(middle)) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Finds the index of the first posting, from `index` on, whose number is not below `number`. The last posting must have
 * such a number.
 */
export function gallop(view: DataView, index: number, end: number, number: number): number {
  let [from, step] = [index, 1]
  while (from + step < end && view.getUint32((from + step) * POSTING_BYTES) < number) {
    from += step
    step *= 2
  }
  // `bisect` is not used here: a call for each step would make a search 5% slower.
  let to = Math.min(from + step, end - 1)
  while (from < to) {
    const middle = (from + to) >> 1
    if (view.getUint32(middle * POSTING_BYTES) < number) from = middle + 1
    else to = middle
  }
  return from
}

/** Lets the event loop run between pieces of work. */
export class Turns {
  #done = 0

  /** @param perTurn the units of work that take about 5 ms */
  constructor(private readonly perTurn: number) {}

  /** Called after each piece of work: waits for a turn of the event loop if enough units are done. */
  async yieldAfter(units: number): Promise<void> {
    this.#done += units
    if (this.#done < this.perTurn) return
    this.#done = 0
    await setImmediate()
  }
}
