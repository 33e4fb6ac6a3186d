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

export interface PostgresOptions {
  /** Connections of this process at most. Default 10. */
  readonly maxConnections?: number
  /** How long a statement may go without an answer, in milliseconds. Default 120,000. Then its connection is ended. */
  readonly queryTimeoutMs?: number
}

/**
 * Connections to a PostgreSQL database, made when they are needed.
 * @param url as libpq has them, such as `postgresql://user:password@host:5432/database?sslmode=require`
 * @throws InvalidInputError for what is no such URL
 */
export function openPostgres(url: string, options: PostgresOptions = {}): Knex {
  const { maxConnections = MAX_CONNECTIONS, queryTimeoutMs = QUERY_TIMEOUT_MS } = options
  requirePostgresUrl(url)
  return knex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: 'alcove',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
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
        done(null, connection)
      },
      validate: isAnswered,
    },
  })
}

/** @throws InvalidInputError whose message has nothing of the URL: there may be a password in it */
function requirePostgresUrl(url: unknown): void {
  const isUrl = typeof url === 'string' && URL.canParse(url)
  if (isUrl && ['postgres:', 'postgresql:'].includes(new URL(url).protocol)) return
  throw new InvalidInputError(
    'databaseUrl',
    'must be a URL of a PostgreSQL database, such as postgresql://user:password@host:5432/database',
  )
}
