import { describe, expect, it } from 'vitest'
import { memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'
import { HeardStorage } from './heard-storage.js'

describe('a search that its caller aborts', () => {
  it.each(['hybrid', 'semantic', 'keyword'] as const)('ends with the abort in each of its steps (%s)', async (mode) => {
    const storage = new HeardStorage()
    const { engine, session } = await memoryEngine({ storage })
    const { id } = await session.contexts.create(NEW_CONTEXT)
    await uploadText(session, id, 'a.txt', 'Parental leave takes eighteen weeks.')
    await uploadText(session, id, 'b.txt', 'The canteen opens at eleven.')
    storage.reads = 0
    const search = async (signal?: AbortSignal) =>
      await storage.heard.run(true, () => session.search(id, 'parental leave', { mode, ...(signal && { signal }) }))
    expect(await search()).not.toEqual([])
    // The last step reads the found chunks.
    const steps = storage.reads - 1
    expect(steps).toBeGreaterThan(1)
    for (let step = 1; step <= steps; step += 1) {
      const caller = new AbortController()
      storage.reads = 0
      storage.onRead = () => {
        if (storage.reads === step) caller.abort(new Error('no longer wanted'))
      }
      await expect(search(caller.signal)).rejects.toThrow('no longer wanted')
    }
    await engine.close()
  })
})
