import type { DocumentFilter, IndexedChunk } from '../../../src/ports/index.js'
import type { NumberRange, PostingSource, PostingsRead } from '../posting-source.js'
import { POSTING_BYTES } from '../postings.js'
import { type CollectionState, readChunks, readRanges } from './chunk-runs.js'
import { ROW_BYTES, readPostings, readPostingsOf } from './posting-rows.js'
import type { SqliteConnection } from './sqlite-connection.js'

const POSTINGS_PER_ROW = ROW_BYTES / POSTING_BYTES

/** The postings in the file of a collection. */
export class SqlitePostingSource implements PostingSource {
  readonly totals: CollectionState
  readonly #reader: SqliteConnection
  readonly #counts: ReadonlyMap<string, number>

  /** @param counts the number of postings of each term of the query */
  constructor(reader: SqliteConnection, totals: CollectionState, counts: ReadonlyMap<string, number>) {
    this.totals = totals
    this.#reader = reader
    this.#counts = counts
  }

  count(terms: readonly string[]): Promise<readonly number[]> {
    return Promise.resolve(terms.map((term) => this.#counts.get(term) ?? 0))
  }

  async read(terms: readonly string[]): Promise<readonly PostingsRead[]> {
    return await readPostings(this.#reader, terms)
  }

  async readOf(terms: readonly string[], numbers: Uint32Array): Promise<readonly PostingsRead[]> {
    const rows = terms.reduce((sum, term) => sum + (this.#counts.get(term) ?? 0) / POSTINGS_PER_ROW, 0)
    // One look-up for each number takes longer than reading all rows if most rows are needed.
    if (numbers.length * terms.length > rows) return await this.read(terms)
    return await readPostingsOf(this.#reader, terms, numbers)
  }

  async rangesOf(filter: DocumentFilter): Promise<readonly NumberRange[]> {
    return await readRanges(this.#reader, filter)
  }

  async chunksOf(numbers: readonly number[]): Promise<ReadonlyMap<number, IndexedChunk>> {
    return await readChunks(this.#reader, numbers)
  }
}
