import { expect, it } from 'vitest'
import { MemoryStorage } from '../../../adapters/memory/index.js'
import { StorageFullError } from '../../../src/index.js'
import type { Repositories } from '../../../src/ports/index.js'
import { memoryEngine } from '../engine/memory-engine.js'

class FillingStorage extends MemoryStorage {
  isFull = false

  override async read<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    return await super.transaction(work)
  }

  override async transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    if (this.isFull) throw new StorageFullError('the disk with the database is full')
    return await super.transaction(work)
  }
}

it('a full disk refuses no token, so that clients that read go on for longer than a token lasts', async () => {
  const storage = new FillingStorage()
  const { engine } = await memoryEngine({ storage })
  const { clientId, clientSecret } = await engine.initialize()
  storage.isFull = true
  const issued = await engine.authentication.issueToken({ clientId, clientSecret, targetApp: 'assistant' })
  const caller = await engine.authentication.authenticate(issued.access_token)
  expect(await engine.as(caller.principal).contexts.list()).toEqual([])
  storage.isFull = false
  await engine.close()
})
