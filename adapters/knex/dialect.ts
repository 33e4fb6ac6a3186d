import type { Knex } from 'knex'

/** Where the databases differ. */
export interface Dialect {
  /** SQL for the database's own time, in milliseconds since 1970. */
  readonly nowMs: string
}

const SQLITE: Dialect = {
  nowMs: `cast(unixepoch('now', 'subsec') * 1000 as integer)`,
}

const POSTGRESQL: Dialect = {
  nowMs: `cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
}

/** The dialect of a knex instance. */
export function dialectOf(knex: Knex): Dialect {
  return isSqlite(knex) ? SQLITE : POSTGRESQL
}

/** Whether a knex instance speaks to SQLite. */
export function isSqlite(knex: Knex): boolean {
  const client: unknown = knex.client
  return typeof client === 'object' && client !== null && 'dialect' in client && client.dialect === 'sqlite3'
}
