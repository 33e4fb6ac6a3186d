import { bm25OfTerm } from '../../src/ports/index.js'
import type { LengthFactors } from './length-factors.js'
import type { NumberRange } from './posting-source.js'
import { POSTING_BYTES } from './postings.js'

/** Numbers of chunks in one page of sums. */
const PAGE_BITS = 12
const PAGE_SIZE = 1 << PAGE_BITS
/** 8 MB, enough for a search among a million chunks. */
const MOST_FREE_PAGES = 256
/** Pages of zeros wait here for the next searches: making and collecting them takes longer than adding up. */
const FREE_PAGES: Page[] = []
/** Marks a chunk: so little that it adds nothing to a score. */
export const MARK: number = Number.MIN_VALUE

type Page = Float64Array<ArrayBuffer>

const NO_SUMS: Page = new Float64Array(0)

/** A chunk with its score. */
export interface ScoredNumber {
  readonly number: number
  readonly score: number
}

/** Postings of one term, and what it is worth. */
export interface WeightedPostings {
  readonly postings: Buffer
  /** Of the term, times its weight. */
  readonly idf: number
}

/** Scores of chunks by their numbers, in pages of 32 kB: many numbers may belong to deleted chunks. */
export class ScoreSums {
  readonly #factors: LengthFactors
  readonly #pages = new Map<number, Page>()

  constructor(factors: LengthFactors) {
    this.#factors = factors
  }

  /** Marks chunks: {@link MARK} is the least that they have, and others have not. */
  mark(numbers: readonly (number | undefined)[]): void {
    for (const number of numbers) {
      if (number !== undefined) this.#makePage(number >>> PAGE_BITS)[number & (PAGE_SIZE - 1)] = MARK
    }
  }

  /** Adds what each posting of a term is worth. @param least that a chunk must have already; 0 for all chunks */
  add({ postings, idf }: WeightedPostings, least: number): void {
    const factors = this.#factors
    const view = new DataView(postings.buffer, postings.byteOffset, postings.length)
    let [page, sums] = [-1, NO_SUMS]
    for (let at = 0; at < postings.length; at += POSTING_BYTES) {
      const number = view.getUint32(at)
      if (number >>> PAGE_BITS !== page) {
        page = number >>> PAGE_BITS
        sums = least === 0 ? this.#makePage(page) : (this.#pages.get(page) ?? NO_SUMS)
      }
      const place = number & (PAGE_SIZE - 1)
      const sum = sums[place] ?? 0
      if (sum < least) continue
      sums[place] = sum + bm25OfTerm(idf, view.getUint16(at + 4), factors.of(view.getUint16(at + 6)))
    }
  }

  /** Gives the memory to the next search. Afterwards there are no sums. */
  release(): void {
    for (const page of this.#pages.values()) {
      if (FREE_PAGES.length < MOST_FREE_PAGES) FREE_PAGES.push(page.fill(0))
    }
    this.#pages.clear()
  }

  /** The score of a chunk; 0 for one that has none of the terms. */
  of(number: number): number {
    const sum = this.#pages.get(number >>> PAGE_BITS)?.[number & (PAGE_SIZE - 1)] ?? 0
    return sum === MARK ? 0 : sum
  }

  #makePage(page: number): Page {
    const known = this.#pages.get(page)
    if (known !== undefined) return known
    const sums = FREE_PAGES.pop() ?? new Float64Array(PAGE_SIZE)
    this.#pages.set(page, sums)
    return sums
  }

  /**
   * The chunks with the highest scores, the best first; equal ones by number.
   *
   * @param after the last of those that are known already: the ones that follow it are given
   * @param ranges numbers to choose from, in ascending order
   */
  best(count: number, after: ScoredNumber | undefined, ranges: readonly NumberRange[] | undefined): ScoredNumber[] {
    const heap: ScoredNumber[] = []
    let least = 0
    let range = 0
    for (const page of [...this.#pages.keys()].sort((one, other) => one - other)) {
      const sums = this.#pages.get(page) ?? NO_SUMS
      for (let at = 0; at < sums.length; at += 1) {
        const score = sums[at] ?? 0
        if (score <= least) continue
        const scored = { number: page * PAGE_SIZE + at, score }
        if (after !== undefined && inOrder(scored, after) <= 0) continue
        if (ranges !== undefined) {
          while (range < ranges.length && (ranges[range]?.end ?? 0) <= scored.number) range += 1
          if (scored.number < (ranges[range]?.first ?? Number.POSITIVE_INFINITY)) continue
        }
        if (heap.length === count) replaceWorst(heap, scored)
        else push(heap, scored)
        if (heap.length === count) least = heap[0]?.score ?? 0
      }
    }
    return heap.sort(inOrder)
  }
}

/** Below 0 where the first is better. */
function inOrder(one: ScoredNumber, other: ScoredNumber): number {
  return other.score - one.score || one.number - other.number
}

/** Adds to a binary heap that has the worst at its root. */
function push(heap: ScoredNumber[], added: ScoredNumber): void {
  let at = heap.length
  while (at > 0) {
    const parent = (at - 1) >> 1
    const above = heap[parent]
    if (above === undefined || inOrder(added, above) <= 0) break
    heap[at] = above
    at = parent
  }
  heap[at] = added
}

function replaceWorst(heap: ScoredNumber[], added: ScoredNumber): void {
  let at = 0
  for (;;) {
    const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]]
    const isRightWorse = left !== undefined && right !== undefined && inOrder(right, left) > 0
    const worse = isRightWorse ? right : left
    if (worse === undefined || inOrder(worse, added) <= 0) break
    heap[at] = worse
    at = 2 * at + (isRightWorse ? 2 : 1)
  }
  heap[at] = added
}
