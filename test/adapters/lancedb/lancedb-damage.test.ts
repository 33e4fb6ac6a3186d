import { appendFile, open as openFile, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LanceDbVectorIndex } from '../../../adapters/lancedb/index.js'
import { VectorsDamagedError } from '../../../src/index.js'
import { temporaryFolder } from '../../temporary-folder.js'

const COLLECTION = { name: 'context-1-memory-1', dimensions: 8 }
const QUERY = Float32Array.from([1, 0, 0, 0, 0, 0, 0, 0])
const chunks = Uint32Array.from({ length: 200 }, (_, at) => at)
const vectors = Float32Array.from({ length: 200 * 8 }, (_, at) => Math.sin(at))

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
  const index = new LanceDbVectorIndex(folder.path)
  await index.add(COLLECTION, { documentId: 1, chunks, windows: new Uint16Array(200), vectors })
  await index.close()
})

afterEach(async () => {
  await folder.remove()
})

async function flip(part: string, at: (size: number) => number): Promise<void> {
  const parts = join(folder.path, `${COLLECTION.name}.lance`, part)
  const [name = ''] = (await readdir(parts, { recursive: true }))
    .filter((file) => /\.(manifest|lance|idx)$/.test(file))
    .sort()
  const handle = await openFile(join(parts, name), 'r+')
  const bytes = Buffer.alloc(1)
  const place = at((await stat(join(parts, name))).size)
  await handle.read(bytes, 0, 1, place)
  await handle.write(Buffer.from([(bytes[0] ?? 0) ^ 16]), 0, 1, place)
  await handle.close()
}

it.each<[string, string, (size: number) => number]>([
  ['a vector', 'data', (size) => Math.floor(size / 3)],
  ['the manifest', '_versions', (size) => Math.floor(size / 2)],
  ['the names of columns', '_versions', () => 120],
])('a changed bit in %s is an error, and a dropped collection works again', async (_what, part, at) => {
  await flip(part, at)
  const index = new LanceDbVectorIndex(folder.path)
  await expect(index.search(COLLECTION, QUERY, { limit: 5 })).rejects.toBeInstanceOf(VectorsDamagedError)
  await expect(index.countByDocument(COLLECTION.name)).rejects.toBeInstanceOf(VectorsDamagedError)
  await index.drop(COLLECTION.name)
  await index.add(COLLECTION, { documentId: 1, chunks, windows: new Uint16Array(200), vectors })
  expect(await index.search(COLLECTION, QUERY, { limit: 5 })).toHaveLength(5)
  await index.close()
  const again = new LanceDbVectorIndex(folder.path)
  expect(await again.count(COLLECTION.name, 1)).toBe(200)
  await again.close()
})

it('a lost manifest of the newest version is an error: the version before lacks rows', async () => {
  const versions = join(folder.path, `${COLLECTION.name}.lance`, '_versions')
  const [newest = ''] = (await readdir(versions)).filter((file) => file.endsWith('.manifest')).sort()
  await rm(join(versions, newest))
  const index = new LanceDbVectorIndex(folder.path)
  await expect(index.count(COLLECTION.name, 1)).rejects.toBeInstanceOf(VectorsDamagedError)
  await index.drop(COLLECTION.name)
  await index.add(COLLECTION, { documentId: 1, chunks, windows: new Uint16Array(200), vectors })
  await index.close()
  // The new table writes a manifest of the same name.
  const again = new LanceDbVectorIndex(folder.path)
  expect(await again.count(COLLECTION.name, 1)).toBe(200)
  await again.close()
})

it('a changed bit in an index is an error', async () => {
  const building = new LanceDbVectorIndex(folder.path, { indexFromRows: 100 })
  await building.search(COLLECTION, QUERY, { limit: 5 })
  await building.whenMaintained()
  await building.close()
  await flip('_indices', (size) => Math.floor(size / 2))
  const index = new LanceDbVectorIndex(folder.path, { indexFromRows: 100 })
  await expect(index.search(COLLECTION, QUERY, { limit: 5 })).rejects.toBeInstanceOf(VectorsDamagedError)
  await index.close()
})

it('the checksums of files that are gone are removed, and a changed bit in a remaining file is still an error', async () => {
  const sums = join(folder.path, `${COLLECTION.name}.lance`, '_sums')
  const gone = Array.from({ length: 500 }, (_, at) => `${at} data/${at}.lance\n`)
  await appendFile(sums, gone.join(''))
  const index = new LanceDbVectorIndex(folder.path)
  await index.add(COLLECTION, { documentId: 2, chunks, windows: new Uint16Array(200), vectors })
  await index.close()
  expect((await readFile(sums, 'utf8')).split('\n').length).toBeLessThan(20)
  await flip('data', (size) => Math.floor(size / 3))
  const again = new LanceDbVectorIndex(folder.path)
  await expect(again.count(COLLECTION.name, 1)).rejects.toBeInstanceOf(VectorsDamagedError)
  await again.close()
})
