import { createHash, type Hash } from 'node:crypto'
import type { Knex } from 'knex'
import type { Row } from '../rows.js'

/** A table that is copied. */
export interface CopiedTable {
  /** Its full name, the same in both databases. */
  readonly name: string
  /** What tells its rows apart, in the order in which they are copied. */
  readonly key: readonly string[]
  /** Rows in one statement: small enough for the event loop, however large they may be. */
  readonly rowsPerPage: number
  /** A column that refers to the table itself: it is filled in once all rows are there. */
  readonly parent?: string
}

/** Rows, and the SHA-256 of what is in them. */
export interface TableDigest {
  readonly rows: number
  readonly sha256: string
}

/** Copies a table of SQLite's to one of PostgreSQL's with the same columns, and compares them. */
export class TableCopy {
  readonly #source: Knex
  readonly #target: Knex
  readonly #table: CopiedTable
  /** By column, by name. */
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

  /** Copies what the target does not have yet, as far as an earlier copy of the same source came. */
  async run(signal: AbortSignal, copied: (rows: number) => void): Promise<void> {
    const { parent } = this.#table
    const last = await this.#lastCopied()
    for await (const rows of this.#pages(this.#source, last)) {
      signal.throwIfAborted()
      await this.#insert(parent === undefined ? rows : rows.map((row) => ({ ...row, [parent]: null })))
      copied(rows.length)
    }
    if (parent !== undefined) await this.#fillIn(parent)
  }

  async digests(signal: AbortSignal): Promise<{ readonly source: TableDigest; readonly target: TableDigest }> {
    return {
      source: await this.#digest(this.#source, signal),
      target: await this.#digest(this.#target, signal),
    }
  }

  /** Rows are copied in the order of their key, a page at once or not at all: all before the last one are there. */
  async #lastCopied(): Promise<Row | undefined> {
    // The databases may sort texts differently: those are looked at from the beginning.
    if (this.#table.key.some((column) => this.#types.get(column) === 'text')) return undefined
    const order = this.#table.key.map((column) => ({ column, order: 'desc' as const }))
    const rows: readonly Row[] = await this.#target<Row>(this.#table.name).orderBy(order).limit(1)
    return rows[0] && this.#plain(rows[0])
  }

  async *#pages(knex: Knex, after?: Row): AsyncGenerator<readonly Row[]> {
    const { name, key, rowsPerPage } = this.#table
    const columns = key.map((column) => this.#sorted(knex, column)).join()
    for (let last = after; ; ) {
      const rows = await rowsOf(
        last === undefined
          ? knex.raw(`select * from ?? order by ${columns} limit ?`, [name, ...key, rowsPerPage])
          : knex.raw(
              `select * from ?? where (${columns}) > (${key.map(() => '?').join()}) order by ${columns} limit ?`,
              [name, ...key, ...key.map((column) => last?.[column] as Knex.Value), ...key, rowsPerPage],
            ),
      )
      if (rows.length > 0) yield rows.map((row) => this.#plain(row))
      if (rows.length < rowsPerPage) return
      last = this.#plain(rows.at(-1) ?? {})
    }
  }

  /** Texts byte by byte, as SQLite sorts them. */
  #sorted(knex: Knex, column: string): string {
    return knex === this.#target && this.#types.get(column) === 'text' ? '?? collate "C"' : '??'
  }

  async #insert(rows: readonly Row[]): Promise<void> {
    // PostgreSQL reads the values by the types of the table's own columns.
    await this.#target.raw(
      'insert into ?? select * from json_populate_recordset(null::??, ?::json) on conflict do nothing',
      [this.#table.name, this.#table.name, JSON.stringify(rows)],
    )
  }

  async #fillIn(parent: string): Promise<void> {
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

  /** Values as JSON has them, the same from either database. */
  #plain(row: Row): Row {
    return Object.fromEntries([...this.#types].map(([column, type]) => [column, plain(row[column], type)]))
  }
}

function plain(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null
  if (type === 'boolean') return Boolean(value)
  if (type === 'bigint' || type === 'integer' || type === 'double precision') return Number(value)
  if (type === 'bytea') return `\\x${Buffer.from(value as Uint8Array).toString('hex')}`
  return value
}

/** The drivers differ. */
async function rowsOf(asked: Knex.Raw): Promise<readonly Row[]> {
  const answer: unknown = await asked
  return Array.isArray(answer) ? (answer as readonly Row[]) : (answer as { readonly rows: readonly Row[] }).rows
}
