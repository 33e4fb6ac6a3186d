import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAlcoveClient } from '../../../adapters/client/index.js'
import { problem, spyFetch } from './spy-fetch.js'

const baseUrl = 'http://127.0.0.1:1'
const access = { token: () => 'any' }

// No engine runs beside these tests: its timers would stop too.
beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

describe('a stream of states', () => {
  it('waits for the caller, however long the caller holds a state', async () => {
    const state = (id: number): string => `event: document\ndata: {"id":${id}}\n\n`
    let streams = 0
    // One chunk with three states, on a connection that stays.
    const { fetch } = spyFetch(({ signal }) => {
      streams += 1
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(Buffer.from([1, 2, 3].map(state).join('')))
          signal.addEventListener('abort', () => controller.error(signal.reason))
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    })
    const ids: number[] = []
    for await (const { id } of createAlcoveClient({ baseUrl, fetch, access }).watch(1)) {
      ids.push(id)
      await vi.advanceTimersByTimeAsync(100_000)
      if (ids.length === 3) break
    }
    expect([ids, streams]).toEqual([[1, 2, 3], 1])
  })

  it('waits after 429 as every request, and shows it if it stays', async () => {
    let refusals = 3
    const headers = { 'content-type': 'text/event-stream' }
    const { fetch, requests } = spyFetch(() => {
      refusals -= 1
      if (refusals >= 0) return problem(429, 'ERR_THROTTLED', { 'retry-after': '5' })
      return new Response('event: document\ndata: {"id":1}\n\n', { headers })
    })
    const own = createAlcoveClient({ baseUrl, fetch, access })
    const first = own.watch(1)[Symbol.asyncIterator]().next()
    await vi.advanceTimersByTimeAsync(15_000)
    expect([await first, requests.length]).toEqual([{ done: false, value: { id: 1 } }, 4])
    refusals = 4
    const refused = expect(own.watch(1)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'ERR_THROTTLED',
      retryAfterSeconds: 5,
    })
    await vi.advanceTimersByTimeAsync(20_000)
    await refused
  })
})
