import { describe, expect, it } from 'vitest'
import { MemoryFileStore, MemoryStorage, MemoryTelemetry, MemoryVectorIndex } from '../../adapters/memory/index.js'
import { Sweep } from '../../src/ingestion/sweep.js'
import type { Repositories } from '../../src/ports/index.js'
import { collect, inPieces } from '../conformance/harness.js'
import { NOW, seedCompany, seedContext, seedDocument } from '../conformance/storage-seed.js'

const KEY = '0f9a8960-36ac-426d-9b1e-3c5d7e9f1a2b'
const ORPHAN = '11111111-2222-4333-8444-555555555555'

/** A storage that hears of an upload just after the first look for it. */
class LateStorage extends MemoryStorage {
  #looks = 0

  override async read<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    const found = await super.read(work)
    this.#looks += 1
    if (this.#looks === 1) {
      await this.transaction(({ uploads }) => uploads.insert({ uuid: KEY, contextId: 1, sizeBytes: 1 }, 60_000))
    }
    return found
  }
}

/** Notes how many jobs each transaction adds. */
class NotingStorage extends MemoryStorage {
  readonly added: number[] = []

  override async transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    return await super.transaction(async (repositories) => {
      const count = async (): Promise<number> =>
        (await repositories.jobs.subjects('ingest-document', { after: 0, limit: 10_000 })).length
      const before = await count()
      const result = await work(repositories)
      this.added.push((await count()) - before)
      return result
    })
  }
}

describe('the sweep', () => {
  it('puts a long queue back to work in short transactions, in lanes, and not what is done by then', async () => {
    const storage = new NotingStorage()
    const ids = await storage.transaction(async (repositories) => {
      const seed = await seedCompany(repositories)
      const contexts = [await seedContext(repositories, seed), await seedContext(repositories, seed, 'Other')]
      for (let number = 0; number < 500; number += 1) {
        const context = contexts[number % 2]
        if (context !== undefined) await seedDocument(repositories, context, crypto.randomUUID())
      }
      return (await repositories.documents.listUnfinished()).map(({ id }) => id)
    })
    const [first = 0] = ids
    const sweep = new Sweep(storage, new MemoryFileStore(), new MemoryVectorIndex(), new MemoryTelemetry())
    const swept = sweep.run(new AbortController().signal)
    await storage.transaction(({ documents }) => documents.update(first, { completed: NOW }))
    expect(await swept).toMatchObject({ documentsResumed: 499 })
    expect(await storage.read(({ jobs }) => jobs.subjects('ingest-document', { after: 0, limit: 999 }))).toEqual(
      ids.slice(1),
    )
    expect(Math.max(...storage.added)).toBeLessThanOrEqual(200)
    const lanes = await storage.read(({ jobs }) => jobs.waiting(['ingest-document']))
    expect(lanes.map(({ lane, companyId }) => [lane, companyId]).sort()).toEqual([
      [1, 1],
      [2, 1],
    ])
  })

  it('keeps a file that is claimed after it was listed, and removes the one beside it', async () => {
    const files = new MemoryFileStore()
    for (const key of [KEY, ORPHAN]) await files.write(key, inPieces(new Uint8Array(9), 9), { maxBytes: 9 })
    const sweep = new Sweep(new LateStorage(), files, new MemoryVectorIndex(), new MemoryTelemetry())
    expect(await sweep.run(new AbortController().signal)).toMatchObject({ filesRemoved: 1 })
    expect(await collect(files.list())).toEqual([KEY])
  })
})
