import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgres } from '../../../adapters/knex/index.js'
import { MemoryTelemetry } from '../../../adapters/memory/index.js'
import { PgVectorIndex, type PgVectorOptions } from '../../../adapters/pgvector/index.js'
import { clusteredRows, clusteredVector } from '../../clustered-vectors.js'
import { vectorIndexSuite } from '../../conformance/index.js'
import { sized } from '../../full-form.js'
import { type PgliteServer, startPglite } from '../../servers/pglite-server.js'
import { statementLimits } from '../../servers/statement-limits.js'

/** An external server with pgvector. Default: the server that runs in this process. */
const SERVER_URL: string | undefined = process.env['ALCOVE_TEST_PGVECTOR_URL']

let pglite: PgliteServer | undefined
let knex: Knex

beforeAll(async () => {
  pglite = SERVER_URL === undefined ? await startPglite() : undefined
  knex = openPostgres(SERVER_URL ?? pglite?.url ?? '', { maxConnections: SERVER_URL === undefined ? 1 : 4 })
})

afterAll(async () => {
  await knex.destroy()
  await pglite?.dispose()
})

/** Options for an index with its own tables in one database: another database takes seconds to set up. */
function options(): Pick<PgVectorOptions, 'knex' | 'keepKnex' | 'tablePrefix'> {
  return { knex, keepKnex: true, tablePrefix: `t${randomUUID().replaceAll('-', '').slice(0, 20)}_` }
}

vectorIndexSuite({ describe, it }, 'pgvector', async () => {
  const port = new PgVectorIndex(options())
  return { port, dispose: async () => await port.close() }
})

