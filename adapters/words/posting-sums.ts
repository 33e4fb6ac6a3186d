import { LengthFactors } from './length-factors.js'
import type { PostingSource } from './posting-source.js'
import { POSTING_BYTES } from './postings.js'
import { MARK, ScoreSums, type WeightedPostings } from './score-sums.js'
import { Turns } from './turns.js'

/** Postings that are read at once, unless one term has more: 1 MB. */
const POSTINGS_AT_ONCE = 131_072
/** Postings that are added up between two turns of the event loop: about 5 ms. */
const POSTINGS_PER_TURN = 200_000

/** Terms with the number of their postings. */
export type TermCounts = ReadonlyMap<string, number>

/** Reads the postings of terms and adds them up. Keeps what it has read until nobody holds it any more. */
export class PostingSums {
  readonly #source: PostingSource
  readonly #idfs: ReadonlyMap<string, number>
  readonly #factors: LengthFactors
  readonly #read: WeightedPostings[] = []
  /** The sums of what was added. After {@link release} there are none. */
  readonly sums: ScoreSums

  /** @param idfs of the terms, times their weights */
  constructor(source: PostingSource, idfs: ReadonlyMap<string, number>) {
    this.#source = source
    this.#idfs = idfs
    this.#factors = new LengthFactors(source.totals.meanLength)
    this.sums = new ScoreSums(this.#factors)
  }

  /** Reads terms and adds them. @param least that a chunk must have already; default 0: all chunks */
  async add(terms: TermCounts, least = 0): Promise<void> {
    for (const group of groupsOf(terms)) {
      const read = await this.#readTerms(group)
      await addUp(this.sums, read, least)
      this.#read.push(...read)
    }
  }

  /** Adds all that was read once more, from the beginning, for all chunks. */
  async addAgain(): Promise<void> {
    this.sums.release()
    await addUp(this.sums, this.#read, 0)
  }

  /** Gives the memory of the sums to the next search. */
  release(): void {
    this.sums.release()
  }

  /** The scores of chunks, by all that was read; 0 for one that has none of the terms. Also after {@link release}. */
  async scoresOf(numbers: readonly (number | undefined)[]): Promise<readonly number[]> {
    const sums = new ScoreSums(this.#factors)
    try {
      sums.mark(numbers)
      await addUp(sums, this.#read, MARK)
      return numbers.map((number) => (number === undefined ? 0 : sums.of(number)))
    } finally {
      sums.release()
    }
  }

  /** In the order of the terms: sums depend on the order in their last digits, and it is the same in all databases. */
  async #readTerms(terms: readonly string[]): Promise<WeightedPostings[]> {
    const read = [...(await this.#source.read(terms))].sort((one, other) => one.term - other.term)
    return read.map(({ term, postings }) => ({ postings, idf: this.#idfs.get(terms[term] ?? '') ?? 0 }))
  }
}

/** Terms whose postings are read together. */
function groupsOf(counts: TermCounts): string[][] {
  const groups: string[][] = []
  let postings = Number.POSITIVE_INFINITY
  for (const [term, count] of [...counts].sort(([, one], [, other]) => one - other)) {
    if (postings + count > POSTINGS_AT_ONCE) {
      groups.push([])
      postings = 0
    }
    groups.at(-1)?.push(term)
    postings += count
  }
  return groups
}

/** @param least that a chunk must have already */
async function addUp(sums: ScoreSums, read: readonly WeightedPostings[], least: number): Promise<void> {
  const turns = new Turns(POSTINGS_PER_TURN)
  for (const each of read) {
    sums.add(each, least)
    await turns.did(each.postings.length / POSTING_BYTES)
  }
}
