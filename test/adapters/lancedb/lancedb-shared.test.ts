import { mkdir, readdir, readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LanceDbVectorIndex } from '../../../adapters/lancedb/index.js'
import { MemoryVectorIndex } from '../../../adapters/memory/index.js'
import { type MemoryLockTable, MemoryProcessLocks } from '../../../adapters/memory/memory-host.js'
import { clusteredRows, clusteredVector } from '../../clustered-vectors.js'
import { vectorIndexSuite } from '../../conformance/index.js'
import { sized } from '../../full-form.js'
import { temporaryFolder } from '../../temporary-folder.js'

const COLLECTION = { name: 'context-1-model', dimensions: 16 }
const { name: NAME } = COLLECTION

vectorIndexSuite({ describe, it }, 'LanceDB that others share', async () => {
  const folder = await temporaryFolder()
  const port = new LanceDbVectorIndex(join(folder.path, 'vectors'), { locks: new MemoryProcessLocks() })
  return {
    port,
    dispose: async () => {
      await port.close()
      await folder.remove()
    },
  }
})

describe('two indexes on one folder, as in two processes,', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let vectors: string
  let table: MemoryLockTable
  let opened: LanceDbVectorIndex[]

  beforeEach(async () => {
    folder = await temporaryFolder()
    vectors = join(folder.path, 'vectors')
    table = new Map()
    opened = []
  })

  afterEach(async () => {
    await Promise.all(opened.map((index) => index.close()))
    await folder.remove()
  })

  const open = (indexFromRows = 20_000): LanceDbVectorIndex => {
    const index = new LanceDbVectorIndex(vectors, { indexFromRows, locks: new MemoryProcessLocks(table) })
    opened.push(index)
    return index
  }

  it('see the writes of each other at once and delete rows that the other wrote', async () => {
    const [one, other] = [open(), open()]
    expect(await other.countByDocument(NAME)).toEqual(new Map())
    for (let documentId = 1; documentId <= 6; documentId += 1) {
      const [writer, reader] = documentId % 2 === 0 ? [one, other] : [other, one]
      const rows = clusteredRows(documentId, 5, COLLECTION.dimensions)
      await writer.add(COLLECTION, rows)
      const query = rows.vectors.slice(0, COLLECTION.dimensions)
      expect(await reader.search(COLLECTION, query, { limit: 1 })).toMatchObject([{ documentId, chunk: 0 }])
      await reader.deleteDocument(NAME, documentId, 3)
      expect((await writer.countByDocument(NAME)).get(documentId)).toBe(3)
    }
  })

  it('write at the same time, and every row is stored once', async () => {
    const indexes = [open(), open(), open()]
    const documents = Array.from({ length: 60 }, (_, at) => at + 1)
    await Promise.all(
      documents.map(async (documentId) => {
        const index = indexes[documentId % 3]
        await index?.deleteDocument(NAME, documentId, 0)
        await index?.add(COLLECTION, clusteredRows(documentId, 4, COLLECTION.dimensions))
      }),
    )
    for (const index of indexes) {
      expect(await index.countByDocument(NAME)).toEqual(new Map(documents.map((id) => [id, 4])))
    }
    await Promise.all(indexes.map((index) => index.whenMaintained()))
    for (const index of indexes) expect(index.maintenanceError).toBeUndefined()
    expect((await open().countByDocument(NAME)).size).toBe(60)
  })

  it('create a table at the same time and lose no row', async () => {
    const indexes = Array.from({ length: 8 }, () => open())
    for (let round = 1; round <= 12; round += 1) {
      const collection = { ...COLLECTION, name: `context-${round}-model` }
      const added = indexes.map(async (index, at) => {
        await index.add(collection, clusteredRows(at + 1, 2, COLLECTION.dimensions))
      })
      await Promise.all(added)
      const expected = new Map(indexes.map((_, at) => [at + 1, 2]))
      for (const index of indexes) expect(await index.countByDocument(collection.name)).toEqual(expected)
    }
  })

  it('find no dropped rows of the other, but find the rows of a table that it created again', async () => {
    const [one, other] = [open(), open()]
    const rows = clusteredRows(1, 5, COLLECTION.dimensions)
    const query = clusteredVector(1, COLLECTION.dimensions)
    for (const documentId of [1, 2, 3]) {
      await one.add(COLLECTION, { ...rows, documentId })
      expect(await other.search(COLLECTION, query, { limit: 3 })).toHaveLength(3)
      await one.drop(NAME)
      if (documentId === 1) {
        expect(await other.search(COLLECTION, query, { limit: 3 })).toEqual([])
        expect(await other.read(COLLECTION, [{ documentId, chunk: 0, window: 0 }])).toEqual([undefined])
        await other.deleteDocument(NAME, documentId, 0)
      }
      if (documentId === 2) {
        await other.add(COLLECTION, { ...rows, documentId: 9 })
        expect(await one.countByDocument(NAME)).toEqual(new Map([[9, 5]]))
        await other.drop(NAME)
      }
    }
    expect(await one.listCollections()).toEqual([])
  })

  it('find the rows of a table that the other dropped and created again between two searches', async () => {
    const [one, other] = [open(), open()]
    const query = clusteredVector(1, COLLECTION.dimensions)
    for (const documentId of [1, 2, 3]) await one.add(COLLECTION, clusteredRows(documentId, 1, COLLECTION.dimensions))
    expect(await other.search(COLLECTION, query, { limit: 10 })).toHaveLength(3)
    await one.drop(NAME)
    await one.add(COLLECTION, clusteredRows(7, 1, COLLECTION.dimensions))
    expect(await other.search(COLLECTION, query, { limit: 10 })).toMatchObject([{ documentId: 7 }])
  })

  it('never report a table as damaged while the other drops it', async () => {
    const [one, other] = [open(), open()]
    const query = clusteredVector(1, COLLECTION.dimensions)
    let isOver = false
    const search = async (): Promise<number> => {
      let searches = 0
      for (; !isOver; searches += 1) {
        const found = await other.search(COLLECTION, query, { limit: 5 })
        expect([0, 5]).toContain(found.length)
      }
      return searches
    }
    const searching = Promise.all([search(), search()])
    for (let documentId = 1; documentId <= sized(40, 400); documentId += 1) {
      await one.add(COLLECTION, clusteredRows(documentId, 5, COLLECTION.dimensions))
      await one.drop(NAME)
    }
    isOver = true
    for (const searches of await searching) expect(searches).toBeGreaterThan(10)
    expect(await other.listCollections()).toEqual([])
  })

  it('search with the index that only one of them builds', async () => {
    const exact = new MemoryVectorIndex()
    const [one, other] = [open(1_500), open(1_500)]
    for (let documentId = 1; documentId <= 12; documentId += 1) {
      const rows = clusteredRows(documentId, 200, COLLECTION.dimensions)
      await Promise.all([exact, documentId % 2 === 0 ? one : other].map((index) => index.add(COLLECTION, rows)))
    }
    await Promise.all([one.whenMaintained(), other.whenMaintained()])
    await one.whenMaintained()
    const plan = JSON.parse(await readFile(join(vectors, `${NAME}.search.json`), 'utf8')) as { rows: number }
    expect(plan.rows).toBe(2_400)
    for (const index of [one, other, open(1_500)]) {
      expect(index.maintenanceError).toBeUndefined()
      for (let near = 1; near <= 12; near += 1) {
        const query = clusteredVector(near, COLLECTION.dimensions)
        const truth = await exact.search(COLLECTION, query, { limit: 10 })
        const found = new Set((await index.search(COLLECTION, query, { limit: 10 })).map(nameOf))
        expect(truth.filter((hit) => found.has(nameOf(hit))).length).toBeGreaterThanOrEqual(9)
      }
    }
  })

  it('keep temporary files of each other and remove those of a dead process', async () => {
    const building = join(vectors, '.building')
    for (const name of ['dead', 'alive']) await mkdir(join(building, name), { recursive: true })
    const twoDaysAgo = new Date(Date.now() - 172_800_000)
    await utimes(join(building, 'dead'), twoDaysAgo, twoDaysAgo)
    const [one, other] = [open(), open()]
    for (const index of [one, other]) await index.countByDocument(NAME)
    const names = await readdir(building)
    // Each index has a folder, and one for its sessions.
    expect(names).toHaveLength(5)
    expect(names).toContain('alive')
    await one.close()
    expect(await readdir(building)).toHaveLength(3)
    await other.add(COLLECTION, clusteredRows(1, 1, COLLECTION.dimensions))
  })
})

function nameOf({ documentId, chunk }: { readonly documentId: number; readonly chunk: number }): string {
  return `${documentId}:${chunk}`
}
