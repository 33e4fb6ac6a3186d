import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryLexicalIndex, MemoryVectorIndex } from '../../../adapters/memory/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

const MODES = ['hybrid', 'semantic', 'keyword'] as const

/** Called once, before the first read of an index. */
let beforeRead: (() => Promise<void>) | undefined

async function interrupt(): Promise<void> {
  const work = beforeRead
  beforeRead = undefined
  await work?.()
}

class InterruptedVectors extends MemoryVectorIndex {
  override async search(...args: Parameters<MemoryVectorIndex['search']>): ReturnType<MemoryVectorIndex['search']> {
    await interrupt()
    return await super.search(...args)
  }
}

class InterruptedWords extends MemoryLexicalIndex {
  override async search(...args: Parameters<MemoryLexicalIndex['search']>): ReturnType<MemoryLexicalIndex['search']> {
    await interrupt()
    return await super.search(...args)
  }
}

let memory: MemoryEngine
let contextId: number
let uuid: string

beforeEach(async () => {
  beforeRead = undefined
  memory = await memoryEngine({ vectorIndex: new InterruptedVectors(), lexicalIndex: new InterruptedWords() })
  contextId = (await memory.session.contexts.create({ ...NEW_CONTEXT, settings: { scoreThreshold: 0 } })).id
  uuid = await uploadText(memory.session, contextId, 'birds.txt', 'The heron of the old edition nests in reeds.')
})

afterEach(async () => {
  await memory.engine.close()
})

async function replace(edition: string): Promise<void> {
  const { documents } = memory.session
  const content = `The heron of the ${edition} edition nests in reeds.`
  uuid = await documents.replace(uuid, { content })
  await documents.whenProcessed(uuid)
}

async function search(mode: (typeof MODES)[number]): Promise<string[]> {
  const hits = await memory.session.search(contextId, 'a heron in reeds', { mode })
  return hits.map(({ content, source }) => `${/the (\w+) edition/.exec(content)?.[1] ?? ''} ${source.uuid}`)
}

describe.each(MODES)('a search in mode %s', (mode) => {
  // Q8
  it('finds the new version alone, if the document is replaced and the old version is removed during it', async () => {
    beforeRead = async () => {
      await replace('new')
      await memory.engine.whenCleared()
    }
    expect(await search(mode)).toEqual([`new ${uuid}`])
  })

  it('finds it too, if the replacement waited when the search began', async () => {
    const document = await memory.session.documents.get(uuid)
    beforeRead = async () => {
      await replace('first')
      beforeRead = async () => {
        await replace('second')
        await memory.engine.whenCleared()
      }
    }
    expect(await search(mode)).toEqual([`second ${uuid}`])
    expect((await memory.session.documents.get(uuid)).id).toBe(document.id)
  })

  it('finds the old version alone, if the replacement fails during it', async () => {
    const old = uuid
    beforeRead = async () => {
      const failing = await memory.session.documents.replace(old, { content: ' ' })
      await memory.session.documents.whenProcessed(failing).catch(() => undefined)
    }
    expect(await search(mode)).toEqual([`old ${old}`])
  })
})
