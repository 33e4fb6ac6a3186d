import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LanceDbVectorIndex } from '../../adapters/lancedb/index.js'
import { sized } from '../full-form.js'
import { temporaryFolder } from '../temporary-folder.js'

const ROUNDS = sized(5, 8)
const COLLECTION = { name: 'crash', dimensions: 64 }

type Message = Partial<Record<'added' | 'deleting' | 'deleted', number>>

it('K a process that is killed while it adds, compacts and builds indexes leaves whole batches, and all that it acknowledged', async () => {
  const folder = await temporaryFolder()
  const vectors = join(folder.path, 'vectors')
  const added = new Set<number>()
  const deleting = new Set<number>()
  const deleted = new Set<number>()
  let next = 1
  for (let round = 0; round < ROUNDS; round += 1) {
    const work = [vectors, String(next), round % 2 === 0 ? 'here' : 'apart']
    const child = fork(join(import.meta.dirname, 'lancedb-child.mjs'), work, { stdio: 'inherit' })
    child.on('message', (message: Message) => {
      if (message.added !== undefined) added.add(message.added)
      if (message.deleting !== undefined) deleting.add(message.deleting)
      if (message.deleted !== undefined) deleted.add(message.deleted)
    })
    const known = added.size
    while (added.size < known + 20 + 25 * round) await once(child, 'message')
    await setTimeout(Math.random() * 500)
    child.kill('SIGKILL')
    await once(child, 'exit')
    next = Math.max(0, ...added) + 1_000

    const index = new LanceDbVectorIndex(vectors, { indexFromRows: 2_000 })
    const counts = await index.countByDocument(COLLECTION.name)
    for (const [id, rows] of counts) expect([id, rows]).toEqual([id, rowsOf(id)])
    for (const id of added) if (!deleting.has(id)) expect(counts.has(id)).toBe(true)
    for (const id of deleted) expect(counts.has(id)).toBe(false)
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
  // Of killed processes nothing is left. While an index is open it may have a folder of its own there.
  expect(await readdir(join(vectors, '.building')).catch(() => [])).toEqual([])
  await folder.remove()
}, 180_000)

/** As many rows as the child gives that document. */
function rowsOf(id: number): number {
  return (id % 40) + 1
}
