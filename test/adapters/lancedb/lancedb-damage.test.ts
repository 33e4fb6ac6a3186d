import { open as openFile, readdir, stat } from 'node:fs/promises'
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
  const [name = ''] = (await readdir(parts)).filter((file) => /\.(manifest|lance)$/.test(file)).sort()
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
