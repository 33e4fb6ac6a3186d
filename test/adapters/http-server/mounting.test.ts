import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpHandler, type HttpHandler } from '../../../adapters/http-server/index.js'
import { nodeListener } from '../../../adapters/http-server/node/index.js'
import { MemoryTelemetry } from '../../../adapters/memory/index.js'
import { fileForm, NEW_CONTEXT, startServer, type TestServer } from './server.js'

let server: TestServer

beforeAll(async () => {
  server = await startServer()
})

afterAll(async () => {
  await server.close()
})

/** The complete flow of a client, against one address. */
async function drive(base: string): Promise<void> {
  const form = {
    grant_type: 'client_credentials',
    client_id: server.key.clientId,
    client_secret: server.key.clientSecret,
    target_app: 'assistant',
  }
  const answered = await fetch(`${base}/connect/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token: token } = (await answered.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${token}` }
  const created = await fetch(`${base}/context`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(NEW_CONTEXT),
  })
  expect(created.status).toBe(201)
  const { id } = (await created.json()) as { id: number }
  const body = fileForm('large.txt', 'All work and no play. '.repeat(20_000))
  const uploaded = await fetch(`${base}/context/upload/${id}`, { method: 'POST', headers, body })
  expect(uploaded.status).toBe(200)
  const listed = await fetch(`${base}/context/documents/${id}`, { headers })
  expect(await listed.json()).toMatchObject([{ originalName: 'large.txt', size: 440_000 }])
  expect((await fetch(`${base}/context/${id}`, { method: 'DELETE', headers })).status).toBe(200)
  expect((await fetch(`${base}/context`)).status).toBe(401)
  expect((await fetch(`${base}/nowhere`)).status).toBe(404)
}

async function listening(listener: RequestListener, run: (base: string) => Promise<void>): Promise<void> {
  const host: Server = createServer(listener)
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  await run(`http://127.0.0.1:${(host.address() as AddressInfo).port}`)
  host.closeAllConnections()
  await new Promise((resolve) => host.close(resolve))
}

