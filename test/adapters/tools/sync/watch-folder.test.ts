import { rmSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { type SyncSummary, watchFolder } from '../../../../adapters/local/index.js'
import { StorageFullError } from '../../../../src/index.js'
import { memoryEngine, NEW_CONTEXT } from '../../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../../temporary-folder.js'

it('a watched folder is synchronised after each change, until the watch is closed', async () => {
  const folder = await temporaryFolder()
  const { engine, session } = await memoryEngine()
  const { id } = await session.contexts.create(NEW_CONTEXT)
  const names = async (): Promise<string[]> =>
    (await session.documents.list(id)).map(({ originalName }) => originalName)
  const summaries: SyncSummary[] = []
  let wake = (): void => undefined
  const nextSync = async (): Promise<void> => await new Promise((resolve) => (wake = resolve))
  const onSync = (summary: SyncSummary): void => {
    summaries.push(summary)
    wake()
  }
  await writeFile(join(folder.path, 'a.txt'), 'alpha')
  const watch = await watchFolder(session, id, folder.path, { delete: true, onSync })
  expect(await names()).toEqual(['a.txt'])
  for (const change of [
    async () => await writeFile(join(folder.path, 'b.txt'), 'beta'),
    async () => await writeFile(join(folder.path, 'a.txt'), 'alpha two'),
    async () => await rm(join(folder.path, 'b.txt')),
  ]) {
    const synced = nextSync()
    await change()
    await synced
  }
  expect(summaries.map(({ added, replaced, removed }) => [added, replaced, removed])).toEqual([
    [1, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ])
  expect(await names()).toEqual(['a.txt'])
  await watch.close()
  await writeFile(join(folder.path, 'c.txt'), 'gamma')
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect(summaries).toHaveLength(4)
  await engine.close()
  await folder.remove()
})

it('a watched folder that becomes empty, or vanishes, removes no document', async () => {
  const folder = await temporaryFolder()
  const { engine, session } = await memoryEngine()
  const { id } = await session.contexts.create(NEW_CONTEXT)
  const followed = join(folder.path, 'share')
  const names = ['a.txt', 'b.txt']
  await mkdir(followed)
  for (const name of names) await writeFile(join(followed, name), `words of ${name}`)
  let told = (_report: unknown): void => undefined
  const next = async (): Promise<unknown> => await new Promise((resolve) => (told = resolve))
  const onSync = (summary: SyncSummary): void => told(summary)
  const onError = (error: unknown): void => told(error)
  const refusal = { code: 'ERR_INVALID_INPUT', field: 'folder' }
  const watch = await watchFolder(session, id, followed, { delete: true, onSync, onError })
  const empty = next()
  for (const name of names) rmSync(join(followed, name))
  expect(await empty).toMatchObject(refusal)
  expect(await session.documents.list(id)).toHaveLength(2)
  const filled = next()
  await writeFile(join(followed, 'a.txt'), 'words of a.txt')
  expect(await filled).toMatchObject({ removed: 1, unchanged: 1 })
  const vanished = next()
  await rename(followed, join(folder.path, 'aside'))
  expect(await vanished).toMatchObject(refusal)
  expect(await session.documents.list(id)).toHaveLength(1)
  await watch.close()
  await engine.close()
  await folder.remove()
})

it('a change during the first synchronisation makes no second document', async () => {
  const folder = await temporaryFolder()
  const { engine, session } = await memoryEngine()
  const { id } = await session.contexts.create(NEW_CONTEXT)
  for (let file = 0; file < 40; file += 1) await writeFile(join(folder.path, `${file}.txt`), `words ${file}`)
  let isChanged = false
  const onFile = (): void => {
    if (isChanged) return
    isChanged = true
    void writeFile(join(folder.path, '39.txt'), 'changed')
  }
  const watch = await watchFolder(session, id, folder.path, { onFile })
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  await watch.close()
  const names = (await session.documents.list(id)).map(({ originalName }) => originalName)
  expect(names.toSorted()).toEqual(Array.from({ length: 40 }, (_, file) => `${file}.txt`).toSorted())
  await engine.close()
  await folder.remove()
})

it('an aborted signal refuses a watch, and ends one', async () => {
  const folder = await temporaryFolder()
  const { engine, session } = await memoryEngine()
  const { id } = await session.contexts.create(NEW_CONTEXT)
  const aborted = watchFolder(session, id, folder.path, { signal: AbortSignal.abort(new Error('stopped')) })
  await expect(aborted).rejects.toThrow('stopped')
  const controller = new AbortController()
  const watch = await watchFolder(session, id, folder.path, { signal: controller.signal })
  controller.abort()
  await watch.close()
  await writeFile(join(folder.path, 'a.txt'), 'alpha')
  await new Promise((resolve) => setTimeout(resolve, 800))
  expect(await session.documents.list(id)).toEqual([])
  await engine.close()
  await folder.remove()
})

it('a file that met a full disk is taken again without a change, after pauses that grow', async () => {
  const folder = await temporaryFolder()
  const { engine, session, fileStore } = await memoryEngine()
  const { id } = await session.contexts.create(NEW_CONTEXT)
  await writeFile(join(folder.path, 'a.txt'), 'alpha')
  const pauses: number[] = []
  const { setTimeout: start } = globalThis
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation((work: () => void, ms = 0) => {
    const isRetry = work.name === 'startRun'
    if (isRetry) pauses.push(ms)
    return start(work, isRetry ? 10 : ms)
  })
  const write = vi.spyOn(fileStore, 'write').mockRejectedValue(new StorageFullError('the disk with the files is full'))
  const summaries: SyncSummary[] = []
  const onSync = (summary: SyncSummary): void => void summaries.push(summary)
  const watch = await watchFolder(session, id, folder.path, { onSync })
  await expect.poll(() => pauses.length, { timeout: 5_000 }).toBeGreaterThan(4)
  expect(pauses.slice(0, 5)).toEqual([10_000, 20_000, 40_000, 60_000, 60_000])
  write.mockRestore()
  await expect.poll(() => summaries.at(-1), { timeout: 5_000 }).toMatchObject({ added: 1, failed: 0 })
  const runs = summaries.length
  await new Promise((resolve) => start(resolve, 200))
  expect(summaries).toHaveLength(runs)
  timers.mockRestore()
  await watch.close()
  await engine.close()
  await folder.remove()
})
