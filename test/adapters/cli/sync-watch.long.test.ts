import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../temporary-folder.js'
import { EmbeddingServer } from '../openai/embedding-server.js'
import { startAlcove } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

it('alcove sync --watch tells in each of its synchronisations that documents wait', async () => {
  const folder = await temporaryFolder()
  onTestFinished(folder.remove)
  const share = join(folder.path, 'share')
  await mkdir(share)
  const server = await EmbeddingServer.start()
  const env = { ALCOVE_EMBEDDING_URL: server.baseUrl, ALCOVE_EMBEDDING_MODEL: 'm' }
  await runAlcoveHere(['init'], { cwd: folder.path })
  await runAlcoveHere(['context', 'create', 'Far', '--model', 'm'], { cwd: folder.path, env })
  await writeFile(join(share, 'first.md'), 'Lunch is at noon.')
  const { child, outcome, stderr } = startAlcove(['sync', '--context', 'Far', 'share', '--watch'], {
    cwd: folder.path,
    env,
  })
  try {
    await expect.poll(stderr, { timeout: 30_000 }).toContain('watching')
    const timesTold = (): number => stderr().split('waiting: ').length - 1
    await server.stop()
    await writeFile(join(share, 'second.md'), 'The bakery opens at six.')
    await expect.poll(timesTold, { timeout: 60_000 }).toBe(1)
    await server.listen()
    await expect.poll(stderr, { timeout: 60_000 }).toContain('second.md: added')
    await server.stop()
    await writeFile(join(share, 'third.md'), 'The garden closes at eight.')
    await expect.poll(timesTold, { timeout: 60_000 }).toBe(2)
  } finally {
    child.kill('SIGINT')
    await outcome
    await server.stop()
  }
})
