import { acquireColumns, type Columns } from './columns.js'
import { POSTING_BYTES, viewOf } from './postings.js'
import { ScoredChunks } from './scored-chunks.js'
import type { TermScore } from './term-score.js'

/**
 * Adds the postings of a term to chunks that have scores already. The result has the chunks of both, in ascending order
 * of their numbers.
 */
export class ChunkUnion {
  readonly #chunks: ScoredChunks
  readonly #termScore: TermScore
  readonly #target: Columns
  #from = 0
  #length = 0

  /** @param postingCount the number of postings that are added */
  constructor(chunks: ScoredChunks, postingCount: number, termScore: TermScore) {
    this.#chunks = chunks
    this.#termScore = termScore
    this.#target = acquireColumns(chunks.numbers.length + postingCount)
  }

  /** Adds postings whose numbers are higher than those before. @returns the number of chunks that were visited */
  add(postings: Buffer): number {
    const { numbers, scores } = this.#chunks
    const { numbers: toNumbers, scores: toScores } = this.#target
    const termScore = this.#termScore
    const view = viewOf(postings)
    const end = postings.length / POSTING_BYTES
    let [from, to] = [this.#from, this.#length]
    for (let place = 0; place < end; place += 1) {
      const number = view.getUint32(place * POSTING_BYTES)
      let next = numbers[from] ?? Number.POSITIVE_INFINITY
      while (next < number) {
        toNumbers[to] = next
        toScores[to] = scores[from] ?? 0
        to += 1
        from += 1
        next = numbers[from] ?? Number.POSITIVE_INFINITY
      }
      toNumbers[to] = number
      if (next === number) {
        toScores[to] = (scores[from] ?? 0) + termScore(view, place)
        from += 1
      } else {
        toScores[to] = termScore(view, place)
      }
      to += 1
    }
    const visited = to - this.#length
    this.#from = from
    this.#length = to
    return visited
  }

  /** Returns the chunks of both, and releases the given ones. No more postings may be added. */
  finish(): ScoredChunks {
    const { numbers, scores } = this.#chunks
    this.#target.numbers.set(numbers.subarray(this.#from), this.#length)
    this.#target.scores.set(scores.subarray(this.#from), this.#length)
    this.#chunks.release()
    return ScoredChunks.within(this.#target, this.#length + numbers.length - this.#from)
  }
}
