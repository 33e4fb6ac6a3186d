import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LanceDbVectorIndex } from '../../adapters/lancedb/index.js'
import { sized } from '../full-form.js'
import { temporaryFolder } from '../temporary-folder.js'
import { AcknowledgedWrites } from './acknowledged-writes.js'

const ROUNDS = sized(5, 8)
const COLLECTION = { name: 'crash', dimensions: 64 }

// K
it('a process that is killed while it adds, compacts and builds indexes leaves complete batches, and all acknowledged ones', async () => {
  const folder = await temporaryFolder()
  const vectors = join(folder.path, 'vectors')
  const writes = new AcknowledgedWrites()
  for (let round = 0; round < ROUNDS; round += 1) {
    await writes.untilKilled('lancedb-child.mjs', vectors, round)

    const index = new LanceDbVectorIndex(vectors, { indexFromRows: 2_000 })
    const counts = await index.countByDocument(COLLECTION.name)
    writes.expectIn(counts, rowsOf)
    const rows = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const query = Float32Array.from({ length: 64 }, (_, at) => Math.sin(at))
    expect(await index.search(COLLECTION, query, { limit: 100_000 })).toHaveLength(rows)
    if (round === ROUNDS - 1) {
      await index.whenMaintained()
      expect(index.maintenanceError).toBeUndefined()
      expect(await index.countByDocument(COLLECTION.name)).toEqual(counts)
      expect(rows).toBeGreaterThan(2_000)
    }
    await index.close()
  }
  // Killed processes leave no files. An open index may have its own folder here.
  expect(await readdir(join(vectors, '.building')).catch(() => [])).toEqual([])
  await folder.remove()
}, 180_000)

/** The number of rows that the child writes for that document. */
function rowsOf(id: number): number {
  return (id % 40) + 1
}
