import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sized } from '../../full-form.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { EmbeddingServer } from '../openai/embedding-server.js'
import { type Outcome, startAlcove } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

const alcove = async (...args: readonly string[]): Promise<Outcome> => await runAlcoveHere(args, { cwd: folder.path })

describe('alcove reindex that waits, or is killed,', () => {
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
