import knex, { type Knex } from 'knex'
import { InvalidInputError } from '../../src/ports/index.js'
import { SILENT_LOG } from './silent-log.js'
import { type DriverConnection, endWhenUnanswered, isAnswered } from './unanswered-statements.js'

/** Of one process; a server takes 100 by default, of all processes together. */
const MAX_CONNECTIONS = 10
const CONNECT_TIMEOUT_MS = 10_000
/** A request waits so long for a connection at most. */
const ACQUIRE_TIMEOUT_MS = 15_000
/** A process that hangs, or whose machine is gone, holds its rows for so long at most. */
const IDLE_TRANSACTION_MS = 60_000
/** A statement of the engine's takes milliseconds; one without an answer has lost its server. */
const QUERY_TIMEOUT_MS = 120_000
const KEEP_ALIVE_AFTER_MS = 10_000
/**
 * Of each session. A server finds out in a minute that a machine is gone, and gives back the locks that it held; by
 * default it takes hours. By a statement: poolers refuse parameters of the start that they do not know.
 */
const SETTINGS = `select set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false),
  set_config('tcp_keepalives_count', '3', false), set_config('idle_in_transaction_session_timeout', '${IDLE_TRANSACTION_MS}', false)`

const EXAMPLE = 'postgresql://user:password@host:5432/database'

export interface PostgresOptions {
  /** Connections of this process at most. Default 10. */
  readonly maxConnections?: number
  /** How long a statement may go without an answer, in milliseconds. Default 120,000. Then its connection is ended. */
  readonly queryTimeoutMs?: number
  /** What the caller calls the URL, for errors. Default `databaseUrl`. */
  readonly field?: string
}

/**
 * Connections to a PostgreSQL database, made when they are needed.
 * @param url as libpq has them, such as `postgresql://user:password@host:5432/database?sslmode=require`
 * @throws InvalidInputError for what is no such URL
 */
export function openPostgres(url: string, options: PostgresOptions = {}): Knex {
  const { maxConnections = MAX_CONNECTIONS, queryTimeoutMs = QUERY_TIMEOUT_MS, field = 'databaseUrl' } = options
  requirePostgresUrl(url, field)
  return knex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: 'alcove',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: queryTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    } as Knex.PgConnectionConfig,
    acquireConnectionTimeout: ACQUIRE_TIMEOUT_MS,
    log: SILENT_LOG,
    pool: {
      min: 0,
      max: maxConnections,
      afterCreate: (
        connection: DriverConnection,
        done: (error: Error | null, connection: DriverConnection) => void,
      ) => {
        endWhenUnanswered(connection)
        connection.query(SETTINGS, (error: Error | null) => done(error, connection))
      },
      validate: isAnswered,
    },
  })
}

/** @throws InvalidInputError whose message has nothing of the URL: there may be a password in it */
function requirePostgresUrl(url: unknown, field: string): void {
  // What is behind it would be no part of the URL.
  if (typeof url === 'string' && /^postgres(ql)?:.*#/.test(url)) {
    throw new InvalidInputError(
      field,
      'has a #: characters such as # / ? @ in a password are written as %23 %2F %3F %40',
    )
  }
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !['postgres:', 'postgresql:'].includes(parsed.protocol)) {
    throw new InvalidInputError(field, `must be a URL of a PostgreSQL database, such as ${EXAMPLE}`)
  }
  // By default it would be that of the user's name, or the administrators'.
  if (parsed.pathname.length < 2) throw new InvalidInputError(field, `must name a database, such as ${EXAMPLE}`)
}
