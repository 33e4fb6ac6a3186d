import type { NumberRange } from './posting-source.js'
import { bisect, firstNumberOf, gallop, lastNumberOf, POSTING_BYTES, type TermScore, viewOf } from './postings.js'

/** Memory for chunks with their scores. */
export interface Columns {
  readonly numbers: Uint32Array<ArrayBuffer>
  readonly scores: Float64Array<ArrayBuffer>
}

/** Chunks with their scores, in ascending order of their numbers. */
export class ScoredChunks {
  readonly numbers: Uint32Array<ArrayBuffer>
  readonly scores: Float64Array<ArrayBuffer>

  /** @param numbers the numbers of the chunks, in ascending order */
  constructor(
    numbers: Uint32Array<ArrayBuffer>,
    scores: Float64Array<ArrayBuffer>,
    private readonly columns?: Columns | undefined,
  ) {
    this.numbers = numbers
    this.scores = scores
  }

  /** Makes chunks with the score 0. @param numbers their numbers, in ascending order */
  static of(numbers: Uint32Array<ArrayBuffer>): ScoredChunks {
    return new ScoredChunks(numbers, new Float64Array(numbers.length))
  }

  /** Makes chunks of the first rows of columns. {@link release} returns the columns. */
  static within(columns: Columns, length: number): ScoredChunks {
    return new ScoredChunks(columns.numbers.subarray(0, length), columns.scores.subarray(0, length), columns)
  }

  /** Gives the memory to the next search. No caller may use the chunks afterwards. */
  release(): void {
    if (this.columns !== undefined) releaseColumns(this.columns)
  }

  /**
   * Looks up each chunk among postings of a term, and adds the score of its posting.
   * @returns the number of chunks that lie between the first posting and the last one
   */
  lookUp(postings: Buffer, termScore: TermScore): number {
    const { numbers, scores } = this
    const view = viewOf(postings)
    const end = postings.length / POSTING_BYTES
    const last = lastNumberOf(postings)
    const from = indexOfNumber(numbers, firstNumberOf(postings))
    let [at, index] = [from, 0]
    for (; at < numbers.length; at += 1) {
      const number = numbers[at] ?? 0
      if (number > last) break
      index = gallop(view, index, end, number)
      if (view.getUint32(index * POSTING_BYTES) === number) scores[at] = (scores[at] ?? 0) + termScore(view, index)
    }
    return at - from
  }

  /** Copies the chunks whose score is not below `least`. Later additions to the copy do not change this object. */
  withScoreFrom(least: number): ScoredChunks {
    const { scores } = this
    const kept = this.countFrom(least)
    const [numbers, scoresKept] = [new Uint32Array(kept), new Float64Array(kept)]
    for (let [from, to] = [0, 0]; to < kept; from += 1) {
      const score = scores[from] ?? 0
      if (score < least) continue
      numbers[to] = this.numbers[from] ?? 0
      scoresKept[to] = score
      to += 1
    }
    return new ScoredChunks(numbers, scoresKept)
  }

  /** Counts the chunks whose score is not below `least`. */
  countFrom(least: number): number {
    let count = 0
    for (const score of this.scores) if (score >= least) count += 1
    return count
  }

  /** The score of a chunk; 0 for a chunk that is absent. */
  scoreOf(number: number): number {
    const at = indexOfNumber(this.numbers, number)
    return this.numbers[at] === number ? (this.scores[at] ?? 0) : 0
  }

  /**
   * Finds the chunks with the highest scores, best first; equal scores are ordered by number.
   *
   * @param after the last chunk that is already known: the result starts behind it
   * @param ranges the numbers to choose from, in ascending order
   */
  best(count: number, after?: ScoredNumber, ranges?: readonly NumberRange[]): ScoredNumber[] {
    const { numbers, scores } = this
    const best = new BestScores(count)
    let range = 0
    for (let at = 0; at < scores.length; at += 1) {
      const score = scores[at] ?? 0
      if (score < best.least) continue
      const number = numbers[at] ?? 0
      if (after !== undefined && compareScores({ number, score }, after) <= 0) continue
      if (ranges !== undefined) {
        while (range < ranges.length && (ranges[range]?.end ?? 0) <= number) range += 1
        if (number < (ranges[range]?.first ?? Number.POSITIVE_INFINITY)) continue
      }
      best.offer(number, score)
    }
    return best.sorted()
  }
}

/** Finds the index of the first of ascending numbers that is not below `number`. */
function indexOfNumber(numbers: Uint32Array, number: number): number {
  return bisect(0, numbers.length, (index) => (numbers[index] ?? 0) < number)
}

/** The number of a chunk, with its score. */
interface ScoredNumber {
  readonly number: number
  readonly score: number
}

/** Keeps the best of the chunks that are offered; of equal scores, those with the lowest numbers. */
class BestScores {
  /** A binary heap with the worst chunk at its root. */
  readonly #heap: ScoredNumber[] = []
  /** Chunks with a lower score, or with none, are not among the best. */
  least: number = Number.MIN_VALUE

  /** @param count the number of chunks to keep */
  constructor(private readonly count: number) {}

  offer(number: number, score: number): void {
    const added = { number, score }
    const heap = this.#heap
    if (heap.length < this.count) push(heap, added)
    else if (heap[0] !== undefined && compareScores(added, heap[0]) < 0) replaceWorst(heap, added)
    if (heap.length === this.count) this.least = heap[0]?.score ?? this.least
  }

  /** Returns the chunks, best first. No chunk may be offered afterwards. */
  sorted(): ScoredNumber[] {
    return this.#heap.sort(compareScores)
  }
}

/** Negative if the first chunk is better. */
function compareScores(one: ScoredNumber, other: ScoredNumber): number {
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

/** The size of the smallest columns, in chunks. */
const MIN_LENGTH = 16_384
/** The size of the memory, in chunks, that is kept for later searches: 12 MB. */
const MAX_FREE = 1_048_576
/** Reusing memory costs less than allocating and collecting it. */
const FREE_COLUMNS: Columns[] = []
let freeLength = 0

/** Returns columns for at least `length` chunks. Their content is undefined. */
export function acquireColumns(length: number): Columns {
  const at = FREE_COLUMNS.findIndex(({ numbers }) => numbers.length >= length)
  const [found] = at === -1 ? [] : FREE_COLUMNS.splice(at, 1)
  if (found !== undefined) {
    freeLength -= found.numbers.length
    return found
  }
  // The sizes are powers of two, so most columns fit the next search too.
  const size = 2 ** Math.ceil(Math.log2(Math.max(length, MIN_LENGTH)))
  return { numbers: new Uint32Array(size), scores: new Float64Array(size) }
}

/** Gives columns to the next search. No caller may use them afterwards. */
function releaseColumns(columns: Columns): void {
  const { length } = columns.numbers
  if (freeLength + length > MAX_FREE) return
  freeLength += length
  FREE_COLUMNS.push(columns)
}
