import type { Database } from 'sqlite3'

/** A value that a statement takes. */
export type SqlValue = string | number | Buffer

/** How long a statement waits for another process's transaction. */
const BUSY_TIMEOUT_MS = 15_000

/** A connection to an SQLite file. Statements run on a thread of their own, one after the other. */
export class SqliteConnection {
  readonly #database: Database

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

  async run(statement: string, values: readonly SqlValue[] = []): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#database.run(statement, values, (error) => {
        if (error === null) resolve()
        else reject(error)
      })
    })
  }

  async all<T>(statement: string, values: readonly SqlValue[] = []): Promise<readonly T[]> {
    return await new Promise<readonly T[]>((resolve, reject) => {
      this.#database.all<T>(statement, values, (error, rows) => {
        if (error === null) resolve(rows)
        else reject(error)
      })
    })
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
    await new Promise<void>((resolve, reject) => {
      this.#database.close((error) => {
        if (error === null) resolve()
        else reject(error)
      })
    })
  }
}
