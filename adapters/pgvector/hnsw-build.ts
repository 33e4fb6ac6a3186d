import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { VectorTable } from './vector-tables.js'

const MAINTENANCE_MEMORY = '256MB'
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1
/** Time between two cancellations. One that reaches the server between two statements is lost. */
const CANCEL_INTERVAL_MS = 250

/** Builds the HNSW index of one table on a connection of the pool. */
export class HnswBuild {
  /** The server process that runs the build; undefined while there is none. */
  #processId: number | undefined
  #isCancelled = false
  #run: Promise<boolean> | undefined

  constructor(
    private readonly knex: Knex,
    private readonly table: VectorTable,
  ) {}

  /**
   * Starts the build at the first call, and waits for it.
   * @returns true if the index is built; false if another process is building it
   * @throws Error of the database, or if {@link cancel} was called
   */
  async run(): Promise<boolean> {
    this.#run ??= this.#runOnConnection()
    return await this.#run
  }

  /** Cancels the build, and waits until it has stopped. The next build removes the unfinished index. */
  async cancel(): Promise<void> {
    this.#isCancelled = true
    const finished = this.#run?.then(
      () => true,
      () => true,
    )
    while (finished !== undefined) {
      await this.#cancelStatement().catch(() => undefined)
      if (await Promise.race([finished, delay(CANCEL_INTERVAL_MS, false, { ref: false })])) return
    }
  }

  async #cancelStatement(): Promise<void> {
    if (this.#processId === undefined) return
    // Not its own process: with a pool of one connection, this statement runs on the connection of the build.
    await this.knex.raw(
      'select pg_cancel_backend(pid) from pg_stat_activity where pid = ? and pid <> pg_backend_pid()',
      [this.#processId],
    )
  }

  async #runOnConnection(): Promise<boolean> {
    const client = this.knex.client as Client
    const connection = await client.acquireConnection()
    let isReusable = false
    try {
      const isBuilt = await this.#buildUnderLock(connection)
      isReusable = !this.#isCancelled
      return isBuilt
    } finally {
      this.#processId = undefined
      // The end of the connection also ends its lock, its settings and a cancellation that is still on its way.
      if (!isReusable) await discard(connection)
      await client.releaseConnection(connection)
    }
  }

  async #buildUnderLock(connection: Connection): Promise<boolean> {
    const execute: Execute = async (sql, bindings = []) => await this.#statement(connection, sql, bindings)
    const lock = [this.table.table, 'index']
    const [locked] = await execute(
      'select pg_try_advisory_lock(hashtext(?), hashtext(?)) as is_true, pg_backend_pid() as process_id',
      lock,
    )
    this.#processId = Number(locked?.['process_id'])
    if (locked?.['is_true'] !== true) return false
    await this.#build(execute)
    await execute('select pg_advisory_unlock(hashtext(?), hashtext(?))', lock)
    return true
  }

  async #build(execute: Execute): Promise<void> {
    const { table, dimensions } = this.table
    const index = `${table}_hnsw`
    const [found] = await execute(
      'select indisvalid as is_true from pg_index where indexrelid = to_regclass(quote_ident(?))',
      [index],
    )
    if (found?.['is_true'] === true) return
    const settings = `select set_config('statement_timeout', ?, false), set_config('maintenance_work_mem', ?, false)`
    const [before] = await execute(
      `select current_setting('statement_timeout') as timeout, current_setting('maintenance_work_mem') as memory`,
    )
    await execute(settings, ['0', MAINTENANCE_MEMORY])
    // A cancelled build leaves an index that is not valid.
    if (found !== undefined) await execute('drop index concurrently ??', [index])
    await execute(
      `create index concurrently ?? on ?? using hnsw ((vector::halfvec(${dimensions})) halfvec_cosine_ops)`,
      [index, table],
    )
    await execute(settings, [String(before?.['timeout']), String(before?.['memory'])])
  }

  /** Runs a statement without the time limit of other statements. */
  async #statement(connection: Connection, sql: string, bindings: readonly Knex.RawBinding[]): Promise<readonly Row[]> {
    if (this.#isCancelled) throw new Error('the build of the index was cancelled')
    const options = { query_timeout: LONGEST_TIMEOUT_MS }
    const result: unknown = await this.knex.raw(sql, bindings).options(options).connection(connection)
    return (result as { readonly rows: readonly Row[] }).rows
  }
}

type Row = Readonly<Record<string, unknown>>
type Execute = (sql: string, bindings?: readonly Knex.RawBinding[]) => Promise<readonly Row[]>

/** The part of the driver's connection that is used. */
interface Connection {
  /** If set, knex never hands out the connection: the reason. */
  __knex__disposed?: unknown
  end(): Promise<void>
}

/**
 * The part of knex's client that is used. A build cannot run in a transaction, and its lock belongs to a connection.
 */
interface Client {
  acquireConnection(): Promise<Connection>
  releaseConnection(connection: Connection): Promise<void>
}

async function discard(connection: Connection): Promise<void> {
  connection.__knex__disposed = 'the build of an index was cancelled'
  await connection.end().catch(() => undefined)
}
