import type { Knex } from 'knex'
import { LRUCache } from 'lru-cache'
import {
  type DocumentIds,
  findSimilar,
  type IndexedChunk,
  type LexicalAnswer,
  type LexicalIndex,
  type LexicalQuery,
  type LexicalRows,
  type LexicalSearchOptions,
  type LexicalStatistics,
  type Telemetry,
  type TermCount,
} from '../../../src/ports/index.js'
import {
  CollectionCalls,
  healthConnectionOf,
  isTableMissing,
  promptly,
  requireTablePrefix,
} from '../../node-kit/index.js'
import { type CollectionTotals, MANY_CHUNKS, type PostingSource } from '../posting-source.js'
import { postingsOf } from '../postings.js'
import { SimilarCache } from '../similar-cache.js'
import { countTerms } from '../term-counts.js'
import type { WordGroups } from '../word-groups.js'
import { NO_STATISTICS, nothingFound, readStatistics, searchWords, type WordsFound } from '../word-search.js'
import {
  countChunks,
  countChunksByDocument,
  deleteRuns,
  insertRuns,
  readNumbers,
  readTotals,
  replaceRuns,
  reserveNumbers,
} from './chunk-runs.js'
import { withDatabaseErrors } from './errors.js'
import { levelOf, pgPostingSource, readTerms } from './posting-rows.js'
import { addGrams, vocabularyOf } from './similar-rows.js'
import { TableMaintenance } from './table-maintenance.js'
import { type WordTable, WordTables } from './word-tables.js'

/** Options of a word index in PostgreSQL. */
export interface PgLexicalOptions {
  /** Connections to PostgreSQL 13 or newer (client `pg`). The index destroys them, unless `keepKnex` is true. */
  readonly knex: Knex
  /** The prefix of every table's name. Default: `alcove_`. */
  readonly tablePrefix?: string
  /** True if the host destroys `knex` itself. Default: false. */
  readonly keepKnex?: boolean
  /** Receives reports of maintenance that failed (`words.maintenance.failed`). It is retried. */
  readonly telemetry?: Telemetry
}

/** The result of a search, and the table that it read. */
interface SearchedTable {
  readonly found: WordsFound
  readonly groups: WordGroups
  readonly table: WordTable
  /** The postings of the table. */
  readonly source: PostingSource
}

const ROWS_PER_STATEMENT = 1_000
/** The time for which estimated totals are kept, and the number of collections with kept totals. */
const TOTALS_KEPT_MS = 5_000
const MAX_TOTALS = 10_000

/**
 * A word index in PostgreSQL, without any extension, for any number of processes. Each collection has a table of
 * postings: rows of (term, postings). The rows of a term have all its chunks, out of one or many additions. A search
 * reads the rows of its terms and adds up BM25 exactly; it reads no row for each chunk. Additions only add rows.
 * Deletions only remove chunks from a small table of runs. Maintenance merges and purges rows in the background.
 */
