import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { connect } from '@lancedb/lancedb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type LanceDbOptions, LanceDbVectorIndex } from '../../adapters/lancedb/index.js'
import { temporaryFolder } from '../temporary-folder.js'

const COLLECTION = { name: 'context-1-model', dimensions: 4 }

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  vi.useRealTimers()
  await folder.remove()
})

/** One life of a process: opens the index, works, closes it. */
async function withIndex(
  work: (index: LanceDbVectorIndex) => Promise<void>,
  options: LanceDbOptions = {},
): Promise<void> {
  const index = new LanceDbVectorIndex(join(folder.path, 'vectors'), options)
  await work(index)
  await index.close()
}

async function add(index: LanceDbVectorIndex, documentId: number): Promise<void> {
  const vectors = Float32Array.from([1, 0, 0, documentId])
  await index.add(COLLECTION, { documentId, chunks: new Uint32Array(1), windows: new Uint16Array(1), vectors })
}

describe('a LanceDB table', () => {
  it('is compacted though no process lives long enough to write much', async () => {
    for (let cycle = 0; cycle < 90; cycle += 1) await withIndex(async (index) => await add(index, cycle))
    const connection = await connect(join(folder.path, 'vectors'))
    const { fragmentStats } = await (await connection.openTable(COLLECTION.name)).stats()
    connection.close()
    expect(fragmentStats.numFragments).toBeLessThan(40)
    await withIndex(async (index) => {
      expect((await index.countByDocument(COLLECTION.name)).size).toBe(90)
    })
  })

  it('is left as it is by an index that does not maintain it, however long that is read', async () => {
    const add50 = async (index: LanceDbVectorIndex) => {
      for (let document = 0; document < 50; document += 1) await add(index, document)
    }
    await withIndex(add50, { maintains: false })
    const version = async () => {
      const connection = await connect(join(folder.path, 'vectors'))
      const number = await (await connection.openTable(COLLECTION.name)).version()
      connection.close()
      return number
    }
    const written = await version()
    const readOn = async (index: LanceDbVectorIndex) => {
      await index.countByDocument(COLLECTION.name)
      await setTimeout(3_000)
      expect((await index.countByDocument(COLLECTION.name)).size).toBe(50)
    }
    await withIndex(readOn, { maintains: false })
    expect(await version()).toBe(written)
    // What there was to do is seen by one that maintains it.
    await withIndex(async (index) => {
      await index.countByDocument(COLLECTION.name)
      await expect.poll(version, { timeout: 30_000 }).toBeGreaterThan(written)
    })
  })

  it('is compacted after the deletions of many processes too', async () => {
    const chunks = Uint32Array.from({ length: 100 }, (_, chunk) => chunk)
    const vectors = new Float32Array(400).fill(1)
    await withIndex(async (index) => {
      await index.add(COLLECTION, { documentId: 1, chunks, windows: new Uint16Array(100), vectors })
    })
    const deleteFrom = async (chunk: number): Promise<void> => {
      await withIndex(async (index) => {
        await index.deleteDocument(COLLECTION.name, 1, chunk)
      })
    }
    for (let chunk = 99; chunk > 30; chunk -= 1) await deleteFrom(chunk)
    const dataFiles = async () => await readdir(join(folder.path, 'vectors', `${COLLECTION.name}.lance`, 'data'))
    expect(await dataFiles()).toHaveLength(1)
    // A minute later nothing reads the old versions any more.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 })
    await deleteFrom(30)
    // Written anew, without the rows that were only marked.
    expect(await dataFiles()).toHaveLength(2)
    await withIndex(async (index) => {
      expect((await index.countByDocument(COLLECTION.name)).get(1)).toBe(30)
    })
  })
})
