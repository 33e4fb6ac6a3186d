import { spawnSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../temporary-folder.js'
import { type Outcome, runAlcove } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'
import { serveAlcove } from './serve/serve-alcove.js'

/** Takes the right to lower a niceness from a process of root. */
const POWERLESS = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-sys_nice'] : []
const canRun = process.platform === 'linux' && spawnSync([...POWERLESS, 'true'][0] ?? '', ['--version']).status === 0

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let key: Key

beforeEach(async () => {
  folder = await temporaryFolder()
  await writeFile(join(folder.path, 'leave.txt'), 'New parents stay at home for eighteen weeks.')
  key = JSON.parse((await runAlcoveHere(['init', '--json'], { cwd: folder.path })).stdout) as Key
  await runAlcoveHere(['context', 'create', 'Handbook'], { cwd: folder.path })
})

afterEach(async () => {
  await folder.remove()
})

describe.runIf(canRun)('alcove under nice', () => {
  it.each([0, 6, 10, 19])('embeds and finds documents with a niceness of %i and without root', async (niceness) => {
    const startedBy = [...POWERLESS, 'nice', '-n', String(niceness)]
    const alcove = async (...args: readonly string[]): Promise<Outcome> =>
      await runAlcove(args, { cwd: folder.path, startedBy })
    expect(await alcove('ingest', '--context', 'Handbook', 'leave.txt')).toMatchObject({
      exitCode: 0,
      stdout: 'leave.txt: 1 chunk from 44 bytes\n',
    })
    const found = await alcove('search', '--context', 'Handbook', '--mode', 'semantic', 'parental leave')
    expect(found.stdout).toContain('eighteen weeks')
  })

  it.each([0, 3, 19])(
    'gives no thread a better niceness than %i, which the process was started with',
    async (given) => {
      await runAlcoveHere(['ingest', '--context', 'Handbook', 'leave.txt'], { cwd: folder.path })
      const server = await serveAlcove([], { cwd: folder.path, startedBy: ['nice', '-n', String(given)] })
      try {
        await search(server.address, key)
        const nices = await nicenessOfThreads(server.pid)
        expect(Math.min(...nices)).toBe(given)
        // The thread that embeds runs with 5, so that it leaves time for others.
        expect(Math.max(...nices)).toBe(Math.max(5, given))
      } finally {
        await server.stop()
      }
    },
  )
})

interface Key {
  readonly clientId: string
  readonly clientSecret: string
}

/** Lets a server embed a prompt. */
async function search(address: string, { clientId, clientSecret }: Key): Promise<void> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const body = new URLSearchParams({ ...form, target_app: 'assistant' })
  const answer = await fetch(`${address}/connect/token`, { method: 'POST', body })
  const { access_token: token } = (await answer.json()) as { readonly access_token: string }
  const found = await fetch(`${address}/context/relevant-docs/1`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'parental leave' }),
  })
  expect(found.status).toBe(200)
}

async function nicenessOfThreads(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`)
  const stats = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8')))
  // The name may have blanks; the niceness is the 17th value behind it.
  return stats.map((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]))
}
