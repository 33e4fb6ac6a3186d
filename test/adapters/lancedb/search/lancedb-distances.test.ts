import { join } from 'node:path'
import { connect, type Table } from '@lancedb/lancedb'
import { describe, expect, it } from 'vitest'
import { tableOf, toBatch } from '../../../../adapters/lancedb/arrow-rows.js'
import { exactDistances } from '../../../../adapters/lancedb/maintenance/exact-distances.js'
import { measureProbes } from '../../../../adapters/lancedb/maintenance/probe-measurement.js'
import type { VectorRows } from '../../../../src/ports/index.js'
import { clusteredRows, clusteredVector } from '../../../clustered-vectors.js'
import { temporaryFolder } from '../../../temporary-folder.js'

const COUNTS = [1, 10, 41, 500, 9_000]

async function withTable(
  documents: readonly VectorRows[],
  dimensions: number,
  work: (table: Table) => Promise<void>,
): Promise<void> {
  const folder = await temporaryFolder()
  try {
    const connection = await connect(join(folder.path, 'vectors'))
    const toArrow = (added: readonly VectorRows[]) => tableOf(added.map((rows) => toBatch(rows, dimensions)))
    const half = documents.length / 2
    const table = await connection.createTable('windows', toArrow(documents.slice(0, half)))
    await table.add(toArrow(documents.slice(half)))
    await work(table)
    table.close()
    connection.close()
  } finally {
    await folder.remove()
  }
}

async function scan(table: Table, vector: Float32Array, count: number): Promise<readonly number[]> {
  const query = table.query().nearestTo(vector).distanceType('cosine').bypassVectorIndex().limit(count)
  const found = await query.select(['_distance']).toArrow()
  return Array.from(found.getChild('_distance')?.toArray() as Float32Array)
}

describe('the distances of the rows nearest to several vectors', () => {
  it.each([8, 16, 384])(
    'equal those of a scan, in a table of several fragments with deleted rows and zeros: %i dimensions',
    async (dimensions) => {
      const documents = Array.from({ length: 30 }, (_, at) => clusteredRows(at + 1, 100, dimensions))
      documents[5]?.vectors.fill(0, 0, 10 * dimensions)
      await withTable(documents, dimensions, async (table) => {
        await table.delete('document IN (2, 3, 29) OR (chunk < 7 AND document <> 6)')
        // The number of vectors is not a multiple of the batch size, and one vector does not have length 1.
        const vectors = COUNTS.map((_, at) => clusteredVector(at * 5 + 1, dimensions))
        vectors[1] = (vectors[1] ?? new Float32Array()).map((value) => value * 7)
        const found = await exactDistances(
          table,
          COUNTS.map((count, at) => ({ vector: vectors[at] ?? new Float32Array(), count })),
        )
        for (const [at, count] of COUNTS.entries()) {
          const expected = await scan(table, vectors[at] ?? new Float32Array(), count)
          const comparable = expected.filter((distance) => Number.isFinite(distance)).slice(0, found[at]?.length)
          expect(found[at]?.length).toBeGreaterThanOrEqual(Math.min(count, 2_000))
          for (const [rank, distance] of comparable.entries()) expect(found[at]?.[rank]).toBeCloseTo(distance, 5)
        }
      })
    },
  )
})

describe('the depth of an index search', () => {
  it('is measured correctly, whichever of a hundred equal rows is found, and with rows of zeros', async () => {
    const dimensions = 16
    const documents = Array.from({ length: 40 }, (_, at) => clusteredRows(at + 1, 100, dimensions))
    // One text is in every document, and for another the model returns zeros.
    for (const { vectors } of documents) {
      for (let row = 0; row < 50; row += 1) vectors.set(clusteredVector(99, dimensions), row * dimensions)
      vectors.fill(0, 50 * dimensions, 51 * dimensions)
    }
    await withTable(documents, dimensions, async (table) => {
      const { Index } = await import('@lancedb/lancedb')
      await table.createIndex('vector', { config: Index.ivfRq({ numBits: 4, distanceType: 'cosine' }) })
      const measured = await measureProbes(table)
      expect(measured.map(({ rank }) => rank)).toEqual([10, 40, 160, 640])
    })
  })
})
