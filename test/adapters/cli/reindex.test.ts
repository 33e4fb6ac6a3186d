import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openLocalEngine } from '../../../adapters/local/index.js'
import { sized } from '../../full-form.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { EmbeddingServer } from '../openai/embedding-server.js'
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

  it('says once that it waits for the server of the new model', async () => {
    const server = await EmbeddingServer.start()
    const env = { ALCOVE_EMBEDDING_URL: server.baseUrl, ALCOVE_EMBEDDING_MODEL: 'remote' }
    await server.stop()
    const args = ['reindex', 'Lamps', '--model', 'remote', '--embedding-dimensions', '64']
    const running = startAlcove(args, { cwd: folder.path, env })
    while (!running.stderr().includes('\n')) await setTimeout(50)
    await server.listen()
    const { exitCode, stderr } = await running.outcome
    await server.stop()
    expect(exitCode).toBe(0)
    const lines = stderr.split('\n').filter((line) => line.startsWith('Lamps: '))
    expect(lines).toEqual([
      'Lamps: the server of the embedding model remote is away; the re-index waits for it (ERR_MODEL_UNAVAILABLE)',
      ...(lines.length > 1 ? ['Lamps: the re-index goes on'] : []),
    ])
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

  it('--cancel keeps the present settings, also while a killed re-index is in progress', async () => {
    const items = sized(2_000, 6_000)
    const long = Array.from({ length: items }, (_, item) => `Item ${item} is a lamp from room ${item}.`).join(' ')
    await writeFile(join(folder.path, 'long.txt'), long)
    await alcove('ingest', '--context', 'Lamps', 'long.txt')
    const { child, outcome, stderr } = startAlcove(['reindex', 'Lamps', '--chunk-size', '50'], { cwd: folder.path })
    for (;;) {
      expect(child.exitCode, stderr()).toBe(null)
      const { stdout } = await alcove('context', 'settings', 'Lamps', '--json')
      if ((JSON.parse(stdout) as { reindexing: object | null }).reindexing !== null) break
      await setTimeout(20)
    }
    child.kill('SIGKILL')
    await outcome
    const cancelled = await alcove('reindex', 'Lamps', '--cancel')
    expect(cancelled.exitCode).toBe(0)
    expect(cancelled.stdout).toMatch(
      /^Cancelled the re-index of Lamps \(\d of 2 documents\); it keeps .* 1000 tokens\.\n$/,
    )
    const { stdout } = await alcove('reindex', 'Lamps', '--cancel', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ chunkSizeTokens: 1_000, reindexing: null })
    expect((await alcove('search', '--context', 'Lamps', 'lamp 39', '--json')).exitCode).toBe(0)
    expect((await alcove('doctor')).exitCode).toBe(0)
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
