import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LanceDbVectorIndex } from '../../../../adapters/lancedb/index.js'
import { clusteredRows, clusteredVector } from '../../../clustered-vectors.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { limitedIndex } from '../limited-index.js'
import { lookIntoTable } from '../look-into-table.js'

const COLLECTION = { name: 'context-1-model', dimensions: 16 }

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let index: LanceDbVectorIndex

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  await index.close()
  await folder.remove()
})

async function readTable<T>(read: (table: Table) => Promise<T>): Promise<T> {
  return await lookIntoTable(join(folder.path, 'vectors'), COLLECTION.name, read)
}

async function expectEachFound(documents: readonly number[]): Promise<void> {
  for (const documentId of documents) {
    const query = clusteredVector(documentId, COLLECTION.dimensions, 1)
    const chunks = documents.flatMap((id) => [0, 2, 999].map((chunk) => ({ documentId: id, chunk })))
    const near = await index.nearestWindows(COLLECTION, [query], chunks)
    expect(near.filter((found) => found !== undefined)).toHaveLength(documents.length * 2)
    const hits = await index.search(COLLECTION, query, { limit: 10_000, documents: { only: documents } })
    for (const [at, chunk] of chunks.entries()) {
      const hit = hits.find((each) => each.documentId === chunk.documentId && each.chunk === chunk.chunk)
      if (hit === undefined) expect(near[at]).toBeUndefined()
      else expect(near[at]?.similarity).toBeCloseTo(hit.similarity, 5)
    }
  }
}

describe('the nearest windows of chunks in LanceDB', () => {
  it('are found in tables, for documents with small and with large ids', async () => {
    index = limitedIndex(join(folder.path, 'vectors'), { inMemoryUpToRows: 0 })
    await index.add(COLLECTION, clusteredRows(1, 5, COLLECTION.dimensions))
    await index.add(COLLECTION, clusteredRows(2_000_000_000, 5, COLLECTION.dimensions))
    await expectEachFound([1, 2_000_000_000])
    await index.whenMaintained()
    expect(index.maintenanceError).toBeUndefined()
    await index.add(COLLECTION, clusteredRows(3, 5, COLLECTION.dimensions))
    await expectEachFound([1, 2_000_000_000, 3])
    const keys = await readTable((table) => table.countRows('chunk_key = document * 4294967296 + chunk'))
    expect(keys).toBe(15)
  })

  it('are found by an index on the chunk key in a large table, including windows added later', async () => {
    index = new LanceDbVectorIndex(join(folder.path, 'vectors'))
    for (let id = 1; id <= 6; id += 1) await index.add(COLLECTION, clusteredRows(id, 1_000, COLLECTION.dimensions))
    await index.whenMaintained()
    const indexed = await readTable(async (table) => (await table.listIndices()).flatMap(({ columns }) => columns))
    expect(indexed).toEqual(expect.arrayContaining(['document', 'chunk_key']))
    await index.add(COLLECTION, clusteredRows(7, 3, COLLECTION.dimensions))
    await index.deleteDocument(COLLECTION.name, 1, 3)
    await expectEachFound([1, 7])
  })
})
