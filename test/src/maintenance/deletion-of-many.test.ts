import { expect, it } from 'vitest'
import { MemoryLexicalIndex, MemoryVectorIndex } from '../../../adapters/memory/index.js'
import { memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

const CONTEXTS = 60

it('the data of many deleted contexts goes without a list of all collections for each of them', async () => {
  const lists = { vectors: 0, words: 0 }
  // The first list waits for all deletions: otherwise their speed would decide how many lists follow.
  let deletions: Promise<unknown> = Promise.resolve()
  class Vectors extends MemoryVectorIndex {
    override async listCollections(): Promise<readonly string[]> {
      lists.vectors += 1
      await deletions
      return await super.listCollections()
    }
  }
  class Words extends MemoryLexicalIndex {
    override async listCollections(): Promise<readonly string[]> {
      lists.words += 1
      return await super.listCollections()
    }
  }
  const [vectorIndex, lexicalIndex] = [new Vectors(), new Words()]
  const { engine, session } = await memoryEngine({ vectorIndex, lexicalIndex })
  const ids: number[] = []
  for (let at = 0; at < CONTEXTS; at += 1) {
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, name: `Context ${at}` })
    await uploadText(session, id, 'notice.txt', `Notice ${at}: the canteen opens at noon.`)
    ids.push(id)
  }
  expect(await vectorIndex.listCollections()).toHaveLength(CONTEXTS)
  Object.assign(lists, { vectors: 0, words: 0 })
  deletions = Promise.all(ids.map(async (id) => await session.contexts.delete(id)))
  await deletions
  expect(await engine.whenCleared()).toBe('done')
  expect(lists.vectors).toBeLessThan(CONTEXTS / 4)
  expect(lists.words).toBeLessThan(CONTEXTS / 4)
  expect(await vectorIndex.listCollections()).toEqual([])
  expect(await lexicalIndex.listCollections()).toEqual([])
  await engine.close()
})
