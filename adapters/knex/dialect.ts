import type { Knex } from 'knex'
import { InvalidInputError } from '../../src/ports/index.js'

/** The differences between the supported databases. */
export interface Dialect {
  /** True if only one transaction can write at a time (SQLite). PostgreSQL locks rows instead. */
  readonly hasOneWriter: boolean
  /** SQL for the time of the database's clock, in milliseconds since 1970. */
  readonly nowMs: string
  /** SQL for a list of any number of ids, which has one binding. */
  readonly ids: string
  /** The binding of {@link ids}. */
  readonly bindIds: (ids: readonly number[]) => Knex.RawBinding
  /** SQL for the column `id` of all rows as one JSON array. A row for each of some thousand ids takes much longer. */
  readonly allIds: string
  /** SQL for the items of a JSON array, which has one binding. Their column is `value`; `value ->> 0` is a member. */
  readonly jsonItems: string
  /** SQL for a member of the JSON text in a column, as text or number. */
  readonly jsonMember: (column: string, path: readonly string[]) => string
  /** SQL that joins to each row of a list the rows `m` of a table that meet a condition on both, found by an index. */
  readonly rowsOfEach: (table: string, condition: string) => string
  /** SQL for a column whose text contains the one of a binding. */
  readonly contains: (column: string) => string
}

const SQLITE: Dialect = {
  hasOneWriter: true,
  nowMs: `cast(unixepoch('now', 'subsec') * 1000 as integer)`,
  ids: '(select value from json_each(?))',
  bindIds: (ids) => JSON.stringify(ids),
  allIds: 'json_group_array(id)',
  jsonItems: 'json_each(?)',
  jsonMember: (column, path) => `json_extract(${column}, '$.${path.join('.')}')`,
  // SQLite reads the tables of a "cross join" in their order.
  rowsOfEach: (table, condition) => `cross join ${table} as m where ${condition}`,
  contains: (column) => `instr(${column}, ?) > 0`,
}

const POSTGRESQL: Dialect = {
  hasOneWriter: false,
  nowMs: `cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  ids: '(select unnest(?::bigint[]))',
  bindIds: (ids) => [...ids],
  // As text, so that the host's settings of the driver cannot change how it is parsed.
  allIds: `coalesce(json_agg(id)::text, '[]')`,
  jsonItems: 'jsonb_array_elements(?::jsonb)',
  jsonMember: (column, path) => `(${column}::json #>> '{${path.join()}}')`,
  // "offset 0": the subquery stays one, which reads the index for each row of the list, with all bounds.
  rowsOfEach: (table, condition) =>
    `cross join lateral (select m.document_id from ${table} as m where ${condition} offset 0) as m`,
  contains: (column) => `strpos(${column}, ?) > 0`,
}

/**
 * Dialects by knex's name of the driver. Other databases have other names, also CockroachDB, which speaks PostgreSQL's
 * protocol.
 */
const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ['sqlite3', SQLITE],
  ['better-sqlite3', SQLITE],
  ['pg', POSTGRESQL],
])

const ACCEPTED = 'an instance of knex for SQLite (client "sqlite3" or "better-sqlite3") or PostgreSQL (client "pg")'

/** The parts of a knex instance that are checked. */
interface KnexCandidate {
  readonly isTransaction?: unknown
  readonly client?: { readonly driverName?: unknown; readonly config?: Readonly<Record<string, unknown>> }
}

/** Options that would change the names in statements, or the rows that are read. */
const REFUSED_OPTIONS = ['wrapIdentifier', 'postProcessResponse'] as const

/**
 * The dialect of a knex instance.
 * @throws InvalidInputError if the value is no knex instance, is for another database, or translates names or rows
 */
export function dialectOf(candidate: unknown): Dialect {
  const { client, isTransaction } = (typeof candidate === 'function' ? candidate : {}) as KnexCandidate
  const { driverName, config } = client ?? {}
  if (typeof driverName !== 'string' || isTransaction === true)
    throw new InvalidInputError('knex', `must be ${ACCEPTED}`)
  const dialect = DIALECTS.get(driverName)
  if (dialect === undefined) {
    throw new InvalidInputError('knex', `must be ${ACCEPTED}; this one is for ${driverName}`)
  }
  for (const option of REFUSED_OPTIONS) {
    if (typeof config?.[option] !== 'function') continue
    throw new InvalidInputError(
      'knex',
      `must be ${ACCEPTED} without ${option}: create a separate instance for the engine, and start the transactions ` +
        'that record events on that instance',
    )
  }
  return dialect
}

/** True if a knex instance is for PostgreSQL. @throws InvalidInputError as {@link dialectOf} */
export function isPostgres(candidate: unknown): boolean {
  return dialectOf(candidate) === POSTGRESQL
}
