import type { PostingSource, PostingsRead } from './posting-source.js'
import { firstNumberOf, lastNumberOf, makeTermScores, type TermScore, Turns } from './postings.js'
import { addUp } from './score-blocks.js'
import { ScoredChunks } from './scored-chunks.js'

/** The number of postings that are read at once, unless one term has more: 128 kB. */
const POSTINGS_AT_ONCE = 16_384
/** The number of chunks between two turns of the event loop: about 5 ms. */
const CHUNKS_PER_TURN = 100_000
/** The number of chunks that are looked up between two turns of the event loop: about 5 ms. */
const LOOK_UPS_PER_TURN = 50_000
const NO_CHUNKS = ScoredChunks.of(new Uint32Array(0))

/** A term with the number of its postings. */
export interface CountedTerm {
  readonly term: string
  readonly count: number
}

/** Reads the postings of terms and adds up scores. Postings that were read stay in memory as long as this object. */
export class PostingSums {
  readonly #meanLength: number
  /** Makers of score functions, by the number that stands for one occurrence. */
  readonly #makers = new Map<number, (idf: number) => TermScore>()
  /** The score functions of the terms that were needed. */
  readonly #scores = new Map<string, TermScore>()
  /** The terms that count, in the order in which they are added. The last digits of sums depend on that order. */
  readonly #terms: string[] = []
  readonly #postings = new Map<string, readonly Buffer[]>()
  /** All chunks that have one of the added terms, until {@link release}. */
  chunks: ScoredChunks = NO_CHUNKS

  /**
   * @param idfs the idf of each term, times its weight
   * @param meanLength the mean length of a chunk, in terms
   */
  constructor(
    private readonly source: PostingSource,
    private readonly idfs: ReadonlyMap<string, number>,
    meanLength: number,
  ) {
    this.#meanLength = meanLength
  }

  /**
   * Adds as many of the next terms as one read covers.
   * @param least the number of terms to add at least
   * @returns the number of added terms
   */
  async addNext(terms: readonly CountedTerm[], least = 1): Promise<number> {
    let [taken, postings] = [0, 0]
    for (const { count } of terms) {
      if (taken >= least && postings + count > POSTINGS_AT_ONCE) break
      taken += 1
      postings += count
    }
    const names = terms.slice(0, taken).map(({ term }) => term)
    await this.#readAll(names.filter((name) => !this.#postings.has(name)))
    this.useTerms(names)
    const added = names.flatMap((name) =>
      sortIntoRows(this.#postings.get(name) ?? []).map((parts) => ({ parts, score: this.#scoreOf(name) })),
    )
    this.chunks = await addUp(this.chunks, added, new Turns(CHUNKS_PER_TURN))
    return taken
  }

  /** Adds all of the terms. */
  async add(terms: readonly CountedTerm[]): Promise<void> {
    for (let at = 0; at < terms.length; ) at += await this.addNext(terms.slice(at))
  }

  /** Adds terms to the scores of some chunks only. */
  async addTo(chunks: ScoredChunks, terms: readonly CountedTerm[]): Promise<void> {
    const names = terms.map(({ term }) => term)
    this.useTerms(names)
    if (chunks.numbers.length > 0) await this.#lookUp(this.source, chunks, names)
  }

  /** Discards the chunks. */
  release(): void {
    this.chunks.release()
    this.chunks = NO_CHUNKS
  }

  /**
   * Reads the scores of chunks by all terms that count; 0 for a chunk without any of them.
   * @param source a source that is open now: the one that was searched may be closed
   */
  async scoresOf(source: PostingSource, numbers: readonly (number | undefined)[]): Promise<readonly number[]> {
    const known = new Set(numbers.filter((number) => number !== undefined))
    if (known.size === 0) return numbers.map(() => 0)
    const chunks = ScoredChunks.of(Uint32Array.from(known).sort())
    await this.#lookUp(source, chunks, this.#terms)
    return numbers.map((number) => (number === undefined ? 0 : chunks.scoreOf(number)))
  }

  /** Makes terms count in {@link scoresOf}. */
  useTerms(terms: readonly string[]): void {
    for (const term of terms) if (!this.#terms.includes(term)) this.#terms.push(term)
  }

  #scoreOf(term: string): TermScore {
    const existing = this.#scores.get(term)
    if (existing !== undefined) return existing
    const scale = this.source.scaleOf?.(term) ?? 1
    const makeScore = this.#makers.get(scale) ?? makeTermScores(this.#meanLength, scale)
    this.#makers.set(scale, makeScore)
    const score = makeScore(this.idfs.get(term) ?? 0)
    this.#scores.set(term, score)
    return score
  }

  async #readAll(terms: readonly string[]): Promise<void> {
    if (terms.length === 0) return
    for (const [term, read] of groupByTerm(terms, await this.source.read(terms))) this.#postings.set(term, read)
  }

  async #lookUp(source: PostingSource, chunks: ScoredChunks, terms: readonly string[]): Promise<void> {
    const unread = terms.filter((term) => !this.#postings.has(term))
    let found: ReadonlyMap<string, readonly Buffer[]> = new Map()
    if (source.readOf === undefined) await this.#readAll(unread)
    else if (unread.length > 0) found = groupByTerm(unread, await source.readOf(unread, chunks.numbers))
    const turns = new Turns(LOOK_UPS_PER_TURN)
    for (const term of terms) {
      for (const postings of this.#postings.get(term) ?? found.get(term) ?? [])
        await turns.yieldAfter(chunks.lookUp(postings, this.#scoreOf(term)))
    }
  }
}

function groupByTerm(terms: readonly string[], read: readonly PostingsRead[]): ReadonlyMap<string, readonly Buffer[]> {
  const found = new Map<string, Buffer[]>(terms.map((term) => [term, []]))
  for (const { term, postings } of read) found.get(terms[term] ?? '')?.push(postings)
  return found
}

/** Puts postings in the fewest possible rows in which the numbers ascend. */
function sortIntoRows(parts: readonly Buffer[]): Buffer[][] {
  const rows: Buffer[][] = []
  for (const part of [...parts].sort((one, other) => firstNumberOf(one) - firstNumberOf(other))) {
    const row = rows.find((others) => lastNumberOf(others[others.length - 1] ?? part) < firstNumberOf(part))
    if (row === undefined) rows.push([part])
    else row.push(part)
  }
  return rows
}
