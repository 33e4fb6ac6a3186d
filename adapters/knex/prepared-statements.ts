import { LRUCache } from 'lru-cache'
import type { Database, Statement } from 'sqlite3'

/** The statements that a connection keeps. Each needs about 20 kB. */
const MAX_KEPT = 64
/** Longer texts are lists of values of many lengths, which seldom return. */
const MAX_TEXT_LENGTH = 4_096

type Callback = (this: Statement, error: Error | null, rows?: unknown[]) => void

/**
 * Makes a connection keep the statements that it prepared for `all`. The driver prepares a statement for each call, and
 * hands both steps to a thread: a call with a kept statement takes one step.
 */
export function keepStatements(connection: Database): void {
  const kept = new LRUCache<string, Statement>({ max: MAX_KEPT, dispose: (statement) => statement.finalize() })
  const all = connection.all.bind(connection) as (...args: readonly unknown[]) => Database
  const close = connection.close.bind(connection)
  const prepare = (text: string, callback: Callback): Statement => {
    const statement = connection.prepare(text, function (this: Statement, error: Error | null) {
      if (error === null) return
      if (kept.peek(text) === statement) kept.delete(text)
      callback.call(this, error)
    })
    kept.set(text, statement)
    return statement
  }
  const allKept = (text: string, values: unknown, callback: unknown): Database => {
    if (typeof callback !== 'function' || text.length > MAX_TEXT_LENGTH) return all(text, values, callback)
    const answer = callback as Callback
    const statement = kept.get(text) ?? prepare(text, answer)
    statement.all(values, function (this: Statement, error: Error | null, rows?: unknown[]) {
      // A statement that failed may still hold a lock.
      if (error !== null && kept.peek(text) === statement) kept.delete(text)
      answer.call(this, error, rows)
    })
    return connection
  }
  const closeAll = (callback?: (error: Error | null) => void): void => {
    kept.clear()
    close(callback)
  }
  Object.assign(connection, { all: allKept, close: closeAll })
}
