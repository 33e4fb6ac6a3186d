import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type SyncSummary, watchFolder } from '../../../adapters/local/index.js'
import { memoryEngine, NEW_CONTEXT } from '../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../temporary-folder.js'

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
