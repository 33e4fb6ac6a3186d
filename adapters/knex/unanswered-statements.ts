/** What the driver says of a statement that took longer than its `query_timeout`. */
const TIMED_OUT = 'Query read timeout'

type Callback = (error: Error | null | undefined, result?: unknown) => void

/** What is used of the driver's connection, as knex uses it. */
export interface DriverConnection {
  query(...given: readonly unknown[]): unknown
  end(): Promise<void>
  /** Why knex must give the connection to nobody any more. */
  __knex__disposed?: unknown
}

/** Statements without an answer, of each connection. */
const unanswered = new WeakMap<DriverConnection, number>()

/**
 * Ends a connection when one of its statements is not answered in time. The driver only tells whoever asked: the answer
 * may still come, or the server may be gone, and whoever is given the connection next would wait as long
 * (node-postgres, issue 3399). What else is sent on it, such as a ROLLBACK, fails at once.
 */
export function endWhenUnanswered(connection: DriverConnection): void {
  const query = connection.query.bind(connection)
  connection.query = (...given) => {
    const callback = given.at(-1)
    if (typeof callback !== 'function') return query(...given)
    count(connection, 1)
    const answered: Callback = (error, result) => {
      count(connection, -1)
      if (error?.message === TIMED_OUT) void endConnection(connection, error)
      ;(callback as Callback)(error, result)
    }
    return query(...given.slice(0, -1), answered)
  }
}

/** Whether a connection may be used by somebody else: knex gives up a ROLLBACK after 5 s, and its connection back. */
export function isAnswered(connection: DriverConnection): boolean {
  return (unanswered.get(connection) ?? 0) === 0
}

function count(connection: DriverConnection, change: 1 | -1): void {
  unanswered.set(connection, (unanswered.get(connection) ?? 0) + change)
}

/** Nobody is given the connection any more. While a statement is under way the driver closes the socket, and asks the server nothing. */
export async function endConnection(connection: DriverConnection, why: unknown): Promise<void> {
  connection.__knex__disposed = why
  await connection.end().catch(() => undefined)
}
