import type { Knex } from 'knex'
import type { Dialect } from '../dialect.js'
import type { Row } from '../rows.js'
import type { NameTable, TableName } from '../tables.js'

/** What every repository works with: a connection or a transaction, and the tables' names. */
export interface Session {
  readonly knex: Knex
  readonly dialect: Dialect
  readonly name: NameTable
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
    return (await this.rows.where('id', id).select())[0]
  }

  /** @returns whether a row changed. */
  protected async updateRow(id: number, changes: Row): Promise<boolean> {
    return (await this.rows.where('id', id).update(changes)) > 0
  }
}
