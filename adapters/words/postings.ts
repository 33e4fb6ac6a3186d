import { setImmediate } from 'node:timers/promises'

/**
 * A posting says that a chunk has a term: the chunk's number (4 bytes, big-endian), how often the term occurs in it, and
 * how many terms the chunk has (2 bytes each). All have one width, so that postings of a term can be joined, counted and
 * filtered within the database, without anything between them.
 */
export const POSTING_BYTES = 8
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

/** Makes the postings of chunks that have consecutive numbers. @param terms of each chunk, as often as they occur */
export async function postingsOf(
  terms: readonly (readonly string[])[],
  firstNumber: number,
): Promise<readonly TermPostings[]> {
  const byTerm = new Map<string, number[]>()
  let counted = 0
  for (const [at, ofChunk] of terms.entries()) {
    const number = firstNumber + at
    const once = ONE_OCCURRENCE + Math.min(ofChunk.length, MOST_COUNTED)
    for (const term of ofChunk) {
      const words = byTerm.get(term)
      if (words === undefined) byTerm.set(term, [number, once])
      else if (words[words.length - 2] !== number) words.push(number, once)
      else words[words.length - 1] = withOneMore(words[words.length - 1] ?? 0)
    }
    counted += ofChunk.length
    if (counted >= TERMS_PER_TURN) {
      counted = 0
      await setImmediate()
    }
  }
  return Array.from(byTerm, ([term, words]) => ({ term, postings: encode(words) }))
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
