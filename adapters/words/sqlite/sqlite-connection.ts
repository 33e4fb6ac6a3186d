import pLimit from 'p-limit'
import type { Database, Statement } from 'sqlite3'

/** A value that a statement takes. */
export type SqlValue = string | number | Buffer

/** How long a statement waits for another process's transaction. */
const BUSY_TIMEOUT_MS = 15_000

/**
 * A connection to an SQLite file. Statements run on a thread of the pool, one after the other: those that wait hold no
 * thread, which others need.
 */
export class SqliteConnection {
  readonly #database: Database
  readonly #turn = pLimit(1)
  readonly #statements = new Map<string, Promise<Statement>>()

  private constructor(database: Database) {
    this.#database = database
  }

  /** Opens a file, or makes it. */
  static async open(file: string): Promise<SqliteConnection> {
    const { default: sqlite } = await import('sqlite3')
    const database = await called<Database>((done) => {
      const opened: Database = new sqlite.Database(file, (error) => done(error, opened))
    })
    const connection = new SqliteConnection(database)
    await connection.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
    return connection
  }

  async exec(statements: string): Promise<void> {
    await called((done) => this.#database.exec(statements, done))
  }

  /** Runs a statement. It is prepared once: its text must be one of few. */
  async run(text: string, values: readonly SqlValue[] = []): Promise<void> {
    const statement = await this.#prepared(text)
    await this.#turn(async () => await called((done) => statement.run(values, done)))
  }

  /** The rows of a statement, which is prepared once. */
  async all<T>(text: string, values: readonly SqlValue[] = []): Promise<readonly T[]> {
    const statement = await this.#prepared(text)
    return await this.#turn(async () => await called<readonly T[]>((done) => statement.all<T>(values, done)))
  }

  #prepared(text: string): Promise<Statement> {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    const prepared = called<Statement>((done) => {
      const statement = this.#database.prepare(text, (error) => done(error, statement))
    })
    this.#statements.set(text, prepared)
    // Its table may come to be there.
    prepared.catch(() => this.#statements.delete(text))
    return prepared
  }

  /** Does all of the work or none of it. Nobody else may use the connection meanwhile. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.exec('begin immediate')
    try {
      const result = await work()
      await this.exec('commit')
      return result
    } catch (error) {
      // Where SQLite has rolled back by itself, it says so.
      await this.exec('rollback').catch(() => undefined)
      throw error
    }
  }

  async close(): Promise<void> {
    for (const statement of this.#statements.values()) await statement.then(finalize, () => undefined)
    await called((done) => this.#database.close(done))
  }
}

async function finalize(statement: Statement): Promise<void> {
  await called((done) => statement.finalize(() => done(null)))
}

/** What a function tells its callback. */
async function called<T>(work: (done: (error: Error | null, result?: T) => void) => unknown): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    work((error, result) => {
      if (error === null) resolve(result as T)
      else reject(error)
    })
  })
}
