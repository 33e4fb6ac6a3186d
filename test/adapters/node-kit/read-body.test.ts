import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readJson } from '../../../adapters/node-kit/index.js'
import { type MemoryEngine, memoryEngine } from '../../src/engine/memory-engine.js'

const BODY = new TextEncoder().encode(JSON.stringify({ text: 'a'.repeat(200_000) }))
const PIECES = Array.from({ length: 8 }, (_, at) => BODY.subarray(at * 25_002, (at + 1) * 25_002))

let memory: MemoryEngine

beforeEach(async () => {
  memory = await memoryEngine()
})

afterEach(async () => {
  await memory.engine.close()
})

/** Reads a body in turns of the company. @param next makes each piece. Undefined: the end */
async function read(
  next: (at: number) => Promise<Uint8Array | undefined>,
  headers = {},
  check = (value: unknown): number => (value as { text: string }).text.length,
): Promise<number> {
  let at = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const piece = await next(at)
        at += 1
        if (piece === undefined) controller.close()
        else controller.enqueue(piece)
      },
    },
    { highWaterMark: 0 },
  )
  const request = new Request('http://localhost/', { method: 'POST', body, duplex: 'half', headers })
  const held = { grow: () => undefined, free: () => undefined }
  return await readJson(request, { maxBytes: 1e6, held, inTurn: memory.session.inTurn, check })
}

describe('the long bodies of one company', () => {
  it('are read four at a time, and each of them to its end', async () => {
    let [open, most] = [0, 0]
    const one = async (): Promise<number> =>
      await read(async (at) => {
        if (at === 0) open += 1
        most = Math.max(most, open)
        // Without a timer: however busy this machine is, no body is slow.
        await Promise.resolve()
        if (at === PIECES.length) open -= 1
        return PIECES[at]
      })
    expect(await Promise.all(Array.from({ length: 30 }, one))).toEqual(Array.from({ length: 30 }, () => 200_000))
    expect(most).toBe(4)
  })

  it('are checked one after the other, and the event loop runs as long in between', async () => {
    const times: { readonly began: number; readonly ended: number }[] = []
    const check = (): number => {
      const began = performance.now()
      while (performance.now() - began < 20);
      times.push({ began, ended: performance.now() })
      return 0
    }
    const over = new AbortController()
    const rounds: number[] = []
    const others = (async () => {
      while (!over.signal.aborted) {
        rounds.push(performance.now())
        await setImmediate()
      }
    })()
    await Promise.all(Array.from({ length: 4 }, async () => await read(async (at) => PIECES[at], {}, check)))
    over.abort()
    await others
    expect(times).toHaveLength(4)
    times.slice(1).forEach(({ began }, at) => {
      const ended = times[at]?.ended ?? 0
      expect(began - ended).toBeGreaterThan(15)
      expect(rounds.filter((ms) => ms > ended && ms < began).length).toBeGreaterThan(0)
    })
  })

  it.each([
    ['sends nothing', 0],
    ['sends a byte again and again', 1],
  ])('wait for no client that %s', async (_client, bytes) => {
    const leaving = new AbortController()
    const slow = Array.from({ length: 20 }, async () => {
      await read(async (at) => {
        if (at === 0) return PIECES[0]
        if (bytes === 0) await once(leaving.signal)
        await new Promise((resolve) => setTimeout(resolve, 5))
        if (leaving.signal.aborted) throw new Error('the client has left')
        return new Uint8Array(bytes)
      })
    })
    expect(await read(async (at) => PIECES[at])).toBe(200_000)
    leaving.abort()
    for (const { status } of await Promise.allSettled(slow)) expect(status).toBe('rejected')
  })

  it('leave the turns to others if they are short', async () => {
    const small = new TextEncoder().encode('{"text":"short"}')
    const headers = { 'content-length': `${small.length}` }
    let end = (): void => undefined
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const holders = Array.from({ length: 4 }, async () => await memory.session.inTurn(async () => await ended))
    expect(await read(async (at) => (at === 0 ? small : undefined), headers)).toBe(5)
    end()
    await Promise.all(holders)
  })
})

async function once(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}
