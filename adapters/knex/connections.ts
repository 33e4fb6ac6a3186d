import knex, { type Knex } from 'knex'
import type { Database } from 'sqlite3'
import { InvalidInputError, messageOf } from '../../src/ports/index.js'
import { isWritable, makeDatabaseFilePrivate, nativePartError, statementLimitMs } from '../node-kit/index.js'
import { keepStatements } from './prepared-statements.js'

/** Connections of one process to PostgreSQL. By default a server accepts 100 for all processes together. */
const MAX_CONNECTIONS = 10
const CONNECT_TIMEOUT_MS = 10_000
/** Longest time that a statement waits for a free connection. */
const ACQUIRE_TIMEOUT_MS = 10_000
/** Longest time that a process keeps row locks if it hangs or its machine is lost. */
const IDLE_TRANSACTION_MS = 60_000
/** Most statements have 10 s (`promptly`). The others, such as those that make tables, have this time. */
const QUERY_TIMEOUT_MS = 120_000
const KEEP_ALIVE_AFTER_MS = 10_000
/**
 * Settings of each session. With them a server notices within a minute that a client machine is lost, and releases its
 * locks; by default that takes hours. They are set by a statement because poolers refuse unknown startup parameters.
 */
const SETTINGS = `select set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false),
  set_config('tcp_keepalives_count', '3', false), set_config('idle_in_transaction_session_timeout', '${IDLE_TRANSACTION_MS}', false)`

const EXAMPLE = 'postgresql://user:password@host:5432/database'

/** The driver's message for a statement that took longer than its `query_timeout`. */
const TIMED_OUT = 'Query read timeout'

export interface PostgresOptions {
  /** Largest number of connections of this process. Default: 10. */
  readonly maxConnections?: number
  /** Longest time that a statement may take, in milliseconds. Then its connection is closed. Default: 120,000. */
  readonly queryTimeoutMs?: number
  /**
   * False if a connection that nobody uses does not keep the process alive, as a connection to a file does not. Default:
   * true.
   */
  readonly keepsProcess?: boolean
  /** The caller's name of the URL, for error messages. Default: `databaseUrl`. */
  readonly field?: string
}

/**
 * Opens a pool of connections to a PostgreSQL database. A connection is made when it is first needed.
 * @param url in the form of libpq, such as `postgresql://user:password@host:5432/database?sslmode=require`
 * @throws InvalidInputError if it is no such URL
 */
export function openPostgres(url: string, options: PostgresOptions = {}): Knex {
  const { maxConnections = MAX_CONNECTIONS, queryTimeoutMs = QUERY_TIMEOUT_MS, keepsProcess = true } = options
  const { field = 'databaseUrl' } = options
  requirePostgresUrl(url, field)
  const answers = new Answers()
  const database = knex({
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
        if (!keepsProcess) releaseWhenFree(connection)
        closeWhenUnanswered(connection, queryTimeoutMs, answers)
        connection.query(SETTINGS, (error: Error | null) => done(error, connection))
      },
      validate: (connection: DriverConnection) => hasNoOpenStatement(connection) && answers.isTrusted(connection),
    },
  })
  if (!keepsProcess) letProcessEnd((database.client as { readonly pool: ConnectionPool }).pool)
  return database
}

