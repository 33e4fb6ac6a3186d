import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpHandler } from '../../../adapters/http-server/index.js'
import { MemoryStorage, MemoryTelemetry } from '../../../adapters/memory/index.js'
import { memoryEngine } from '../../src/engine/memory-engine.js'
import { HookedStorage } from '../../src/outbox/hooked-storage.js'
import { NEW_CONTEXT, startServer, type TestServer } from './server.js'

const CONTEXTS = 23
const BASE = '/alcove'

let server: TestServer
let assistant: string
let tenant: string

beforeAll(async () => {
  server = await startServer({ basePath: BASE, corsOrigins: ['https://app.example.com'] })
  assistant = await server.token('assistant')
  tenant = await server.token('tenant')
  const session = server.engine.as(server.engine.owner)
  for (let at = 0; at < CONTEXTS; at += 1) {
    const description = `Ünïcode "東京" 👩‍👩‍👧 ${'x'.repeat(at * 1_000)}`
    await session.contexts.create({ ...NEW_CONTEXT, name: `Context ${at}`, description })
  }
  for (let at = 0; at < 5; at += 1) {
    await session.users.add({ email: `user-${at}@example.com`, name: `User ${at}` })
    await session.documents.upload(1, { fileName: `${at}.txt`, content: new TextEncoder().encode(`text ${at}`) })
    if (at === 0) continue
    await session.apiKeys.create({ userId: at, targets: ['tenant'] })
    if (at > 1) await server.engine.administration.companies.create({ name: `Company ${at}`, parentId: 1 })
  }
})

afterAll(async () => {
  await server.close()
})

async function get(path: string, token: string): Promise<{ response: Response; text: string }> {
  const headers = { authorization: `Bearer ${token}`, origin: 'https://app.example.com' }
  const response = await fetch(new URL(path, server.url), { headers })
  return { response, text: await response.text() }
}

const nextOf = ({ headers }: Response): string | undefined =>
  /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]

/** Ids of each page, by following the links. */
async function walk(path: string, token: string): Promise<number[][]> {
  const pages: number[][] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const { response, text } = await get(next, token)
    expect(response.status).toBe(200)
    pages.push((JSON.parse(text) as { id: number }[]).map(({ id }) => id))
    next = nextOf(response)
  }
  return pages
}

