import type { Knex } from 'knex'
import type { Telemetry } from '../../src/ports/index.js'
import type { VectorTable, VectorTables } from './vector-tables.js'

/** What an index on half-precision vectors takes (pgvector, HNSW). */
const MOST_DIMENSIONS = 4_000
/** Additions after which a table is counted. */
const ADDITIONS_PER_LOOK = 8
const MEMORY = '256MB'
const PAUSE_AFTER_ERROR_MS = 60_000
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

/** Which tables get an index. */
export interface HnswBuilderOptions {
  readonly indexFromRows: number
  readonly telemetry: Telemetry | undefined
}

/** Builds HNSW indexes where they pay, one at a time, while others read and write. Until one is built its table is scanned. */
export class HnswBuilder {
  readonly #knex: Knex
  readonly #tables: VectorTables
  readonly #options: HnswBuilderOptions
  readonly #additions = new Map<string, number>()
  readonly #builds = new Map<string, Promise<void>>()
  #nextMs = 0
  #last: Promise<void> = Promise.resolve()
  #isClosed = false
  error: Error | undefined

  constructor(knex: Knex, tables: VectorTables, options: HnswBuilderOptions) {
    this.#knex = knex
    this.#tables = tables
    this.#options = options
  }

  /** To be told of every addition. */
  noteAddition(name: string, table: VectorTable): void {
    if (this.#isClosed || table.isIndexed || table.dimensions > MOST_DIMENSIONS) return
    const additions = (this.#additions.get(name) ?? 0) + 1
    this.#additions.set(name, additions)
    if (additions % ADDITIONS_PER_LOOK === 1 && performance.now() >= this.#nextMs) this.#begin(name, table)
  }

  /** Builds what is due now, and waits for it. */
  async finish(): Promise<void> {
    for (const name of this.#additions.keys()) {
      const table = await this.#tables.find(name)
      if (table !== undefined && !table.isIndexed && table.dimensions <= MOST_DIMENSIONS) this.#begin(name, table)
    }
    await Promise.all(this.#builds.values())
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#builds.values())
  }

  #begin(name: string, table: VectorTable): void {
    if (this.#builds.has(name)) return
    const build = this.#last.then(async () => {
      await this.#tryToBuild(name, table)
      this.#builds.delete(name)
    })
    this.#last = build
    this.#builds.set(name, build)
  }

  async #tryToBuild(name: string, { table, dimensions }: VectorTable): Promise<void> {
    if (this.#isClosed) return
    try {
      const counted = await this.#knex.raw<{ readonly rows: readonly { readonly rows: string }[] }>(
        'select count(*) as rows from ??',
        [table],
      )
      if (Number(counted.rows[0]?.rows) < this.#options.indexFromRows) return
      if (await this.#build(table, dimensions)) await this.#tables.setIndexed(name)
      this.error = undefined
    } catch (error) {
      this.error = error instanceof Error ? error : new Error(String(error))
      this.#nextMs = performance.now() + PAUSE_AFTER_ERROR_MS
      this.#options.telemetry?.record({
        name: 'vectors.index.failed',
        level: 'warn',
        fields: { collection: name },
        error,
      })
    }
  }

  /** @returns whether the index is there: another process may be building it */
  async #build(table: string, dimensions: number): Promise<boolean> {
    const client = this.#knex.client as Client
    const connection = await client.acquireConnection()
    const run = async (sql: string, bindings: readonly Knex.RawBinding[] = []): Promise<readonly Row[]> => {
      // Building takes as long as it takes, whatever the others are allowed.
      const patient = { query_timeout: LONGEST_TIMEOUT_MS }
      const done: unknown = await this.#knex.raw(sql, bindings).options(patient).connection(connection)
      return (done as { readonly rows: readonly Row[] }).rows
    }
    const lock = [table, 'index']
    try {
      const [locked] = await run('select pg_try_advisory_lock(hashtext(?), hashtext(?)) as taken', lock)
      if (locked?.taken !== true) return false
      try {
        const [found] = await run(
          'select indisvalid as taken from pg_index where indexrelid = to_regclass(quote_ident(?))',
          [`${table}_hnsw`],
        )
        if (found?.taken === true) return true
        // What a build leaves that was broken off.
        if (found !== undefined) await run('drop index concurrently ??', [`${table}_hnsw`])
        await run(`set maintenance_work_mem = '${MEMORY}'`)
        await run(
          `create index concurrently ?? on ?? using hnsw ((vector::halfvec(${dimensions})) halfvec_cosine_ops)`,
          [`${table}_hnsw`, table],
        )
        return true
      } finally {
        await run('reset maintenance_work_mem').catch(() => undefined)
        await run('select pg_advisory_unlock(hashtext(?), hashtext(?))', lock).catch(() => undefined)
      }
    } finally {
      await client.releaseConnection(connection)
    }
  }
}

interface Row {
  readonly taken: boolean
}

/** What is used of knex's client: a build is not within a transaction, and its lock belongs to its connection. */
interface Client {
  acquireConnection(): Promise<unknown>
  releaseConnection(connection: unknown): Promise<void>
}
