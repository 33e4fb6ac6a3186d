import { createHash, type Hash } from 'node:crypto'
import type { Knex } from 'knex'
import { MigrationFailedError } from '../../src/index.js'
import { withTranslatedErrors } from './errors.js'
import { type NameTable, type Row, TABLES, type TableName, text } from './tables.js'

/**
 * The key of the setting that marks a migration. In the folder's database it names the copy that was started. In the
 * target database it holds the state of the copy, with the ids of the database and of the copy.
 */
export const MIGRATION_SETTING = 'migration'

/** The settings are copied last, in one transaction: an engine accepts the database only once they are there. */
const SETTINGS = 'settings'
/**
 * Each database has its own settings and schema version. There are no uploads: no engine accepts any during the copy.
 */
const NOT_COPIED: ReadonlySet<TableName> = new Set([SETTINGS, 'schema', 'uploads'])
/** Primary keys of the tables whose key is not `id`. */
const KEY_COLUMNS: Partial<Record<TableName, readonly string[]>> = {
  password_tokens: ['token_hash'],
  rates: ['name'],
  one_time_passwords: ['user_id'],
  recovery_codes: ['user_id', 'code_hash'],
  revoked_tokens: ['token_hash'],
  windows: ['document_id', 'chunk', 'ordinal'],
}
/** Tables whose rows may have a megabyte each. */
const TABLES_WITH_LARGE_ROWS: ReadonlySet<TableName> = new Set(['contexts', 'events', 'attempts'])
const LARGE_ROWS_PER_PAGE = 20
const ROWS_PER_PAGE = 250
const COPIED = TABLES.filter((table) => !NOT_COPIED.has(table))

const TARGET_CHANGED =
  'another process has written to the database during the migration: stop it, and run the migration again, which ' +
  'starts from the beginning'

export interface DatabaseCopyOptions {
  /** SQLite, in a transaction that locks out all writers. */
  readonly source: Knex
  /** PostgreSQL, with tables of the same schema version. */
  readonly target: Knex
  readonly tablePrefix: string
}

/** Copies the rows of an SQLite database to PostgreSQL, in pages. A page is written completely or not at all. */
export class DatabaseCopy {
  readonly #source: Knex
  readonly #target: Knex
  readonly #name: NameTable

  constructor({ source, target, tablePrefix }: DatabaseCopyOptions) {
    this.#source = source
    this.#target = target
    this.#name = (table) => tablePrefix + table
  }

  /** True if no table of the target has a row. */
  async isTargetEmpty(): Promise<boolean> {
    for (const table of [SETTINGS, ...COPIED] as const) {
      const [row]: readonly Row[] = await withTranslatedErrors(this.#target<Row>(this.#name(table)).limit(1).select())
      if (row !== undefined) return false
    }
    return true
  }

  /** Deletes all rows of the target, which an earlier copy has left, and writes the mark. */
  async begin(mark: string): Promise<void> {
    await withTranslatedErrors(
      this.#target.transaction(async (transaction) => {
        const names = ([SETTINGS, ...COPIED] as const).map(this.#name)
        await transaction.raw(`truncate ${names.map(() => '??').join()}`, names)
        await transaction(this.#name(SETTINGS)).insert({ key: MIGRATION_SETTING, value: mark })
      }),
    )
  }

  /** Counts the rows of the source. @returns the counts by table */
  async countRows(): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {}
    for (const table of COPIED) {
      const [row]: readonly Row[] = await this.#source<Row>(this.#name(table)).count({ rows: '*' })
      counts[table] = Number(row?.['rows'])
    }
    return counts
  }

  /**
   * Copies the rows that the target does not have yet.
   * @param onCopied called after each page with its number of rows
   */
  async copy(signal: AbortSignal, onCopied: (rows: number) => void): Promise<void> {
    for (const table of COPIED) {
      const copy = await this.#openTable(table)
      await withTranslatedErrors(copy.run(signal, onCopied))
    }
  }

  /**
   * Reads both databases, and compares their tables by counts and checksums.
   * @throws MigrationFailedError if a table differs
   */
  async verify(signal: AbortSignal): Promise<void> {
    for (const table of COPIED) {
      const copy = await this.#openTable(table)
      const { source, target } = await withTranslatedErrors(copy.digests(signal))
      if (source.rows === target.rows && source.sha256 === target.sha256) continue
      throw new MigrationFailedError(
        `the table ${this.#name(table)} has ${source.rows} rows in the folder and ${target.rows} in the database, or ` +
          'their values differ: if another process writes to the database, stop it; then run the migration again, ' +
          'which starts from the beginning',
      )
    }
  }

