import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHttpHandler } from '../../../../adapters/http-server/index.js'
import { nodeListener } from '../../../../adapters/http-server/node/index.js'
import type { ApiKeyWithSecret } from '../../../../src/index.js'
import { checkAnswer } from '../check-answer.js'
import { EventReader } from '../event-reader.js'
import { NEW_CONTEXT, startServer, type TestServer } from '../server.js'

let server: TestServer
/** Each test has a key of its own, and with it its own number of streams. */
let key: ApiKeyWithSecret
let token: string
let contextId: number
let leaving: AbortController

beforeAll(async () => {
  server = await startServer({}, undefined, { limits: { watchesPerKey: 2 } })
})

afterAll(async () => {
  await server.close()
})

beforeEach(async () => {
  const { administration, owner } = server.engine
  key = await administration.apiKeys.create({ companyId: owner.companyId })
  token = await server.token('assistant', key)
  contextId = (await server.engine.as(owner).contexts.create(NEW_CONTEXT)).id
  leaving = new AbortController()
})

afterEach(() => {
  vi.restoreAllMocks()
  leaving.abort()
})

async function watch(query = '', init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  if (!headers.has('authorization')) headers.set('authorization', `Bearer ${token}`)
  const url = `${server.url}/context/documents/${contextId}/events${query}`
  return await fetch(url, { signal: leaving.signal, ...init, headers })
}

/** The engine believes that this time has passed: its last check of the token is that old. */
function pass(ms: number): void {
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms)
}

async function upload(fileName: string, text: string): Promise<string> {
  const { documents } = server.engine.as(server.engine.owner)
  return await documents.upload(contextId, { fileName, content: text })
}

describe('GET /context/documents/{contextId}/events', () => {
  it('sends the states at the beginning, then each change', async () => {
    const { documents } = server.engine.as(server.engine.owner)
    await documents.whenProcessed(await upload('old.txt', 'Old text.'))
    const answer = await watch()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(answer.headers.get('x-accel-buffering')).toBe('no')
    const events = new EventReader(answer)
    const [first, ready] = await events.until(({ event }) => event === 'ready')
    expect([first?.event, first?.data['displayName'], first?.data['status']]).toEqual([
      'document',
      'old.txt',
      'completed',
    ])
    expect(ready).toEqual({ event: 'ready', data: {} })
    const uuid = await upload('new.txt', 'New text.')
    const changes = await events.until(({ data }) => data['status'] === 'completed')
    expect(changes.at(-1)?.data).toMatchObject({ contextId, uuid, percent: 100, errorCode: null })
    const path = `/context/documents/${contextId}/events`
    for (const { data } of changes) checkAnswer('GET', path, { status: 200, headers: answer.headers, body: data })
    await upload('blank.txt', '  \n ')
    const failed = await events.until(({ data }) => data['status'] === 'failed')
    expect(failed.at(-1)?.data['errorCode']).toBe('ERR_NO_TEXT')
  })

  it('selects one document, or leaves out finished ones at the beginning', async () => {
    const { documents } = server.engine.as(server.engine.owner)
    const uuid = await upload('one.txt', 'Text of one.')
    await documents.whenProcessed(await upload('two.txt', 'Text of two.'))
    const { id } = await documents.whenProcessed(uuid)
    const one = new EventReader(await watch(`?docId=${id}`))
    expect((await one.until(({ event }) => event === 'ready')).map(({ data }) => data['uuid'])).toEqual([
      uuid,
      undefined,
    ])
    const unfinished = new EventReader(await watch('?snapshot=unfinished'))
    expect(await unfinished.next()).toEqual({ event: 'ready', data: {} })
  })

  it('answers refusals by their status, before the stream begins', async () => {
    const statusOf = async (query: string, init?: RequestInit): Promise<unknown> => {
      const answer = await watch(query, init)
      const { code } = (await answer.json()) as { readonly code: string }
      return [answer.status, code]
    }
    expect(await statusOf('?docId=99')).toEqual([404, 'ERR_DOCUMENT_NOT_FOUND'])
    expect(await statusOf('?docid=1')).toEqual([400, 'ERR_INVALID_INPUT'])
    expect(await statusOf('?snapshot=none')).toEqual([400, 'ERR_INVALID_INPUT'])
    expect(await statusOf('', { headers: { authorization: 'Bearer no' } })).toEqual([401, 'ERR_UNAUTHENTICATED'])
    const tenant = await server.token('tenant')
    expect(await statusOf('', { headers: { authorization: `Bearer ${tenant}` } })).toEqual([403, 'ERR_FORBIDDEN'])
    contextId += 1
    expect(await statusOf('')).toEqual([404, 'ERR_CONTEXT_NOT_FOUND'])
  })

  it('refuses streams above the limit, until a client leaves; HEAD takes no place', async () => {
    for (let at = 0; at < 3; at += 1) expect((await watch('', { method: 'HEAD' })).status).toBe(200)
    const first = new AbortController()
    const one = new EventReader(await watch('', { signal: first.signal }))
    await one.next()
    await new EventReader(await watch()).next()
    const refused = await watch()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    first.abort()
    let status = refused.status
    while (status === 429) status = (await watch()).status
    expect(status).toBe(200)
  })

  it('ends once its token is expired, with the problem as its last event', async () => {
    const events = new EventReader(await watch())
    await events.until(({ event }) => event === 'ready')
    server.clock.advance(901_000)
    pass(2_000)
    await upload('late.txt', 'Late text.')
    const last = await events.next()
    expect(last).toMatchObject({ event: 'end', data: { status: 401, code: 'ERR_UNAUTHENTICATED' } })
    expect(await events.next()).toBeUndefined()
  })

  it('ends once its key is revoked', async () => {
    const events = new EventReader(await watch())
    await events.until(({ event }) => event === 'ready')
    await server.engine.administration.apiKeys.revoke(key.id)
    pass(2_000)
    await upload('late.txt', 'Late text.')
    expect(await events.next()).toMatchObject({ event: 'end', data: { code: 'ERR_UNAUTHENTICATED' } })
  })

  it('is not compressed by a server that compresses answers', async () => {
    const app = new Hono()
    app.use(compress({ threshold: 0, contentTypeFilter: /./ }))
    const handler = createHttpHandler(server.engine)
    app.all('*', async (context) => await handler(context.req.raw))
    const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' }
    const openapi = await app.request('/openapi.json', { headers })
    expect(openapi.headers.get('content-encoding')).toBe('gzip')
    const answer = await app.request(`/context/documents/${contextId}/events`, { headers })
    expect(answer.headers.get('content-encoding')).toBeNull()
    const events = new EventReader(answer)
    expect(await events.next()).toEqual({ event: 'ready', data: {} })
  })
  it('ends when the server closes, which does not wait for it, and when the engine closes', async () => {
    const events = new EventReader(await watch())
    await events.until(({ event }) => event === 'ready')
    const host = createServer(nodeListener(createHttpHandler(server.engine)))
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/context/documents/${contextId}/events`
    const other = new EventReader(await fetch(url, { headers: { authorization: `Bearer ${token}` } }))
    await other.until(({ event }) => event === 'ready')
    const closed = server.close()
    expect(await events.next()).toMatchObject({ event: 'end', data: { status: 503, code: 'ERR_CLOSED' } })
    await closed
    expect(await other.next()).toMatchObject({ event: 'end', data: { status: 503 } })
    await new Promise((resolve) => host.close(resolve))
  })
})
