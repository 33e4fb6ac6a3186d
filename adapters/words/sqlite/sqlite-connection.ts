import pLimit from 'p-limit'
import type { Database, Statement } from 'sqlite3'
import { loadNative } from '../../node-kit/index.js'

/** A parameter of a statement. */
type SqlValue = string | number | Buffer

/** The time for which a statement waits for another process's transaction. */
const BUSY_TIMEOUT_MS = 15_000

/**
 * A connection to an SQLite file. Statements run on a thread of the pool, one after the other: waiting statements
 * occupy no thread, which other work needs.
 */
export class SqliteConnection {
  readonly #turn = pLimit(1)
  readonly #statements = new Map<string, Promise<Statement>>()

  private constructor(private readonly database: Database) {}

  /** Opens a file, or creates it. @throws NativePartError if the driver is not built */
  static async open(file: string): Promise<SqliteConnection> {
    const { default: sqlite } = await loadNative('sqlite3', async () => await import('sqlite3'))
    const database = await callAsPromise<Database>((done) => {
      const opened: Database = new sqlite.Database(file, (error) => done(error, opened))
    })
    const connection = new SqliteConnection(database)
    await connection.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
    return connection
  }

  async exec(statements: string): Promise<void> {
    await callAsPromise((done) => this.database.exec(statements, done))
  }

  /** Runs a statement and keeps it prepared, so the program must have few different texts. */
  async run(text: string, values: readonly SqlValue[] = []): Promise<void> {
    const statement = await this.#prepare(text)
    await this.#turn(async () => await callAsPromise((done) => statement.run(values, done)))
  }

  /** Returns the rows of a statement, and keeps it prepared. */
  async all<T>(text: string, values: readonly SqlValue[] = []): Promise<readonly T[]> {
    const statement = await this.#prepare(text)
    return await this.#turn(async () => await callAsPromise<readonly T[]>((done) => statement.all<T>(values, done)))
  }

  #prepare(text: string): Promise<Statement> {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    const prepared = callAsPromise<Statement>((done) => {
      const statement = this.database.prepare(text, (error) => done(error, statement))
    })
    this.#statements.set(text, prepared)
    // Its table may exist later.
    prepared.catch(() => this.#statements.delete(text))
    return prepared
  }

  /** Does all of the work or none of it. No other call may use the connection until it ends. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.exec('begin immediate')
    try {
      const result = await work()
      await this.exec('commit')
      return result
    } catch (error) {
      // The rollback fails if SQLite has rolled back by itself.
      await this.exec('rollback').catch(() => undefined)
      throw error
    }
  }

  /**
   * Writes the log into the file and empties it, unless a reader uses it now.
   * @returns false if the log stays
   */
  async emptyLog(): Promise<boolean> {
    // A wait for readers would make every writer wait.
    await this.exec('pragma busy_timeout = 0')
    try {
      const [row] = await this.all<{ readonly busy: number }>('pragma wal_checkpoint(truncate)')
      return row?.busy === 0
    } finally {
      await this.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
    }
  }

  async close(): Promise<void> {
    for (const statement of this.#statements.values()) await statement.then(finalize, () => undefined)
    await callAsPromise((done) => this.database.close(done))
  }
}

async function finalize(statement: Statement): Promise<void> {
  await callAsPromise((done) => statement.finalize(() => done(null)))
}

/** Calls a function with a callback, and returns the callback's result. */
async function callAsPromise<T>(work: (done: (error: Error | null, result?: T) => void) => unknown): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    work((error, result) => {
      if (error === null) resolve(result as T)
      else reject(error)
    })
  })
}