describe('a vector index in PostgreSQL', () => {
  const COLLECTION = { name: 'context-1-model', dimensions: 24 }
  const DOCUMENTS = 56
  const QUERIES = sized(10, 20)
  const sequence = (length: number, first = 1) => Array.from({ length }, (_, number) => first + number)

  it('finds with an index the vectors that a scan finds, whatever the filter, also in another process', async () => {
    const shared = options()
    const telemetry = new MemoryTelemetry()
    const index = new PgVectorIndex({ ...shared, indexFromRows: 2_000, telemetry })
    const scanned = new PgVectorIndex({ ...shared, tablePrefix: `${shared.tablePrefix ?? ''}s`, indexFromRows: 1e9 })
    for (const documentId of sequence(DOCUMENTS)) {
      const rows = clusteredRows(documentId, 200, COLLECTION.dimensions)
      for (const each of [index, scanned]) await each.add(COLLECTION, rows)
    }
    await index.whenMaintained()
    expect([index.maintenanceError, telemetry.events]).toEqual([undefined, []])
    const [built] = (
      await knex.raw<{ rows: { indexdef: string }[] }>(
        'select indexdef from pg_indexes where tablename like ? and indexdef like ?',
        [`${shared.tablePrefix ?? ''}vectors%`, '%hnsw%'],
      )
    ).rows
    expect(built?.indexdef).toContain('halfvec')
    const other = new PgVectorIndex({ ...shared })
    const statements: string[] = []
    const listen = ({ sql }: { readonly sql: string }): unknown => statements.push(sql)
    knex.on('query', listen)
    let [found, wanted] = [0, 0]
    for (const documentId of sequence(QUERIES)) {
      const query = clusteredVector(documentId, COLLECTION.dimensions, 777)
      for (const documents of [undefined, { except: [documentId] }, { only: sequence(DOCUMENTS - 1) }]) {
        const search = { limit: 10, ...(documents && { documents }) }
        const exact = (await scanned.search(COLLECTION, query, search)).map(({ documentId, chunk }) => [
          documentId,
          chunk,
        ])
        const hits = (await other.search(COLLECTION, query, search)).map(({ documentId, chunk }) => [documentId, chunk])
        expect(hits).toHaveLength(10)
        wanted += exact.length
        found += exact.filter(([document, chunk]) => hits.some(([d, c]) => d === document && c === chunk)).length
      }
    }
    knex.removeListener('query', listen)
    expect(found / wanted).toBeGreaterThanOrEqual(0.99)
    expect(statements.filter((sql) => sql.includes('halfvec')).length).toBeGreaterThanOrEqual(QUERIES * 3)
    // The index includes rows that were added after it was built.
    await index.add(COLLECTION, clusteredRows(900, 3, COLLECTION.dimensions))
    const [hit] = await other.search(COLLECTION, clusteredVector(900, COLLECTION.dimensions, 1), { limit: 1 })
    expect(hit).toMatchObject({ documentId: 900, chunk: 0 })
    await index.deleteDocument(COLLECTION.name, 900, 0)
    const [nearest] = await other.search(COLLECTION, clusteredVector(900, COLLECTION.dimensions, 1), { limit: 1 })
    expect(nearest?.documentId).not.toBe(900)
    for (const each of [index, scanned, other]) await each.close()
  })

  it('reads the current vectors of a collection that another process dropped and created again', async () => {
    const shared = options()
    const [one, other] = [new PgVectorIndex(shared), new PgVectorIndex(shared)]
    await one.add(COLLECTION, clusteredRows(1, 3, COLLECTION.dimensions))
    expect((await other.countByDocument(COLLECTION.name)).size).toBe(1)
    await one.drop(COLLECTION.name)
    expect((await other.countByDocument(COLLECTION.name)).size).toBe(0)
    expect(await other.search(COLLECTION, clusteredVector(1, COLLECTION.dimensions), { limit: 1 })).toEqual([])
    await other.add(COLLECTION, clusteredRows(2, 2, COLLECTION.dimensions))
    await one.add(COLLECTION, clusteredRows(3, 2, COLLECTION.dimensions))
    expect([...(await one.countByDocument(COLLECTION.name)).keys()].sort()).toEqual([2, 3])
    for (const each of [one, other]) await each.close()
  })

  it('returns vectors unchanged', async () => {
    const index = new PgVectorIndex(options())
    const rows = clusteredRows(1, 1_500, COLLECTION.dimensions)
    await index.add(COLLECTION, rows)
    const keys = [0, 700, 1_499].map((chunk) => ({ documentId: 1, chunk, window: 0 }))
    const read = await index.read(COLLECTION, keys)
    for (const [at, { chunk }] of keys.entries()) {
      expect(read[at]).toEqual(rows.vectors.slice(chunk * 24, (chunk + 1) * 24))
    }
    await index.close()
  })

  it('answers calls that users wait for within ten seconds, and gives additions more time', async () => {
    const index = new PgVectorIndex(options())
    const { vectors } = clusteredRows(1, 1, COLLECTION.dimensions)
    expect(
      await statementLimits(knex, async () => await index.add(COLLECTION, clusteredRows(1, 3, COLLECTION.dimensions))),
    ).toEqual([undefined])
    await index.whenMaintained()
    const calls = [
      async () => await index.search(COLLECTION, vectors, { limit: 1 }),
      async () => await index.nearestWindows(COLLECTION, [vectors], [{ documentId: 1, chunk: 0 }]),
      async () => await index.read(COLLECTION, [{ documentId: 1, chunk: 0, window: 0 }]),
      async () => await index.listCollections(),
    ]
    for (const call of calls) expect(await statementLimits(knex, call)).toEqual([10_000])
    await index.close()
  })

  it('requires a server with pgvector and says so in its error', async () => {
    const url = process.env['ALCOVE_TEST_DATABASE_URL']
    if (url === undefined) return
    const without = openPostgres(url, { maxConnections: 1 })
    const [offered] = (
      await without.raw<{ rows: unknown[] }>(`select 1 from pg_available_extensions where name = 'vector'`)
    ).rows
    const index = new PgVectorIndex({ knex: without })
    if (offered === undefined) {
      await expect(index.add(COLLECTION, clusteredRows(1, 1, 24))).rejects.toMatchObject({
        code: 'ERR_UNSUPPORTED',
        message: expect.stringMatching(/has no extension "vector": install pgvector 0\.8 or newer/) as string,
      })
    }
    await index.close()
  })
})
