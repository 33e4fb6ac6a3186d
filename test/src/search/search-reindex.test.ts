import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel, MemoryLexicalIndex, MemoryVectorIndex } from '../../../adapters/memory/index.js'
import { StorageError } from '../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

const MODES = ['hybrid', 'semantic', 'keyword'] as const
const TEXTS = ['The heron of the lake nests in reeds.', 'The heron of the river nests in reeds.']

/** Called once, before the first read of an index, or after it. */
let beforeRead: (() => Promise<void>) | undefined
let afterRead: (() => Promise<void>) | undefined
/** Collections whose reads fail, as those of an index that is being dropped. */
const broken = new Set<string>()

async function interrupted<T>(collection: string, read: () => Promise<T>): Promise<T> {
  const [before, after] = [beforeRead, afterRead]
  beforeRead = undefined
  afterRead = undefined
  await before?.()
  if (broken.has(collection)) throw new StorageError('a file is gone', { isTransient: false })
  const result = await read()
  await after?.()
  return result
}

class InterruptedVectors extends MemoryVectorIndex {
  override async search(...args: Parameters<MemoryVectorIndex['search']>): ReturnType<MemoryVectorIndex['search']> {
    return await interrupted(args[0].name, async () => await super.search(...args))
  }
}

class InterruptedWords extends MemoryLexicalIndex {
  override async search(...args: Parameters<MemoryLexicalIndex['search']>): ReturnType<MemoryLexicalIndex['search']> {
    return await interrupted(args[0], async () => await super.search(...args))
  }

  override async statistics(
    ...args: Parameters<MemoryLexicalIndex['statistics']>
  ): ReturnType<MemoryLexicalIndex['statistics']> {
    return await interrupted(args[0], async () => await super.statistics(...args))
  }
}

let memory: MemoryEngine
let contextId: number
let otherId: number

beforeEach(async () => {
  beforeRead = undefined
  afterRead = undefined
  broken.clear()
  memory = await memoryEngine({
    vectorIndex: new InterruptedVectors(),
    lexicalIndex: new InterruptedWords(),
    // Vectors of the two models have different lengths: a search that mixed them would fail.
    embeddingModels: [
      new MemoryEmbeddingModel(),
      new MemoryEmbeddingModel({ id: 'second', fingerprint: 'second-1', dimensions: 32 }),
    ],
  })
  const create = async () =>
    (await memory.session.contexts.create({ ...NEW_CONTEXT, settings: { scoreThreshold: 0 } })).id
  contextId = await create()
  otherId = await create()
  for (const [at, text] of TEXTS.entries()) await uploadText(memory.session, contextId, `${at}.txt`, text)
  await uploadText(memory.session, otherId, 'other.txt', 'The heron of the sea nests in reeds.')
})

afterEach(async () => {
  await memory.engine.close()
})

async function reindex(embeddingModel: string): Promise<void> {
  await memory.session.contexts.update(contextId, { settings: { embeddingModel } })
  await memory.session.contexts.whenReindexed(contextId)
}

/** Re-indexes the context, and waits until the former generation is gone. */
async function reindexAndClear(embeddingModel: string): Promise<void> {
  await reindex(embeddingModel)
  const isCleared = async () =>
    (await memory.storage.read(({ jobs }) => jobs.subjects('reindex-context', { after: 0, limit: 1 }))).length === 0
  while (!(await isCleared())) await new Promise((resolve) => setTimeout(resolve, 5))
}

async function search(mode: (typeof MODES)[number]): Promise<string[]> {
  const hits = await memory.session.search(contextId, 'a heron in reeds', { mode })
  return hits.map(({ content }) => content).sort()
}

describe.each(MODES)('a search in mode %s', (mode) => {
  it('finds each document once, if its context is re-indexed with another model before it reads an index', async () => {
    beforeRead = async () => await reindexAndClear('second')
    expect(await search(mode)).toEqual(TEXTS)
  })

  it('finds each document once, if its context is re-indexed after it has read an index', async () => {
    afterRead = async () => await reindexAndClear('second')
    expect(await search(mode)).toEqual(TEXTS)
  })

  it('finds each document once, if its context is re-indexed twice', async () => {
    beforeRead = async () => {
      await reindexAndClear('second')
      afterRead = async () => await reindexAndClear('memory')
    }
    expect(await search(mode)).toEqual(TEXTS)
  })

  it('does not fail, if a collection is dropped while it reads it', async () => {
    beforeRead = async () => {
      for (const index of [memory.vectorIndex, memory.lexicalIndex]) {
        for (const name of await index.listCollections()) broken.add(name)
      }
      await reindex('second')
    }
    expect(await search(mode)).toEqual(TEXTS)
  })

  it('finds the documents of all contexts, if one is re-indexed meanwhile', async () => {
    beforeRead = async () => await reindexAndClear('second')
    const hits = await memory.session.searchAll([contextId, otherId], 'a heron in reeds', { mode })
    expect(hits.map(({ content }) => content).sort()).toEqual([
      TEXTS[0],
      TEXTS[1],
      'The heron of the sea nests in reeds.',
    ])
  })

  it('is explained with the new model, if its context is re-indexed meanwhile', async () => {
    beforeRead = async () => await reindexAndClear('second')
    const { hits, model } = await memory.session.explain(contextId, 'a heron in reeds', { mode })
    expect(hits.map(({ passage }) => /of the (\w+)/.exec(passage)?.[1]).sort()).toEqual(['lake', 'river'])
    expect(model.id).toBe('second')
  })
})
