import { StorageError } from '../../src/ports/index.js'
import { Turns } from './turns.js'

/**
 * A posting says that a chunk has a term: the chunk's number (4 bytes, big-endian), how often the term occurs in it, and
 * how many terms the chunk has (2 bytes each). All have one width, so that postings of a term can be joined, counted and
 * filtered within the database, without anything between them.
 */
export const POSTING_BYTES = 8
/** A chunk's number is below this. */
const NUMBERS = 2 ** 32
/** A count that does not fit in 2 bytes is stored as this. */
const MOST_COUNTED = 0xff_ff
/** In the second word of a posting, above the length of the chunk. */
const ONE_OCCURRENCE = 0x1_00_00
/** Terms that are counted between two turns of the event loop: about 5 ms. */
const TERMS_PER_TURN = 20_000

/** The postings of one term. */
export interface TermPostings {
  readonly term: string
  /** By number of the chunk. */
  readonly postings: Buffer
}

/** Postings, to read their numbers and counts. */
export function viewOf(postings: Buffer): DataView {
  return new DataView(postings.buffer, postings.byteOffset, postings.length)
}

/** The lowest number: that of the first posting. */
export function firstNumberOf(postings: Buffer): number {
  return postings.readUInt32BE(0)
}

/** The highest number: that of the last posting. */
export function lastNumberOf(postings: Buffer): number {
  return postings.readUInt32BE(postings.length - POSTING_BYTES)
}

/** Cuts postings where a number does not follow the one before it. */
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
 * Makes the postings of chunks that have consecutive numbers.
 * @param terms of each chunk, as often as they occur
 * @throws StorageError where the numbers have come to their end
 */
export async function postingsOf(
  terms: readonly (readonly string[])[],
  firstNumber: number,
): Promise<readonly TermPostings[]> {
  if (firstNumber + terms.length > NUMBERS) {
    throw new StorageError('the word index of this context has given out all of its 4,294,967,296 numbers of chunks', {
      isTransient: false,
    })
  }
  const turns = new Turns(TERMS_PER_TURN)
  const byTerm = new Map<string, number[]>()
  for (const [at, ofChunk] of terms.entries()) {
    const number = firstNumber + at
    const once = ONE_OCCURRENCE + Math.min(ofChunk.length, MOST_COUNTED)
    for (let from = 0; from < ofChunk.length; from += TERMS_PER_TURN) {
      const part = ofChunk.slice(from, from + TERMS_PER_TURN)
      for (const term of part) {
        const words = byTerm.get(term)
        if (words === undefined) byTerm.set(term, [number, once])
        else if (words[words.length - 2] !== number) words.push(number, once)
        else words[words.length - 1] = withOneMore(words[words.length - 1] ?? 0)
      }
      await turns.did(part.length)
    }
  }
  const encoded: TermPostings[] = []
  for (const [term, words] of byTerm) {
    encoded.push({ term, postings: encode(words) })
    await turns.did(words.length)
  }
  return encoded
}

/** The second word of a posting, with one more occurrence. */
function withOneMore(word: number): number {
  return word < MOST_COUNTED * ONE_OCCURRENCE ? word + ONE_OCCURRENCE : word
}

function encode(words: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(words.length * 4)
  for (const [at, word] of words.entries()) bytes.writeUInt32BE(word, at * 4)
  return bytes
}
