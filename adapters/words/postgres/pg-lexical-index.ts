import type { Knex } from 'knex'
import {
  type IndexedChunk,
  InvalidInputError,
  type LexicalAnswer,
  type LexicalIndex,
  type LexicalQuery,
  type LexicalRows,
  type LexicalSearchOptions,
  type Telemetry,
} from '../../../src/ports/index.js'
import { CollectionCalls } from '../collection-calls.js'
import type { CollectionTotals, PostingSource } from '../posting-source.js'
import { postingsOf } from '../postings.js'
import { MANY_CHUNKS, nothingFound, searchWords, type WordsFound } from '../word-search.js'
import {
  countChunks,
  countChunksByDocument,
  deleteRuns,
  insertRuns,
  numbersOf,
  readTotals,
  takeNumbers,
} from './chunk-runs.js'
import { inDatabase, isGone } from './errors.js'
import { pgPostingSource } from './pg-posting-source.js'
import { levelOf } from './posting-levels.js'
import { TableUpkeep } from './table-upkeep.js'
import { type WordTable, WordTables } from './word-tables.js'

/** How an index on PostgreSQL behaves. */
export interface PgLexicalOptions {
  /** Connections to PostgreSQL 13 or newer (client `pg`). The index destroys them, unless told otherwise. */
  readonly knex: Knex
  /** Put before every table's name; default `alcove_`. */
  readonly tablePrefix?: string
  /** Whether the host destroys `knex` itself; default false. */
  readonly keepKnex?: boolean
  /** Milliseconds after which upkeep that failed is tried again. Default 60,000. */
  readonly upkeepRetryMs?: number
  /** Hears of tables that could not be kept in order (`words.maintenance.failed`): it is tried again. */
  readonly telemetry?: Telemetry
}

/** What a search found, and the table it looked into; no table where there was none. */
interface SearchedTable {
  readonly found: WordsFound
  readonly table: WordTable
  /** Of the table. */
  readonly source: PostingSource
}

const PREFIX_PATTERN = /^[a-z_][a-z0-9_]{0,30}$/i
const ROWS_PER_STATEMENT = 1_000
/** Where totals may be estimated, they are read every so often. */
const TOTALS_KEPT_MS = 5_000
/** Tries of what needs tables that others may drop, and make again, all the time. */
const MOST_TRIES = 5

/**
 * An index of words in PostgreSQL, without any extension, shared by any number of processes. Each collection has a table
 * of postings: rows of (term, postings), each of which holds all chunks that have the term, out of one or many
 * additions. A search reads the rows of its terms and adds up BM25 exactly; it reads no row for each chunk. Additions
 * only add rows, deletions only remove chunks from a small table of runs; rows are merged and purged in the background.
 */
export class PgLexicalIndex implements LexicalIndex {
  readonly #knex: Knex
  readonly #keepKnex: boolean
  readonly #tables: WordTables
  readonly #upkeep: TableUpkeep
  readonly #totals = new Map<
    string,
    { readonly tableId: string; readonly totals: CollectionTotals; readonly at: number }
  >()
  readonly #calls = new CollectionCalls()

  /** @throws InvalidInputError for a `tablePrefix` that cannot be used */
  constructor(options: PgLexicalOptions) {
    const { knex, tablePrefix = 'alcove_', keepKnex = false, upkeepRetryMs = 60_000, telemetry } = options
    if (!PREFIX_PATTERN.test(tablePrefix)) {
      throw new InvalidInputError('tablePrefix', 'must be letters, digits and _, and begin with a letter or _')
    }
    this.#knex = knex
    this.#keepKnex = keepKnex
    this.#tables = new WordTables(knex, tablePrefix)
    this.#upkeep = new TableUpkeep(knex, this.#tables, { retryMs: upkeepRetryMs, telemetry })
  }

