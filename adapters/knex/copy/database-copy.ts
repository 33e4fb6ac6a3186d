import type { Knex } from 'knex'
import { MigrationFailedError } from '../../../src/index.js'
import { withTranslatedErrors } from '../errors.js'
import { type Row, text } from '../rows.js'
import { type NameTable, TABLES, type TableName } from '../tables.js'
import { type CopiedTable, TableCopy } from './table-copy.js'

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

/**
 * The key of the setting that marks a migration. In the folder's database it names the copy that was started. In the
 * target database it holds the state of the copy, with the ids of the database and of the copy.
 */
export const MIGRATION_SETTING = 'migration'

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
