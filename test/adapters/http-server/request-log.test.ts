import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHttpHandler } from '../../../adapters/http-server/index.js'
import { type Engine, StorageError, UnauthenticatedError } from '../../../src/index.js'
import type { TelemetryEvent } from '../../../src/ports/index.js'
import { endlessHead, sendRaw } from './node/raw-client.js'
import { NEW_CONTEXT, startServer, type TestServer } from './server.js'

let server: TestServer
let token: string

beforeAll(async () => {
  server = await startServer()
  token = await server.token('assistant')
})

beforeEach(() => {
  server.telemetry.events.splice(0)
})

afterAll(async () => {
  await server.close()
})

function requests(): TelemetryEvent[] {
  return server.telemetry.events.filter(({ name }) => name === 'http.request')
}

describe('the log of requests', () => {
  // A27
  it('names the client id, the user, the company and the address', async () => {
    await server.request('GET', '/context', { token })
    const { clientId, userId, companyId } = server.key
    const fields = { clientId, userId, companyId, remoteAddress: '127.0.0.1', status: 200, path: '/context' }
    expect(requests()).toMatchObject([{ level: 'info', fields }])
  })

  // A27
  it('records refusals at level warn, with the refused client where it is known', async () => {
    const tenant = await server.token('tenant')
    server.telemetry.events.splice(0)
    await server.request('GET', '/context')
    await server.request('GET', '/context', { token: 'wrong' })
    await server.request('GET', '/context', { token: tenant })
    await server.request('POST', '/context', { token, json: { name: 'x'.repeat(2_000_000) } })
    await server.request('GET', '/nowhere', { isDescribed: false })
    const { clientId } = server.key
    expect(requests().map(({ level, fields }) => [level, fields?.['status'], fields?.['clientId']])).toEqual([
      ['warn', 401, undefined],
      ['warn', 401, undefined],
      ['warn', 403, clientId],
      ['warn', 413, clientId],
      ['info', 404, undefined],
    ])
  })

  // A27
  it('names the client id of token requests, unless the value is not a client id', async () => {
    const { clientId, clientSecret } = server.key
    const given = { grant_type: 'client_credentials', target_app: 'assistant', client_secret: 'wrong' }
    for (const id of [clientId, clientSecret, 'ak_unknown']) {
      await server.request('POST', '/connect/token', { form: { ...given, client_id: id } })
    }
    await server.token('assistant')
    expect(requests().map(({ level, fields }) => [level, fields?.['status'], fields?.['clientId']])).toEqual([
      ['warn', 401, clientId],
      ['warn', 401, undefined],
      ['warn', 401, 'ak_unknown'],
      ['info', 200, clientId],
    ])
  })

  // A27
  it('contains no token, no secret, no query and no body', async () => {
    const prompt = 'the-prompt-of-somebody'
    await server.token('assistant')
    await server.request('GET', `/context?token=${token}`, { token, isDescribed: false })
    await server.request('POST', '/context/relevant-docs/1', { token, json: { prompt } })
    await sendRaw(server.url, endlessHead('GET', '/health', { Authorization: `Bearer ${token}` }))
    const log = JSON.stringify(server.telemetry.events)
    for (const secret of [token, server.key.clientSecret, prompt]) expect(log).not.toContain(secret)
  })
})

describe('Cache-Control', () => {
  // A28
  it('forbids caches to store any answer about a user', async () => {
    const created = await server.request<{ id: number }>('POST', '/context', { token, json: NEW_CONTEXT })
    const answers = [
      created,
      await server.request('GET', '/context', { token }),
      await server.request('GET', '/context'),
      await server.request('DELETE', `/context/${created.body.id}`, { token }),
      await server.request('POST', '/auth/reset', { json: { email: 'nobody@example.com' } }),
      await server.request('GET', '/nowhere', { isDescribed: false }),
      await server.request('PUT', '/context', { isDescribed: false }),
      await server.request('GET', '/health'),
      await server.request('GET', '/v1/outbound-webhooks/catalog', { token }),
    ]
    expect(answers.map(({ headers }) => headers.get('cache-control'))).toEqual(answers.map(() => 'no-store'))
    expect((await server.request('GET', '/openapi.json')).headers.get('cache-control')).toBe('public, max-age=300')
  })
})

