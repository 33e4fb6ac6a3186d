import { BestScores, inOrder, type ScoredNumber } from './best-scores.js'
import { bisect } from './bisect.js'
import { type Columns, giveColumns } from './columns.js'
import type { NumberRange } from './posting-source.js'
import { firstNumberOf, lastNumberOf, POSTING_BYTES, viewOf } from './postings.js'
import type { TermScore } from './term-score.js'

/** Chunks with their scores, in ascending order of their numbers. */
export class ScoredChunks {
  readonly numbers: Uint32Array<ArrayBuffer>
  readonly scores: Float64Array<ArrayBuffer>
  readonly #columns: Columns | undefined

  /** @param numbers in ascending order */
  constructor(numbers: Uint32Array<ArrayBuffer>, scores: Float64Array<ArrayBuffer>, columns?: Columns) {
    this.numbers = numbers
    this.scores = scores
    this.#columns = columns
  }

  /** Chunks that have no score yet. @param numbers in ascending order */
  static of(numbers: Uint32Array<ArrayBuffer>): ScoredChunks {
    return new ScoredChunks(numbers, new Float64Array(numbers.length))
  }

  /** The first chunks of columns, which are given back with {@link release}. */
  static within(columns: Columns, length: number): ScoredChunks {
    return new ScoredChunks(columns.numbers.subarray(0, length), columns.scores.subarray(0, length), columns)
  }

  /** Gives their memory to the next search: nobody may use them any more. */
  release(): void {
    if (this.#columns !== undefined) giveColumns(this.#columns)
  }

  /** Looks up each chunk among postings of a term, and adds what its posting is worth. */
  lookUp(postings: Buffer, termScore: TermScore): void {
    const { numbers, scores } = this
    const view = viewOf(postings)
    const end = postings.length / POSTING_BYTES
    const last = lastNumberOf(postings)
    let place = 0
    for (let at = placeOf(numbers, firstNumberOf(postings)); at < numbers.length; at += 1) {
      const number = numbers[at] ?? 0
      if (number > last) return
      place = gallop(view, place, end, number)
      if (view.getUint32(place * POSTING_BYTES) === number) scores[at] = (scores[at] ?? 0) + termScore(view, place)
    }
  }

  /** Those whose score is not lower, as they are now: what is added to them is not added here. */
  from(least: number): ScoredChunks {
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

  /** The score of a chunk; 0 for one that is not among them. */
  scoreOf(number: number): number {
    const at = placeOf(this.numbers, number)
    return this.numbers[at] === number ? (this.scores[at] ?? 0) : 0
  }

  /**
   * The chunks with the highest scores, the best first; equal ones by number.
   *
   * @param after the last of those that are known already: the ones that follow it are given
   * @param ranges numbers to choose from, in ascending order
   */
  best(count: number, after?: ScoredNumber, ranges?: readonly NumberRange[]): ScoredNumber[] {
    const { numbers, scores } = this
    const best = new BestScores(count)
    let range = 0
    for (let at = 0; at < scores.length; at += 1) {
      const score = scores[at] ?? 0
      if (score < best.least) continue
      const number = numbers[at] ?? 0
      if (after !== undefined && inOrder({ number, score }, after) <= 0) continue
      if (ranges !== undefined) {
        while (range < ranges.length && (ranges[range]?.end ?? 0) <= number) range += 1
        if (number < (ranges[range]?.first ?? Number.POSITIVE_INFINITY)) continue
      }
      best.take(number, score)
    }
    return best.inOrder()
  }
}

/** Place of the first of ascending numbers that is not below one. */
function placeOf(numbers: Uint32Array, number: number): number {
  return bisect(0, numbers.length, (place) => (numbers[place] ?? 0) < number)
}

/** Place of the first posting from a place on whose number is not below one, which is at most that of the last posting. */
function gallop(view: DataView, place: number, end: number, number: number): number {
  let [from, step] = [place, 1]
  while (from + step < end && view.getUint32((from + step) * POSTING_BYTES) < number) {
    from += step
    step *= 2
  }
  // Not by `bisect`: a call for each step would make a search 5% slower.
  let to = Math.min(from + step, end - 1)
  while (from < to) {
    const middle = (from + to) >> 1
    if (view.getUint32(middle * POSTING_BYTES) < number) from = middle + 1
    else to = middle
  }
  return from
}
