import { setTimeout } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { VectorTable } from './vector-tables.js'

const MEMORY = '256MB'
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1
/** A cancellation that reaches the server between two statements is lost. */
const CANCEL_AGAIN_MS = 250

/** Builds the index of one table, once, on a connection of the pool. */
export class HnswBuild {
  readonly #knex: Knex
  readonly #table: VectorTable
  /** The server's process that builds, while it does. */
  #processId: number | undefined
  #isCancelled = false
  #run: Promise<boolean> | undefined

  constructor(knex: Knex, table: VectorTable) {
    this.#knex = knex
    this.#table = table
  }

  /**
   * @returns whether the index is there: another process may be building it
   * @throws Error of the database, or of {@link cancel}
   */
  async run(): Promise<boolean> {
    this.#run ??= this.#onConnection()
    return await this.#run
  }

  /** Breaks it off, and waits until it has ended. What it leaves, the next build removes. */
  async cancel(): Promise<void> {
    this.#isCancelled = true
    const over = this.#run?.then(
      () => true,
      () => true,
    )
    while (over !== undefined) {
      await this.#cancelStatement().catch(() => undefined)
      if (await Promise.race([over, setTimeout(CANCEL_AGAIN_MS, false, { ref: false })])) return
    }
  }

  async #cancelStatement(): Promise<void> {
    if (this.#processId === undefined) return
    // Never its own: with a pool of one connection it comes to run on that of the build.
    await this.#knex.raw(
      'select pg_cancel_backend(pid) from pg_stat_activity where pid = ? and pid <> pg_backend_pid()',
      [this.#processId],
    )
  }

  async #onConnection(): Promise<boolean> {
    const client = this.#knex.client as Client
    const connection = await client.acquireConnection()
    let isAsBefore = false
    try {
      const isThere = await this.#underLock(connection)
      isAsBefore = !this.#isCancelled
      return isThere
    } finally {
      this.#processId = undefined
      // Its lock and settings end with it, and a cancellation that is still to come.
      if (!isAsBefore) await end(connection)
      await client.releaseConnection(connection)
    }
  }

  async #underLock(connection: Connection): Promise<boolean> {
    const run: Run = async (sql, bindings = []) => await this.#statement(connection, sql, bindings)
    const lock = [this.#table.table, 'index']
    const [locked] = await run(
      'select pg_try_advisory_lock(hashtext(?), hashtext(?)) as is_true, pg_backend_pid() as process_id',
      lock,
    )
    this.#processId = Number(locked?.['process_id'])
    if (locked?.['is_true'] !== true) return false
    await this.#build(run)
    await run('select pg_advisory_unlock(hashtext(?), hashtext(?))', lock)
    return true
  }

  async #build(run: Run): Promise<void> {
    const { table, dimensions } = this.#table
    const index = `${table}_hnsw`
    const [found] = await run(
      'select indisvalid as is_true from pg_index where indexrelid = to_regclass(quote_ident(?))',
      [index],
    )
    if (found?.['is_true'] === true) return
    const settings = `select set_config('statement_timeout', ?, false), set_config('maintenance_work_mem', ?, false)`
    const [before] = await run(
      `select current_setting('statement_timeout') as timeout, current_setting('maintenance_work_mem') as memory`,
    )
    await run(settings, ['0', MEMORY])
    // What a build leaves that was broken off.
    if (found !== undefined) await run('drop index concurrently ??', [index])
    await run(`create index concurrently ?? on ?? using hnsw ((vector::halfvec(${dimensions})) halfvec_cosine_ops)`, [
      index,
      table,
    ])
    await run(settings, [String(before?.['timeout']), String(before?.['memory'])])
  }

  /** Takes as long as it takes, whatever the others are allowed. */
  async #statement(connection: Connection, sql: string, bindings: readonly Knex.RawBinding[]): Promise<readonly Row[]> {
    if (this.#isCancelled) throw new Error('the build of the index was cancelled')
    const patient = { query_timeout: LONGEST_TIMEOUT_MS }
    const done: unknown = await this.#knex.raw(sql, bindings).options(patient).connection(connection)
    return (done as { readonly rows: readonly Row[] }).rows
  }
}

type Row = Readonly<Record<string, unknown>>
type Run = (sql: string, bindings?: readonly Knex.RawBinding[]) => Promise<readonly Row[]>

/** What is used of the driver's connection. */
interface Connection {
  /** Why knex must give it to nobody any more. */
  __knex__disposed?: unknown
  end(): Promise<void>
}

/** What is used of knex's client: a build is not within a transaction, and its lock belongs to its connection. */
interface Client {
  acquireConnection(): Promise<Connection>
  releaseConnection(connection: Connection): Promise<void>
}

async function end(connection: Connection): Promise<void> {
  connection.__knex__disposed = 'the build of an index was broken off'
  await connection.end().catch(() => undefined)
}
