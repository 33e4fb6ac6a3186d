import { describe, expect, it } from 'vitest'
import { MemoryStorage } from '../../adapters/memory/index.js'
import { GroupCommit } from '../../src/jobs/group-commit.js'
import type { Repositories } from '../../src/ports/index.js'

/** Counts the transactions that are committed. */
class CountingStorage extends MemoryStorage {
  committed = 0

  override async transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    const result = await super.transaction(work)
    this.committed += 1
    return result
  }
}

const put = (key: string) => async (repositories: Repositories) => {
  await repositories.settings.put(key, 'yes')
  return key
}

describe('a group commit', () => {
  it('commits together what comes while a transaction is under way, and gives each its own result', async () => {
    const storage = new CountingStorage()
    const group = new GroupCommit(storage)
    const keys = Array.from({ length: 10 }, (_, index) => `key-${index}`)
    expect(await Promise.all(keys.map((key) => group.transaction(put(key))))).toEqual(keys)
    expect(storage.committed).toBe(2)
    for (const key of keys) expect(await storage.read(({ settings }) => settings.get(key))).toBe('yes')
  })

  it('lets none fail for another', async () => {
    const storage = new CountingStorage()
    const group = new GroupCommit(storage)
    const failing = async (repositories: Repositories) => {
      await repositories.settings.put('half', 'done')
      throw new Error('no')
    }
    const works = [put('first'), put('one'), failing, put('two')].map((work) => group.transaction<string>(work))
    const settled = await Promise.allSettled(works)
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect(settled[2]).toMatchObject({ reason: { message: 'no' } })
    await storage.read(async ({ settings }) => {
      expect([await settings.get('one'), await settings.get('two'), await settings.get('half')]).toEqual([
        'yes',
        'yes',
        undefined,
      ])
    })
    expect(await group.transaction(put('later'))).toBe('later')
  })
})