  /**
   * Makes what it needs in the database; otherwise its first use does.
   * @throws StorageError where the database's user lacks a right
   */
  async prepare(): Promise<void> {
    this.#calls.refuseIfClosed()
    await inDatabase('all collections', () => this.#tables.open())
  }

  async add(collection: string, rows: LexicalRows): Promise<void> {
    this.#calls.refuseIfClosed()
    if (rows.chunks.length === 0) return
    await this.#inTurn(collection, async () => {
      const table = await this.#again(collection, async () => {
        const found = await this.#tables.findOrMake(collection)
        await this.#insert(found, rows)
        return found
      })
      this.#upkeep.noteAddition(collection, table)
    })
  }

  async search(collection: string, query: LexicalQuery, options: LexicalSearchOptions): Promise<LexicalAnswer> {
    this.#calls.refuseIfClosed()
    const use = async (table: WordTable): Promise<SearchedTable> => {
      const totals = await this.#totalsOf(collection, table)
      const heard = (mostRows: number): void => this.#upkeep.noteSearch(collection, mostRows)
      const source = pgPostingSource(this.#knex, table, totals, heard)
      return { found: await searchWords(source, query, options), table, source }
    }
    const searched =
      query.size === 0 ? undefined : await this.#using<SearchedTable | undefined>(collection, undefined, use)
    if (searched === undefined) return nothingFound(query)
    const { hits, maximum } = searched.found
    return { hits, maximum, scoresOf: (chunks) => this.#scoresOf(collection, searched, chunks) }
  }

  async deleteDocument(collection: string, documentId: number, fromChunk: number): Promise<void> {
    this.#calls.refuseIfClosed()
    await this.#inTurn(collection, async () => {
      await this.#again(collection, async () => {
        const table = await this.#tables.find(collection)
        if (table === undefined) return
        await deleteRuns(this.#knex, table, documentId, fromChunk)
        this.#upkeep.noteDeletion(collection, table)
      })
    })
  }

  async count(collection: string, documentId: number): Promise<number> {
    this.#calls.refuseIfClosed()
    return await this.#using(collection, 0, (table) => countChunks(this.#knex, table, documentId))
  }

  async countByDocument(collection: string): Promise<ReadonlyMap<number, number>> {
    this.#calls.refuseIfClosed()
    const nothing: ReadonlyMap<number, number> = new Map()
    return await this.#using(collection, nothing, (table) => countChunksByDocument(this.#knex, table))
  }

  async listCollections(): Promise<readonly string[]> {
    this.#calls.refuseIfClosed()
    return await this.#calls.tracked(inDatabase('all collections', () => this.#tables.names()))
  }

  async drop(collection: string): Promise<void> {
    this.#calls.refuseIfClosed()
    await this.#inTurn(collection, async () => {
      this.#upkeep.forget(collection)
      this.#totals.delete(collection)
      await this.#tables.drop(collection)
    })
  }

  /** Does the upkeep that is due, and waits for it. Never needed; for tests and measurements. */
  async whenMaintained(): Promise<void> {
    this.#calls.refuseIfClosed()
    await this.#upkeep.finish()
  }

  /** Why the last upkeep failed, unless one has succeeded since. It is tried again. */
  get maintenanceError(): Error | undefined {
    return this.#upkeep.error
  }

  /** Upkeep is broken off after its step, and done later. */
  async close(): Promise<void> {
    if (this.#calls.isClosed) return
    this.#calls.refuse()
    await this.#upkeep.close()
    await this.#calls.settled()
    if (!this.#keepKnex) await this.#knex.destroy()
  }

  /** All of the rows or none of them. */
  async #insert(table: WordTable, rows: LexicalRows): Promise<void> {
    const first = await takeNumbers(this.#knex, table, rows.chunks.length)
    const added = await postingsOf(rows.terms, first)
    await this.#knex.transaction(async (transaction) => {
      await insertRuns(transaction, table, rows, first)
      for (let at = 0; at < added.length; at += ROWS_PER_STATEMENT) {
        const part = added.slice(at, at + ROWS_PER_STATEMENT)
        const postings = part.map((each) => each.postings)
        await transaction.raw(
          'insert into ?? (term, level, postings) select * from unnest(?::text[], ?::smallint[], ?::bytea[])',
          [table.postings, part.map(({ term }) => term), postings.map(levelOf), postings],
        )
      }
    })
  }

  async #scoresOf(
    collection: string,
    { found, table, source }: SearchedTable,
    chunks: readonly IndexedChunk[],
  ): Promise<readonly number[]> {
    this.#calls.refuseIfClosed()
    const look = async (): Promise<readonly number[]> => {
      try {
        return await found.scoresOf(source, await numbersOf(this.#knex, table, chunks))
      } catch (error) {
        if (!isGone(error)) throw error
        return chunks.map(() => 0)
      }
    }
    return await this.#calls.tracked(inDatabase(collection, look))
  }

  async #totalsOf(collection: string, table: WordTable): Promise<CollectionTotals> {
    const known = this.#totals.get(collection)
    if (known?.tableId === table.id && performance.now() - known.at < TOTALS_KEPT_MS) return known.totals
    const totals = await readTotals(this.#knex, table)
    if (totals.chunks > MANY_CHUNKS) this.#totals.set(collection, { tableId: table.id, totals, at: performance.now() })
    else this.#totals.delete(collection)
    return totals
  }

  async #inTurn(collection: string, work: () => Promise<void>): Promise<void> {
    await this.#calls.inTurn(collection, async () => await inDatabase(collection, work))
  }

  /** A collection that does not exist, or that somebody drops meanwhile, has nothing. */
  async #using<T>(collection: string, nothing: T, work: (table: WordTable) => Promise<T>): Promise<T> {
    const use = async (): Promise<T> => {
      const table = await this.#tables.find(collection)
      return table === undefined ? nothing : await work(table)
    }
    return await this.#calls.tracked(inDatabase(collection, () => this.#again(collection, use)))
  }

  /** Does it again where somebody else has dropped the tables that are known, and may have made others. */
  async #again<T>(collection: string, work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work()
      } catch (error) {
        if (!isGone(error) || tries >= MOST_TRIES) throw error
        this.#totals.delete(collection)
        this.#tables.forget(collection)
      }
    }
  }
}
