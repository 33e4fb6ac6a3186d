import type { Knex } from 'knex'
import type { StorageSize } from '../../src/ports/index.js'
import type { Dialect } from './dialect.js'
import { type NameTable, number, type Row, TABLES, type TableName } from './tables.js'

/** The tables whose rows are measured: those that grow with the use of an engine. */
const MEASURED = [
  'companies',
  'users',
  'contexts',
  'documents',
  'chunks',
  'events',
  'deliveries',
  'audit',
] as const satisfies readonly TableName[]
/** SQLite has no estimates. It counts a million rows in some tens of milliseconds, in a thread of its own. */
const MAX_COUNTED_ROWS = 1_000_000

/** Implements `Storage.measure`. It measures only the engine's tables, as all others belong to the host. */
export async function measureDatabase(knex: Knex, dialect: Dialect, name: NameTable): Promise<StorageSize> {
  return dialect.hasOneWriter ? await measureSqlite(knex, name) : await measurePostgres(knex, name)
}

async function measureSqlite(knex: Knex, name: NameTable): Promise<StorageSize> {
  const rows: Record<string, number> = {}
  for (const table of MEASURED) {
    const [row]: readonly Row[] = await knex.raw(
      `select count(*) as counted from (select 1 from ?? limit ${MAX_COUNTED_ROWS})`,
      [name(table)],
    )
    rows[table] = row === undefined ? 0 : number(row, 'counted')
  }
  const [size]: readonly Row[] = await knex.raw(
    'select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()',
  )
  return { sizeBytes: size && number(size, 'bytes'), rows }
}

/** The statistics of the server know the rows. A count would read all of them. */
async function measurePostgres(knex: Knex, name: NameTable): Promise<StorageSize> {
  const names = TABLES.map(name)
  const { rows: found } = await knex.raw<{ readonly rows: readonly Row[] }>(
    `select relname, pg_stat_get_live_tuples(oid) as live, pg_total_relation_size(oid) as bytes from pg_class
     where relkind = 'r' and relnamespace = current_schema()::regnamespace
     and relname in (${names.map(() => '?').join()})`,
    names,
  )
  const ofTable = new Map(found.map((row) => [row['relname'], row]))
  const live = (table: TableName): number => number(ofTable.get(name(table)) ?? { live: 0 }, 'live')
  return {
    sizeBytes: found.reduce((sum, row) => sum + number(row, 'bytes'), 0),
    rows: Object.fromEntries(MEASURED.map((table) => [table, live(table)])),
  }
}
