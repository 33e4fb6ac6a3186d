import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Problem, type RequestOptions, startServer, type TestServer } from '../server.js'

let server: TestServer

beforeAll(async () => {
  server = await startServer({}, undefined, { limits: { authRequestsPerAddressPerMinute: 5 } })
})

beforeEach(() => {
  server.clock.advance(60_000)
})

afterAll(async () => {
  await server.close()
})

const REFUSAL = 'too many requests about passwords from this network address: wait'

async function statuses(count: number, method: string, path: string, options: RequestOptions = {}): Promise<number[]> {
  const found: number[] = []
  for (let at = 0; at < count; at += 1) found.push((await server.request(method, path, options)).status)
  return found
}

describe('requests about passwords', () => {
  // A73
  it('are refused beyond the limit per minute of one network address, whatever e-mail address they name', async () => {
    for (const email of ['boss@example.com', 'nobody@example.com']) {
      const json = { email }
      expect(await statuses(7, 'POST', '/auth/reset', { json })).toEqual([204, 204, 204, 204, 204, 429, 429])
      const { status, headers, body } = await server.request<Problem>('POST', '/auth/reset', { json })
      expect([status, body.code, body.detail]).toEqual([429, 'ERR_THROTTLED', REFUSAL])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
      server.clock.advance(60_000)
    }
  })

  // A73
  it('share one count: guesses of tokens by JSON and by the form, and requests for the form itself', async () => {
    const guess = { token: 'wrong', password: 'correct horse battery' }
    expect(await statuses(2, 'POST', '/auth/setup', { json: guess })).toEqual([400, 400])
    expect(await statuses(2, 'POST', '/auth/setup', { form: guess })).toEqual([400, 400])
    expect(await statuses(2, 'GET', '/auth/setup?token=wrong')).toEqual([200, 429])
    expect(await statuses(1, 'POST', '/auth/setup', { json: guess })).toEqual([429])
    expect(await statuses(1, 'POST', '/auth/setup', { form: guess })).toEqual([429])
    expect(await statuses(1, 'POST', '/auth/reset', { json: { email: 'boss@example.com' } })).toEqual([429])
    // No other route shares this count.
    await server.token('assistant')
    server.clock.advance(60_000)
    expect(await statuses(1, 'GET', '/auth/setup?token=wrong')).toEqual([200])
  })

  // A72
  it('do not block the right secret of an API key whose network address failed too often', async () => {
    const form = { grant_type: 'client_credentials', client_secret: 'wrong', target_app: 'assistant' }
    const found: number[] = []
    for (let at = 0; at < 52; at += 1) {
      const { status } = await server.request('POST', '/connect/token', { form: { ...form, client_id: `ak_${at}` } })
      found.push(status)
    }
    expect(found).toEqual([...Array<number>(50).fill(401), 429, 429])
    expect(await server.token('assistant')).toBeTypeOf('string')
  })
})
