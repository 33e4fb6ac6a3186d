import { InvalidInputError } from '../../src/ports/index.js'

/** Where the databases differ. */
export interface Dialect {
  /** One writer at a time, for whom all others wait; PostgreSQL locks rows. */
  readonly hasOneWriter: boolean
  /** SQL for the database's own time, in milliseconds since 1970. */
  readonly nowMs: string
}

const SQLITE: Dialect = {
  hasOneWriter: true,
  nowMs: `cast(unixepoch('now', 'subsec') * 1000 as integer)`,
}

const POSTGRESQL: Dialect = {
  hasOneWriter: false,
  nowMs: `cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
}

/** By the name that knex gives a driver. Those of other databases have names of their own, CockroachDB's too. */
const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ['sqlite3', SQLITE],
  ['better-sqlite3', SQLITE],
  ['pg', POSTGRESQL],
])

const ACCEPTED = 'an instance of knex for SQLite (client "sqlite3" or "better-sqlite3") or PostgreSQL (client "pg")'

/** What is looked at of an instance. */
interface Given {
  readonly isTransaction?: unknown
  readonly client?: { readonly driverName?: unknown; readonly config?: Readonly<Record<string, unknown>> }
}

/** What changes the names that are written, or the rows that are read. */
const TRANSLATIONS = ['wrapIdentifier', 'postProcessResponse'] as const

/**
 * The dialect of a knex instance.
 * @throws InvalidInputError for what is none, speaks to another database, or translates names or rows
 */
export function dialectOf(given: unknown): Dialect {
  const { client, isTransaction } = (typeof given === 'function' ? given : {}) as Given
  const { driverName, config } = client ?? {}
  if (typeof driverName !== 'string' || isTransaction === true)
    throw new InvalidInputError('knex', `must be ${ACCEPTED}`)
  const dialect = DIALECTS.get(driverName)
  if (dialect === undefined) {
    throw new InvalidInputError('knex', `must be ${ACCEPTED}; this one is for ${driverName}`)
  }
  for (const option of TRANSLATIONS) {
    if (typeof config?.[option] !== 'function') continue
    throw new InvalidInputError(
      'knex',
      `must be ${ACCEPTED} without ${option}: make one of its own for the engine, and begin in it the transactions ` +
        'in which events are recorded',
    )
  }
  return dialect
}

/** Whether a knex instance speaks to PostgreSQL. @throws InvalidInputError as {@link dialectOf} */
export function isPostgres(given: unknown): boolean {
  return dialectOf(given) === POSTGRESQL
}
