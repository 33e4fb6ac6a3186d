import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LanceDbLexicalIndex } from '../../adapters/lancedb/index.js'
import { weighed } from '../conformance/lexical-rows.js'
import { sized } from '../full-form.js'
import { temporaryFolder } from '../temporary-folder.js'

const ROUNDS = sized(4, 8)
const NAME = 'crash'

type Message = Partial<Record<'added' | 'deleting' | 'deleted', number>>

it('K a process that is killed while it adds words and puts them in order leaves whole batches, all of them found', async () => {
  const folder = await temporaryFolder()
  const words = join(folder.path, 'words')
  const added = new Set<number>()
  const deleting = new Set<number>()
  const deleted = new Set<number>()
  let next = 1
  for (let round = 0; round < ROUNDS; round += 1) {
    const work = [words, String(next), round % 2 === 0 ? 'here' : 'apart']
    const child = fork(join(import.meta.dirname, 'lancedb-words-child.mjs'), work, { stdio: 'inherit' })
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

    const index = new LanceDbLexicalIndex(words)
    const counts = await index.countByDocument(NAME)
    for (const [id, rows] of counts) expect([id, rows]).toEqual([id, (id % 40) + 1])
    for (const id of added) if (!deleting.has(id)) expect(counts.has(id)).toBe(true)
    for (const id of deleted) expect(counts.has(id)).toBe(false)
    const rows = [...counts.values()].reduce((sum, count) => sum + count, 0)
    expect((await index.search(NAME, weighed('all'), { limit: 100_000 })).hits).toHaveLength(rows)
    for (const id of [...counts.keys()].slice(-20)) {
      const { hits } = await index.search(NAME, weighed(`own-${id}`, 'chunk-0'), { limit: 1 })
      expect(hits).toMatchObject([{ documentId: id, chunk: 0 }])
    }
    if (round === ROUNDS - 1) {
      await index.whenMaintained()
      expect(index.maintenanceError).toBeUndefined()
      expect(await index.countByDocument(NAME)).toEqual(counts)
    }
    await index.close()
  }
  await folder.remove()
}, 180_000)
