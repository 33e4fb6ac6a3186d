import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TableCopy } from '../../../../adapters/lancedb/copies/table-copy.js'
import type { LanceDbVectorIndex } from '../../../../adapters/lancedb/index.js'
import type { LanceDbLimits } from '../../../../adapters/lancedb/lancedb-vector-index.js'
import type { DocumentIds, VectorHit } from '../../../../src/ports/index.js'
import { clusteredRows, clusteredVector } from '../../../clustered-vectors.js'
import { vectorIndexSuite } from '../../../conformance/index.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { limitedIndex } from '../limited-index.js'

const COLLECTION = { name: 'context-1-model', dimensions: 16 }
const { name: NAME, dimensions: DIMENSIONS } = COLLECTION

vectorIndexSuite({ describe, it }, 'LanceDB without copies in memory', async () => {
  const folder = await temporaryFolder()
  const port = limitedIndex(join(folder.path, 'vectors'), { inMemoryUpToRows: 0 })
  return {
    port,
    dispose: async () => {
      await port.close()
      await folder.remove()
    },
  }
})

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let opened: LanceDbVectorIndex[]

beforeEach(async () => {
  folder = await temporaryFolder()
  opened = []
})

afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(opened.map((index) => index.close()))
  await folder.remove()
})

function open(options: LanceDbLimits = {}, path = 'vectors'): LanceDbVectorIndex {
  const index = limitedIndex(join(folder.path, path), options)
  opened.push(index)
  return index
}

function keysOf(hits: readonly VectorHit[]): string[] {
  return hits.map(({ documentId, chunk, window }) => `${documentId}:${chunk}:${window}`)
}

describe('a small collection in LanceDB', () => {
  it('gives the hits of a search in the table, for each filter and limit', async () => {
    const [inMemory, inTable] = [open(), open({ inMemoryUpToRows: 0 }, 'other')]
    for (let id = 1; id <= 30; id += 1) {
      for (const index of [inMemory, inTable]) await index.add(COLLECTION, clusteredRows(id, 1 + (id % 5), DIMENSIONS))
    }
    for (const index of [inMemory, inTable]) await index.deleteDocument(NAME, 7, 1)
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 35 }), { maxLength: 35 })
    const filters = fc.option(
      fc.oneof(
        ids.map((only): DocumentIds => ({ only })),
        ids.map((except): DocumentIds => ({ except })),
      ),
      { nil: undefined },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 200 }),
        filters,
        async (at, limit, documents) => {
          const query = clusteredVector(at, DIMENSIONS, 1)
          const options = { limit, ...(documents && { documents }) }
          const [found, expected] = [
            await inMemory.search(COLLECTION, query, options),
            await inTable.search(COLLECTION, query, options),
          ]
          expect(found.map(({ similarity }) => similarity)).toEqual(
            expected.map(({ similarity }) => expect.closeTo(similarity, 5) as number),
          )
          const chunks = expected.map(({ documentId, chunk }) => ({ documentId, chunk }))
          const [nearest, exact] = [
            await inMemory.nearestWindows(COLLECTION, [query], [...chunks, { documentId: 99, chunk: 0 }]),
            await inTable.nearestWindows(COLLECTION, [query], [...chunks, { documentId: 99, chunk: 0 }]),
          ]
          expect(nearest).toEqual(
            exact.map((window) => window && { ...window, similarity: expect.closeTo(window.similarity, 5) as number }),
          )
        },
      ),
      { numRuns: 60 },
    )
  })

  it('orders equally near windows by their keys, however they were added', async () => {
    const index = open()
    const vectors = new Float32Array(DIMENSIONS).fill(1)
    for (const documentId of [3, 1, 2]) {
      await index.add(COLLECTION, { documentId, chunks: Uint32Array.of(0), windows: Uint16Array.of(0), vectors })
    }
    expect(keysOf(await index.search(COLLECTION, vectors, { limit: 2 }))).toEqual(['1:0:0', '2:0:0'])
  })

  it('is found with each window from the moment its addition is acknowledged, and never after its deletion', async () => {
    const index = open()
    let added = 0
    const searches = async () => {
      while (added < 40) {
        const before = added
        const query = clusteredVector(1, DIMENSIONS)
        const found = new Set(
          (await index.search(COLLECTION, query, { limit: 100 })).map(({ documentId }) => documentId),
        )
        for (let id = 1; id <= before; id += 1) expect(found.has(id)).toBe(id % 2 === 1)
      }
    }
    const writes = async () => {
      for (let id = 1; id <= 40; id += 1) {
        await index.add(COLLECTION, clusteredRows(id, 1, DIMENSIONS))
        if (id % 2 === 0) await index.deleteDocument(NAME, id, 0)
        added = id
      }
    }
    await Promise.all([writes(), searches(), searches()])
  })

  it('is searched in the table once it is no longer small, and after it is small again', async () => {
    const index = open({ inMemoryUpToRows: 10 })
    const query = clusteredVector(1, DIMENSIONS)
    for (const rows of [8, 13]) {
      await index.add(COLLECTION, clusteredRows(rows, rows, DIMENSIONS))
      expect(await index.search(COLLECTION, query, { limit: 100 })).toHaveLength(rows === 8 ? 8 : 21)
    }
    await index.deleteDocument(NAME, 13, 2)
    expect(await index.search(COLLECTION, query, { limit: 100 })).toHaveLength(10)
  })

  it('is read again if many others were searched since: all copies together have at most 32 MiB', async () => {
    const reads = vi.spyOn(TableCopy.prototype, 'bytes', 'get')
    const index = open()
    const query = clusteredVector(1, 384)
    const search = async (number: number): Promise<number> => {
      const before = reads.mock.calls.length
      await index.search({ name: `context-${number}-model`, dimensions: 384 }, query, { limit: 1 })
      return reads.mock.calls.length - before
    }
    const rows = clusteredRows(1, 640, 384)
    // Each copy takes more than 1 MB.
    for (let number = 1; number <= 36; number += 1) {
      await index.add({ name: `context-${number}-model`, dimensions: 384 }, rows)
      expect(await search(number)).toBe(1)
    }
    expect([await search(36), await search(1), await search(1), await search(36)]).toEqual([0, 1, 0, 0])
  })

  it('does not keep the windows of a collection that was dropped and created again', async () => {
    const index = open()
    const query = clusteredVector(1, DIMENSIONS)
    await index.add(COLLECTION, clusteredRows(1, 5, DIMENSIONS))
    expect(await index.search(COLLECTION, query, { limit: 100 })).toHaveLength(5)
    await index.drop(NAME)
    expect(await index.search(COLLECTION, query, { limit: 100 })).toEqual([])
    await index.add(COLLECTION, clusteredRows(2, 1, DIMENSIONS))
    expect((await index.search(COLLECTION, query, { limit: 100 })).map(({ documentId }) => documentId)).toEqual([2])
  })
})