describe('a list', () => {
  // A10
  it('is the JSON of its rows, byte for byte, without a limit', async () => {
    const session = server.engine.as(server.engine.owner)
    const { response, text } = await get(`${BASE}/context`, assistant)
    expect(text).toBe(JSON.stringify(await session.contexts.list()))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('link')).toBeNull()
    expect((await get(`${BASE}/context/documents/2`, assistant)).text).toBe('[]')
    const head = await fetch(`${server.url}/context`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${assistant}` },
    })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  // A11
  it('is read page by page through its links, each row once, whatever the limit', async () => {
    const lists = [
      { path: `${BASE}/context`, token: assistant, count: CONTEXTS },
      { path: `${BASE}/context/documents/1`, token: assistant, count: 5 },
      { path: `${BASE}/tenant/users`, token: tenant, count: 6 },
      { path: `${BASE}/tenant/users/1`, token: tenant, count: 6 },
      { path: `${BASE}/tenant/companies`, token: tenant, count: 4 },
      { path: `${BASE}/tenant/keys`, token: tenant, count: 5 },
    ]
    for (const { path, token, count } of lists) {
      const all = (await walk(path, token))[0] ?? []
      expect(all).toHaveLength(count)
      const anyLimit = fc.integer({ min: 1, max: count + 2 })
      const anyAfter = fc.integer({ min: 0, max: count })
      await fc.assert(
        fc.asyncProperty(anyLimit, anyAfter, async (limit, after) => {
          const pages = await walk(`${path}?limit=${limit}&after=${after}`, token)
          expect(pages.flat()).toEqual(all.filter((id) => id > after))
          expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true)
          expect(pages.length).toBe(Math.max(1, Math.ceil(all.filter((id) => id > after).length / limit)))
        }),
        { numRuns: 8 },
      )
    }
  })

  it('reads documents in each order, and those of a filter, through its links', async () => {
    const path = `${BASE}/context/documents/1`
    const session = server.engine.as(server.engine.owner)
    const renamed = await session.documents.list(1, { name: '3.txt' })
    await session.documents.update(renamed[0]?.uuid ?? '', { displayName: '1 & 2+3 = 6 %.txt' })
    const all = (await walk(path, assistant))[0] ?? []
    const byName = [...all.slice(0, 1), ...all.slice(3, 4), ...all.slice(1, 3), ...all.slice(4)]
    for (const limit of [1, 2, 9]) {
      expect((await walk(`${path}?order=newest&limit=${limit}`, assistant)).flat()).toEqual(all.toReversed())
      expect((await walk(`${path}?order=name&limit=${limit}`, assistant)).flat()).toEqual(byName)
      expect((await walk(`${path}?name=.TXT&limit=${limit}`, assistant)).flat()).toEqual(all)
    }
    const [page] = JSON.parse((await get(`${path}?order=name&limit=1`, assistant)).text) as [{ displayName: string }]
    const behind = `after=${all[0]}&afterName=${encodeURIComponent(page.displayName)}`
    expect((await walk(`${path}?order=name&${behind}`, assistant)).flat()).toEqual(byName.slice(1))
    expect((await walk(`${path}?name=${encodeURIComponent('3 = 6 %')}`, assistant)).flat()).toEqual([all[3]])
    expect((await walk(`${path}?name=%25`, assistant)).flat()).toEqual([all[3]])
    expect((await walk(`${path}?status=failed`, assistant)).flat()).toEqual([])
    expect((await walk(`${path}?status=waiting,processing,completed&order=newest`, assistant)).flat()).toEqual(
      all.toReversed(),
    )
  })

  it.each([
    ['order=size', 'order: must be one of "oldest", "newest", "name"'],
    ['status=failed,broken', 'status[1]: must be one of "waiting", "processing", "completed", "failed"'],
    ['status=', 'status[0]: must be one of'],
    ['order=name&after=3', 'afterName: must be the displayName of the last document'],
    [`name=${'x'.repeat(10_001)}`, 'name: must have at most 10000 characters'],
  ])('refuses documents with ?%s', async (query, detail) => {
    const { response, text } = await get(`${BASE}/context/documents/1?${query}`, assistant)
    expect(response.status).toBe(400)
    expect((JSON.parse(text) as { detail: string }).detail).toContain(detail)
  })

  // A11
  it('keeps the other parameters of its query, and shows the link to other origins', async () => {
    const session = server.engine.as(server.engine.owner)
    for (const name of ['a', 'b', 'c']) {
      await session.destinations.create({ url: `https://93.184.216.34/${name}`, eventTypes: null })
    }
    const path = `${BASE}/v1/outbound-webhooks/destinations?cid=1&limit=2`
    const { response } = await get(path, tenant)
    expect(nextOf(response)).toBe(`${BASE}/v1/outbound-webhooks/destinations?cid=1&limit=2&after=2`)
    expect(response.headers.get('access-control-expose-headers')).toContain('link')
    expect((await walk(path, tenant)).map((page) => page.length)).toEqual([2, 1])
  })

  // A12
  it('refuses invalid limits and cursors', async () => {
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=-1',
      'limit=many',
      'limit=',
      'after=-1',
      'after=x',
      'limit=1.5',
    ]) {
      for (const path of ['/context', '/context/documents/1']) {
        const { status, body } = await server.request('GET', `${path}?${query}`, { token: assistant })
        expect([query, status, body]).toMatchObject([query, 400, { code: 'ERR_INVALID_INPUT' }])
      }
      for (const path of ['/tenant/users', '/tenant/users/1', '/v1/outbound-webhooks/destinations']) {
        const { status, body } = await server.request('GET', `${path}?${query}`, { token: tenant })
        expect([query, status, body]).toMatchObject([query, 400, { code: 'ERR_INVALID_INPUT' }])
      }
    }
    expect((await get(`${BASE}/context?after=${Number.MAX_SAFE_INTEGER}`, assistant)).text).toBe('[]')
    const missing = await server.request('GET', '/context/documents/999?limit=1', { token: assistant })
    expect(missing).toMatchObject({ status: 404, body: { code: 'ERR_CONTEXT_NOT_FOUND' } })
  })
})

