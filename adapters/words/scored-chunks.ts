import { BestScores, compareScores, type ScoredNumber } from './best-scores.js'
import { bisect } from './bisect.js'
import { type Columns, releaseColumns } from './columns.js'
import type { NumberRange } from './posting-source.js'
import { firstNumberOf, lastNumberOf, POSTING_BYTES, viewOf } from './postings.js'
import type { TermScore } from './term-score.js'

/** Chunks with their scores, in ascending order of their numbers. */
export class ScoredChunks {
  readonly numbers: Uint32Array<ArrayBuffer>
  readonly scores: Float64Array<ArrayBuffer>
  readonly #columns: Columns | undefined

  /** @param numbers the numbers of the chunks, in ascending order */
  constructor(numbers: Uint32Array<ArrayBuffer>, scores: Float64Array<ArrayBuffer>, columns?: Columns) {
    this.numbers = numbers
    this.scores = scores
    this.#columns = columns
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
    if (this.#columns !== undefined) releaseColumns(this.#columns)
  }

  /** Looks up each chunk among postings of a term, and adds the score of its posting. */
  lookUp(postings: Buffer, termScore: TermScore): void {
    const { numbers, scores } = this
    const view = viewOf(postings)
    const end = postings.length / POSTING_BYTES
    const last = lastNumberOf(postings)
    let index = 0
    for (let at = indexOfNumber(numbers, firstNumberOf(postings)); at < numbers.length; at += 1) {
      const number = numbers[at] ?? 0
      if (number > last) return
      index = gallop(view, index, end, number)
      if (view.getUint32(index * POSTING_BYTES) === number) scores[at] = (scores[at] ?? 0) + termScore(view, index)
    }
  }

  /** Copies the chunks whose score is not below `least`. Later additions to the copy do not change this object. */
  withScoreFrom(least: number): ScoredChunks {
    const { scores } = this
    let kept = 0
    for (const score of scores) if (score >= least) kept += 1
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

/**
 * Finds the index of the first posting, from `index` on, whose number is not below `number`. The last posting must have
 * such a number.
 */
function gallop(view: DataView, index: number, end: number, number: number): number {
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
