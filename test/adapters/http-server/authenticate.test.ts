import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Authenticate, createHttpHandler, type HttpHandlerOptions } from '../../../adapters/http-server/index.js'
import { nodeListener } from '../../../adapters/http-server/node/index.js'
import {
  ClosedError,
  type Context,
  type ErrorReason,
  ForbiddenError,
  InvalidInputError,
  type Principal,
  ThrottledError,
  UnauthenticatedError,
} from '../../../src/index.js'
import { LoginHost, makeContext, send } from './login-host.js'
import { fileForm, NEW_CONTEXT } from './server.js'

let host: LoginHost

const OTHER_SITE: ErrorReason = {
  code: 'refused-by-host',
  parameters: { message: 'this request came from another site' },
}

/** Programs without types throw texts. */
const THROWN_TEXT = 'secret of the session store' as unknown as Error

beforeAll(async () => {
  host = await LoginHost.open()
})

afterAll(async () => {
  await host.memory.engine.close()
})

beforeEach(async () => {
  await host.renew()
})

describe("the host's own login", () => {
  it('decides who calls: users see their own contexts and shared ones', async () => {
    const handler = host.handler()
    const created = await send<Context>(handler, 'POST', '/context', { user: 'ada', json: NEW_CONTEXT })
    expect([created.status, created.body.userId]).toEqual([201, host.idOf('ada')])
    const path = `/context/${created.body.id}`
    expect((await send(handler, 'GET', path, { user: 'ada' })).status).toBe(200)
    expect((await send(handler, 'GET', path, { user: 'bo' })).status).toBe(404)
    await send(handler, 'PUT', `/context/share/${created.body.id}`, { user: 'ada', json: { shareState: 1 } })
    expect((await send(handler, 'GET', path, { user: 'bo' })).status).toBe(200)
    expect((await send(handler, 'DELETE', path, { user: 'bo' })).status).toBe(403)
  })

  it('leaves a request that it does not know to bearer tokens', async () => {
    const token = await host.newToken()
    for (const nobody of [undefined, null] as readonly (Principal | undefined)[]) {
      const handler = host.handler(async () => nobody)
      expect((await send(handler, 'GET', '/context', { token })).status).toBe(200)
      const { status, body, headers } = await send(handler, 'GET', '/context')
      expect([status, body.code, headers.get('www-authenticate')]).toEqual([401, 'ERR_UNAUTHENTICATED', 'Bearer'])
      expect(body.detail).toMatch(/^log in, or send a bearer token/)
    }
  })

  it('comes before a bearer token', async () => {
    const [handler, token] = [host.handler(), await host.newToken()]
    const id = await makeContext(handler, 'ada')
    expect((await send(handler, 'GET', `/context/${id}`, { token })).status).toBe(200)
    expect((await send(handler, 'GET', `/context/${id}`, { token, user: 'bo' })).status).toBe(404)
  })

  it('is not asked by operations that need no caller', async () => {
    const handler = host.handler(() => {
      throw new Error('was asked')
    })
    expect((await send(handler, 'GET', '/health')).status).toBe(200)
    expect((await send(handler, 'GET', '/openapi.json')).status).toBe(200)
  })

  it('can be the only way in', async () => {
    const [handler, token] = [host.handler(host.byCookie, { bearerTokens: false }), await host.newToken()]
    expect((await send(handler, 'GET', '/context', { user: 'ada', token })).status).toBe(200)
    const { status, body, headers } = await send(handler, 'GET', '/context', { token })
    expect([status, body.detail]).toEqual([401, 'this request belongs to no login: log in first'])
    expect(headers.get('www-authenticate')).toBeNull()
    for (const path of ['/connect/token', '/connect/revoke', '/connect/introspect'])
      expect((await send(handler, 'POST', path)).body.code).toBe('ERR_PATH_NOT_FOUND')
    const { body: description } = await send<object>(handler, 'GET', '/openapi.json')
    expect(JSON.stringify(description)).not.toContain('/connect/')
    expect(description).not.toHaveProperty('security')
  })

  it('is checked when the handler is made', () => {
    const make = (options: unknown) => () => createHttpHandler(host.memory.engine, options as HttpHandlerOptions)
    expect(make({ authenticate: 'cookie' })).toThrow(/authenticate: must be a function/)
    expect(make({ bearerTokens: false })).toThrow(/bearerTokens: can be false only together with authenticate/)
    expect(make({ allowsCrossSite: 'no' })).toThrow(/allowsCrossSite: must be true or false/)
    expect(make({ bearerTokens: 'no', authenticate: host.byCookie })).toThrow(/bearerTokens: must be true or false/)
  })
})