describe('a list that a client reads slowly', () => {
  const ROWS = 200

  /** A handler on an engine in memory that counts reads of contexts; they fail from a chosen read on. */
  async function open(failsAt = Infinity) {
    let [reads, rows] = [0, 0]
    const storage = new HookedStorage(new MemoryStorage(), async (call, go) => {
      const given = await go()
      if (call !== 'contexts.list') return given
      reads += 1
      if (reads >= failsAt) throw new Error('the table secret_table is gone')
      rows += (given as readonly unknown[]).length
      return given
    })
    const telemetry = new MemoryTelemetry()
    const memory = await memoryEngine({ storage })
    const key = await memory.engine.initialize()
    for (let at = 0; at < ROWS; at += 1) {
      await memory.session.contexts.create({ ...NEW_CONTEXT, description: 'x'.repeat(10_000) })
    }
    const { access_token: token } = await memory.engine.authentication.issueToken({ ...key, targetApp: 'assistant' })
    const handler = createHttpHandler(memory.engine, { telemetry })
    const request = new Request('http://localhost/context', { headers: { authorization: `Bearer ${token}` } })
    return { ...memory, handler, request, telemetry, key, read: () => ({ reads, rows }) }
  }

  const bytesOf = ({ body }: Response): ReadableStreamDefaultReader<Uint8Array> =>
    (body as ReadableStream<Uint8Array> | null)?.getReader() ?? expect.fail()

  const toId = ({ id }: { readonly id: number }): number => id

  // A13
  it('is read from the storage no faster than the client reads', async () => {
    const { handler, request, read, engine } = await open()
    const reader = (await handler(request)).body?.getReader() ?? expect.fail()
    await setTimeout(50)
    expect(read()).toEqual({ reads: 1, rows: 6 })
    await reader.read()
    await setTimeout(50)
    expect(read().rows).toBeLessThanOrEqual(12)
    await reader.cancel()
    await setTimeout(50)
    expect(read().rows).toBeLessThanOrEqual(12)
    await engine.close()
  })

  // A14
  it('leaves out rows that are deleted during the read, and contains no row twice', async () => {
    const { handler, request, session, engine } = await open()
    const reader = bytesOf(await handler(request))
    const decoder = new TextDecoder()
    let text = decoder.decode((await reader.read()).value, { stream: true })
    for (const id of [1, 100, ROWS]) await session.contexts.delete(id)
    const added = await session.contexts.create(NEW_CONTEXT)
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += decoder.decode(next.value)
    const ids = (JSON.parse(text) as { id: number }[]).map(toId)
    const all = Array.from({ length: ROWS }, (_, at) => at + 1)
    expect(ids).toEqual([...all.filter((id) => id !== 100 && id !== ROWS), added.id])
    await engine.close()
  })

  // A16
  it('stops before its end when a read fails, and the log contains the reason', async () => {
    const { handler, request, telemetry, engine } = await open(3)
    const response = await handler(request)
    expect(response.status).toBe(200)
    const failed = await response.text().catch((error: unknown) => error)
    expect(failed).toMatchObject({ message: expect.stringContaining('the list was aborted') as string })
    expect(String(failed)).not.toContain('secret_table')
    const records = telemetry.events.filter(({ name }) => name === 'http.request.failed')
    expect(records).toMatchObject([
      { level: 'error', fields: { method: 'GET', status: 200 }, error: expect.any(Error) as Error },
    ])
    await engine.close()
  })

  // A16
  it('is a problem answer when the first read fails', async () => {
    const { handler, request, engine } = await open(1)
    const response = await handler(request)
    expect([response.status, await response.json()]).toMatchObject([500, { code: 'ERR_INTERNAL' }])
    await engine.close()
  })

  // A17
  it('stops when the key of its reader is revoked, and when the permission is suspended', async () => {
    for (const revoke of [
      async ({ engine }: Awaited<ReturnType<typeof open>>) => await engine.administration.apiKeys.revoke(1),
      async ({ engine }: Awaited<ReturnType<typeof open>>) => {
        for (const { id } of await engine.administration.permissions.list())
          await engine.administration.permissions.toggle(id)
      },
    ]) {
      const opened = await open()
      const reader = (await opened.handler(opened.request)).body?.getReader() ?? expect.fail()
      await reader.read()
      await revoke(opened).catch(() => opened.engine.administration.accounts.setActive(1, false))
      await expect(reader.read()).rejects.toThrow('the list was aborted')
      await opened.engine.close()
    }
  })

  // A17
  it('continues when only the token expires', async () => {
    const { handler, request, clock, engine } = await open()
    const response = await handler(request)
    clock.advance(1_000_000)
    expect(await response.json()).toHaveLength(ROWS)
    await engine.close()
  })
})

describe('a list over a connection', () => {
  // A16
  it('breaks the connection when it is aborted: no final chunk completes the body', async () => {
    const other = await startServer()
    try {
      const session = other.engine.as(other.engine.owner)
      for (let at = 0; at < 40; at += 1) {
        // This is more than the buffers of both kernels hold.
        await session.contexts.create({ ...NEW_CONTEXT, toolsJson: `[${' '.repeat(900_000)}]` })
      }
      const token = await other.token('assistant')
      const socket = connect({ port: Number(new URL(other.url).port), host: '127.0.0.1' })
      let received = ''
      socket.write(`GET /context HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
      await new Promise<void>((resolve) => socket.once('readable', resolve))
      await setTimeout(200)
      await other.engine.administration.apiKeys.revoke(1)
      socket.setEncoding('latin1').on('data', (text: string) => {
        received += text
      })
      await new Promise<void>((resolve) => {
        socket.on('error', () => undefined).once('close', () => resolve())
      })
      expect(received).toMatch(/^HTTP\/1\.1 200 /)
      expect(received.endsWith('0\r\n\r\n')).toBe(false)
      expect(other.telemetry.events.some(({ name }) => name === 'http.request.failed')).toBe(true)
    } finally {
      await other.close()
    }
  })
})
