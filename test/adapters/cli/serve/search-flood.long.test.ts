import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IS_FULL_FORM, sized } from '../../../full-form.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { runAlcoveHere } from '../run-alcove-here.js'
import { type Served, serveAlcove } from './serve-alcove.js'

interface Key {
  readonly companyId: number
  readonly clientId: string
  readonly clientSecret: string
}

/** A company that searches a context of its own. */
interface Tenant {
  readonly contextId: number
  search(
    prompt: string,
    signal?: AbortSignal,
  ): Promise<{ readonly status: number; readonly retryAfter: string | null; readonly ms: number }>
  upload(name: string, text: string): Promise<string>
}

const LONG = 'harbour wall lamp parental leave winter ships '.repeat(sized(90, 290))
const LONGEST = 'harbour wall lamp '.repeat(1_820)

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let served: Served

beforeAll(async () => {
  folder = await temporaryFolder()
  await json('init')
  served = await serveAlcove(['--log-level', 'warn'], { cwd: folder.path })
})

afterAll(async () => {
  await served.stop('SIGKILL')
  await folder.remove()
})

async function json<T>(...args: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await runAlcoveHere([...args, '--json'], { cwd: folder.path })
  expect([exitCode, exitCode === 0 ? '' : stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as T
}

async function newTenant(name: string): Promise<Tenant> {
  const company = await json<{ id: number }>('company', 'create', name, '--parent', '1')
  const key = await json<Key>('key', 'create', '--company', String(company.id))
  const form = {
    grant_type: 'client_credentials',
    client_id: key.clientId,
    client_secret: key.clientSecret,
    target_app: 'assistant',
  }
  const answer = await fetch(`${served.address}/connect/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  const post = async (path: string, body: unknown, signal?: AbortSignal): Promise<Response> => {
    return await fetch(served.address + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        ...(!(body instanceof FormData) && { 'content-type': 'application/json' }),
      },
      body: body instanceof FormData ? body : JSON.stringify(body),
      ...(signal && { signal }),
    })
  }
  const made = await post('/context', { name, description: 'd', caption: 'c', toolsJson: '[]' })
  const { id: contextId } = (await made.json()) as { id: number }
  return {
    contextId,
    search: async (prompt, signal) => {
      const began = performance.now()
      const answer = await post(`/context/relevant-docs/${contextId}`, { prompt }, signal)
      const text = await answer.text()
      const { status, headers } = answer
      expect([200, 400, 429], text).toContain(status)
      return { status, retryAfter: headers.get('retry-after'), ms: performance.now() - began }
    },
    upload: async (fileName, text) => {
      const body = new FormData()
      body.append('file', new Blob([text]), fileName)
      return (await (await post(`/context/upload/${contextId}`, body)).json()) as string
    },
  }
}

/**
 * Searches of a tenant, one after the other, for that many seconds and until a condition holds.
 * @returns milliseconds, ascending
 */
async function searchesFor(seconds: number, tenant: Tenant, isEnough = (): boolean => true): Promise<number[]> {
  const times: number[] = []
  for (const until = performance.now() + seconds * 1_000; performance.now() < until || !isEnough(); ) {
    const { status, ms } = await tenant.search('How long is parental leave?')
    expect(status).toBe(200)
    times.push(ms)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return times.sort((one, other) => one - other)
}

/** The searches of the flooding tenant whose times make a median. */
const LEAST_SERVED = 16

/** Median time of a search in ms on 2 cores without other work. */
const QUIET_MS = 15

/** The limit is half a second, and more on a machine that is slow or has other work. */
function expectQuick(times: readonly number[], quiet: readonly number[]): void {
  const mostMs = 500 * Math.max(1, quantile(quiet, 0.5) / QUIET_MS)
  expect(quantile(times, 0.5)).toBeLessThan(mostMs / 2)
  expect(quantile(times, 0.95)).toBeLessThan(mostMs)
}

function quantile(times: readonly number[], part: number): number {
  return times[Math.floor((times.length - 1) * part)] ?? 0
}

describe('a flood of searches', () => {
  // A37
  it('leaves the searches of another company fast', { timeout: 120_000 }, async () => {
    const [flood, victim] = [await newTenant('Flood'), await newTenant('Victim')]
    await victim.upload('leave.txt', 'Parental leave lasts sixteen weeks.')
    await flood.upload('leave.txt', 'Parental leave lasts sixteen weeks.')
    await searchesFor(0.5, victim)
    const quiet = await searchesFor(1, victim)
    expect((await flood.search(LONGEST)).status).toBe(200)
    const end = new AbortController()
    const statuses: number[] = []
    const served: number[] = []
    const floods = Array.from({ length: 48 }, async (_, number) => {
      while (!end.signal.aborted) {
        const prompt = number % 16 === 15 ? LONGEST : LONG
        const { status, retryAfter, ms } = await flood.search(prompt, end.signal)
        statuses.push(status)
        if (status === 200) served.push(ms)
        if (status !== 429) continue
        expect(retryAfter).toBe('1')
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    })
    const busy = await searchesFor(sized(3, 5), victim, () => served.length >= LEAST_SERVED)
    // The searches that still wait are of no interest: a flood takes half a minute to answer.
    end.abort()
    for (const { status, reason } of (await Promise.allSettled(floods)) as Partial<PromiseRejectedResult>[])
      if (status === 'rejected' && reason !== end.signal.reason) throw reason
    for (const status of [200, 429]) expect(statuses).toContain(status)
    // The flooding tenant waits for its own searches, however busy the machine is.
    served.sort((one, other) => one - other)
    expect(quantile(busy, 0.5)).toBeLessThan(quantile(served, 0.5) / 4)
    if (IS_FULL_FORM) expectQuick(busy, quiet)
  })

  // A38
  it('runs before the documents that the engine ingests', { timeout: 120_000 }, async () => {
    const [busy, victim] = [await newTenant('Busy'), await newTenant('Other')]
    await victim.upload('leave.txt', 'Parental leave lasts sixteen weeks.')
    await searchesFor(1, victim)
    const quiet = await searchesFor(1, victim)
    for (let file = 0; file < 4; file += 1) {
      const sentences = Array.from({ length: 8_000 }, (_, line) => `Shelf ${file} ${line} holds jar ${line * 7}.`)
      await busy.upload(`jars-${file}.txt`, sentences.join('\n'))
    }
    expectQuick(await searchesFor(4, victim), quiet)
  })
})
