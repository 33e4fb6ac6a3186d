import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLocalEngine, type SyncSummary } from '../../adapters/local/index.js'
import { IS_FULL_FORM, sized } from '../full-form.js'
import { temporaryFolder } from '../temporary-folder.js'

const ROUNDS = sized(4, 60)
const FILES = 12
const MINUTE_MS = 60_000

/** Changes the folder: in each round other files are written, changed and removed. @returns the text of each file */
async function changeFolder(folder: string, round: number): Promise<ReadonlyMap<string, string>> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  const texts = new Map<string, string>()
  for (let file = 0; file < FILES; file += 1) {
    if ((file + round) % 5 === 0) continue
    const version = Math.floor((round + file) / 3)
    texts.set(
      `file-${file}.txt`,
      `Marker f${file}v${version} stands in a text of its own, ${'again and '.repeat(file)}at last.`,
    )
  }
  for (const [name, text] of texts) await writeFile(join(folder, name), text)
  return texts
}

// K2
it(
  'a synchronisation that is killed at any point is completed by the next one',
  async () => {
    const temporary = await temporaryFolder()
    const [dataDir, folder] = [join(temporary.path, 'data'), join(temporary.path, 'folder')]
    const start = () => fork(join(import.meta.dirname, 'sync-child.mjs'), [dataDir, folder])
    let texts: ReadonlyMap<string, string> = new Map()
    let kills = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      texts = await changeFolder(folder, round)
      const child = start()
      await once(child, 'message')
      await new Promise((resolve) => setTimeout(resolve, (round * 137) % 700))
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      if (child.signalCode === 'SIGKILL') kills += 1
    }
    const summaries: SyncSummary[] = []
    for (let run = 0; run < 2; run += 1) {
      const child = start()
      child.on('message', (message) => {
        if (message !== 'begun') summaries.push(message as SyncSummary)
      })
      await once(child, 'exit')
    }
    expect(summaries[0]?.failed).toBe(0)
    expect(summaries[1]).toEqual({ added: 0, replaced: 0, removed: 0, unchanged: texts.size, failed: 0 })

    const engine = await openLocalEngine({ dataDir })
    const session = engine.as(engine.owner)
    const [context] = await session.contexts.list()
    const stored = new Map<string, string>()
    for (const { uuid, originalName } of await session.documents.list(context?.id ?? 0)) {
      const chunks = await session.documents.chunks(uuid)
      stored.set(originalName, chunks.map(({ content }) => content).join(' '))
    }
    expect([...stored].sort()).toEqual([...texts].sort())
    // Each marker is found in its file alone: no word of an earlier version stayed.
    for (const [name, text] of texts) {
      const marker = /f\d+v\d+/.exec(text)?.[0] ?? ''
      const found = await session.search(context?.id ?? 0, marker, { mode: 'keyword' })
      expect(found.map(({ source }) => source.originalName)).toEqual([name])
    }
    expect(await session.search(context?.id ?? 0, 'f1v0', { mode: 'keyword' })).toEqual([])
    await engine.close()
    await temporary.remove()
    if (IS_FULL_FORM) process.stdout.write(`${kills} of ${ROUNDS} synchronisations were killed before their end\n`)
  },
  sized(4, 30) * MINUTE_MS,
)
