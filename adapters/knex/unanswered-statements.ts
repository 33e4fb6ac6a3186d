/** The driver's message for a statement that took longer than its `query_timeout`. */
const TIMED_OUT = 'Query read timeout'

type Callback = (error: Error | null | undefined, result?: unknown) => void

/** The part of the driver's connection that is used, as knex uses it. */
export interface DriverConnection {
  query(...args: readonly unknown[]): unknown
  end(): Promise<void>
  /** If set, knex never hands out the connection: the reason. */
  __knex__disposed?: unknown
}

/** The number of statements without an answer, by connection. */
const openStatements = new WeakMap<DriverConnection, number>()

/**
 * Closes a connection when one of its statements has no answer in time. The driver only rejects that statement: the
 * answer may still come, or the server may be lost, and the next user of the connection would wait just as long
 * (brianc/node-postgres#3399). After the close, every other statement on it fails at once, such as a ROLLBACK.
 */
export function closeWhenUnanswered(connection: DriverConnection): void {
  const query = connection.query.bind(connection)
  connection.query = (...args) => {
    const callback = args.at(-1)
    if (typeof callback !== 'function') return query(...args)
    countStatement(connection, 1)
    const onAnswer: Callback = (error, result) => {
      countStatement(connection, -1)
      if (error?.message === TIMED_OUT) void discardConnection(connection, error)
      ;(callback as Callback)(error, result)
    }
    return query(...args.slice(0, -1), onAnswer)
  }
}

/** True if a connection can be reused. knex abandons a ROLLBACK after 5 s and returns its connection to the pool. */
export function hasNoOpenStatement(connection: DriverConnection): boolean {
  return (openStatements.get(connection) ?? 0) === 0
}

function countStatement(connection: DriverConnection, change: 1 | -1): void {
  openStatements.set(connection, (openStatements.get(connection) ?? 0) + change)
}

/**
 * Closes a connection, so that the pool never hands it out. While a statement is under way, the driver closes the
 * socket without a message to the server.
 */
export async function discardConnection(connection: DriverConnection, reason: unknown): Promise<void> {
  connection.__knex__disposed = reason
  await connection.end().catch(() => undefined)
}
