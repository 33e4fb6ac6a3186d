import type { Connection } from '@lancedb/lancedb'
import { connectTo } from './lance-connection.js'
import { makeTemporaryFolder, type TablePlace } from './table-place.js'

/** The number of dropped tables after which a new connection replaces the current one. Each name takes 100 bytes. */
const MAX_DROPPED = 1_000

interface SharedConnection {
  readonly opening: Promise<Connection>
  /** The number of calls that use the connection now. */
  users: number
}

/**
 * The connection to a location. A connection caches the indexes of each version of a table, so it would take a new table
 * for the dropped one of that name. A new connection replaces it before such a name is used again.
 */
export class LanceConnections {
  #current: SharedConnection | undefined
  /** Names of tables that were dropped while the current connection was open, and not used since. */
  readonly #dropped = new Set<string>()
  #temporaryFolder: Promise<() => Promise<void>> | undefined

  constructor(private readonly place: TablePlace) {}

  /** Removes what earlier processes have left, once. Each connection needs it. */
  async prepare(): Promise<void> {
    this.#temporaryFolder ??= makeTemporaryFolder(this.place)
    await this.#temporaryFolder
  }

  /** Must be called after each drop. */
  noteDrop(name: string): void {
    this.#dropped.add(name)
    if (this.#dropped.size > MAX_DROPPED) this.#retire()
  }

  /** Runs work that opens or creates a table. */
  async useFor<T>(name: string, work: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#dropped.has(name)) this.#retire()
    return await this.use(work)
  }

  /** Runs work that opens no table. If a connection fails, for lack of disk space or file handles, the next call makes another. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const shared = (this.#current ??= { opening: this.#connect(), users: 0 })
    shared.users += 1
    try {
      const connection = await shared.opening.catch((error: unknown) => {
        if (this.#current === shared) this.#current = undefined
        throw error
      })
      return await work(connection)
    } finally {
      shared.users -= 1
      this.#closeIfUnused(shared)
    }
  }

  async close(): Promise<void> {
    const connection = await this.#current?.opening.catch(() => undefined)
    connection?.close()
    this.#current = undefined
    const removeTemporaryFolder = await this.#temporaryFolder
    await removeTemporaryFolder?.()
  }

  /** Lets the next call make a connection. That connection knows none of the dropped tables. */
  #retire(): void {
    this.#dropped.clear()
    const former = this.#current
    this.#current = undefined
    if (former !== undefined) this.#closeIfUnused(former)
  }

  /** Closes a former connection after its last call. Tables that it has opened stay open. */
  #closeIfUnused(shared: SharedConnection): void {
    if (shared === this.#current || shared.users > 0) return
    shared.opening.then(
      (connection) => connection.close(),
      () => undefined,
    )
  }

  async #connect(): Promise<Connection> {
    await this.prepare()
    return await connectTo(this.place)
  }
}
