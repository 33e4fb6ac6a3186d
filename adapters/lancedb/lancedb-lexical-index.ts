import { availableParallelism } from 'node:os'
import type {
  IndexedChunk,
  LexicalAnswer,
  LexicalIndex,
  LexicalQuery,
  LexicalRows,
  LexicalSearchOptions,
} from '../../src/ports/index.js'
import { LanceCollections } from './lance-collections.js'
import type { LanceOptions } from './lance-options.js'
import { LanceTables } from './lance-tables.js'
import { emptyAnswer, LexicalSearch, scoresOf } from './lexical-search.js'
import { RecentWords } from './recent-words.js'
import { StatisticsKeeper } from './statistics-keeper.js'
import { TableMaintenance } from './table-maintenance.js'
import { placeOf } from './table-place.js'
import type { WordQuestion } from './word-candidates.js'
import { wordAddition, wordTables } from './word-tables.js'

/**
 * Terms of chunks in LanceDB: one table for each collection, with a full-text index. Lance finds the chunks, and they are
 * compared by BM25 with term statistics of the collection's own: all chunks counted, or a sample where the count was
 * lost. What writes leave behind is put in order between requests.
 */
export class LanceDbLexicalIndex implements LexicalIndex {
  readonly #collections: LanceCollections
  readonly #keeper: StatisticsKeeper
  readonly #search: LexicalSearch
  readonly #maintenance: TableMaintenance
  readonly #maintains: boolean
  /** More make nothing quicker: each uses several cores. */
  readonly concurrency: number = availableParallelism() + 1

  /**
   * @param place a folder of its own, made at the first write, or the URL of one in an object store, such as
   *   `s3://bucket/folder`
   */
  constructor(place: string, options: LanceOptions = {}) {
    const { compactApartFromBytes = 2 ** 24, maintains = true, telemetry } = options
    this.#maintains = maintains
    const tablePlace = placeOf('words', place, options)
    this.#keeper = new StatisticsKeeper(tablePlace.folder)
    const recent = tablePlace.isShared ? undefined : new RecentWords()
    this.#search = new LexicalSearch(this.#keeper, recent)
    const tables = new LanceTables(tablePlace, wordTables(this.#keeper, recent))
    this.#maintenance = new TableMaintenance(tables, undefined, {
      isAsked: !maintains,
      apartFromBytes: compactApartFromBytes,
      telemetry,
    })
    this.#collections = new LanceCollections(tables, this.#maintenance, 'the word index')
  }

  async add(collection: string, rows: LexicalRows): Promise<void> {
    this.#collections.refuseIfClosed()
    if (rows.chunks.length > 0) await this.#collections.add(collection, wordAddition(rows))
  }

  async search(collection: string, query: LexicalQuery, options: LexicalSearchOptions): Promise<LexicalAnswer> {
    this.#collections.refuseIfClosed()
    return await this.#collections.read(collection, emptyAnswer(query), async (open) => {
      const { hits, maximum, question } = await this.#search.best(open, query, options)
      return { hits, maximum, scoresOf: (chunks) => this.#scoresOf(collection, question, chunks) }
    })
  }

  async #scoresOf(
    collection: string,
    question: WordQuestion,
    chunks: readonly IndexedChunk[],
  ): Promise<readonly number[]> {
    this.#collections.refuseIfClosed()
    const nothing = chunks.map(() => 0)
    return await this.#collections.read(collection, nothing, ({ table }) => scoresOf(table, question, chunks))
  }

  async deleteDocument(collection: string, documentId: number, fromChunk: number): Promise<void> {
    await this.#collections.deleteDocument(collection, documentId, fromChunk)
  }

  async count(collection: string, documentId: number): Promise<number> {
    return await this.#collections.count(collection, documentId)
  }

  async countByDocument(collection: string): Promise<ReadonlyMap<number, number>> {
    return await this.#collections.countByDocument(collection)
  }

  async listCollections(): Promise<readonly string[]> {
    return await this.#collections.names()
  }

  async drop(collection: string): Promise<void> {
    await this.#collections.drop(collection)
    this.#keeper.forget(collection)
  }

  /**
   * Puts the open tables in order now, and waits until nothing is left to be done: fragments merged, all rows indexed,
   * statistics written, old versions removed. Versions stay for a minute after a newer one. Never needed; for tests,
   * measurements and checks.
   */
  async whenMaintained(): Promise<void> {
    this.#collections.refuseIfClosed()
    await this.#maintenance.finish()
  }

  /** Why the last work of maintenance failed, while it has not succeeded since: it is tried again later. */
  get maintenanceError(): Error | undefined {
    return this.#maintenance.error
  }

  /** Also waits for a compaction that is under way. */
  async close(): Promise<void> {
    await this.#collections.close()
    if (this.#maintains) await this.#keeper.saveAll()
  }
}