describe('a page of another origin', () => {
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }

  it.each([
    [foreign, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'https://b.localhost', 'sec-fetch-site': 'same-site' }, 403],
    [{ origin: 'https://proxy.example', 'sec-fetch-site': 'same-origin' }, 201],
    [{ origin: 'https://localhost' }, 201],
    [{ origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }, 201],
    [{ origin: 'https://public.example' }, 201],
    [{}, 201],
  ] as [Record<string, string>, number][])('cannot change anything by a cookie: %j', async (headers, expected) => {
    const options = { corsOrigins: ['*', 'https://app.example'], publicUrl: () => 'https://public.example/alcove' }
    const handler = host.handler(host.byCookie, options)
    const given = { user: 'ada', json: NEW_CONTEXT, headers }
    const { status, body } = await send(handler, 'POST', '/context', given)
    expect([status, body.reason?.code]).toEqual([expected, expected === 403 ? 'page-of-other-origin' : undefined])
    const { body: contexts } = await send<Context[]>(handler, 'GET', '/context', { user: 'ada', headers })
    const own = contexts.filter(({ userId }) => userId === host.idOf('ada'))
    expect(own).toHaveLength(expected === 201 ? 1 : 0)
  })

  it('can send a bearer token, which it has to know', async () => {
    const given = { token: await host.newToken(), json: NEW_CONTEXT, headers: foreign }
    expect((await send(host.handler(), 'POST', '/context', given)).status).toBe(201)
  })

  it('can change something if the host allows it', async () => {
    const handler = host.handler(host.byCookie, { allowsCrossSite: true })
    const given = { user: 'ada', json: NEW_CONTEXT, headers: foreign }
    expect((await send(handler, 'POST', '/context', given)).status).toBe(201)
  })
})

describe('errors of the login', () => {
  it.each([
    [new UnauthenticatedError('the session has expired'), 401, 'the session has expired'],
    [new ForbiddenError('this request came from another site', OTHER_SITE), 403, 'this request came from another site'],
    [new ThrottledError('try again in 9 seconds', 9), 429, 'try again in 9 seconds'],
    [new ClosedError('the engine'), 503, 'the service is not available now: retry later'],
  ])('that concern the client are the answer: %s', async (error, expected, detail) => {
    const handler = host.handler(async () => await Promise.reject(error))
    const { status, body, headers } = await send(handler, 'GET', '/context', { token: await host.newToken() })
    expect([status, body.code, body.detail, body.reason]).toEqual([expected, error.code, detail, error.reason])
    if (expected === 429) expect(headers.get('retry-after')).toBe('9')
  })

  it.each([
    ['an error of its own', () => Promise.reject(new Error('secret of the session store'))],
    ['a thrown text', () => Promise.reject(THROWN_TEXT)],
    [
      'an error of the engine that says nothing about the client',
      () => Promise.reject(new InvalidInputError('email', 'secret')),
    ],
    [
      'something that is no principal',
      () => ({ companyId: 'secret', userId: 1, accountId: 1 }) as unknown as Principal,
    ],
    ['a text', () => 'secret' as unknown as Principal],
  ])('are faults of the host, in the log and not in the answer: %s', async (_name, authenticate) => {
    const { status, body } = await send(host.handler(authenticate), 'GET', '/context', { token: await host.newToken() })
    expect([status, body.code]).toEqual([500, 'ERR_INTERNAL'])
    expect(JSON.stringify(body)).not.toContain('secret')
    const [failure] = host.telemetry.events.filter(({ name }) => name === 'http.request.failed')
    expect(failure?.level).toBe('error')
    expect((failure?.error as Error).message).toMatch(/^the host's authenticate (failed|returned something)/)
    expect((failure?.error as Error).cause).toBeDefined()
  })
})

describe('the request that the login gets', () => {
  it('has no body, so that the login cannot use up an upload', async () => {
    const seen: (readonly [string, string])[] = []
    const handler = host.handler(async (request, info) => {
      seen.push([`${request.method} ${new URL(request.url).pathname}`, await request.text()])
      return await host.byCookie(request, info)
    })
    const id = await makeContext(handler, 'ada')
    const text = 'Parental leave lasts sixteen weeks. '.repeat(5_000)
    const uploaded = await send(handler, 'POST', `/context/upload/${id}`, {
      user: 'ada',
      body: fileForm('a.txt', text),
    })
    expect(uploaded.status).toBe(200)
    const listed = await send(handler, 'GET', `/context/documents/${id}`, { user: 'ada' })
    expect(listed.body).toMatchObject([{ size: text.length, createdBy: host.idOf('ada') }])
    expect(seen).toEqual([
      ['POST /context', ''],
      [`POST /context/upload/${id}`, ''],
      [`GET /context/documents/${id}`, ''],
    ])
  })

  it('comes with what the host knows: a context, the address and the id of the request', async () => {
    const infos: unknown[] = []
    const handler = host.handler((_request, info) => {
      infos.push(info)
      return (info.context as { readonly user: Principal }).user
    })
    const context = { user: host.principals['bo'] }
    const { status, headers } = await send(handler, 'GET', '/context', { context })
    expect(status).toBe(200)
    expect(infos).toEqual([{ context, remoteAddress: '203.0.113.7', requestId: headers.get('x-request-id') }])
  })

  it('comes with the request of Express, and all that its middleware has found out', async () => {
    const authenticate: Authenticate = (_request, { context }) => (context as { readonly user?: Principal }).user
    const listener = nodeListener(host.handler(authenticate, { basePath: '/alcove' }))
    const app = express()
    app.use((request, _response, next) => {
      Object.assign(request, { user: host.principals[request.headers.cookie ?? ''] })
      next()
    })
    app.all('/alcove{/*path}', (request, response) => {
      listener(request, response)
    })
    const server = createServer(app as RequestListener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/alcove/context`
    const created = await fetch(url, {
      method: 'POST',
      headers: { cookie: 'ada', 'content-type': 'application/json' },
      body: JSON.stringify(NEW_CONTEXT),
    })
    expect(await created.json()).toMatchObject({ userId: host.idOf('ada') })
    expect((await fetch(url)).status).toBe(401)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})
