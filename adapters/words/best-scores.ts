/** A chunk with its score. */
export interface ScoredNumber {
  readonly number: number
  readonly score: number
}

/** Keeps the best of the chunks that it is given: of equal ones those with the lowest numbers. */
export class BestScores {
  readonly #count: number
  /** A binary heap that has the worst at its root. */
  readonly #heap: ScoredNumber[] = []
  /** Chunks with a lower score, or with none, are not among the best. */
  least: number = Number.MIN_VALUE

  /** @param count how many are kept */
  constructor(count: number) {
    this.#count = count
  }

  take(number: number, score: number): void {
    const added = { number, score }
    const heap = this.#heap
    if (heap.length < this.#count) push(heap, added)
    else if (heap[0] !== undefined && inOrder(added, heap[0]) < 0) replaceWorst(heap, added)
    if (heap.length === this.#count) this.least = heap[0]?.score ?? this.least
  }

  /** The best first. Afterwards nothing may be added. */
  inOrder(): ScoredNumber[] {
    return this.#heap.sort(inOrder)
  }
}

/** Below 0 where the first is better. */
export function inOrder(one: ScoredNumber, other: ScoredNumber): number {
  return other.score - one.score || one.number - other.number
}

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
