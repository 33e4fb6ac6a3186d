import type { Knex } from 'knex'
import type { Page, RowPage } from '../../../src/ports/index.js'
import type { Dialect } from '../dialect.js'
import { number, type Row } from '../rows.js'
import { type NameTable, quoted, type TableName } from '../tables.js'

/** Rows, or values of a list, in one statement: well below the number of variables that either database takes. */
const ITEMS_PER_STATEMENT = 100

/** Rows that are read at once: the driver makes objects of them at one go, on the event loop. */
const ROWS_PER_PAGE = 500

/** All rows of a long list, page by page. `read` gives those behind a row, in their order, so many at most. */
export async function allPages(
  read: (last: Row | undefined, limit: number) => PromiseLike<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const page = await read(rows.at(-1), ROWS_PER_PAGE)
    rows.push(...page)
    if (page.length < ROWS_PER_PAGE) return rows
    // A list of a host's own driver may come without a turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
}

/** A list in parts that fit in one statement each. */
export function* inParts<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += ITEMS_PER_STATEMENT) yield items.slice(at, at + ITEMS_PER_STATEMENT)
}

/** What every repository works with: a connection or a transaction, and the tables' names. */
export interface Session {
  readonly knex: Knex
  readonly dialect: Dialect
  readonly name: NameTable
  /** Takes the kinds of jobs that are due at once: they are announced once they are committed. */
  readonly enqueuedKinds: Set<string>
}

/** The statements that most repositories share. */
export abstract class KnexRepository {
  protected readonly session: Session
  readonly #table: TableName

  constructor(session: Session, table: TableName) {
    this.session = session
    this.#table = table
  }

  protected get rows(): Knex.QueryBuilder<Row, Row[]> {
    return this.session.knex<Row>(this.session.name(this.#table))
  }

  protected async insertRow(row: Row): Promise<number> {
    const inserted = await this.rows.insert(row).returning('id')
    return Number(inserted[0]?.id)
  }

  protected async getRow(id: number): Promise<Row | undefined> {
    // The most frequent of all statements: to build it with knex takes as long as to run it.
    return (await this.rawRows(`select * from ${quoted(this.session.name(this.#table))} where id = ?`, [id]))[0]
  }

  /**
   * A part of a list.
   * @param wanted the rows of the whole list, in any order; made anew by each call
   * @param texts columns that may be large
   */
  protected async pageOf(
    wanted: () => Knex.QueryBuilder<Row, Row[]>,
    page: RowPage | undefined,
    texts: readonly string[] = [],
  ): Promise<readonly Row[]> {
    if (page === undefined) return await wanted().orderBy('id').select()
    const { after, upTo, limit, maxBytes } = page
    const from = () => {
      const rows = wanted().where('id', '>', after).orderBy('id').limit(limit)
      return upTo === undefined ? rows : rows.where('id', '<=', upTo)
    }
    if (maxBytes === undefined || texts.length === 0) return await from().select()
    // Neither database reads a text to tell its size.
    const size = texts.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ')
    const sizes: Row[] = await from().select('id', this.session.knex.raw(`${size} as bytes`))
    let [last, bytes] = [after, 0]
    for (const row of sizes) {
      bytes += number(row, 'bytes')
      if (last !== after && bytes > maxBytes) break
      last = number(row, 'id')
    }
    return last === after ? [] : await from().where('id', '<=', last).select()
  }

  /** Ids of a part of a list. @param wanted as {@link pageOf} */
  protected async idsOf(wanted: Knex.QueryBuilder<Row, Row[]>, { after, limit }: Page): Promise<readonly number[]> {
    const rows: Row[] = await wanted.where('id', '>', after).orderBy('id').limit(limit).select('id')
    return rows.map((row) => number(row, 'id'))
  }

  /** How many rows there are. */
  protected async countOf(wanted: Knex.QueryBuilder<Row, Row[]>): Promise<number> {
    const rows: readonly Row[] = await wanted.count<Row[]>({ count: '*' })
    return Number(rows[0]?.['count'] ?? 0)
  }

  /** Rows of a statement that knex does not build. */
  protected async rawRows(sql: string, bindings: readonly Knex.RawBinding[]): Promise<readonly Row[]> {
    const result = await this.session.knex.raw<readonly Row[] | { readonly rows: readonly Row[] }>(sql, [...bindings])
    // The drivers differ.
    return 'rows' in result ? result.rows : result
  }

  /** Changes rows by their ids, each in its own way, by one statement for many. */
  protected async updateEach(
    types: Readonly<Record<string, 'bigint' | 'text'>>,
    rows: readonly Row[],
    tableName: TableName = this.#table,
  ): Promise<void> {
    const table = this.session.name(tableName)
    const columns = Object.keys(types)
    const values = `(${Object.values({ id: 'bigint', ...types })
      .map((type) => `cast(? as ${type})`)
      .join()})`
    for (const part of inParts(rows)) {
      await this.session.knex.raw(
        `with changed(id, ${columns.join()}) as (values ${part.map(() => values).join()})
         update ?? set ${columns.map((column) => `${column} = changed.${column}`).join()}
         from changed where ??.id = changed.id`,
        [...part.flatMap((row) => ['id', ...columns].map((column) => row[column] as Knex.Value)), table, table],
      )
    }
  }

  /** The database's own time in so many milliseconds. Its columns take whole ones only. */
  protected fromNow(ms: number): Knex.Raw {
    return this.session.knex.raw(`${this.session.dialect.nowMs} + ?`, [Math.round(ms)])
  }

  /** @returns whether a row changed. */
  protected async updateRow(id: number, changes: Row): Promise<boolean> {
    return (await this.rows.where('id', id).update(changes)) > 0
  }
}
