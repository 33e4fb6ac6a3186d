import { mkdir, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { connect, type Table } from '@lancedb/lancedb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type LanceDbOptions, LanceDbVectorIndex } from '../../../adapters/lancedb/index.js'
import { OpenTable } from '../../../adapters/lancedb/open-table.js'
import { temporaryFolder } from '../../temporary-folder.js'

const COLLECTION = { name: 'context-1-model', dimensions: 4 }

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  vi.restoreAllMocks()
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

async function add(index: LanceDbVectorIndex, documentId: number, name = COLLECTION.name): Promise<void> {
  const vectors = Float32Array.from([1, 0, 0, documentId])
  await index.add(
    { ...COLLECTION, name },
    { documentId, chunks: new Uint32Array(1), windows: new Uint16Array(1), vectors },
  )
}

describe('a LanceDB table with a read error', () => {
  const table = () => join(folder.path, 'vectors', `${COLLECTION.name}.lance`)
  const empty = async (part: string) => {
    for (const name of await readdir(join(table(), part))) await truncate(join(table(), part, name), 40)
  }
  const remove = async (part: string) => {
    for (const name of await readdir(join(table(), part))) await rm(join(table(), part, name))
  }

  it.each<[string, () => Promise<void>]>([
    ['files are cut off', async () => await empty('data')],
    ['files are gone', async () => await remove('data')],
    ['versions are cut off', async () => await empty('_versions')],
    ['versions are gone', async () => await remove('_versions')],
  ])('whose %s is reported as damaged and can be dropped', async (_what, damage) => {
    await withIndex(async (index) => await add(index, 1))
    await damage()
    await withIndex(async (index) => {
      const damaged = { code: 'ERR_VECTORS_DAMAGED', isTransient: false }
      const key = { documentId: 1, chunk: 0, window: 0 }
      await expect(index.countByDocument(COLLECTION.name)).rejects.toMatchObject(damaged)
      await expect(index.read(COLLECTION, [key])).rejects.toMatchObject(damaged)
      await expect(index.search(COLLECTION, new Float32Array(4).fill(1), { limit: 1 })).rejects.toMatchObject(damaged)
      await index.drop(COLLECTION.name)
      expect(await index.listCollections()).toEqual([])
      await add(index, 2)
      expect([...(await index.countByDocument(COLLECTION.name)).keys()]).toEqual([2])
    })
  })

  it.each<[string, Record<string, unknown>]>([
    ['Input/output error (os error 5)', { code: 'ERR_STORAGE', isTransient: true }],
    ['Too many open files (os error 24)', { code: 'ERR_STORAGE', isTransient: true }],
    ['Too many open files in system (os error 23)', { code: 'ERR_STORAGE', isTransient: true }],
    ['Permission denied (os error 13)', { code: 'ERR_STORAGE', isTransient: false }],
    ['Resources exhausted: too little memory', { code: 'GenericFailure' }],
  ])('is not reported as damaged after "%s"', async (words, expected) => {
    await withIndex(async (index) => {
      await add(index, 1)
      const connection = await connect(join(folder.path, 'vectors'))
      const proto = Object.getPrototypeOf(await connection.openTable(COLLECTION.name)) as Table
      connection.close()
      const message = `lance error: LanceError(IO): Generic LocalFileSystem error: ${words}, src/local.rs:133:40`
      const failed = vi.spyOn(proto, 'query').mockImplementation(() => {
        throw Object.assign(new Error(message), { code: 'GenericFailure' })
      })
      await expect(index.countByDocument(COLLECTION.name)).rejects.toMatchObject(expected)
      failed.mockImplementation(() => {
        throw new TypeError('x is not a function')
      })
      await expect(index.countByDocument(COLLECTION.name)).rejects.toThrow(TypeError)
    })
  })
})

describe('a folder of LanceDB tables', () => {
  it('treats a table as missing if its first writer was killed, and creates it on the next write', async () => {
    const unfinished = join(folder.path, 'vectors', `${COLLECTION.name}.lance`, '_transactions')
    await mkdir(unfinished, { recursive: true })
    await writeFile(join(unfinished, '0-a.txn'), '')
    await withIndex(async (index) => {
      expect(await index.search(COLLECTION, new Float32Array(4).fill(1), { limit: 1 })).toEqual([])
      await index.deleteDocument(COLLECTION.name, 1, 0)
      await add(index, 1)
      expect([...(await index.countByDocument(COLLECTION.name)).keys()]).toEqual([1])
    })
  })

  it('lists a dropped table until its last file is gone, and opens it no more', async () => {
    await withIndex(async (index) => {
      await add(index, 1)
      // The removal of a file has failed.
      const left = join(folder.path, 'vectors', `.${COLLECTION.name}.dropped`)
      await rename(join(folder.path, 'vectors', `${COLLECTION.name}.lance`), left)
      await rm(join(left, '_versions'), { recursive: true })
      expect(await index.listCollections()).toEqual([COLLECTION.name])
      await index.drop(COLLECTION.name)
      expect(await index.listCollections()).toEqual([])
      await add(index, 2)
      expect([...(await index.countByDocument(COLLECTION.name)).keys()]).toEqual([2])
      expect((await readdir(join(folder.path, 'vectors'))).filter((name) => name.includes('dropped'))).toEqual([])
    })
  })

  it('that a file has taken the place of is reported in one sentence', async () => {
    await writeFile(join(folder.path, 'vectors'), 'a file in its place')
    const index = new LanceDbVectorIndex(join(folder.path, 'vectors'))
    const message = 'the disk cannot read or write the vectors: not a directory (os error 20)'
    await expect(index.listCollections()).rejects.toMatchObject({ code: 'ERR_STORAGE', isTransient: false, message })
    await index.close()
  })

  it('keeps at most 256 tables open and reads and writes a reopened table', async () => {
    const opened = vi.spyOn(OpenTable, 'open')
    await withIndex(async (index) => {
      for (let at = 0; at < 300; at += 1) await add(index, 1, `collection-${at}`)
      const tables = await Promise.all(
        opened.mock.results.map(async ({ value }) => (await (value as Promise<OpenTable>)).table),
      )
      expect(tables.filter((table) => table.isOpen())).toHaveLength(256)
      expect([...(await index.countByDocument('collection-0')).keys()]).toEqual([1])
      await add(index, 2, 'collection-0')
      expect([...(await index.countByDocument('collection-0')).keys()].sort()).toEqual([1, 2])
    })
  })

  it('is used as soon as it can be created, even after a failed try', async () => {
    const vectors = join(folder.path, 'vectors')
    await writeFile(vectors, 'a file in its place')
    const index = new LanceDbVectorIndex(vectors)
    await expect(add(index, 1)).rejects.toThrow()
    await rm(vectors)
    await add(index, 2)
    expect(await index.countByDocument(COLLECTION.name)).toEqual(new Map([[2, 1]]))
    await index.close()
  })

  it('can be closed after its creation failed', async () => {
    const vectors = join(folder.path, 'vectors')
    await writeFile(vectors, 'a file in its place')
    const index = new LanceDbVectorIndex(vectors)
    await expect(add(index, 1)).rejects.toThrow()
    await index.close()
  })
})

describe('a LanceDB table', () => {
  it('is compacted even if each process writes little before it closes', async () => {
    for (let cycle = 0; cycle < 90; cycle += 1) await withIndex(async (index) => await add(index, cycle))
    const connection = await connect(join(folder.path, 'vectors'))
    const { fragmentStats } = await (await connection.openTable(COLLECTION.name)).stats()
    connection.close()
    expect(fragmentStats.numFragments).toBeLessThan(40)
    await withIndex(async (index) => {
      expect((await index.countByDocument(COLLECTION.name)).size).toBe(90)
    })
  })

  it('is not changed by an index with maintains: false, however long that index reads', async () => {
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
    // An index that maintains the table finds the pending work.
    await withIndex(async (index) => {
      await index.countByDocument(COLLECTION.name)
      await expect.poll(version, { timeout: 30_000 }).toBeGreaterThan(written)
    })
  })

  it('is compacted after deletions by many processes', async () => {
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
    // A minute later no process reads the old versions.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 })
    await deleteFrom(30)
    // The compaction wrote the table without the rows that had a tombstone.
    expect(await dataFiles()).toHaveLength(2)
    await withIndex(async (index) => {
      expect((await index.countByDocument(COLLECTION.name)).get(1)).toBe(30)
    })
  })
})