describe('a handler without a telemetry', () => {
  const failing = async (error: Error, options = {}): Promise<string[]> => {
    const handler = createHttpHandler(server.engine, {
      ...options,
      authenticate: () => {
        throw error
      },
    })
    const lines: string[] = []
    const print = vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line))
    try {
      const headers = { 'x-request-id': 'r-1' }
      await handler(new Request('http://host/context/42?secret=s3cret', { headers }))
    } finally {
      print.mockRestore()
    }
    return lines
  }

  it('writes the cause of an unexpected failure to the console, without the query', async () => {
    const [line, ...others] = await failing(new Error('the session store is broken'))
    expect(line).toMatch(/^alcove: GET \/context\/\{contextId\} failed with 500 \(request r-1\): Error: /)
    expect(line).toMatch(/\ncaused by Error: the session store is broken\n {4}at .*request-log\.test\.ts/)
    expect(line).not.toContain('s3cret')
    expect(others).toEqual([])
  })

  it('writes an error of the engine without the message of its driver', async () => {
    const cause = new Error("insert into users values ('s3cret')")
    const [line] = await failing(new StorageError('the database is damaged', { cause, isTransient: false }))
    expect(line).toContain('the database is damaged')
    expect(line).not.toContain('s3cret')
  })

  it('ends with an error that is its own cause', async () => {
    const circle = new Error('in a circle')
    circle.cause = circle
    const [line = ''] = await failing(circle)
    expect(line.split('in a circle').length).toBeLessThan(15)
  })

  it('writes no refusal, no failure that passes, and nothing with a telemetry', async () => {
    expect(await failing(new UnauthenticatedError('no session'))).toEqual([])
    expect(await failing(new StorageError('the database is away', { isTransient: true }))).toEqual([])
    expect(await failing(new Error('broken'), { telemetry: { record: () => undefined } })).toEqual([])
  })
})

describe('a route that needs no token', () => {
  // A29
  it('checks the ports once for any number of simultaneous health requests', async () => {
    let checks = 0
    const health = async (): ReturnType<Engine['health']> => {
      checks += 1
      return await server.engine.health()
    }
    const handler = createHttpHandler(new Proxy(server.engine, { get: (engine, name) => wrap(engine, name, health) }))
    const ask = async (path: string): Promise<Response> => await handler(new Request(`http://host${path}`))
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_, index) => ask(index % 2 === 0 ? '/health' : '/ready')),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(checks).toBe(1)
  })

  // A29
  it('checks the ports again after a second, and answers with what it finds', async () => {
    const handler = createHttpHandler(server.engine)
    const ask = async (): Promise<unknown> => {
      const answer = await handler(new Request('http://host/health'))
      return [answer.status, await answer.json()]
    }
    const first = await ask()
    expect(first).toMatchObject([200, { status: 'ok' }])
    await new Promise((resolve) => setTimeout(resolve, 1_050))
    expect(await ask()).toEqual(first)
  })

  // A29
  it('answers at once with the state of a second ago while a check is slow, and with the new state after it', async () => {
    let state: 'ok' | 'unavailable' = 'ok'
    let delayMs = 0
    const ports = { storage: 'ok', vectorIndex: 'ok', lexicalIndex: 'ok', fileStore: 'ok', embeddingModels: 'ok' }
    const health = async (): ReturnType<Engine['health']> => {
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      return { status: state, ports }
    }
    const handler = createHttpHandler(new Proxy(server.engine, { get: (engine, name) => wrap(engine, name, health) }))
    const ask = async (): Promise<[number, number]> => {
      const began = performance.now()
      const { status } = await handler(new Request('http://host/health'))
      return [status, performance.now() - began]
    }
    expect((await ask())[0]).toBe(200)
    state = 'unavailable'
    delayMs = 300
    await new Promise((resolve) => setTimeout(resolve, 1_050))
    const [status, tookMs] = await ask()
    expect(status).toBe(200)
    expect(tookMs).toBeLessThan(200)
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect((await ask())[0]).toBe(503)
  })

  // A29
  it('sends the description and its page completely, and stores no copy for clients that do not read', async () => {
    for (const path of ['/openapi.json', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css']) {
      const answered = await fetch(server.url + path)
      const bytes = await answered.arrayBuffer()
      expect([path, String(bytes.byteLength)]).toEqual([path, answered.headers.get('content-length')])
      const head = await fetch(server.url + path, { method: 'HEAD' })
      expect([path, head.status]).toEqual([path, 200])
    }
    gc?.()
    const before = process.memoryUsage().arrayBuffers
    const url = `${server.url}/docs/swagger-ui-bundle.js`
    const paused = Array.from({ length: 90 }, async () => {
      const { hostname, port, pathname } = new URL(url)
      const head = `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`
      return await sendRaw(server.url, head.repeat(50), { patienceMs: 2_000, isReading: false })
    })
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60_000_000)
    await Promise.all(paused)
  })
})

/** An engine with a replaced health check. */
function wrap(engine: Engine, name: string | symbol, health: Engine['health']): unknown {
  if (name === 'health') return health
  const value: unknown = Reflect.get(engine, name)
  return typeof value === 'function' ? (value as (...given: unknown[]) => unknown).bind(engine) : value
}