export class PgLexicalIndex implements LexicalIndex {
  /** Few, because the calls hold connections of the pool, which all companies share. */
  readonly concurrency = 4
  readonly #knex: Knex
  readonly #keepKnex: boolean
  readonly #tables: WordTables
  readonly #maintenance: TableMaintenance
  /** A lost entry is harmless: the next search reads the totals again. */
  readonly #totals = new LRUCache<string, { readonly tableId: string; readonly totals: CollectionTotals }>({
    max: MAX_TOTALS,
    ttl: TOTALS_KEPT_MS,
  })
  readonly #calls = new CollectionCalls('the word index')
  readonly #similar = new SimilarCache<never>()

  /** @throws InvalidInputError for an invalid `tablePrefix` */
  constructor(options: PgLexicalOptions) {
    const { knex, tablePrefix = 'alcove_', keepKnex = false, telemetry } = options
    requireTablePrefix(tablePrefix)
    this.#knex = knex
    this.#keepKnex = keepKnex
    this.#tables = new WordTables(knex, tablePrefix)
    this.#maintenance = new TableMaintenance(knex, this.#tables, telemetry)
  }

  /**
   * Creates the tables that the index needs. Otherwise the first call creates them.
   * @throws StorageError if the database's user lacks a right
   */
  async prepare(): Promise<void> {
    this.#calls.refuseIfClosed()
    await withDatabaseErrors('all collections', () => this.#tables.open())
  }

  async add(collection: string, rows: LexicalRows): Promise<void> {
    this.#calls.refuseIfClosed()
    if (rows.chunks.length === 0) return
    await this.#inTurn(collection, async () => {
      const table = await this.#tables.retryIfDropped(collection, async () => {
        const found = await this.#tables.findOrMake(collection)
        await this.#insert(found, rows)
        return found
      })
      this.#maintenance.noteAddition(collection, table)
    })
  }

  async search(collection: string, query: LexicalQuery, options: LexicalSearchOptions): Promise<LexicalAnswer> {
    this.#calls.refuseIfClosed()
    const use = async (table: WordTable): Promise<SearchedTable> => {
      const { source, groups } = await this.#countedSource(collection, table, [...query.keys()], options.similarTo)
      return { found: await searchWords(source, query, options, groups), groups, table, source }
    }
    const searched =
      query.size === 0
        ? undefined
        : await promptly(async () => await this.#useIfExists<SearchedTable | undefined>(collection, undefined, use))
    if (searched === undefined) return nothingFound(query, options)
    const { hits, maximum, idfs, shortfall } = searched.found
    return {
      hits,
      maximum,
      idfs,
      shortfall,
      similar: searched.groups,
      scoresOf: (chunks) => promptly(() => this.#scoresOf(collection, searched, chunks)),
    }
  }

  async statistics(
    collection: string,
    terms: readonly string[],
    similarTo?: ReadonlySet<string>,
  ): Promise<LexicalStatistics> {
    this.#calls.refuseIfClosed()
    const read = async (table: WordTable): Promise<LexicalStatistics> => {
      const { source, groups } = await this.#countedSource(collection, table, terms, similarTo)
      return await readStatistics(source, terms, groups)
    }
    return await promptly(async () => await this.#useIfExists(collection, NO_STATISTICS, read))
  }

  async countTerms(
    collection: string,
    terms: readonly string[],
    { documents }: { readonly documents?: DocumentIds } = {},
  ): Promise<ReadonlyMap<string, TermCount>> {
    this.#calls.refuseIfClosed()
    const emptyResult: ReadonlyMap<string, TermCount> = new Map()
    const count = async (table: WordTable) =>
      await countTerms(await this.#sourceOf(collection, table), terms, documents)
    return await promptly(async () => await this.#useIfExists(collection, emptyResult, count))
  }

  async findTerms(collection: string, prefixes: readonly string[]): Promise<readonly string[]> {
    this.#calls.refuseIfClosed()
    const read = async (table: WordTable) => await readTerms(this.#knex, table, prefixes)
    return await promptly(async () => await this.#useIfExists<readonly string[]>(collection, [], read))
  }

  async deleteDocument(collection: string, documentId: number, fromChunk: number): Promise<void> {
    this.#calls.refuseIfClosed()
    await this.#inTurn(collection, async () => {
      await this.#tables.use(collection, undefined, async (table) => {
        await deleteRuns(this.#knex, table, documentId, fromChunk)
        this.#maintenance.noteDeletion(collection, table)
      })
    })
  }

  async count(collection: string, documentId: number): Promise<number> {
    this.#calls.refuseIfClosed()
    return await this.#useIfExists(collection, 0, (table) => countChunks(this.#knex, table, documentId))
  }

  async countByDocument(collection: string): Promise<ReadonlyMap<number, number>> {
    this.#calls.refuseIfClosed()
    const emptyResult: ReadonlyMap<number, number> = new Map()
    return await this.#useIfExists(collection, emptyResult, (table) => countChunksByDocument(this.#knex, table))
  }

  async listCollections(): Promise<readonly string[]> {
    this.#calls.refuseIfClosed()
    return await promptly(
      async () => await this.#calls.track(withDatabaseErrors('all collections', () => this.#tables.names())),
    )
  }

  async check(): Promise<void> {
    this.#calls.refuseIfClosed()
    await withDatabaseErrors('all collections', async () => await healthConnectionOf(this.#knex).check())
  }

  async drop(collection: string): Promise<void> {
    this.#calls.refuseIfClosed()
    await this.#inTurn(collection, async () => {
      this.#maintenance.forget(collection)
      this.#totals.delete(collection)
      await this.#tables.drop(collection)
    })
  }

  /** Does the maintenance that is due, and waits for it. No host needs this call; it is for tests and measurements. */
  async whenMaintained(): Promise<void> {
    this.#calls.refuseIfClosed()
    await this.#maintenance.finish()
  }

  /** The error of the last maintenance; `undefined` once maintenance has succeeded. Failed work is retried. */
  get maintenanceError(): Error | undefined {
    return this.#maintenance.error
  }

  /** Stops maintenance after its step in progress; the rest is done later. */
  async close(): Promise<void> {
    if (this.#calls.isClosed) return
    this.#calls.refuse()
    await this.#maintenance.close()
    await this.#calls.waitForCalls()
    await healthConnectionOf(this.#knex).close()
    if (!this.#keepKnex) await this.#knex.destroy()
  }

  /** Adds all of the rows or none of them. */
  async #insert(table: WordTable, rows: LexicalRows): Promise<void> {
    const first = await reserveNumbers(this.#knex, table, rows.chunks.length)
    const added = await postingsOf(rows, first)
    await this.#knex.transaction(async (transaction) => {
      await replaceRuns(transaction, table, rows)
      await insertRuns(transaction, table, rows, first)
      for (let at = 0; at < added.length; at += ROWS_PER_STATEMENT) {
        const part = added.slice(at, at + ROWS_PER_STATEMENT)
        const postings = part.map((entry) => entry.postings)
        await transaction.raw(
          'insert into ?? (term, level, postings) select * from unnest(?::text[], ?::smallint[], ?::bytea[])',
          [table.postings, part.map(({ term }) => term), postings.map(levelOf), postings],
        )
      }
      // Last: another addition of the same new terms waits from here on.
      await addGrams(
        transaction,
        table,
        added.map(({ term }) => term),
      )
    })
  }

  async #scoresOf(
    collection: string,
    { found, table, source }: SearchedTable,
    chunks: readonly IndexedChunk[],
  ): Promise<readonly number[]> {
    this.#calls.refuseIfClosed()
    const score = async (): Promise<readonly number[]> => {
      try {
        return await found.scoresOf(source, await readNumbers(this.#knex, table, chunks))
      } catch (error) {
        if (!isTableMissing(error)) throw error
        return chunks.map(() => 0)
      }
    }
    return await this.#calls.track(withDatabaseErrors(collection, score))
  }

  /** The postings of a collection, with the terms that are like those of `similarTo`. */
  async #countedSource(
    collection: string,
    table: WordTable,
    terms: readonly string[],
    similarTo: ReadonlySet<string> | undefined,
  ): Promise<{ readonly source: PostingSource; readonly groups: WordGroups }> {
    const source = await this.#sourceOf(collection, table)
    const state = { ...source.totals, id: table.id }
    const { groups } = await this.#similar.count(collection, terms, similarTo, {
      // The source counts, because another process may have added postings since the totals were read.
      count: () => Promise.resolve({ state, marks: new Map<string, never>() }),
      findSimilar: async (words) => ({
        groups: await findSimilar(vocabularyOf(this.#knex, table), words),
        marks: new Map<string, never>(),
      }),
    })
    return { source, groups }
  }

  async #sourceOf(collection: string, table: WordTable): Promise<PostingSource> {
    const totals = await this.#totalsOf(collection, table)
    const noteRows = (mostRows: number): void => this.#maintenance.noteSearch(collection, mostRows)
    return pgPostingSource(this.#knex, table, totals, noteRows)
  }

  async #totalsOf(collection: string, table: WordTable): Promise<CollectionTotals> {
    const known = this.#totals.get(collection)
    if (known?.tableId === table.id) return known.totals
    const totals = await readTotals(this.#knex, table)
    if (totals.chunks > MANY_CHUNKS) this.#totals.set(collection, { tableId: table.id, totals })
    else this.#totals.delete(collection)
    return totals
  }

  async #inTurn(collection: string, work: () => Promise<void>): Promise<void> {
    await this.#calls.runInTurn(collection, async () => await withDatabaseErrors(collection, work))
  }

  /**
   * Runs work on a collection. A collection that does not exist, or that another process drops in the meantime, gives
   * `emptyResult`.
   */
  async #useIfExists<T>(collection: string, emptyResult: T, work: (table: WordTable) => Promise<T>): Promise<T> {
    return await this.#calls.track(
      withDatabaseErrors(collection, () => this.#tables.use(collection, emptyResult, work)),
    )
  }
}
