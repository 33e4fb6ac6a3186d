import { join } from 'node:path'
import { connect, type Table } from '@lancedb/lancedb'
import { describe, expect, it } from 'vitest'
import { toArrow } from '../../adapters/lancedb/arrow-rows.js'
import { exactNeighbours } from '../../adapters/lancedb/exact-neighbours.js'
import { clusteredRows, clusteredVector } from '../clustered-vectors.js'
import { temporaryFolder } from '../temporary-folder.js'

const DIMENSIONS = 16
const COUNTS = [1, 10, 41, 500, 9_000]

async function scan(table: Table, vector: Float32Array, count: number): Promise<readonly bigint[]> {
  const query = table.query().nearestTo(vector).distanceType('cosine').bypassVectorIndex().limit(count)
  const found = await query.withRowId().select(['_distance']).toArrow()
  return Array.from(found.getChild('_rowid')?.toArray() as BigUint64Array)
}

describe('The rows nearest to several vectors', () => {
  it('are those that a scan for each finds, in a table of several fragments with deleted rows', async () => {
    const folder = await temporaryFolder()
    try {
      const connection = await connect(join(folder.path, 'vectors'))
      const documents = Array.from({ length: 30 }, (_, at) => clusteredRows(at + 1, 200, DIMENSIONS))
      const table = await connection.createTable('windows', toArrow(documents.slice(0, 10), DIMENSIONS))
      await table.add(toArrow(documents.slice(10), DIMENSIONS))
      await table.delete('document IN (2, 3, 29) OR chunk < 7')

      // A number of vectors that is no multiple of those that are compared at once, one of them not of length 1.
      const vectors = COUNTS.map((_, at) => clusteredVector(at * 5 + 1, DIMENSIONS))
      vectors[1] = (vectors[1] ?? new Float32Array()).map((value) => value * 7)
      const found = await exactNeighbours(
        table,
        COUNTS.map((count, at) => ({ vector: vectors[at] ?? new Float32Array(), count })),
      )

      for (const [at, count] of COUNTS.entries()) {
        const expected = await scan(table, vectors[at] ?? new Float32Array(), count)
        expect(new Set(found[at])).toEqual(new Set(expected))
        expect(found[at]?.[0]).toBe(expected[0])
      }
      table.close()
      connection.close()
    } finally {
      await folder.remove()
    }
  })
})