/** @throws InvalidInputError whose message never quotes the URL, as it may have a password */
export function requirePostgresUrl(url: unknown, field: string): void {
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

/** The part of the driver's connection that is used, as knex uses it. */
export interface DriverConnection {
  query(...args: readonly unknown[]): unknown
  end(...args: readonly unknown[]): Promise<void>
  /** The process stays alive for the connection, or not. */
  ref(): void
  unref(): void
  /** If set, knex never hands out the connection: the reason. */
  __knex__disposed?: unknown
}

/**
 * When connections of a pool last had an answer. If the network goes silent, all connections of that time are lost, and
 * the next callers would wait on each of them in turn, as long as the first did.
 */
class Answers {
  readonly #lastAt = new WeakMap<DriverConnection, number>()
  /** When the last statement began that had no answer in time. */
  #silentSince = 0

  note(connection: DriverConnection): void {
    this.#lastAt.set(connection, performance.now())
  }

  /** @param beganAt when the statement began that had no answer in time */
  noteSilence(beganAt: number): void {
    this.#silentSince = Math.max(this.#silentSince, beganAt)
  }

  /** False if the connection has had no answer since a statement on another one began that got none. */
  isTrusted(connection: DriverConnection): boolean {
    return (this.#lastAt.get(connection) ?? 0) >= this.#silentSince
  }
}

/** The number of statements without an answer, by connection. */
const openStatements = new WeakMap<DriverConnection, number>()

/**
 * Closes a connection when one of its statements has no answer in time. The driver only rejects that statement: the
 * answer may still come, or the server may be lost, and the next user of the connection would wait just as long
 * (brianc/node-postgres#3399). After the close, every other statement on it fails at once, such as a ROLLBACK.
 */
function closeWhenUnanswered(connection: DriverConnection, queryTimeoutMs: number, answers: Answers): void {
  const query = connection.query.bind(connection)
  connection.query = (...args) => {
    const callback = args.at(-1)
    if (typeof callback !== 'function') return query(...args)
    const [statement, ...values] = args.slice(0, -1)
    const beganAt = performance.now()
    countStatement(connection, 1)
    const onAnswer: Callback = (error, result) => {
      countStatement(connection, -1)
      if (error?.message === TIMED_OUT) {
        answers.noteSilence(beganAt)
        void discardConnection(connection, error)
      } else if (error == null) answers.note(connection)
      ;(callback as Callback)(error, result)
    }
    return query(limited(statement, queryTimeoutMs), ...values, onAnswer)
  }
}

/** The statement with the limit of the work that it belongs to, unless it has a limit of its own. */
function limited(statement: unknown, longestMs: number): unknown {
  const limitMs = statementLimitMs()
  if (limitMs === undefined || limitMs >= longestMs) return statement
  return typeof statement === 'object' ? { query_timeout: limitMs, ...statement } : statement
}

type Callback = (error: Error | null | undefined, result?: unknown) => void

/** True if a connection can be reused. knex abandons a ROLLBACK after 5 s and returns its connection to the pool. */
function hasNoOpenStatement(connection: DriverConnection): boolean {
  return (openStatements.get(connection) ?? 0) === 0
}

function countStatement(connection: DriverConnection, change: 1 | -1): void {
  const count = (openStatements.get(connection) ?? 0) + change
  openStatements.set(connection, count)
  if (!released.has(connection)) return
  if (count === 0) connection.unref()
  else connection.ref()
}

/** Connections that keep the process alive only while a statement, or the end of the connection, has no answer. */
const released = new WeakSet<DriverConnection>()

function releaseWhenFree(connection: DriverConnection): void {
  released.add(connection)
  const end = connection.end.bind(connection)
  // knex passes a callback, and others await the promise.
  connection.end = (...args) => {
    connection.ref()
    return end(...args)
  }
}

/**
 * Closes a connection, so that the pool never hands it out. While a statement is under way, the driver closes the
 * socket without a message to the server.
 */
export async function discardConnection(connection: DriverConnection, reason: unknown): Promise<void> {
  connection.__knex__disposed = reason
  await connection.end().catch(() => undefined)
}

/** The one writer, and readers beside it. */
const SQLITE_CONNECTIONS = 4
/** Longest time that a statement waits for the transaction of another process. */
const BUSY_TIMEOUT_MS = 15_000

/**
 * Opens a pool of connections to an SQLite file, and creates the file if it is missing. It uses the write-ahead log,
 * and every commit is on the disk before it is acknowledged. Only the owner may read the file (mode 0600), the log and
 * the shared memory beside it: SQLite creates these with the mode of the file.
 *
 * @throws NativePartError if the driver is not built
 */
export function openSqlite(filename: string): Knex {
  if (filename !== ':memory:' && filename !== '') makeDatabaseFilePrivate(filename)
  const database = withDriver({
    client: 'sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    log: SILENT_LOG,
    pool: {
      min: 0,
      max: SQLITE_CONNECTIONS,
      // SQLite opens the file of a read-only disk for reads alone. Such a connection never writes again.
      validate: (connection: Database) => !openedReadOnly.has(connection) || !isWritable(filename),
      afterCreate: (connection: Database, done: (error: Error | null, connection: Database) => void) => {
        if (!isWritable(filename)) openedReadOnly.add(connection)
        const pragmas = [
          `pragma busy_timeout = ${BUSY_TIMEOUT_MS}`,
          'pragma journal_mode = wal',
          'pragma synchronous = full',
          'pragma foreign_keys = on',
          // Deleted texts and names must not stay in free parts of the file.
          'pragma secure_delete = on',
        ]
        keepStatements(connection)
        connection.exec(pragmas.join(';'), (error) => {
          done(error, connection)
        })
      },
    },
  })
  closeInTurn(database.client as SqliteClient)
  letProcessEnd((database.client as { readonly pool: ConnectionPool }).pool)
  return database
}

/** The part of a knex client that closes connections. */
interface SqliteClient {
  destroyRawConnection(connection: Database): Promise<void>
}

/**
 * Makes the client close its connections one after the other: the last connection writes the log into the file. If two
 * close at once, neither is the last, and the log stays.
 */
function closeInTurn(client: SqliteClient): void {
  const destroy = client.destroyRawConnection.bind(client)
  let previous = Promise.resolve()
  client.destroyRawConnection = async (connection) => {
    const closed = previous.then(async () => await destroy(connection))
    previous = closed.catch(() => undefined)
    await closed
  }
}

const openedReadOnly = new WeakSet<Database>()

/** The file of a database of SQLite; `undefined` for another database, and for one in memory. */
export function fileOf(knex: Knex): string | undefined {
  const { config } = knex.client as { readonly config?: { readonly connection?: unknown } }
  const { filename } = (config?.connection ?? {}) as { readonly filename?: unknown }
  return typeof filename === 'string' && filename !== '' && filename !== ':memory:' ? filename : undefined
}

/** The part of a pool that looks for idle connections. */
interface ConnectionPool {
  readonly interval?: { readonly unref?: () => void } | null
  on(event: 'startReaping', listener: () => void): void
}

/** The pool's look for idle connections keeps no process alive: a free connection has nothing to wait for. */
function letProcessEnd(pool: ConnectionPool): void {
  pool.on('startReaping', () => {
    // The pool makes its timer after it has told its listeners.
    queueMicrotask(() => pool.interval?.unref?.())
  })
}

/** knex loads the driver, and puts two lines with advice of its own in front of the driver's message. */
function withDriver(config: Knex.Config): Knex {
  try {
    return knex(config)
  } catch (error) {
    const [, , ...lines] = messageOf(error).split('\n')
    throw nativePartError('sqlite3', new Error(lines.join('\n'), { cause: error }))
  }
}

/** A log that prints nothing into the host's output. Errors reach the caller. */
const SILENT_LOG: Knex.Logger = { warn: ignore, error: ignore, deprecate: ignore, debug: ignore }

function ignore(): void {
  return undefined
}
