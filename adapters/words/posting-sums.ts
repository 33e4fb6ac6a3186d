import { ChunkUnion } from './chunk-union.js'
import type { PostingSource, PostingsRead } from './posting-source.js'
import { firstNumberOf, lastNumberOf, POSTING_BYTES } from './postings.js'
import { ScoredChunks } from './scored-chunks.js'
import { type TermScore, termScores } from './term-score.js'
import { Turns } from './turns.js'

/** Postings that are read at once, unless one term has more: 128 kB. */
const POSTINGS_AT_ONCE = 16_384
/** Chunks that are added up between two turns of the event loop: about 5 ms. */
const CHUNKS_PER_TURN = 200_000
const NO_CHUNKS = ScoredChunks.of(new Uint32Array(0))

/** A term with the number of its postings. */
export interface CountedTerm {
  readonly term: string
  readonly count: number
}

/** Reads the postings of terms and adds up scores. Keeps what it has read until nobody holds it any more. */
export class PostingSums {
  readonly #source: PostingSource
  readonly #idfs: ReadonlyMap<string, number>
  readonly #makeScore: (idf: number) => TermScore
  /** Of the terms that were needed. */
  readonly #scores = new Map<string, TermScore>()
  /** The terms that count, in the order in which they are added: sums depend on it in their last digits. */
  readonly #terms: string[] = []
  readonly #read = new Map<string, readonly Buffer[]>()
  /** All chunks that have one of the terms that were added, until {@link release}. */
  all: ScoredChunks = NO_CHUNKS

  /** @param idfs of the terms, times their weights */
  constructor(source: PostingSource, idfs: ReadonlyMap<string, number>) {
    this.#source = source
    this.#idfs = idfs
    this.#makeScore = termScores(source.totals.meanLength)
  }

  /** Adds as many of the next terms as are read at once. @returns how many */
  async addSome(terms: readonly CountedTerm[]): Promise<number> {
    let [taken, postings] = [0, 0]
    for (const { count } of terms) {
      if (taken > 0 && postings + count > POSTINGS_AT_ONCE) break
      taken += 1
      postings += count
    }
    const names = terms.slice(0, taken).map(({ term }) => term)
    await this.#readWhole(names)
    this.#count(names)
    const turns = new Turns(CHUNKS_PER_TURN)
    for (const name of names) {
      for (const row of inRows(this.#read.get(name) ?? [])) {
        const union = new ChunkUnion(this.all, countOf(row), this.#scoreOf(name))
        for (const part of row) await turns.did(union.add(part))
        this.all = union.end()
      }
    }
    return taken
  }

  /** Adds terms. */
  async add(terms: readonly CountedTerm[]): Promise<void> {
    for (let at = 0; at < terms.length; ) at += await this.addSome(terms.slice(at))
  }

  /** Adds a term to the scores of some chunks alone. */
  async addTo(chunks: ScoredChunks, { term }: CountedTerm): Promise<void> {
    this.#count([term])
    await this.#lookUp(this.#source, chunks, [term])
  }

  /** Forgets the chunks. */
  release(): void {
    this.all.release()
    this.all = NO_CHUNKS
  }

  /**
   * The scores of chunks, by all terms that count; 0 for one that has none of them.
   * @param source of now: the one that was searched may be closed
   */
  async scoresOf(source: PostingSource, numbers: readonly (number | undefined)[]): Promise<readonly number[]> {
    const there = new Set(numbers.filter((number) => number !== undefined))
    if (there.size === 0) return numbers.map(() => 0)
    const chunks = ScoredChunks.of(Uint32Array.from(there).sort())
    await this.#lookUp(source, chunks, this.#terms)
    return numbers.map((number) => (number === undefined ? 0 : chunks.scoreOf(number)))
  }

  #count(terms: readonly string[]): void {
    for (const term of terms) if (!this.#terms.includes(term)) this.#terms.push(term)
  }

  #scoreOf(term: string): TermScore {
    const known = this.#scores.get(term)
    if (known !== undefined) return known
    const made = this.#makeScore(this.#idfs.get(term) ?? 0)
    this.#scores.set(term, made)
    return made
  }

  async #readWhole(terms: readonly string[]): Promise<void> {
    if (terms.length === 0) return
    for (const [term, read] of byTerm(terms, await this.#source.read(terms))) this.#read.set(term, read)
  }

  async #lookUp(source: PostingSource, chunks: ScoredChunks, terms: readonly string[]): Promise<void> {
    const unread = terms.filter((term) => !this.#read.has(term))
    let found: ReadonlyMap<string, readonly Buffer[]> = new Map()
    if (source.readOf === undefined) await this.#readWhole(unread)
    else if (unread.length > 0) found = byTerm(unread, await source.readOf(unread, chunks.numbers))
    for (const term of terms) {
      for (const postings of this.#read.get(term) ?? found.get(term) ?? []) chunks.lookUp(postings, this.#scoreOf(term))
    }
  }
}

function byTerm(terms: readonly string[], read: readonly PostingsRead[]): ReadonlyMap<string, readonly Buffer[]> {
  const found = new Map<string, Buffer[]>(terms.map((term) => [term, []]))
  for (const { term, postings } of read) found.get(terms[term] ?? '')?.push(postings)
  return found
}

/** Puts postings in rows, in each of which the numbers ascend: as few as there can be. */
function inRows(parts: readonly Buffer[]): Buffer[][] {
  const rows: Buffer[][] = []
  for (const part of [...parts].sort((one, other) => firstNumberOf(one) - firstNumberOf(other))) {
    const row = rows.find((others) => lastNumberOf(others[others.length - 1] ?? part) < firstNumberOf(part))
    if (row === undefined) rows.push([part])
    else row.push(part)
  }
  return rows
}

function countOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, { length }) => sum + length / POSTING_BYTES, 0)
}
