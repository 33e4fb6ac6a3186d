import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLocalDatabase, openLocalEngine } from '../../../adapters/local/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { startAlcove } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  await folder.remove()
})

describe('Ctrl-C', () => {
  it('stops an ingestion with 130 and one line about unfinished documents, which the next start completes', async () => {
    const text = Array.from({ length: 2_000 }, (_, number) => `Item ${number} is a lamp from room ${number * 7}. `)
    await writeFile(join(folder.path, 'inventory.txt'), text.join(''))
    const cwd = folder.path
    await runAlcoveHere(['init'], { cwd })
    await runAlcoveHere(['context', 'create', 'C'], { cwd })
    const { child, outcome } = startAlcove(['ingest', '--context', 'C', 'inventory.txt'], { cwd })

    const dataDir = join(folder.path, 'alcove-data')
    const beside = await openLocalDatabase({ dataDir })
    const started = async (): Promise<boolean> => {
      const [document] = await beside.as(beside.owner).documents.list(1)
      return document !== undefined && document.started !== null
    }
    while (!(await started())) await setTimeout(10)
    await beside.close()
    // The model has loaded, and embeds now.
    await setTimeout(600)
    child.kill('SIGINT')
    expect(await outcome).toEqual({
      exitCode: 130,
      stdout: '',
      stderr: 'interrupted: 1 uploaded document will be processed by the next "alcove ingest" or "alcove serve"\n',
    })

    const engine = await openLocalEngine({ dataDir })
    const { documents } = engine.as(engine.owner)
    const [document] = await documents.list(1)
    expect(document).toMatchObject({ completed: null, error: null })
    expect(await documents.whenProcessed(document?.fileName ?? '')).toMatchObject({ error: null })
    await engine.close()
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('removes the folder of the demo: %s', async (signal) => {
    const { child, outcome } = startAlcove(['demo'], { cwd: folder.path, env: { TMPDIR: folder.path } })
    while ((await readdir(folder.path)).length === 0) await setTimeout(10)
    await setTimeout(signal === 'SIGINT' ? 0 : 500)
    child.kill(signal)
    expect(await outcome).toMatchObject({ exitCode: signal === 'SIGINT' ? 130 : 143, stdout: '' })
    expect(await readdir(folder.path)).toEqual([])
  })
})