describe('the handler', () => {
  it('says where its operations are, also at the path itself where Express mounts it', async () => {
    const listener = nodeListener(createHttpHandler(server.engine, { basePath: '/alcove' }))
    const app = express().all('/alcove{/*path}', listener).use('/cut', listener)
    await listening(app as RequestListener, async (base) => {
      const detailOf = async (path: string): Promise<unknown> => {
        const answer = await fetch(base + path)
        expect(answer.status).toBe(404)
        return ((await answer.json()) as { readonly detail: unknown }).detail
      }
      for (const path of ['/alcove', '/alcove/', '/alcove/nowhere']) {
        expect(await detailOf(path)).toBe(`no operation has the path ${path}; GET /alcove/openapi.json lists all`)
      }
      const cut = 'no operation has the path /context; all paths begin with the basePath /alcove'
      expect(await detailOf('/cut/context')).toBe(cut)
    })
  })

  it('mounts in node:http', async () => {
    await listening(nodeListener(createHttpHandler(server.engine)), drive)
  })

  it('mounts in Express, beside the routes of the host, under a base path', async () => {
    const app = express()
    const listener = nodeListener(createHttpHandler(server.engine, { basePath: '/alcove' }))
    app.get('/own', (_request, response) => {
      response.send('own')
    })
    app.all('/alcove{/*path}', (request, response) => {
      listener(request, response)
    })
    await listening(app as RequestListener, async (base) => {
      await drive(`${base}/alcove`)
      expect(await (await fetch(`${base}/own`)).text()).toBe('own')
    })
  })

  it('mounts in Fastify', async () => {
    const app = fastify()
    const listener = nodeListener(createHttpHandler(server.engine, { basePath: '/alcove' }))
    // The handler itself must read the bodies.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null))
    app.all('/alcove/*', (request, reply) => {
      reply.hijack()
      listener(request.raw, reply.raw)
    })
    const base = await app.listen({ port: 0 })
    await drive(`${base.replace('[::1]', 'localhost')}/alcove`)
    await app.close()
  })

  it('answers a request that a host injects without a connection', async () => {
    const app = fastify()
    const listener = nodeListener(createHttpHandler(server.engine, { basePath: '/alcove' }))
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null))
    app.all('/alcove/*', (request, reply) => {
      reply.hijack()
      listener(request.raw, reply.raw)
    })
    expect((await app.inject({ method: 'GET', url: '/alcove/health' })).statusCode).toBe(200)
    expect((await app.inject({ method: 'POST', url: '/alcove/context', payload: '{}' })).statusCode).toBe(401)
    await app.close()
  })

  it('mounts in an HTTP/2 server, whose streams do not wait for each other', async () => {
    const host = createHttp2Server(nodeListener(createHttpHandler(server.engine)) as never)
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
    const session = connectHttp2(`http://127.0.0.1:${(host.address() as AddressInfo).port}`)
    const ask = async (): Promise<number> => {
      const stream = session.request({ ':path': '/health' })
      stream.resume()
      const [headers] = (await once(stream, 'response')) as [Record<string, number>]
      return headers[':status'] ?? 0
    }
    const statuses = await Promise.all(Array.from({ length: 90 }, ask))
    expect(statuses).toEqual(statuses.map(() => 200))
    session.close()
    await new Promise<void>((resolve) => host.close(() => resolve()))
  })

  it('mounts in Hono, as in any framework that uses fetch', async () => {
    const app = new Hono()
    const handler = createHttpHandler(server.engine, { basePath: '/alcove' })
    app.all('/alcove/*', (context) => handler(context.req.raw))
    await listening(
      nodeListener(async (request) => await app.fetch(request)),
      async (base) => await drive(`${base}/alcove`),
    )
  })

  it('mounts one part of the API alone', async () => {
    const handler = createHttpHandler(server.engine, { apis: ['tenant'] })
    expect((await handler(new Request('http://host/tenant/users'))).status).toBe(401)
    expect((await handler(new Request('http://host/context'))).status).toBe(404)
    const description = (await (await handler(new Request('http://host/openapi.json'))).json()) as { paths: object }
    expect(Object.keys(description.paths)).toContain('/tenant/users')
    expect(Object.keys(description.paths)).not.toContain('/context')
  })

  it('answers, and does not reject, when a host aborts a request for any reason', async () => {
    const handler = createHttpHandler(server.engine)
    const token = await server.token('assistant')
    for (const reason of ['a text', new Error('an error'), undefined]) {
      const abort = new AbortController()
      abort.abort(reason)
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: '{"prompt":"x"}', signal: abort.signal }
      const { status } = await handler(new Request('http://host/context/relevant-docs/1', init))
      expect(status).toBeLessThan(500)
    }
  })

  it('refuses an unknown part of the API', () => {
    expect(() => createHttpHandler(server.engine, { apis: ['nope' as 'tenant'] })).toThrow('apis: must be a list of')
  })

  it('refuses an option that it does not know', () => {
    const options: object = { basepath: '/alcove' }
    expect(() => createHttpHandler(server.engine, options)).toThrow(
      'basepath: unknown option "basepath"; expected one of basePath, publicUrl, apis, ',
    )
  })

  it('refuses an invalid base path', () => {
    for (const basePath of ['alcove', '/a b', '/:id', '/*']) {
      expect(() => createHttpHandler(server.engine, { basePath })).toThrow('basePath: must be a path')
    }
    createHttpHandler(server.engine, { basePath: '/alcove/' })
  })

  it('refuses pages of other origins unless they are named', async () => {
    const ask = async (handler: HttpHandler, method: string): Promise<Headers> => {
      const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' }
      return (await handler(new Request('http://host/context', { method, headers }))).headers
    }
    const closed = createHttpHandler(server.engine)
    expect((await ask(closed, 'GET')).get('access-control-allow-origin')).toBeNull()
    expect((await ask(closed, 'OPTIONS')).get('access-control-allow-origin')).toBeNull()
    const open = createHttpHandler(server.engine, { corsOrigins: ['https://app.example'] })
    expect((await ask(open, 'GET')).get('access-control-allow-origin')).toBe('https://app.example')
    expect((await ask(open, 'OPTIONS')).get('access-control-allow-methods')).toContain('GET')
    const other = createHttpHandler(server.engine, { corsOrigins: ['https://other.example'] })
    expect((await ask(other, 'GET')).get('access-control-allow-origin')).not.toBe('https://app.example')
  })

  it('adds an id and safe headers to every answer', async () => {
    const telemetry = new MemoryTelemetry()
    const handler = createHttpHandler(server.engine, { telemetry })
    const { headers } = await handler(new Request('http://host/nowhere', { headers: { 'x-request-id': 'mine-1' } }))
    expect(headers.get('x-request-id')).toBe('mine-1')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
    const odd = await handler(new Request('http://host/nowhere', { headers: { 'x-request-id': 'a b' } }))
    expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(telemetry.events[0]).toMatchObject({ name: 'http.request', fields: { status: 404, requestId: 'mine-1' } })
  })

  it('reports its health, and shows its description without a network', async () => {
    const handler = createHttpHandler(server.engine, { basePath: '/alcove' })
    const get = async (path: string): Promise<Response> => await handler(new Request(`http://host/alcove${path}`))
    for (const path of ['/health', '/ready']) {
      const health = await get(path)
      expect([health.status, await health.json()]).toMatchObject([200, { status: 'ok', ports: { storage: 'ok' } }])
    }
    const page = await (await get('/docs')).text()
    const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '')
    for (const address of addresses.filter((given) => !given.startsWith('data:'))) {
      expect(address).toMatch(/^\/alcove\/docs\//)
      expect([address, (await handler(new Request(`http://host${address}`))).status]).toEqual([address, 200])
    }
  })
})
