import type { Knex } from 'knex'
import { MigrationFailedError } from '../../../src/index.js'
import { translated } from '../errors.js'
import { type Row, text } from '../rows.js'
import { type NameTable, TABLES, type TableName } from '../tables.js'
import { type CopiedTable, TableCopy } from './table-copy.js'

/** Its rows come last, and at once: they make of the tables a database of the engine's. */
const SETTINGS = 'settings'
/** Each database has its own; and nobody takes anything in while it is copied. */
const LEFT_OUT: ReadonlySet<TableName> = new Set([SETTINGS, 'schema', 'uploads'])
const KEYS: Partial<Record<TableName, readonly string[]>> = {
  password_tokens: ['token_hash'],
  rates: ['name'],
  one_time_passwords: ['user_id'],
  recovery_codes: ['user_id', 'code_hash'],
  revoked_tokens: ['token_hash'],
  windows: ['document_id', 'chunk', 'ordinal'],
}
/** A row of these may have a megabyte. */
const LARGE: ReadonlySet<TableName> = new Set(['contexts', 'events', 'attempts'])
const LARGE_ROWS_PER_PAGE = 20
const ROWS_PER_PAGE = 250
const COPIED = TABLES.filter((table) => !LEFT_OUT.has(table))

const DISTURBED = 'somebody else has written to the database meanwhile: end that, and migrate again, which begins anew'

/**
 * In a folder's database: which copy of it was begun. In the one it is copied to: how far that has come, with the ids
 * of the database and of the copy.
 */
export const MIGRATION_SETTING = 'migration'

export interface DatabaseCopyOptions {
  /** SQLite, within a transaction that keeps others from writing. */
  readonly source: Knex
  /** PostgreSQL, with tables of the same version. */
  readonly target: Knex
  readonly tablePrefix: string
}

/** Copies the rows of an SQLite database to PostgreSQL, in parts, each of which is there or not. */
export class DatabaseCopy {
  readonly #source: Knex
  readonly #target: Knex
  readonly #name: NameTable

  constructor({ source, target, tablePrefix }: DatabaseCopyOptions) {
    this.#source = source
    this.#target = target
    this.#name = (table) => tablePrefix + table
  }

  /** Whether nobody has written anything into the target. */
  async isTargetEmpty(): Promise<boolean> {
    for (const table of [SETTINGS, ...COPIED] as const) {
      const [row]: readonly Row[] = await translated(this.#target<Row>(this.#name(table)).limit(1).select())
      if (row !== undefined) return false
    }
    return true
  }

  /** Marks the target, and empties it of what another copy has left there. */
  async begin(mark: string): Promise<void> {
    await translated(
      this.#target.transaction(async (transaction) => {
        const names = ([SETTINGS, ...COPIED] as const).map(this.#name)
        await transaction.raw(`truncate ${names.map(() => '??').join()}`, names)
        await transaction(this.#name(SETTINGS)).insert({ key: MIGRATION_SETTING, value: mark })
      }),
    )
  }

  /** Rows of the source, by table. */
  async countRows(): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {}
    for (const table of COPIED) {
      const [row]: readonly Row[] = await this.#source<Row>(this.#name(table)).count({ rows: '*' })
      counts[table] = Number(row?.['rows'])
    }
    return counts
  }

  /** Copies what is not there yet. */
  async copy(signal: AbortSignal, copied: (rows: number) => void): Promise<void> {
    for (const table of COPIED) {
      const copy = await this.#openTable(table)
      await translated(copy.run(signal, copied))
    }
  }

  /**
   * Reads both databases, and compares their tables by counts and checksums.
   * @throws MigrationFailedError where a table is another
   */
  async verify(signal: AbortSignal): Promise<void> {
    for (const table of COPIED) {
      const copy = await this.#openTable(table)
      const { source, target } = await translated(copy.digests(signal))
      if (source.rows === target.rows && source.sha256 === target.sha256) continue
      throw new MigrationFailedError(
        `the table ${this.#name(table)} has ${source.rows} rows in the folder and ${target.rows} in the database, or ` +
          'other values in them: where somebody else writes to the database, end that; migrate again, which begins anew',
      )
    }
  }

  /** Makes of the copied tables a database: ids go on behind the last one ever given, and settings come, the mark last. */
  async finish(
    [mark, finalMark]: readonly [mark: string, finalMark: string],
    settings: Readonly<Record<string, string>>,
  ): Promise<void> {
    const given: readonly Row[] = await this.#source<Row>('sqlite_sequence').select('name', 'seq')
    const own: readonly Row[] = await this.#source<Row>(this.#name(SETTINGS)).select()
    const former = Object.fromEntries(own.map((row) => [text(row, 'key'), text(row, 'value')]))
    const all: Readonly<Record<string, string>> = { ...former, ...settings, [MIGRATION_SETTING]: finalMark }
    const isCopied = new Set<unknown>(COPIED.map(this.#name))
    await translated(
      this.#target.transaction(async (transaction) => {
        for (const { name, seq } of given.filter(({ name, seq }) => isCopied.has(name) && Number(seq) > 0)) {
          await transaction.raw(`select setval(pg_get_serial_sequence(?, 'id'), ?)`, [`"${String(name)}"`, Number(seq)])
        }
        // Whoever else has written a mark, or begun to work with the database, must not lose it.
        const removed: readonly Row[] = await transaction<Row>(this.#name(SETTINGS)).delete().returning('value')
        if (removed.length !== 1 || removed[0]?.['value'] !== mark) throw new MigrationFailedError(DISTURBED)
        await transaction(this.#name(SETTINGS)).insert(Object.entries(all).map(([key, value]) => ({ key, value })))
      }),
    )
  }

  async #openTable(table: TableName): Promise<TableCopy> {
    const copied: CopiedTable = {
      name: this.#name(table),
      key: KEYS[table] ?? ['id'],
      rowsPerPage: LARGE.has(table) ? LARGE_ROWS_PER_PAGE : ROWS_PER_PAGE,
      ...(table === 'companies' && { parent: 'parent_id' }),
    }
    return await translated(TableCopy.open(this.#source, this.#target, copied))
  }
}
