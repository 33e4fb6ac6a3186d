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
  const kept = new LRUCache<string, KeptStatement>({ max: MAX_KEPT, dispose: (statement) => statement.finalize() })
  const all = connection.all.bind(connection) as (...args: readonly unknown[]) => Database
  const close = connection.close.bind(connection)
  const keep = (text: string): KeptStatement => {
    const statement = new KeptStatement(connection, text, () => {
      if (kept.peek(text) === statement) kept.delete(text)
    })
    kept.set(text, statement)
    return statement
  }
  let isClosing = false
  const allKept = (text: string, ...args: readonly unknown[]): Database => {
    const [values, callback] = args
    if (isClosing || typeof callback !== 'function' || text.length > MAX_TEXT_LENGTH) return all(text, ...args)
    const statement = kept.get(text) ?? keep(text)
    statement.all(values, callback as Callback)
    return connection
  }
  const closeAll = (callback?: (error: Error | null) => void): void => {
    isClosing = true
    kept.clear()
    close(callback)
  }
  Object.assign(connection, { all: allKept, close: closeAll })
}

/** A statement with the calls that it has not answered yet. */
class KeptStatement {
  readonly #statement: Statement
  readonly #waiting = new Set<(error: Error) => void>()

  /** @param onFailure called if the statement cannot be prepared, and if a call of it fails: it may still hold a lock */
  constructor(
    connection: Database,
    text: string,
    private readonly onFailure: () => void,
  ) {
    this.#statement = connection.prepare(text, (error: Error | null) => {
      if (error === null) return
      onFailure()
      // The driver forgets the calls that wait for a statement which cannot be prepared.
      for (const fail of this.#waiting) fail(error)
    })
  }

  all(values: unknown, callback: Callback): void {
    const fail = (error: Error): void => callback.call(this.#statement, error)
    this.#waiting.add(fail)
    this.#statement.all(values, (error: Error | null, rows?: unknown[]) => {
      this.#waiting.delete(fail)
      if (error !== null) this.onFailure()
      callback.call(this.#statement, error, rows)
    })
  }

  /** Frees the statement as soon as it has answered all calls. */
  finalize(): void {
    this.#statement.finalize()
  }
}
