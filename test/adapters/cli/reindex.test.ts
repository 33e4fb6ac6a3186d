import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openLocalEngine } from '../../../adapters/local/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { type Outcome, startAlcove } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

const MODEL = 'all-MiniLM-L6-v2'
let folder: Awaited<ReturnType<typeof temporaryFolder>>

const alcove = async (...args: readonly string[]): Promise<Outcome> => await runAlcoveHere(args, { cwd: folder.path })

async function chunks(): Promise<number> {
  const { stdout } = await alcove('documents', '--context', 'Lamps', '--json')
  return (JSON.parse(stdout) as { chunks: number }[])[0]?.chunks ?? 0
}

describe('alcove reindex', () => {
  beforeEach(async () => {
    folder = await temporaryFolder()
    await alcove('init')
    await alcove('context', 'create', 'Lamps')
    const text = Array.from({ length: 40 }, (_, item) => `Lamp ${item} stands in room ${item}.`).join(' ')
    await writeFile(join(folder.path, 'lamps.txt'), text)
    await alcove('ingest', '--context', 'Lamps', 'lamps.txt')
  })

  afterEach(async () => {
    await folder.remove()
  })

  it('cuts the documents of a context a second time', async () => {
    expect(await chunks()).toBe(1)
    expect(await alcove('reindex', 'Lamps', '--chunk-size', '64', '--overlap', '0')).toEqual({
      exitCode: 0,
      stdout: `Lamps: its documents are indexed with ${MODEL}, chunks of 64 tokens, overlap 0.\n`,
      stderr: '',
    })
    expect(await chunks()).toBeGreaterThan(4)
    const { stdout } = await alcove('context', 'settings', 'Lamps', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ chunkSizeTokens: 64, overlap: 0, reindexing: null })
  })

  it('--all counts contexts and documents, and passes over those that have the settings', async () => {
    await alcove('context', 'create', 'Empty')
    expect(await alcove('reindex', '--all', '--chunk-size', '64')).toEqual({
      exitCode: 0,
      stdout: '2 contexts re-indexed (1 document), 0 unchanged, 0 failed.\n',
      stderr: 'Lamps: 1 document re-indexed\nEmpty: 0 documents re-indexed\n',
    })
    const again = await alcove('reindex', '--all', '--chunk-size', '64', '--json')
    expect(JSON.parse(again.stdout)).toEqual({
      reindexed: 0,
      unchanged: 2,
      failed: 0,
      documents: 0,
      isFinished: true,
    })
  })

  it('context update waits for the re-index too', async () => {
    const { stdout, exitCode } = await alcove(
      'context',
      'update',
      'Lamps',
      '--chunk-size',
      '64',
      '--top-n',
      '3',
      '--json',
    )
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ chunkSize: 64, topN: 3 })
    expect(await chunks()).toBeGreaterThan(4)
  })

  it('Ctrl-C beside a server says that the server goes on', async () => {
    // It holds the folder, and leaves the re-index to others.
    const engine = await openLocalEngine({ dataDir: join(folder.path, 'alcove-data'), roles: ['relay'] })
    const { child, outcome } = startAlcove(['reindex', 'Lamps', '--chunk-size', '50'], { cwd: folder.path })
    const session = engine.as(engine.owner)
    const [context] = await session.contexts.list()
    while ((await session.contexts.settings(context?.id ?? 0)).reindexing === null) await setTimeout(20)
    child.kill('SIGINT')
    expect(await outcome).toEqual({
      exitCode: 130,
      stdout: '',
      stderr: 'interrupted: the process that serves goes on; searches use the former settings until then\n',
    })
    await engine.close()
    expect((await alcove('reindex', 'Lamps', '--chunk-size', '50')).exitCode).toBe(0)
    expect(await chunks()).toBeGreaterThan(4)
  })
})

describe('a wrong command', () => {
  beforeAll(async () => {
    folder = await temporaryFolder()
    await alcove('init')
    await alcove('context', 'create', 'Lamps')
  })

  afterAll(async () => {
    await folder.remove()
  })

  it.each([
    [['reindex'], 'name one context, or use --all'],
    [['reindex', 'Lamps', '--all'], 'name one context, or use --all'],
    [['reindex', 'Lamps', '--documents', '3'], "option '--documents' needs --all"],
    [['reindex', '--all', '--cancel'], "option '--cancel' needs one context, and no other settings"],
    [['reindex', 'Lamps', '--model', 'gpt'], `--model: no model named gpt; known: ${MODEL}`],
    [['reindex', 'Lamps', '--chunk-size', '3'], '--chunk-size: must be an integer from 16 to 8192'],
  ])('%j is refused in one line', async (args, message) => {
    const { exitCode, stderr, stdout } = await alcove(...args)
    expect(exitCode).not.toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})
