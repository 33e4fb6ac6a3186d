import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpHandler } from '../../../../adapters/http-server/index.js'
import { nodeListener } from '../../../../adapters/http-server/node/index.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { runAlcoveHere } from '../../cli/run-alcove-here.js'
import { type Served, serveAlcove } from '../../cli/serve/serve-alcove.js'
import { NEW_CONTEXT, startServer, type TestServer } from '../server.js'
import { CHUNK, endlessHead, sendRaw } from './raw-client.js'

/** The buffers of two kernels may accept this much although the server has stopped reading. */
const MOST_BYTES = 12_000_000
/** A server that waits for a body closes the connection after 30 seconds. A busy machine takes seconds to answer. */
const MOST_MS = 15_000
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']
const PATHS = ['/health', '/openapi.json', '/docs', '/context', '/tenant/users', '/connect/token', '/nowhere']

let server: TestServer
let token: string

beforeAll(async () => {
  server = await startServer({ corsOrigins: ['https://app.example'] })
  token = await server.token('assistant')
})

afterAll(async () => {
  await server.close()
})

function statusOf(received: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1])
}

describe('a request with a body that no operation reads', () => {
  // A20
  it.each(METHODS)('loses its connection after the answer, for %s on every path', async (method) => {
    const tokens = [{}, { Authorization: `Bearer ${token}` }, { Authorization: 'Bearer wrong' }]
    const attacks = PATHS.flatMap((path) =>
      tokens.map(async (headers) => {
        const outcome = await sendRaw(server.url, endlessHead(method, path, headers), { flood: CHUNK })
        return { asked: `${method} ${path} ${outcome.received.slice(0, 200)}`, ...outcome }
      }),
    )
    for (const { asked, received, sentBytes, durationMs, isClosed } of await Promise.all(attacks)) {
      expect([asked, isClosed]).toEqual([asked, true])
      expect([asked, received.toLowerCase()]).toEqual([asked, expect.stringContaining('connection: close')])
      expect(sentBytes, asked).toBeLessThan(MOST_BYTES)
      expect(durationMs, asked).toBeLessThan(MOST_MS)
      expect(statusOf(received), asked).toBeLessThan(500)
    }
  })

  // A20
  it('gets its answer before the end of the body that a Content-Length announces', async () => {
    const head = 'GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000000\r\n\r\n'
    const outcome = await sendRaw(server.url, head, { flood: CHUNK })
    expect([statusOf(outcome.received), outcome.isClosed]).toEqual([200, true])
    expect(outcome.sentBytes).toBeLessThan(MOST_BYTES)
  })

  // A20
  it('gives a client that pauses time to read the answer', async () => {
    const { received, isClosed } = await sendRaw(server.url, endlessHead('GET', '/nowhere'))
    expect([statusOf(received), isClosed]).toEqual([404, true])
    expect(received).toContain('ERR_PATH_NOT_FOUND')
  })

  // A20
  it('is cut within the body that an operation refuses', async () => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const { received, sentBytes } = await sendRaw(server.url, endlessHead('POST', '/context', headers), {
      flood: CHUNK,
    })
    expect(statusOf(received)).toBe(413)
    expect(sentBytes).toBeLessThan(MOST_BYTES)
  })

  // A20
  it('loses its connection without a Host, and after a malformed message', async () => {
    for (const head of [
      'GET /health HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n',
      'GET /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n',
      'GET /health HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nTransfer-Encoding: chunked\r\n\r\n',
    ]) {
      const outcome = await sendRaw(server.url, head, { flood: CHUNK })
      expect([head, outcome.isClosed]).toEqual([head, true])
      expect(outcome.sentBytes).toBeLessThan(MOST_BYTES)
    }
  })

  // A20
  it('loses its connection also when a host mounts the handler in a server of its own', async () => {
    const host = createServer(nodeListener(createHttpHandler(server.engine)))
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
    const outcome = await sendRaw(url, endlessHead('GET', '/health'), { flood: CHUNK })
    expect([statusOf(outcome.received), outcome.isClosed]).toEqual([200, true])
    expect(outcome.sentBytes).toBeLessThan(MOST_BYTES)
    await new Promise((resolve) => host.close(resolve))
  })

  // A20
  it('keeps its connection open when its body was read', async () => {
    const body = JSON.stringify(NEW_CONTEXT)
    const post =
      `POST /context HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const refused = `DELETE /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello`
    const last = 'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    const { received } = await sendRaw(server.url, post + refused + last)
    const statuses = [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)
    expect(statuses).toEqual(['201', '404', '200'])
  })
})

describe('pipelining', () => {
  // A21
  it('never answers requests that hide in an unread body', async () => {
    const hidden = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'
    const head = `GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n${hidden.repeat(1_000)}`
    const { received, isClosed } = await sendRaw(server.url, head)
    expect([received.match(/HTTP\/1\.1 /g)?.length, isClosed]).toEqual([1, true])
  })

  // A21
  it('answers in order, one request after the other', async () => {
    const paths = ['/health', '/nowhere', '/context', '/ready']
    const heads = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    const last = 'GET /docs HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    const { received } = await sendRaw(server.url, heads.join('') + last)
    const statuses = [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)
    expect(statuses).toEqual(['200', '404', '401', '200', '200'])
  })

  // A21
  it('ends a connection that pipelines more than a hundred requests', async () => {
    const head = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000)
    const { isClosed, durationMs } = await sendRaw(server.url, head)
    expect(isClosed).toBe(true)
    expect(durationMs).toBeLessThan(MOST_MS)
  })
})

describe('Expect', () => {
  // A22
  it('causes 100 Continue only where the operation reads the body', async () => {
    const headers = { Expect: '100-continue', 'Content-Type': 'application/json' }
    const refused = await sendRaw(server.url, endlessHead('POST', '/context', headers))
    expect([statusOf(refused.received), refused.isClosed]).toEqual([401, true])
    expect(refused.received).not.toContain('100 Continue')
    const body = JSON.stringify(NEW_CONTEXT)
    const granted = { ...headers, Authorization: `Bearer ${token}`, Connection: 'close' }
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const taken = await sendRaw(server.url, endlessHead('POST', '/context', granted) + chunk)
    expect(taken.received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /)
  })

  // A22
  it('is refused with 417 for any other expectation, and the body stays unread', async () => {
    for (const expected of ['a-miracle', '200-ok']) {
      const head = endlessHead('GET', '/health', { Expect: expected })
      const outcome = await sendRaw(server.url, head, { flood: CHUNK })
      expect([statusOf(outcome.received), outcome.isClosed]).toEqual([417, true])
      expect(outcome.sentBytes).toBeLessThan(MOST_BYTES)
    }
  })
})

describe('alcove serve', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let served: Served | undefined

  beforeAll(async () => {
    folder = await temporaryFolder()
    await runAlcoveHere(['init', '--json'], { cwd: folder.path })
  })

  afterAll(async () => {
    await served?.stop('SIGKILL')
    await folder.remove()
  })

  /** The peak memory of a process. */
  async function mostBytes(pid: number): Promise<number> {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1_024
  }

  // A20, A21
  it('uses bounded memory while fifty clients send endless bodies and pipelined requests', async () => {
    served = await serveAlcove(['--log-level', 'error'], { cwd: folder.path })
    const { address, pid } = served
    await sendRaw(address, endlessHead('GET', '/health'))
    const before = await mostBytes(pid)
    const many = Buffer.from('GET /health HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2_000))
    const attacks = Array.from({ length: 50 }, async (_, index) => {
      if (index % 2 === 0) return await sendRaw(address, endlessHead('GET', '/health'), { flood: CHUNK })
      return await sendRaw(address, '', { flood: many, isReading: false })
    })
    for (const { isClosed } of await Promise.all(attacks)) expect(isClosed).toBe(true)
    expect((await mostBytes(pid)) - before).toBeLessThan(150_000_000)
    const health = await fetch(`${address}/health`)
    expect(health.status).toBe(200)
  })
})
