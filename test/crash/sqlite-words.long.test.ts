import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SqliteLexicalIndex } from '../../adapters/words/index.js'
import { weighed } from '../conformance/lexical-rows.js'
import { sized } from '../full-form.js'
import { temporaryFolder } from '../temporary-folder.js'
import { AcknowledgedWrites } from './acknowledged-writes.js'

const ROUNDS = sized(4, 8)
const NAME = 'crash'

// K
it('a process that is killed while it adds and merges words leaves complete batches, and searches find them', async () => {
  const folder = await temporaryFolder()
  const words = join(folder.path, 'words')
  const writes = new AcknowledgedWrites()
  for (let round = 0; round < ROUNDS; round += 1) {
    await writes.untilKilled('sqlite-words-child.mjs', words, round)

    const index = new SqliteLexicalIndex(words)
    const counts = await index.countByDocument(NAME)
    writes.expectIn(counts, (id) => (id % 40) + 1)
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
