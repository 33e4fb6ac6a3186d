import { type Columns, takeColumns } from './columns.js'
import { POSTING_BYTES, viewOf } from './postings.js'
import { ScoredChunks } from './scored-chunks.js'
import type { TermScore } from './term-score.js'

/** Adds the postings of a term to chunks that are scored already: the chunks of both, in ascending order of their numbers. */
export class ChunkUnion {
  readonly #chunks: ScoredChunks
  readonly #termScore: TermScore
  readonly #to: Columns
  #from = 0
  #length = 0

  /** @param most postings that are added */
  constructor(chunks: ScoredChunks, most: number, termScore: TermScore) {
    this.#chunks = chunks
    this.#termScore = termScore
    this.#to = takeColumns(chunks.numbers.length + most)
  }

  /** Adds postings whose numbers are higher than those before. @returns how many chunks were looked at */
  add(postings: Buffer): number {
    const { numbers, scores } = this.#chunks
    const { numbers: toNumbers, scores: toScores } = this.#to
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
    const done = to - this.#length
    this.#from = from
    this.#length = to
    return done
  }

  /** The chunks of both. Those that were given are released; nothing may be added any more. */
  end(): ScoredChunks {
    const { numbers, scores } = this.#chunks
    this.#to.numbers.set(numbers.subarray(this.#from), this.#length)
    this.#to.scores.set(scores.subarray(this.#from), this.#length)
    this.#chunks.release()
    return ScoredChunks.within(this.#to, this.#length + numbers.length - this.#from)
  }
}
