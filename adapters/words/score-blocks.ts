import { POSTING_BYTES, type TermScore, type Turns, viewOf } from './postings.js'
import { acquireColumns, type Columns, ScoredChunks } from './scored-chunks.js'

/** The number of consecutive chunk numbers whose scores are added up together: their sums stay in the fastest cache. */
const BLOCK_NUMBERS = 8_192
const BITS_PER_WORD = 32

/** Postings of a term, in ascending order of their numbers, and the score that each gives. */
export interface ScoredPostings {
  readonly parts: readonly Buffer[]
  readonly score: TermScore
}

/**
 * Adds postings to chunks that have scores already, and releases the given chunks. The result has the chunks of both, in
 * ascending order of their numbers. A chunk gets the scores in the order of `added`.
 *
 * Works on one block of chunk numbers after the other, and adds all postings of a block before the next. So a chunk is
 * written once, for any number of terms. Source: the windows of `BooleanScorer` in Apache Lucene.
 */
export async function addUp(
  chunks: ScoredChunks,
  added: readonly ScoredPostings[],
  turns: Turns,
): Promise<ScoredChunks> {
  const most = added.reduce((sum, { parts }) => sum + countPostings(parts), chunks.numbers.length)
  const sums = new BlockSums(acquireColumns(most))
  const cursors = [new ChunkCursor(chunks), ...added.map((postings) => new PostingCursor(postings))]
  for (;;) {
    let first = Number.POSITIVE_INFINITY
    for (const { next } of cursors) first = Math.min(first, next)
    if (first === Number.POSITIVE_INFINITY) break
    sums.begin(first - (first % BLOCK_NUMBERS))
    for (const cursor of cursors) cursor.addTo(sums)
    await turns.yieldAfter(sums.flush())
  }
  chunks.release()
  return sums.finish()
}

function countPostings(parts: readonly Buffer[]): number {
  return parts.reduce((sum, { length }) => sum + length / POSTING_BYTES, 0)
}

/** The sums of one block. All blocks share this memory, because no other work runs between their beginning and end. */
const BLOCK_SCORES = new Float64Array(BLOCK_NUMBERS)
/** A bit for each number of the block that has a sum. */
const BLOCK_BITS = new Int32Array(BLOCK_NUMBERS / BITS_PER_WORD)

/** Adds up the scores of one block after the other. */
class BlockSums {
  readonly scores: Float64Array = BLOCK_SCORES
  readonly bits: Int32Array = BLOCK_BITS
  #length = 0
  first = 0
  /** Exclusive. */
  end = 0

  constructor(private readonly target: Columns) {}

  begin(first: number): void {
    this.first = first
    this.end = first + BLOCK_NUMBERS
  }

  /** Writes the sums of the block, in ascending order of their numbers. @returns the number of chunks */
  flush(): number {
    const { bits, scores, first } = this
    const { numbers: toNumbers, scores: toScores } = this.target
    let to = this.#length
    for (let word = 0; word < bits.length; word += 1) {
      let left = bits[word] ?? 0
      if (left === 0) continue
      bits[word] = 0
      while (left !== 0) {
        const lowest = left & -left
        const at = word * BITS_PER_WORD + 31 - Math.clz32(lowest)
        toNumbers[to] = first + at
        toScores[to] = scores[at] ?? 0
        scores[at] = 0
        to += 1
        left ^= lowest
      }
    }
    const flushed = to - this.#length
    this.#length = to
    return flushed
  }

  finish(): ScoredChunks {
    return ScoredChunks.within(this.target, this.#length)
  }
}

/** A position in ascending numbers. */
interface Cursor {
  /** The next number; `Infinity` at the end. */
  readonly next: number
  /** Adds the scores of the numbers in the block. */
  addTo(sums: BlockSums): void
}

class ChunkCursor implements Cursor {
  #at = 0

  constructor(private readonly chunks: ScoredChunks) {}

  get next(): number {
    return this.chunks.numbers[this.#at] ?? Number.POSITIVE_INFINITY
  }

  addTo({ scores, bits, first, end }: BlockSums): void {
    const { numbers, scores: known } = this.chunks
    let at = this.#at
    for (; at < numbers.length; at += 1) {
      const number = numbers[at] ?? 0
      if (number >= end) break
      const place = number - first
      scores[place] = known[at] ?? 0
      bits[place >> 5] = (bits[place >> 5] ?? 0) | (1 << (place & 31))
    }
    this.#at = at
  }
}

class PostingCursor implements Cursor {
  readonly #parts: readonly Buffer[]
  readonly #score: TermScore
  #part = 0
  #view: DataView
  #place = 0
  next: number

  constructor({ parts, score }: ScoredPostings) {
    this.#parts = parts
    this.#score = score
    this.#view = viewOf(parts[0] ?? Buffer.alloc(0))
    this.next = this.#numberAt(0)
  }

  addTo({ scores, bits, first, end }: BlockSums): void {
    while (this.next < end) {
      const [view, score] = [this.#view, this.#score]
      const postings = view.byteLength / POSTING_BYTES
      let place = this.#place
      for (; place < postings; place += 1) {
        const number = view.getUint32(place * POSTING_BYTES)
        if (number >= end) break
        const at = number - first
        scores[at] = (scores[at] ?? 0) + score(view, place)
        bits[at >> 5] = (bits[at >> 5] ?? 0) | (1 << (at & 31))
      }
      if (place === postings) {
        this.#part += 1
        this.#view = viewOf(this.#parts[this.#part] ?? Buffer.alloc(0))
        place = 0
      }
      this.#place = place
      this.next = this.#numberAt(place)
    }
  }

  #numberAt(place: number): number {
    return this.#view.byteLength === 0 ? Number.POSITIVE_INFINITY : this.#view.getUint32(place * POSTING_BYTES)
  }
}
