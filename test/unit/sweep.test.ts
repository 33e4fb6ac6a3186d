import { describe, expect, it } from 'vitest'
import { MemoryFileStore, MemoryStorage, MemoryTelemetry, MemoryVectorIndex } from '../../adapters/memory/index.js'
import { Sweep } from '../../src/ingestion/sweep.js'
import type { Repositories } from '../../src/ports/index.js'
import { collect, inPieces } from '../conformance/harness.js'

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

describe('the sweep', () => {
  it('keeps a file that is claimed after it was listed, and removes the one beside it', async () => {
    const files = new MemoryFileStore()
    for (const key of [KEY, ORPHAN]) await files.write(key, inPieces(new Uint8Array(9), 9), { maxBytes: 9 })
    const sweep = new Sweep(new LateStorage(), files, new MemoryVectorIndex(), new MemoryTelemetry())
    expect(await sweep.run(new AbortController().signal)).toMatchObject({ filesRemoved: 1 })
    expect(await collect(files.list())).toEqual([KEY])
  })
})
