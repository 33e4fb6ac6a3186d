import { fork } from 'node:child_process'
import { once } from 'node:events'
import { open, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LanceDbVectorIndex } from '../../adapters/lancedb/index.js'
import { temporaryFolder } from '../temporary-folder.js'

/** Their removal takes long enough to be seen. */
const FILES = 10_000
const [DROPPED, KEPT] = ['dropped', 'kept'].map((name) => ({ name, dimensions: 2 })) as [Collection, Collection]

interface Collection {
  readonly name: string
  readonly dimensions: number
}

// K
it('a process that is killed while it drops vectors leaves none that a search opens, and the next start removes the rest', async () => {
  const folder = await temporaryFolder()
  const vectors = join(folder.path, 'vectors')
  const query = Float32Array.of(1, 0)
  const add = async (index: LanceDbVectorIndex, collection: Collection, documentId: number): Promise<void> => {
    const rows = { chunks: new Uint32Array(1), windows: new Uint16Array(1), vectors: query }
    await index.add(collection, { documentId, ...rows })
  }
  const first = new LanceDbVectorIndex(vectors)
  for (const collection of [DROPPED, KEPT]) await add(first, collection, 1)
  await first.close()
  // On a busy machine the process may end before the kill: then it drops the vectors once more.
  while (!(await killInDrop(vectors))) {
    const again = new LanceDbVectorIndex(vectors)
    await add(again, DROPPED, 1)
    await again.close()
  }

  const next = new LanceDbVectorIndex(vectors)
  expect(await next.search(DROPPED, query, { limit: 1 })).toEqual([])
  expect(await next.listCollections()).toEqual([KEPT.name])
  await add(next, DROPPED, 2)
  expect(await next.countByDocument(DROPPED.name)).toEqual(new Map([[2, 1]]))
  await next.drop(DROPPED.name)
  expect(await next.countByDocument(KEPT.name)).toEqual(new Map([[1, 1]]))
  await next.close()
  expect(await readdir(vectors)).toEqual([`${KEPT.name}.lance`])
  await folder.remove()
}, 60_000)

/** Kills a process that drops a collection of many files. @returns false if it had removed all of them before */
async function killInDrop(vectors: string): Promise<boolean> {
  const folder = join(vectors, `${DROPPED.name}.lance`, 'data')
  for (let at = 0; at < FILES; at += 1) await writeFile(join(folder, `${at}.lance`), '')
  const data = await open(folder)
  const { mtimeMs } = await data.stat()
  const child = fork(join(import.meta.dirname, 'lancedb-drop-child.mjs'), [vectors, DROPPED.name], { stdio: 'inherit' })
  const exit = once(child, 'exit')
  // The time of the folder changes with the removal of its first file.
  while (child.exitCode === null && (await data.stat()).mtimeMs === mtimeMs);
  child.kill('SIGKILL')
  const [code] = (await exit) as [number | null]
  await data.close()
  expect(code === null || code === 0).toBe(true)
  return (await readdir(vectors, { recursive: true })).length > FILES / 10
}
