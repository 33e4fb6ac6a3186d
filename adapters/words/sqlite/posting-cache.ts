import { LRUCache } from 'lru-cache'
import { lastNumberOf, POSTING_BYTES } from '../postings.js'

/** The size of all cached postings of one index: a word that a third of a million chunks have takes 2.7 MB. */
const MAX_BYTES = 32 * 1_048_576
/** The memory of an entry beside its postings. */
const ENTRY_BYTES = 256

/**
 * Identifies the postings of a term. Chunk numbers only rise, so additions raise `last`. A purge without additions
 * lowers `count`. Two equal marks in one file therefore mean the same postings.
 */
export interface PostingMark {
  /** The number of postings. */
  readonly count: number
  /** The highest chunk number. */
  readonly last: number
}

interface CachedPostings {
  readonly mark: PostingMark
  readonly rows: readonly Buffer[]
}

/**
 * Keeps the postings that searches read in memory. Frequent words have most of the postings, and occur in many
 * questions. Reading 2 MB of postings from the file takes 3 ms, and a search among a million chunks reads several times
 * as much.
 */
export class PostingCache {
  readonly #entries = new LRUCache<string, CachedPostings>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ rows }) => ENTRY_BYTES + rows.reduce((sum, { length }) => sum + length, 0),
  })

  /**
   * @param fileId the id of the file: another file of the same collection has another one
   * @returns the rows of the term, or `undefined` if the cache does not have the postings with this mark
   */
  get(fileId: string, term: string, mark: PostingMark): readonly Buffer[] | undefined {
    const cached = this.#entries.get(keyOf(fileId, term))
    return cached?.mark.count === mark.count && cached.mark.last === mark.last ? cached.rows : undefined
  }

  /** @param rows all rows of the term, read by one statement */
  set(fileId: string, term: string, rows: readonly Buffer[]): void {
    this.#entries.set(keyOf(fileId, term), { mark: markOf(rows), rows })
  }

  clear(): void {
    this.#entries.clear()
  }
}

function keyOf(fileId: string, term: string): string {
  return `${fileId} ${term}`
}

/** The rows tell their mark themselves: a write may have come between the count and the reading of the rows. */
export function markOf(rows: readonly Buffer[]): PostingMark {
  let [count, last] = [0, -1]
  for (const row of rows) {
    count += row.length / POSTING_BYTES
    last = Math.max(last, lastNumberOf(row))
  }
  return { count, last }
}

/** The last row of a term tells the mark of all its rows. */
export function markOfLast({ before, postings }: { readonly before: number; readonly postings: Buffer }): PostingMark {
  return { count: before + postings.length / POSTING_BYTES, last: lastNumberOf(postings) }
}