  /**
   * Turns the copied tables into a database of the engine. New ids continue after the last id that the source ever
   * used. The settings of the source and the final mark replace the mark of the copy.
   * @throws MigrationFailedError if another process has changed the settings of the target
   */
  async finish(
    [mark, finalMark]: readonly [mark: string, finalMark: string],
    settings: Readonly<Record<string, string>>,
  ): Promise<void> {
    const sequences: readonly Row[] = await this.#source<Row>('sqlite_sequence').select('name', 'seq')
    const settingRows: readonly Row[] = await this.#source<Row>(this.#name(SETTINGS)).select()
    const sourceSettings = Object.fromEntries(settingRows.map((row) => [text(row, 'key'), text(row, 'value')]))
    const allSettings: Readonly<Record<string, string>> = {
      ...sourceSettings,
      ...settings,
      [MIGRATION_SETTING]: finalMark,
    }
    const copiedTables = new Set<unknown>(COPIED.map(this.#name))
    await withTranslatedErrors(
      this.#target.transaction(async (transaction) => {
        for (const { name, seq } of sequences.filter(({ name, seq }) => copiedTables.has(name) && Number(seq) > 0)) {
          await transaction.raw(`select setval(pg_get_serial_sequence(?, 'id'), ?)`, [`"${String(name)}"`, Number(seq)])
        }
        // Another process may have written a mark, or opened an engine on the database: its settings must not be lost.
        const removed: readonly Row[] = await transaction<Row>(this.#name(SETTINGS)).delete().returning('value')
        if (removed.length !== 1 || removed[0]?.['value'] !== mark) throw new MigrationFailedError(TARGET_CHANGED)
        await transaction(this.#name(SETTINGS)).insert(
          Object.entries(allSettings).map(([key, value]) => ({ key, value })),
        )
      }),
    )
  }

  async #openTable(table: TableName): Promise<TableCopy> {
    const copiedTable: CopiedTable = {
      name: this.#name(table),
      key: KEY_COLUMNS[table] ?? ['id'],
      rowsPerPage: TABLES_WITH_LARGE_ROWS.has(table) ? LARGE_ROWS_PER_PAGE : ROWS_PER_PAGE,
      ...(table === 'companies' && { parent: 'parent_id' }),
    }
    return await withTranslatedErrors(TableCopy.open(this.#source, this.#target, copiedTable))
  }
}

/** A table to copy. */
interface CopiedTable {
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
interface TableDigest {
  readonly rows: number
  readonly sha256: string
}

/** Copies a table of SQLite to a table of PostgreSQL with the same columns, and compares the two. */
class TableCopy {
  private constructor(
    private readonly source: Knex,
    private readonly target: Knex,
    private readonly table: CopiedTable,
    /** The type of each column in PostgreSQL, sorted by the column's name. */
    private readonly types: ReadonlyMap<string, string>,
  ) {}

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
    const { parent } = this.table
    const last = await this.#lastCopied()
    for await (const rows of this.#pages(this.source, last)) {
      signal.throwIfAborted()
      await this.#insert(parent === undefined ? rows : rows.map((row) => ({ ...row, [parent]: null })))
      onCopied(rows.length)
    }
    if (parent !== undefined) await this.#fillInParents(parent)
  }

  async digests(signal: AbortSignal): Promise<{ readonly source: TableDigest; readonly target: TableDigest }> {
    return {
      source: await this.#digest(this.source, signal),
      target: await this.#digest(this.target, signal),
    }
  }

  /** The last row of the target. Pages are copied in the order of the key, so the target has all rows before it. */
  async #lastCopied(): Promise<Row | undefined> {
    // The databases may sort texts differently, so a table with a text in its key is copied from the first row.
    if (this.table.key.some((column) => this.types.get(column) === 'text')) return undefined
    const order = this.table.key.map((column) => ({ column, order: 'desc' as const }))
    const rows: readonly Row[] = await this.target<Row>(this.table.name).orderBy(order).limit(1)
    return rows[0] && this.#toPlainRow(rows[0])
  }

  async *#pages(knex: Knex, firstAfter?: Row): AsyncGenerator<readonly Row[]> {
    const { name, key, rowsPerPage } = this.table
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
    return knex === this.target && this.types.get(column) === 'text' ? '?? collate "C"' : '??'
  }

  async #insert(rows: readonly Row[]): Promise<void> {
    // PostgreSQL converts the JSON values to the types of the table's columns.
    await this.target.raw(
      'insert into ?? select * from json_populate_recordset(null::??, ?::json) on conflict do nothing',
      [this.table.name, this.table.name, JSON.stringify(rows)],
    )
  }

  async #fillInParents(parent: string): Promise<void> {
    for await (const rows of this.#pages(this.source)) {
      await this.target.raw(
        `update ?? as row set ?? = given.?? from json_populate_recordset(null::??, ?::json) as given
         where row.id = given.id and given.?? is not null`,
        [this.table.name, parent, parent, this.table.name, JSON.stringify(rows), parent],
      )
    }
  }

  async #digest(knex: Knex, signal: AbortSignal): Promise<TableDigest> {
    const hash: Hash = createHash('sha256')
    let count = 0
    for await (const rows of this.#pages(knex)) {
      signal.throwIfAborted()
      count += rows.length
      for (const row of rows) hash.update(JSON.stringify([...this.types.keys()].map((column) => row[column] ?? null)))
    }
    return { rows: count, sha256: hash.digest('hex') }
  }

  /** The values of a row in a JSON form that is the same for both databases. */
  #toPlainRow(row: Row): Row {
    return Object.fromEntries([...this.types].map(([column, type]) => [column, toPlainValue(row[column], type)]))
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
