import type { Knex } from 'knex'
import type { Page, RowPage, UsersFilter } from '../../../src/ports/index.js'
import type { Dialect } from '../dialect.js'
import { type NameTable, number, quoted, type Row, type TableName } from '../tables.js'

/** Rows, or values of a list, in one statement: far below the number of bindings that both databases allow. */
const ITEMS_PER_STATEMENT = 100

/** Rows that are read at once. The driver converts a page to objects in one step, which blocks the event loop. */
const ROWS_PER_PAGE = 500

/** The connection or transaction of a repository, and the names of the tables. */
export interface Session {
  readonly knex: Knex
  readonly dialect: Dialect
  readonly name: NameTable
  /** Repositories add the kinds of jobs that are due at once. They are announced after the commit. */
  readonly enqueuedKinds: Set<string>
}

/** The statements that most repositories have in common. */
export abstract class KnexRepository {
  constructor(
    protected readonly session: Session,
    private readonly table: TableName,
  ) {}

  protected get rows(): Knex.QueryBuilder<Row, Row[]> {
    return this.session.knex<Row>(this.session.name(this.table))
  }

  protected async insertRow(row: Row): Promise<number> {
    const inserted = await this.rows.insert(row).returning('id')
    return Number(inserted[0]?.id)
  }

  protected async getRow(id: number): Promise<Row | undefined> {
    // The most frequent of all statements. Building it with knex would take as long as running it.
    return (await this.rawRows(`select * from ${quoted(this.session.name(this.table))} where id = ?`, [id]))[0]
  }

  /**
   * Reads a page of a list.
   * @param buildQuery returns a new query for the rows of the whole list, in any order
   * @param largeColumns text columns that may be large, which `maxBytes` of the page counts
   */
  protected async pageOf(
    buildQuery: () => Knex.QueryBuilder<Row, Row[]>,
    page: RowPage | undefined,
    largeColumns: readonly string[] = [],
  ): Promise<readonly Row[]> {
    if (page === undefined) return await buildQuery().orderBy('id').select()
    const { after, upTo, limit, maxBytes } = page
    const pageQuery = () => {
      const rows = buildQuery().where('id', '>', after).orderBy('id').limit(limit)
      return upTo === undefined ? rows : rows.where('id', '<=', upTo)
    }
    if (maxBytes === undefined || largeColumns.length === 0) return await pageQuery().select()
    const sizes: Row[] = await pageQuery().select('id', this.session.knex.raw(`${sizeOf(largeColumns)} as bytes`))
    const last = lastWithin(sizes, maxBytes)
    return last === undefined ? [] : await pageQuery().where('id', '<=', number(last, 'id')).select()
  }

  /** Reads the ids of a page of a list. @param query the rows of the whole list, in any order */
  protected async idsOf(
    query: Knex.QueryBuilder<Row, Row[]>,
    { after, limit }: Page,
    key = 'id',
  ): Promise<readonly number[]> {
    const rows: Row[] = await query.where(key, '>', after).orderBy(key).limit(limit).select(key)
    return rows.map((row) => number(row, key))
  }

  /** Counts the rows of a query. */
  protected async countOf(query: Knex.QueryBuilder<Row, Row[]>): Promise<number> {
    const rows: readonly Row[] = await query.count<Row[]>({ count: '*' })
    return Number(rows[0]?.['count'] ?? 0)
  }

  /** Runs a statement that knex does not build. @returns its rows */
  protected async rawRows(sql: string, bindings: readonly Knex.RawBinding[]): Promise<readonly Row[]> {
    return await readRawRows(this.session, sql, bindings)
  }

  /** Writes different values to many rows, with one statement for each part. @param rows the ids and the new values */
  protected async updateEach(
    types: Readonly<Record<string, 'bigint' | 'text'>>,
    rows: readonly Row[],
    tableName: TableName = this.table,
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

  /** The database's time plus some milliseconds, which are rounded: the columns are integers. */
  protected fromNow(ms: number): Knex.Raw {
    return this.session.knex.raw(`${this.session.dialect.nowMs} + ?`, [Math.round(ms)])
  }

  /** @returns true if a row was changed */
  protected async updateRow(id: number, changes: Row): Promise<boolean> {
    return (await this.rows.where('id', id).update(changes)) > 0
  }
}

/** Runs a statement that knex does not build. @returns its rows */
export async function readRawRows(
  { knex }: Session,
  sql: string,
  bindings: readonly Knex.RawBinding[],
): Promise<readonly Row[]> {
  const result = await knex.raw<readonly Row[] | { readonly rows: readonly Row[] }>(sql, [...bindings])
  // The driver of SQLite returns the rows, the driver of PostgreSQL an object that contains them.
  return 'rows' in result ? result.rows : result
}

/** @returns the last row until which all have at most `maxBytes` together, but the first in any case */
export function lastWithin(sizes: readonly Row[], maxBytes: number): Row | undefined {
  let [last, bytes]: [Row | undefined, number] = [undefined, 0]
  for (const row of sizes) {
    bytes += number(row, 'bytes')
    if (last !== undefined && bytes > maxBytes) break
    last = row
  }
  return last
}

/** SQL for the size of large texts. Neither database reads a text to get its size. */
export function sizeOf(columns: readonly string[]): string {
  return columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ')
}

/**
 * Reads all rows of a long list, page by page.
 * @param readPage returns the rows after `last`, in their order, at most `limit`
 */
export async function readAllPages(
  readPage: (last: Row | undefined, limit: number) => PromiseLike<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const page = await readPage(rows.at(-1), ROWS_PER_PAGE)
    rows.push(...page)
    if (page.length < ROWS_PER_PAGE) return rows
    // The driver of a host may answer without giving the event loop a turn.
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
}

/** Divides a list into parts that fit into one statement each. */
export function* inParts<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += ITEMS_PER_STATEMENT) yield items.slice(at, at + ITEMS_PER_STATEMENT)
}

/** Selects the ids of the users that a filter names, deleted or not. */
export function idsOfUsers({ knex, name }: Session, filter: UsersFilter): Knex.QueryBuilder {
  const users = knex.select('id').from(name('users'))
  return 'userId' in filter ? users.where('id', filter.userId) : users.where('company_id', filter.companyId)
}
