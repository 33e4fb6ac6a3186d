import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BodyBudget } from '../../../../adapters/node-kit/index.js'
import { NEW_CONTEXT, type Problem, startServer, type TestServer } from '../server.js'
import { endlessHead, sendRaw } from './raw-client.js'

let server: TestServer
let assistant: string
let tenant: string

beforeAll(async () => {
  server = await startServer({}, undefined, { limits: { authRequestsPerAddressPerMinute: 5 } })
  assistant = await server.token('assistant')
  tenant = await server.token('tenant')
})

afterAll(async () => {
  await server.close()
})

const SMALL = 'the body must have at most 16384 bytes'

describe('a JSON body', () => {
  // A36
  it.each([
    ['POST', '/auth/reset'],
    ['POST', '/auth/setup'],
    ['POST', '/tenant/user'],
    ['POST', '/tenant/user/init'],
    ['POST', '/permission'],
    ['PUT', '/permission'],
    ['PUT', '/context/share/1'],
    ['POST', '/v1/outbound-webhooks/destinations'],
    ['PUT', '/v1/outbound-webhooks/destinations/1'],
  ])(
    'of %s %s is refused beyond the size that the operation needs, with or without a Content-Length',
    async (method, path) => {
      server.clock.advance(60_000)
      const token = path.startsWith('/context') ? assistant : tenant
      const json = { email: 'x'.repeat(16_384) }
      const { status, body } = await server.request<Problem>(method, path, { token, json })
      expect([status, body.code, body.detail]).toEqual([413, 'ERR_BODY_TOO_LARGE', SMALL])
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      const flood = Buffer.from(`1000\r\n${' '.repeat(4_096)}\r\n`)
      const outcome = await sendRaw(server.url, endlessHead(method, path, headers), { flood })
      expect(outcome.received).toMatch(/^HTTP\/1\.1 413 /)
      expect(outcome.isClosed).toBe(true)
    },
  )

  // A36
  it('of a context has up to 2,000,000 bytes', async () => {
    const toolsJson = `[${' '.repeat(1_000_000)}]`
    const json = { ...NEW_CONTEXT, toolsJson }
    expect((await server.request('POST', '/context', { token: assistant, json })).status).toBe(201)
    const long = { ...NEW_CONTEXT, description: 'x'.repeat(2_000_000) }
    const { status, body } = await server.request<Problem>('POST', '/context', { token: assistant, json: long })
    expect([status, body.detail]).toEqual([413, 'the body must have at most 2000000 bytes'])
  })

  // A36
  it('about passwords stays unread once the network address has sent too many', async () => {
    server.clock.advance(60_000)
    const json = { email: 'nobody@example.com' }
    for (let at = 0; at < 5; at += 1) expect((await server.request('POST', '/auth/reset', { json })).status).toBe(204)
    // The server waits 30 seconds for a body that never comes.
    for (const path of ['/auth/reset', '/auth/setup']) {
      for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
        const head = endlessHead('POST', path, { 'Content-Type': type })
        const { received, durationMs } = await sendRaw(server.url, head)
        expect(received).toMatch(/^HTTP\/1\.1 429 /)
        expect(durationMs).toBeLessThan(15_000)
      }
    }
  })
})

describe('the budget for bodies', () => {
  // A36
  it('leaves room for other companies, and names the company that uses too much', () => {
    const budget = new BodyBudget()
    const hold = (companyId: number) => {
      const held = budget.hold(companyId)
      held.grow(2_000_000)
      return held
    }
    const held = [1, 2, 3, 4].flatMap((company) => Array.from({ length: 8 }, () => hold(company)))
    expect(() => hold(1)).toThrow(expect.objectContaining({ status: 429, code: 'ERR_THROTTLED' }) as Error)
    expect(() => Array.from({ length: 8 }, () => hold(5))).toThrow(
      expect.objectContaining({ status: 503, code: 'ERR_BUSY', headers: { 'retry-after': '1' } }) as Error,
    )
    budget.hold(5).grow(16_384)
    for (const one of held) one.free()
    for (const one of held) one.free()
    expect(Array.from({ length: 8 }, () => hold(1))).toHaveLength(8)
  })
})
