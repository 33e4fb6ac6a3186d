import { describe, expect, it } from 'vitest'
import { MemoryStorage } from '../../../adapters/memory/index.js'
import { memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

/** Calls back in each read. */
class HeardStorage extends MemoryStorage {
  reads = 0
  onRead: () => void = () => undefined

  override async read<T>(work: Parameters<typeof MemoryStorage.prototype.read<T>>[0]): Promise<T> {
    return await super.read(async (repositories) => {
      this.reads += 1
      this.onRead()
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
    expect(await session.search(id, 'parental leave', { mode })).not.toEqual([])
    // The last step reads the found chunks.
    const steps = storage.reads - 1
    expect(steps).toBeGreaterThan(1)
    for (let step = 1; step <= steps; step += 1) {
      const caller = new AbortController()
      storage.reads = 0
      storage.onRead = () => {
        if (storage.reads === step) caller.abort(new Error('no longer wanted'))
      }
      await expect(session.search(id, 'parental leave', { mode, signal: caller.signal })).rejects.toThrow(
        'no longer wanted',
      )
    }
    await engine.close()
  })
})
