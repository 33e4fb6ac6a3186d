import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHttpHandler } from '../../../adapters/http-server/index.js'
import { createMcpHandler, type McpHandlerOptions } from '../../../adapters/mcp/index.js'
import {
  type ErrorReason,
  ForbiddenError,
  InvalidInputError,
  type Principal,
  ThrottledError,
  UnauthenticatedError,
} from '../../../src/index.js'
import { type MemoryEngine, memoryEngine } from '../../src/engine/memory-engine.js'
import { AGENT_KINDS } from './clients.js'

const ROOT = 'https://alcove.test'
const OTHER_NETWORK: ErrorReason = { code: 'refused-by-host', parameters: { message: 'not from this network' } }
const METADATA = '/.well-known/oauth-protected-resource/mcp'

let memory: MemoryEngine
let token: string

beforeAll(async () => {
  memory = await memoryEngine()
  const { clientId, clientSecret } = await memory.engine.administration.apiKeys.create({ companyId: 1 })
  const form = { targetApp: 'assistant', clientId, clientSecret }
  token = (await memory.engine.authentication.issueToken(form)).access_token
})

beforeEach(() => {
  memory.telemetry.events.length = 0
})

afterAll(async () => {
  await memory.engine.close()
})

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly title?: string
    readonly code?: string
    readonly detail?: string
    readonly reason?: unknown
  }
}

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })

type Handler = (request: Request) => Promise<Response>

async function post(handler: Handler, headers: Record<string, string> = {}, path = '/mcp'): Promise<Answer> {
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
  return await read(await handler(new Request(ROOT + path, { method: 'POST', headers: all, body: LIST })))
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? (JSON.parse(text) as Answer['body']) : {},
  }
}

/** The endpoint of agents on its own. */
function agents(options: McpHandlerOptions = {}): Handler {
  return createMcpHandler(memory.engine, { telemetry: memory.telemetry, ...options })
}

const withToken = (): Record<string, string> => ({ authorization: `Bearer ${token}` })

describe("the host's own login of agents", () => {
  it('shows on the console why it failed, if the handler has no telemetry', async () => {
    const lines: string[] = []
    const print = vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line))
    const authenticate = async () => await Promise.reject(new Error('the session store is broken'))
    const answer = await post(createMcpHandler(memory.engine, { authenticate }), { 'x-request-id': 'r-1' })
    print.mockRestore()
    expect(answer.status).toBe(500)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^alcove: POST by an agent failed with 500 \(request r-1\): Error: /)
    expect(lines[0]).toContain('caused by Error: the session store is broken')
  })

  it.each([undefined, null])('leaves a request to bearer tokens by %s', async (nobody) => {
    const handler = agents({ authenticate: () => nobody as unknown as undefined })
    expect((await post(handler, withToken())).status).toBe(200)
    const refused = await post(handler)
    expect([refused.status, refused.body.code]).toEqual([401, 'ERR_UNAUTHENTICATED'])
    expect(refused.body.detail).toMatch(/^log in, or send a bearer token/)
    const alone = agents({ authenticate: () => nobody as unknown as undefined, bearerTokens: false })
    expect((await post(alone, withToken())).body.detail).toBe('this request belongs to no login: log in first')
  })

  it.each([
    [new UnauthenticatedError('the session has expired'), 401],
    [new ForbiddenError('not from this network', OTHER_NETWORK), 403],
    [new ThrottledError('try again in 9 seconds', 9), 429],
    [new InvalidInputError('email', 'secret'), 500],
    [new Error('secret of the session store'), 500],
  ])('gives the same answer to agents as to programs when it throws: %s', async (error, status) => {
    const authenticate = async () => await Promise.reject(error)
    const toAgent = await post(agents({ authenticate }), withToken())
    const rest = createHttpHandler(memory.engine, { authenticate })
    const toProgram = await read(await rest(new Request(`${ROOT}/context`, { headers: withToken() })))
    expect(toAgent.status).toBe(status)
    expect(toAgent.body).toEqual(toProgram.body)
    if (error instanceof ForbiddenError) expect(toAgent.body.reason).toEqual(OTHER_NETWORK)
    expect(toAgent.headers.get('retry-after')).toBe(toProgram.headers.get('retry-after'))
    if (status !== 500) return
    expect(JSON.stringify(toAgent.body)).not.toContain('secret')
    const [failure] = memory.telemetry.events.filter(({ name }) => name === 'mcp.request.failed')
    expect((failure?.error as Error).message).toBe("the host's authenticate failed")
    expect(failure?.fields).toEqual({ requestId: toAgent.headers.get('x-request-id') })
  })

  it('is one function for both handlers: it gets the address, the context and the id of the request', async () => {
    const infos: unknown[] = []
    const authenticate = (_request: Request, info: object): Principal => {
      infos.push(info)
      return memory.engine.owner
    }
    const handler = createMcpHandler(memory.engine, { authenticate })
    const request = new Request(`${ROOT}/mcp`, { method: 'POST', body: LIST, headers: { 'x-request-id': 'r-1' } })
    const info = { remoteAddress: '203.0.113.7', context: 5 }
    const answered = await handler(request, info)
    expect(infos).toEqual([{ ...info, requestId: 'r-1' }])
    expect(answered.headers.get('x-request-id')).toBe('r-1')
  })

  it('is not for pages of another origin, which the cookies of the user would let in', async () => {
    const authenticate = () => memory.engine.owner
    const any = { allowedOrigins: ['*'], authenticate }
    const origin = 'https://evil.example'
    expect((await post(agents(any), { origin, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await post(agents(any), { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await post(agents(any), { origin: ROOT, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    expect((await post(agents({ ...any, allowsCrossSite: true }), { origin })).status).toBe(200)
    expect((await post(agents({ ...any, allowedOrigins: [origin] }), { origin })).status).toBe(200)
    expect((await post(agents({ allowedOrigins: ['*'] }), { ...withToken(), origin })).status).toBe(200)
  })

  it('is checked when the handler is made', () => {
    const make = (options: unknown) => () => createMcpHandler(memory.engine, options as McpHandlerOptions)
    expect(make({ authenticate: 'cookie' })).toThrow('authenticate: must be a function')
    expect(make({ bearerTokens: 'no', authenticate: () => undefined })).toThrow('bearerTokens: must be true or false')
    expect(make({ allowsCrossSite: 1 })).toThrow('allowsCrossSite: must be true or false')
  })
})

describe('an answer of a handler on its own', () => {
  it.each(['GET', 'DELETE'])('to %s, which no agent without a session sends, is in no cache', async (method) => {
    const answered = await agents()(new Request(`${ROOT}/mcp`, { method, headers: withToken() }))
    expect([answered.status, answered.headers.get('allow')]).toEqual([405, 'POST'])
    expect(answered.headers.get('cache-control')).toBe('no-store')
  })
})

describe('bodies that are being received', () => {
  const LARGE = { maxBodyBytes: 8_000_000 }

  /** Sends 7,900,000 bytes and no end. */
  function stall(handler: Handler): { readonly answer: Promise<Response>; readonly end: () => void } {
    let end: () => void = () => undefined
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new Uint8Array(7_900_000))
        end = () => controller.close()
      },
    })
    const headers = { ...withToken(), 'content-type': 'application/json' }
    const request = new Request(`${ROOT}/mcp`, { method: 'POST', headers, body, duplex: 'half' })
    return { answer: handler(request), end }
  }

  const settled = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve, 300))

  it('of agents and of programs share one bound of memory', async () => {
    const handler = createHttpHandler(memory.engine, { mounts: { '/mcp': createMcpHandler(memory.engine, LARGE) } })
    const stalled = [stall(handler), stall(handler)]
    await settled()
    const context = { name: 'A', description: 'x'.repeat(1_500_000), caption: '', toolsJson: '[]' }
    const headers = { ...withToken(), 'content-type': 'application/json' }
    const create = async (): Promise<Answer> =>
      await read(
        await handler(new Request(`${ROOT}/context`, { method: 'POST', headers, body: JSON.stringify(context) })),
      )
    expect(await create()).toMatchObject({ status: 429, body: { code: 'ERR_THROTTLED' } })
    for (const { end } of stalled) end()
    for (const { answer } of stalled) expect((await answer).status).toBe(400)
    expect((await create()).status).not.toBe(429)
  })

  it('of a handler on its own have a bound too', async () => {
    const handler = agents(LARGE)
    const stalled = [stall(handler), stall(handler)]
    await settled()
    const refused = await read(await stall(handler).answer)
    expect(refused).toMatchObject({ status: 429, body: { code: 'ERR_THROTTLED', title: 'Too Many Requests' } })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(memory.telemetry.events.filter(({ name }) => name === 'mcp.request.failed')).toEqual([])
    for (const { end } of stalled) end()
    await Promise.all(stalled.map(async ({ answer }) => await answer))
  })
})

