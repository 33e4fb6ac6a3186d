/** The number of a chunk, with its score. */
export interface ScoredNumber {
  readonly number: number
  readonly score: number
}

/** Keeps the best of the chunks that are offered; of equal scores, those with the lowest numbers. */
export class BestScores {
  readonly #count: number
  /** A binary heap with the worst chunk at its root. */
  readonly #heap: ScoredNumber[] = []
  /** Chunks with a lower score, or with none, are not among the best. */
  least: number = Number.MIN_VALUE

  /** @param count the number of chunks to keep */
  constructor(count: number) {
    this.#count = count
  }

  offer(number: number, score: number): void {
    const added = { number, score }
    const heap = this.#heap
    if (heap.length < this.#count) push(heap, added)
    else if (heap[0] !== undefined && compareScores(added, heap[0]) < 0) replaceWorst(heap, added)
    if (heap.length === this.#count) this.least = heap[0]?.score ?? this.least
  }

  /** Returns the chunks, best first. No chunk may be offered afterwards. */
  sorted(): ScoredNumber[] {
    return this.#heap.sort(compareScores)
  }
}

/** Negative if the first chunk is better. */
export function compareScores(one: ScoredNumber, other: ScoredNumber): number {
  return other.score - one.score || one.number - other.number
}

function push(heap: ScoredNumber[], added: ScoredNumber): void {
  let at = heap.length
  while (at > 0) {
    const parent = (at - 1) >> 1
    const above = heap[parent]
    if (above === undefined || compareScores(added, above) <= 0) break
    heap[at] = above
    at = parent
  }
  heap[at] = added
}

function replaceWorst(heap: ScoredNumber[], added: ScoredNumber): void {
  let at = 0
  for (;;) {
    const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]]
    const isRightWorse = left !== undefined && right !== undefined && compareScores(right, left) > 0
    const worse = isRightWorse ? right : left
    if (worse === undefined || compareScores(worse, added) <= 0) break
    heap[at] = worse
    at = 2 * at + (isRightWorse ? 2 : 1)
  }
  heap[at] = added
}
