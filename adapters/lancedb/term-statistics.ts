import { TermCounts } from './term-counts.js'
import { forEachTerm, NO_FILTER } from './term-hash.js'

/** Terms that are counted at most: 6 MB. Those of the fewest chunks are left out. */
const MOST_TERMS = 262_144
/** What is left when some are left out, so that it is seldom done. */
const TERMS_LEFT = 196_608
/** The count of a term is good where at most one of so many of its chunks may have been left out. */
const UNCERTAIN = 8

/** Chunks of a sample that tell in how many of all a term is, but for an eighth. */
const SURE_IN_SAMPLE = 64
/** A term of more chunks is not rare: to look for all of them takes longer than to know them better is worth. */
const RARE = 768

/** Terms of chunks, as the table has them: bytes of UTF-8, joined by one space in each chunk. */
export interface EncodedTerms {
  readonly bytes: Uint8Array
  /** Where each chunk begins, and where the last one ends. */
  readonly offsets: Int32Array
}

/** What {@link TermStatistics.documentFrequency} knows of a term. */
export interface DocumentFrequency {
  readonly chunks: number
  /** Whether the term is rare enough that it may have been left out of the count. */
  readonly isUncertain: boolean
}

/**
 * What BM25 needs to know of a collection: how many chunks were counted, how long they are, and in how many of them each
 * term is. Bounded in memory: of many terms the rarest are left out.
 */
export class TermStatistics {
  readonly #counts: TermCounts
  /** Chunks that were counted, or that those stand for. Deleted ones stay. */
  chunks = 0
  /** Terms of these chunks. */
  length = 0
  /** The most chunks that may be missing from the count of a term, because it was left out, once or more often. */
  leftOut = 0
  /** How many chunks were looked at for each that was counted: 1 where all were. */
  sampledBy = 1

  constructor(counts: TermCounts = new TermCounts()) {
    this.#counts = counts
  }

  get counts(): TermCounts {
    return this.#counts
  }

  /** Memory that it takes, in bytes. */
  get bytes(): number {
    return this.#counts.bytes
  }

  /** @param chunks how many there are in truth: what was counted stands for them */
  documentFrequency(hash: number, chunks: number): DocumentFrequency {
    const counted = this.#counts.get(hash)
    const isSampled = this.sampledBy > 1
    const least = Math.max(UNCERTAIN * this.leftOut, isSampled ? SURE_IN_SAMPLE * this.sampledBy : 0)
    const isUncertain = counted < Math.min(least, RARE)
    const scale = this.chunks === 0 ? 1 : chunks / this.chunks
    return { chunks: Math.min(chunks, counted * scale), isUncertain }
  }

  /** Terms of a chunk, on average; 0 where there is none. */
  get meanLength(): number {
    return this.chunks === 0 ? 0 : this.length / this.chunks
  }

  /** @param weight how many chunks each of these stands for */
  count({ bytes, offsets }: EncodedTerms, row: number, weight = 1): void {
    const counts = this.#counts
    counts.nextChunk()
    const terms = forEachTerm(bytes, offsets[row] ?? 0, offsets[row + 1] ?? 0, NO_FILTER, (hash) => {
      counts.countInChunk(hash, weight)
    })
    this.chunks += weight
    this.length += terms * weight
    if (counts.size > MOST_TERMS) this.leftOut += counts.prune(TERMS_LEFT)
  }
}