describe('the address of the endpoint without a public URL', () => {
  it.each([
    ['10.0.0.5:8787', 'https://10.0.0.5:8787'],
    ['[2001:db8::1]:8787', 'https://[2001:db8::1]:8787'],
    ['Agents.Example', 'https://agents.example'],
  ])('is that by which the client came: Host %s', async (host, root) => {
    const handler = agents()
    const metadata = await handler(new Request(ROOT + METADATA, { headers: { host } }))
    expect(metadata.headers.get('cache-control')).toBe('no-store')
    expect(await metadata.json()).toMatchObject({ resource: `${root}/mcp`, authorization_servers: [root] })
    const refused = await post(handler, { host })
    expect(refused.headers.get('www-authenticate')).toContain(`resource_metadata="${root}${METADATA}"`)
    const rest = createHttpHandler(memory.engine)
    const server = await rest(new Request(`${ROOT}/.well-known/oauth-authorization-server`, { headers: { host } }))
    expect(await server.json()).toMatchObject({ issuer: root, token_endpoint: `${root}/connect/token` })
  })

  it.each(['a"b', 'a, b', 'user@alcove.test', 'a/b', 'a:port', ''])(
    'is refused if no client can have it: Host %s',
    async (host) => {
      for (const answered of [
        await post(agents(), { host }),
        await read(await agents()(new Request(ROOT + METADATA, { headers: { host } }))),
      ]) {
        expect([answered.status, answered.body.code]).toEqual([400, 'ERR_INVALID_INPUT'])
        expect(answered.body.detail).toContain('the header Host')
        expect(answered.headers.get('www-authenticate')).toBeNull()
      }
    },
  )

  it('is the public URL if there is one, whatever the client sends', async () => {
    const handler = agents({ publicUrl: 'https://a.example' })
    const metadata = await handler(new Request(ROOT + METADATA, { headers: { host: 'evil.example' } }))
    expect(await metadata.json()).toMatchObject({ resource: 'https://a.example/mcp' })
  })
})

describe.each(AGENT_KINDS)('a $name', (kind) => {
  it('learns the version of the package', async () => {
    const handler = agents({ authenticate: () => memory.engine.owner })
    const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> =>
      await handler(new Request(url, init))
    const agent = await kind.overHttp(`${ROOT}/mcp`, { fetch })
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version: string }
    expect(agent.getServerVersion()).toMatchObject({ name: 'alcove', version })
    await agent.close()
  })
})
