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
    const database = await new Promise<Database>((resolve, reject) => {
      const opened: Database = new sqlite.Database(file, (error) => {
        if (error === null) resolve(opened)
        else reject(error)
      })
    })
    const connection = new SqliteConnection(database)
    await connection.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
    return connection
  }

  async exec(statements: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#database.exec(statements, (error) => {
        if (error === null) resolve()
        else reject(error)
      })
    })
  }

  /** Runs a statement. It is prepared once: its text must be one of few. */
  async run(text: string, values: readonly SqlValue[] = []): Promise<void> {
    const statement = await this.#prepared(text)
    const work = async (): Promise<void> => {
      await new Promise<void>((resolve, reject) => {
        statement.run(values, (error: Error | null) => {
          if (error === null) resolve()
          else reject(error)
        })
      })
    }
    await this.#turn(work)
  }

  /** The rows of a statement, which is prepared once. */
  async all<T>(text: string, values: readonly SqlValue[] = []): Promise<readonly T[]> {
    const statement = await this.#prepared(text)
    const work = async (): Promise<readonly T[]> =>
      await new Promise<readonly T[]>((resolve, reject) => {
        statement.all<T>(values, (error, rows) => {
          if (error === null) resolve(rows)
          else reject(error)
        })
      })
    return await this.#turn(work)
  }

  #prepared(text: string): Promise<Statement> {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    const prepared = new Promise<Statement>((resolve, reject) => {
      const statement = this.#database.prepare(text, (error) => {
        if (error === null) resolve(statement)
        else reject(error)
      })
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
    await new Promise<void>((resolve, reject) => {
      this.#database.close((error) => {
        if (error === null) resolve()
        else reject(error)
      })
    })
  }
}

async function finalize(statement: Statement): Promise<void> {
  await new Promise<void>((resolve) => {
    statement.finalize(() => {
      resolve()
    })
  })
}
