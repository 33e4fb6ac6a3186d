import { setImmediate } from 'node:timers/promises'

/**
 * A posting says that a chunk has a term: the chunk's number (4 bytes, big-endian), how often the term occurs in it, and
 * how many terms the chunk has (2 bytes each). All have one width, so that postings of a term can be joined, counted and
 * filtered within the database, without anything between them.
 */
export const POSTING_BYTES = 8
/** A count that does not fit in 2 bytes is stored as this. */
const MOST_COUNTED = 0xff_ff
/** Terms that are counted between two turns of the event loop: about 5 ms. */
const TERMS_PER_TURN = 20_000

/** The postings of one term. */
export interface TermPostings {
  readonly term: string
  /** By number of the chunk. */
  readonly postings: Buffer
}

/** Makes the postings of chunks that have consecutive numbers. @param terms of each chunk, as often as they occur */
export async function postingsOf(
  terms: readonly (readonly string[])[],
  firstNumber: number,
): Promise<readonly TermPostings[]> {
  const byTerm = new Map<string, number[]>()
  let counted = 0
  for (const [at, ofChunk] of terms.entries()) {
    const counts = new Map<string, number>()
    for (const term of ofChunk) counts.set(term, (counts.get(term) ?? 0) + 1)
    const length = Math.min(ofChunk.length, MOST_COUNTED)
    for (const [term, count] of counts) {
      const postings = byTerm.get(term)
      const weight = Math.min(count, MOST_COUNTED) * 0x1_00_00 + length
      if (postings === undefined) byTerm.set(term, [firstNumber + at, weight])
      else postings.push(firstNumber + at, weight)
    }
    counted += ofChunk.length
    if (counted >= TERMS_PER_TURN) {
      counted = 0
      await setImmediate()
    }
  }
  return Array.from(byTerm, ([term, words]) => ({ term, postings: encode(words) }))
}

function encode(words: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(words.length * 4)
  for (const [at, word] of words.entries()) bytes.writeUInt32BE(word, at * 4)
  return bytes
}
