import { expect, it } from 'vitest'
import { memoryEngine, NEW_CONTEXT } from '../../engine/memory-engine.js'

it('a re-index takes no text from a file whose bytes have changed on the disk', async () => {
  const { engine, session, fileStore } = await memoryEngine()
  await engine.initialize()
  const { contexts, documents } = session
  const { id } = await contexts.create(NEW_CONTEXT)
  const uuid = await documents.upload(id, { fileName: 'birds.txt', content: 'The heron nests in reeds.' })
  await documents.whenProcessed(uuid)
  await fileStore.write(uuid, new Blob(['The heron rests in reeds.']).stream(), { maxBytes: 1_000 })
  await contexts.update(id, { settings: { chunkSizeTokens: 100 } })
  await expect(contexts.whenReindexed(id)).rejects.toMatchObject({ code: 'ERR_FILE_MISSING' })
  const [hit] = await session.search(id, 'heron')
  expect(hit?.content).toBe('The heron nests in reeds.')
  await engine.close()
})
