/** The part of a driver's connection to PostgreSQL that is used. */
interface Connection {
  query(sql: string): Promise<unknown>
  on(name: 'error', listener: () => void): unknown
  end(): Promise<void>
  ref?(): void
  unref?(): void
}

/** The part of a knex instance that makes connections outside its pool. */
interface Connector {
  readonly client: unknown
}

/** A check that has no answer after this time leaves its connection: the next check makes another one. */
const LOST_AFTER_MS = 2_000

const connections = new WeakMap<object, HealthConnection>()

/** The connection for checks of a knex instance. All parts that use the instance share it. */
export function healthConnectionOf(knex: Connector): HealthConnection {
  const client = knex.client as object
  const connection = connections.get(client) ?? new HealthConnection(client)
  connections.set(client, connection)
  return connection
}

/** A connection of its own, so that checks of a database never wait for the pool. It does not keep the process alive. */
class HealthConnection {
  readonly #client: { acquireRawConnection(): Promise<Connection> }
  #connection: Promise<Connection> | undefined
  #running: { readonly check: Promise<void>; readonly since: number } | undefined

  constructor(client: object) {
    this.#client = client as { acquireRawConnection(): Promise<Connection> }
  }

  /** Checks that the database answers. Concurrent callers share one check. @throws the driver's error */
  async check(): Promise<void> {
    if (this.#running !== undefined && performance.now() - this.#running.since > LOST_AFTER_MS) this.#leave()
    this.#running ??= { check: this.#check(), since: performance.now() }
    await this.#running.check
  }

  /** Ends the connection. A later check makes another one. */
  async close(): Promise<void> {
    const connection = this.#connection
    this.#running?.check.catch(() => undefined)
    this.#running = undefined
    this.#connection = undefined
    await connection?.then(
      async (open) => {
        open.ref?.()
        await open.end()
      },
      () => undefined,
    )
  }

  async #check(): Promise<void> {
    const connection = (this.#connection ??= this.#connect())
    try {
      const open = await connection
      await open.query('select 1')
      if (this.#connection === connection) this.#running = undefined
    } catch (error) {
      if (this.#connection === connection) {
        this.#running = undefined
        this.#connection = undefined
      }
      await connection.then(async (open) => await open.end()).catch(() => undefined)
      throw error
    }
  }

  async #connect(): Promise<Connection> {
    const connection = await this.#client.acquireRawConnection()
    // Without a listener, the loss of an idle connection would end the process. The next check finds it.
    connection.on('error', () => undefined)
    connection.unref?.()
    return connection
  }

  /** Nobody waits for the end of a lost connection: the server may never answer. */
  #leave(): void {
    const lost = this.#connection
    this.#running?.check.catch(() => undefined)
    this.#running = undefined
    this.#connection = undefined
    void lost?.then(async (open) => await open.end()).catch(() => undefined)
  }
}
