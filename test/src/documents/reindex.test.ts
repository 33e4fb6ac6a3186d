import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

let memory: MemoryEngine
let contextId: number

const BIRDS = ['The heron nests in reeds.', 'The owl hunts at night.', 'The swift sleeps in the air.']

beforeEach(async () => {
  memory = await memoryEngine()
  contextId = (await memory.session.contexts.create({ ...NEW_CONTEXT, settings: { scoreThreshold: 0 } })).id
})

afterEach(async () => {
  await memory.engine.close()
})

async function uploadBirds(): Promise<string[]> {
  const uuids: string[] = []
  for (const [at, text] of BIRDS.entries())
    uuids.push(await uploadText(memory.session, contextId, `bird-${at}.txt`, text))
  return uuids
}

describe('a change of the chunk size', () => {
  it('re-indexes all documents, keeps their ids and UUIDs, and clears the former generation away', async () => {
    const { contexts, documents } = memory.session
    const uuids = await uploadBirds()
    const before = await documents.list(contextId)
    await contexts.update(contextId, { settings: { chunkSizeTokens: 100 } })
    const settings = await contexts.whenReindexed(contextId)
    expect(settings).toMatchObject({ chunkSizeTokens: 100, reindexing: null })
    const after = await documents.list(contextId)
    expect(after.map(({ id, uuid }) => ({ id, uuid }))).toEqual(before.map(({ id, uuid }) => ({ id, uuid })))
    expect(after.map(({ uuid }) => uuid)).toEqual(uuids)
    const [hit] = await memory.session.search(contextId, 'an owl hunts at night')
    expect(hit).toMatchObject({ content: BIRDS[1] })
  })
})
