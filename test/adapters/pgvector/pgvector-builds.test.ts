import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Knex } from 'knex'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openPostgres } from '../../../adapters/knex/index.js'
import { MemoryTelemetry } from '../../../adapters/memory/index.js'
import { PgVectorIndex, type PgVectorOptions } from '../../../adapters/pgvector/index.js'
import { clusteredRows, clusteredVector } from '../../clustered-vectors.js'
import { BUILD_GATE, PGVECTOR_STAND_IN } from '../../servers/pgvector-stand-in.js'
import { type PostgresServer, startPostgres } from '../../servers/postgres-server.js'

const COLLECTION = { name: 'context-1-model', dimensions: 24 }
const ROWS = 20
const UNTIL_MS = 30_000

interface TableRow {
  readonly table: string
  readonly is_indexed: boolean
  /** True if the index of the table can be used; null if the table has no index. */
  readonly is_valid: boolean | null
}

/** Without PostgreSQL, the run reports at its start that it skips these tests. */
describe.runIf(process.env['ALCOVE_TEST_DATABASE_URL'] !== undefined)('a build of an index that takes hours', () => {
  let postgres: PostgresServer
  let admin: Client
  let prefix: string
  let knexes: Knex[]
  let telemetry: MemoryTelemetry

  beforeAll(async () => {
    postgres = await startPostgres(PGVECTOR_STAND_IN)
    admin = new Client(postgres.url)
    await admin.connect()
  })

  afterAll(async () => {
    await admin.end()
    await postgres.dispose()
  })

  beforeEach(() => {
    prefix = `t${randomUUID().replaceAll('-', '').slice(0, 20)}_`
    knexes = []
    telemetry = new MemoryTelemetry()
  })

  afterEach(async () => {
    await openGate()
    for (const knex of knexes) await knex.destroy()
  })

  const closeGate = async (): Promise<void> => {
    await admin.query(`select pg_advisory_lock(${BUILD_GATE})`)
  }
  const openGate = async (): Promise<void> => {
    await admin.query('select pg_advisory_unlock_all()')
  }
  const connect = (user?: string, maxConnections = 4): Knex => {
    const url = new URL(postgres.url)
    if (user !== undefined) url.username = user
    const knex = openPostgres(url.href, { maxConnections })
    knexes.push(knex)
    return knex
  }
  /** A vector index with its own connections, as another process has. */
  const newIndex = (options: Partial<PgVectorOptions> = {}): PgVectorIndex =>
    new PgVectorIndex({
      knex: connect(),
      keepKnex: true,
      tablePrefix: prefix,
      indexFromRows: ROWS,
      telemetry,
      ...options,
    })
  const add = async (index: PgVectorIndex): Promise<void> =>
    await index.add(COLLECTION, clusteredRows(1, ROWS, COLLECTION.dimensions))
  const search = async (index: PgVectorIndex): Promise<unknown> =>
    await index.search(COLLECTION, clusteredVector(1, COLLECTION.dimensions), { limit: 1 })
  const tableOf = async (): Promise<TableRow | undefined> => {
    const { rows } = await admin.query<TableRow>(
      `select "table", is_indexed, (select indisvalid from pg_index where indexrelid = to_regclass("table" || '_hnsw')) as is_valid
       from (select '${prefix}vectors_' || id as "table", is_indexed from ${prefix}vector_collections where name = $1) as found`,
      [COLLECTION.name],
    )
    return rows[0]
  }
  const builds = async (): Promise<number> => {
    const { rowCount } = await admin.query(
      `select from pg_stat_progress_create_index where relid::regclass::text like '${prefix}%'
       and command = 'CREATE INDEX CONCURRENTLY'`,
    )
    return rowCount ?? 0
  }
  const until = async (condition: () => Promise<boolean>): Promise<void> => {
    const deadline = performance.now() + UNTIL_MS
    while (!(await condition())) {
      if (performance.now() > deadline) throw new Error(`not within ${UNTIL_MS} ms: ${String(condition)}`)
      await setTimeout(10)
    }
  }
  const isBuilding = async (): Promise<boolean> => (await builds()) > 0
  const isIndexed = async (): Promise<boolean> => (await tableOf())?.is_indexed === true

  it('is aborted when its process closes, and another process that only searches starts it again', async () => {
    await closeGate()
    const index = newIndex()
    await add(index)
    await until(isBuilding)
    await index.close()
    expect(await builds()).toBe(0)
    expect([index.maintenanceError, telemetry.events]).toEqual([undefined, []])
    expect(await tableOf()).toMatchObject({ is_indexed: false, is_valid: false })
    const locks = await admin.query(`select from pg_locks where locktype = 'advisory' and objid <> ${BUILD_GATE}`)
    expect(locks.rowCount).toBe(0)
    await openGate()
    const other = newIndex()
    await search(other)
    await until(isIndexed)
    expect(await tableOf()).toMatchObject({ is_indexed: true, is_valid: true })
    await other.close()
    expect(telemetry.events).toEqual([])
  })

  it.each(['the same', 'another'])('is aborted when %s process drops its collection', async (which) => {
    await closeGate()
    const index = newIndex({ indexRetryMs: 1 })
    await add(index)
    await until(isBuilding)
    const other = which === 'another' ? newIndex() : index
    await other.drop(COLLECTION.name)
    expect([await builds(), await tableOf()]).toEqual([0, undefined])
    await openGate()
    // A collection that is created again gets its own index, also from a process that used the old one.
    await add(index)
    await until(isIndexed)
    expect(await tableOf()).toMatchObject({ is_valid: true })
    for (const each of new Set([index, other])) await each.close()
    expect(telemetry.events).toEqual([])
  })

  it('delays the drop of its collection if the dropping role may not abort it', async () => {
    await admin.query(`create role ${prefix}plain login`)
    await admin.query(`grant create on schema public to ${prefix}plain`)
    const plain = newIndex({ knex: connect(`${prefix}plain`), indexFromRows: 1e9 })
    await admin.query('create extension if not exists vector')
    await add(plain)
    await closeGate()
    const index = newIndex()
    await search(index)
    await until(isBuilding)
    const { table } = (await tableOf()) ?? { table: '' }
    let isDropped = false
    const dropping = plain.drop(COLLECTION.name).then(() => {
      isDropped = true
    })
    await until(async () => {
      const waiting = await admin.query(`select from pg_locks where relation = $1::regclass and not granted`, [table])
      return waiting.rowCount === 1
    })
    expect([isDropped, await builds()]).toEqual([false, 1])
    await openGate()
    await dropping
    expect(await tableOf()).toBeUndefined()
    for (const each of [plain, index]) await each.close()
    expect(telemetry.events).toEqual([])
  })

  it('does not mark a new table of the same name as indexed', async () => {
    const knex = connect()
    let letGo: (() => void) | undefined
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    let marks = 0
    // This process halts between the end of a build and its mark.
    const halted = new Proxy(knex, {
      get: (target, name, receiver) =>
        name === 'raw'
          ? (sql: string, bindings: readonly Knex.RawBinding[]) => {
              if (!sql.startsWith('update')) return knex.raw(sql, bindings)
              marks += 1
              return held.then(() => knex.raw(sql, bindings))
            }
          : (Reflect.get(target, name, receiver) as unknown),
    })
    const index = newIndex({ knex: halted })
    await add(index)
    await until(() => Promise.resolve(marks === 1))
    expect(await tableOf()).toMatchObject({ is_indexed: false, is_valid: true })
    const other = newIndex({ indexFromRows: 1e9 })
    await other.drop(COLLECTION.name)
    await add(other)
    letGo?.()
    await index.close()
    expect(await tableOf()).toMatchObject({ is_indexed: false, is_valid: null })
    await other.close()
    expect(telemetry.events).toEqual([])
  })

  it('requires the extension, and names the remedy if the role may not create it', async () => {
    await admin.query(`create role ${prefix}guest login`)
    await admin.query(`create database ${prefix}guests`)
    const url = new URL(postgres.url)
    url.pathname = `/${prefix}guests`
    url.username = `${prefix}guest`
    const knex = openPostgres(url.href)
    knexes.push(knex)
    await expect(newIndex({ knex }).prepare()).rejects.toMatchObject({
      code: 'ERR_UNSUPPORTED',
      message: expect.stringContaining('let an administrator run "create extension vector"') as string,
    })
  })

  it('is retried after a pause when it fails, even without further additions', async () => {
    const index = newIndex({ indexRetryMs: 200 })
    await index.prepare()
    const inTheWay = `${prefix}vectors_1_hnsw`
    await admin.query(`create table ${inTheWay} ()`)
    await add(index)
    await until(() => Promise.resolve(telemetry.events.length > 1))
    expect(telemetry.events[0]).toMatchObject({ name: 'vectors.index.failed', fields: { collection: COLLECTION.name } })
    expect(index.maintenanceError).toMatchObject({ code: '42P07' })
    await admin.query(`drop table ${inTheWay}`)
    await until(isIndexed)
    await until(() => Promise.resolve(index.maintenanceError === undefined))
    await index.close()
  })

  it('has no time limit and restores the settings of its connection', async () => {
    const user = `${prefix}hurried`
    await admin.query(`create role ${user} login superuser`)
    await admin.query(`alter role ${user} set statement_timeout = '2s'`)
    const knex = connect(user, 1)
    const other = newIndex({ indexFromRows: 1e9 })
    await add(other)
    await closeGate()
    const index = newIndex({ knex })
    await search(index)
    await until(async () => {
      const long = await admin.query(
        `select from pg_stat_activity where usename = $1 and state = 'active' and clock_timestamp() - query_start > '2.5 s'`,
        [user],
      )
      return long.rowCount === 1
    })
    await openGate()
    await until(isIndexed)
    const settings = await knex.raw<{ rows: unknown[] }>(
      `select current_setting('statement_timeout') as timeout, current_setting('maintenance_work_mem') as memory`,
    )
    expect(settings.rows).toEqual([{ timeout: '2s', memory: '64MB' }])
    for (const each of [index, other]) await each.close()
    expect(telemetry.events).toEqual([])
  })
})
