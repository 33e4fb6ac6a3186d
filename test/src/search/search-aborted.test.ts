import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { MemoryStorage } from '../../../adapters/memory/index.js'
import { memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

/** Calls back in each read of a search. The workers of the engine read too, whenever they poll. */
class HeardStorage extends MemoryStorage {
  readonly search = new AsyncLocalStorage<boolean>()
  reads = 0
  onRead: () => void = () => undefined

  override async read<T>(work: Parameters<typeof MemoryStorage.prototype.read<T>>[0]): Promise<T> {
    return await super.read(async (repositories) => {
      if (this.search.getStore() === true) {
        this.reads += 1
        this.onRead()
      }
      return await work(repositories)
    })
  }
}

describe('a search that its caller aborts', () => {
  it.each(['hybrid', 'semantic', 'keyword'] as const)('ends with the abort in each of its steps (%s)', async (mode) => {
    const storage = new HeardStorage()
    const { engine, session } = await memoryEngine({ storage })
    const { id } = await session.contexts.create(NEW_CONTEXT)
    await uploadText(session, id, 'a.txt', 'Parental leave takes eighteen weeks.')
    await uploadText(session, id, 'b.txt', 'The canteen opens at eleven.')
    storage.reads = 0
    const search = async (signal?: AbortSignal) =>
      await storage.search.run(true, () => session.search(id, 'parental leave', { mode, ...(signal && { signal }) }))
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
