import { POSTING_BYTES, viewOf } from './postings.js'
import { ScoredChunks } from './scored-chunks.js'
import type { TermScore } from './term-score.js'

/** Adds the postings of a term to chunks that are scored already: the chunks of both, in ascending order of their numbers. */
export class ChunkUnion {
  readonly #chunks: ScoredChunks
  readonly #termScore: TermScore
  readonly #numbers: Uint32Array<ArrayBuffer>
  readonly #scores: Float64Array<ArrayBuffer>
  #from = 0
  #to = 0

  /** @param most postings that are added */
  constructor(chunks: ScoredChunks, most: number, termScore: TermScore) {
    this.#chunks = chunks
    this.#termScore = termScore
    this.#numbers = new Uint32Array(chunks.numbers.length + most)
    this.#scores = new Float64Array(chunks.numbers.length + most)
  }

  /** Adds postings whose numbers are higher than those before. @returns how many chunks were looked at */
  add(postings: Buffer): number {
    const { numbers, scores } = this.#chunks
    const [toNumbers, toScores, termScore] = [this.#numbers, this.#scores, this.#termScore]
    const view = viewOf(postings)
    const end = postings.length / POSTING_BYTES
    let [from, to] = [this.#from, this.#to]
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
    const done = to - this.#to
    this.#from = from
    this.#to = to
    return done
  }

  /** The chunks of both. Afterwards nothing may be added. */
  end(): ScoredChunks {
    const { numbers, scores } = this.#chunks
    const to = this.#to + numbers.length - this.#from
    this.#numbers.set(numbers.subarray(this.#from), this.#to)
    this.#scores.set(scores.subarray(this.#from), this.#to)
    return new ScoredChunks(this.#numbers.subarray(0, to), this.#scores.subarray(0, to))
  }
}
