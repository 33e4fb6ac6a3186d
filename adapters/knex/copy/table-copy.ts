import { createHash, type Hash } from 'node:crypto'
import type { Knex } from 'knex'
import type { Row } from '../rows.js'

/** A table to copy. */
export interface CopiedTable {
  /** The full name, with the prefix. It is the same in both databases. */
  readonly name: string
  /** The columns of the primary key. Rows are copied in their order. */
  readonly key: readonly string[]
  /** Rows in one statement. Small enough that the largest possible rows do not block the event loop. */
  readonly rowsPerPage: number
  /** A column that refers to the same table. It is filled in after all rows are copied. */
  readonly parent?: string
}

/** The number of rows of a table, and the SHA-256 of their values. */
export interface TableDigest {
  readonly rows: number
  readonly sha256: string
}

/** Copies a table of SQLite to a table of PostgreSQL with the same columns, and compares the two. */
export class TableCopy {
  readonly #source: Knex
  readonly #target: Knex
  readonly #table: CopiedTable
  /** The type of each column in PostgreSQL, sorted by the column's name. */
  readonly #types: ReadonlyMap<string, string>

  private constructor(source: Knex, target: Knex, table: CopiedTable, types: ReadonlyMap<string, string>) {
    this.#source = source
    this.#target = target
    this.#table = table
    this.#types = types
  }

  static async open(source: Knex, target: Knex, table: CopiedTable): Promise<TableCopy> {
    const found = await rowsOf(
      target.raw(
        `select column_name as name, data_type as type from information_schema.columns
         where table_schema = current_schema() and table_name = ? order by column_name`,
        [table.name],
      ),
    )
    return new TableCopy(source, target, table, new Map(found.map(({ name, type }) => [String(name), String(type)])))
  }

  /** Copies the rows that the target does not have yet, so that an interrupted copy of the same source continues. */
  async run(signal: AbortSignal, onCopied: (rows: number) => void): Promise<void> {
    const { parent } = this.#table
    const last = await this.#lastCopied()
    for await (const rows of this.#pages(this.#source, last)) {
      signal.throwIfAborted()
      await this.#insert(parent === undefined ? rows : rows.map((row) => ({ ...row, [parent]: null })))
      onCopied(rows.length)
    }
    if (parent !== undefined) await this.#fillInParents(parent)
  }

  async digests(signal: AbortSignal): Promise<{ readonly source: TableDigest; readonly target: TableDigest }> {
    return {
      source: await this.#digest(this.#source, signal),
      target: await this.#digest(this.#target, signal),
    }
  }

  /** The last row of the target. Pages are copied in the order of the key, so the target has all rows before it. */
  async #lastCopied(): Promise<Row | undefined> {
    // The databases may sort texts differently, so a table with a text in its key is copied from the first row.
    if (this.#table.key.some((column) => this.#types.get(column) === 'text')) return undefined
    const order = this.#table.key.map((column) => ({ column, order: 'desc' as const }))
    const rows: readonly Row[] = await this.#target<Row>(this.#table.name).orderBy(order).limit(1)
    return rows[0] && this.#toPlainRow(rows[0])
  }

  async *#pages(knex: Knex, firstAfter?: Row): AsyncGenerator<readonly Row[]> {
    const { name, key, rowsPerPage } = this.#table
    const columns = key.map((column) => this.#orderTerm(knex, column)).join()
    for (let last = firstAfter; ; ) {
      const rows = await rowsOf(
        last === undefined
          ? knex.raw(`select * from ?? order by ${columns} limit ?`, [name, ...key, rowsPerPage])
          : knex.raw(
              `select * from ?? where (${columns}) > (${key.map(() => '?').join()}) order by ${columns} limit ?`,
              [name, ...key, ...key.map((column) => last?.[column] as Knex.Value), ...key, rowsPerPage],
            ),
      )
      if (rows.length > 0) yield rows.map((row) => this.#toPlainRow(row))
      if (rows.length < rowsPerPage) return
      last = this.#toPlainRow(rows.at(-1) ?? {})
    }
  }

  /** The placeholder of a key column. Texts are compared byte by byte, as SQLite does. */
  #orderTerm(knex: Knex, column: string): string {
    return knex === this.#target && this.#types.get(column) === 'text' ? '?? collate "C"' : '??'
  }

  async #insert(rows: readonly Row[]): Promise<void> {
    // PostgreSQL converts the JSON values to the types of the table's columns.
    await this.#target.raw(
      'insert into ?? select * from json_populate_recordset(null::??, ?::json) on conflict do nothing',
      [this.#table.name, this.#table.name, JSON.stringify(rows)],
    )
  }

  async #fillInParents(parent: string): Promise<void> {
    for await (const rows of this.#pages(this.#source)) {
      await this.#target.raw(
        `update ?? as row set ?? = given.?? from json_populate_recordset(null::??, ?::json) as given
         where row.id = given.id and given.?? is not null`,
        [this.#table.name, parent, parent, this.#table.name, JSON.stringify(rows), parent],
      )
    }
  }

  async #digest(knex: Knex, signal: AbortSignal): Promise<TableDigest> {
    const hash: Hash = createHash('sha256')
    let count = 0
    for await (const rows of this.#pages(knex)) {
      signal.throwIfAborted()
      count += rows.length
      for (const row of rows) hash.update(JSON.stringify([...this.#types.keys()].map((column) => row[column] ?? null)))
    }
    return { rows: count, sha256: hash.digest('hex') }
  }

  /** The values of a row in a JSON form that is the same for both databases. */
  #toPlainRow(row: Row): Row {
    return Object.fromEntries([...this.#types].map(([column, type]) => [column, toPlainValue(row[column], type)]))
  }
}

function toPlainValue(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null
  if (type === 'boolean') return Boolean(value)
  if (type === 'bigint' || type === 'integer' || type === 'double precision') return Number(value)
  if (type === 'bytea') return `\\x${Buffer.from(value as Uint8Array).toString('hex')}`
  return value
}

/** Runs a statement. The driver of SQLite returns the rows, the driver of PostgreSQL an object that contains them. */
async function rowsOf(statement: Knex.Raw): Promise<readonly Row[]> {
  const result: unknown = await statement
  return Array.isArray(result) ? (result as readonly Row[]) : (result as { readonly rows: readonly Row[] }).rows
}
