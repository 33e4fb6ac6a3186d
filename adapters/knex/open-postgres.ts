import knex, { type Knex } from 'knex'
import { InvalidInputError } from '../../src/ports/index.js'
import { SILENT_LOG } from './silent-log.js'
import { closeWhenUnanswered, type DriverConnection, hasNoOpenStatement } from './unanswered-statements.js'

/** Connections of one process. By default a server accepts 100 for all processes together. */
const MAX_CONNECTIONS = 10
const CONNECT_TIMEOUT_MS = 10_000
/** Longest time that a statement waits for a free connection. */
const ACQUIRE_TIMEOUT_MS = 15_000
/** Longest time that a process keeps row locks if it hangs or its machine is lost. */
const IDLE_TRANSACTION_MS = 60_000
/** A statement of the engine takes milliseconds. Without an answer after this time, its server is lost. */
const QUERY_TIMEOUT_MS = 120_000
const KEEP_ALIVE_AFTER_MS = 10_000
/**
 * Settings of each session. With them a server notices within a minute that a client machine is lost, and releases its
 * locks; by default that takes hours. They are set by a statement because poolers refuse unknown startup parameters.
 */
const SETTINGS = `select set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false),
  set_config('tcp_keepalives_count', '3', false), set_config('idle_in_transaction_session_timeout', '${IDLE_TRANSACTION_MS}', false)`

const EXAMPLE = 'postgresql://user:password@host:5432/database'

export interface PostgresOptions {
  /** Largest number of connections of this process. Default: 10. */
  readonly maxConnections?: number
  /** Longest time that a statement may take, in milliseconds. Then its connection is closed. Default: 120,000. */
  readonly queryTimeoutMs?: number
  /** The caller's name of the URL, for error messages. Default: `databaseUrl`. */
  readonly field?: string
}

/**
 * Opens a pool of connections to a PostgreSQL database. A connection is made when it is first needed.
 * @param url in the form of libpq, such as `postgresql://user:password@host:5432/database?sslmode=require`
 * @throws InvalidInputError if it is no such URL
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
        closeWhenUnanswered(connection)
        connection.query(SETTINGS, (error: Error | null) => done(error, connection))
      },
      validate: hasNoOpenStatement,
    },
  })
}

/** @throws InvalidInputError whose message never quotes the URL, as it may have a password */
function requirePostgresUrl(url: unknown, field: string): void {
  // A URL ends before a `#`, so the rest of the password would be lost silently.
  if (typeof url === 'string' && /^postgres(ql)?:.*#/.test(url)) {
    throw new InvalidInputError(field, 'has a #: in a password, the characters # / ? @ are written as %23 %2F %3F %40')
  }
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !['postgres:', 'postgresql:'].includes(parsed.protocol)) {
    throw new InvalidInputError(field, `must be a URL of a PostgreSQL database, such as ${EXAMPLE}`)
  }
  // Without a name, the driver would use the database named like the user, or the administrators' one.
  if (parsed.pathname.length < 2) throw new InvalidInputError(field, `must name a database, such as ${EXAMPLE}`)
}
