import { Client, ClientCredentialsProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { ClientCredentialsProvider as FormerCredentials } from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttpHandler, type HttpHandler } from '../../../adapters/http-server/index.js'
import { createMcpHandler, type McpHandlerOptions } from '../../../adapters/mcp/index.js'
import type { ApiKeyWithSecret, Principal } from '../../../src/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../../src/engine/memory-engine.js'
import { AGENT_KINDS, type AgentClient, textOf } from './clients.js'

const ROOT = 'https://alcove.test'
const ENDPOINT = `${ROOT}/mcp`
const METADATA = '/.well-known/oauth-protected-resource'

let memory: MemoryEngine

beforeEach(async () => {
  memory = await memoryEngine()
})

afterEach(async () => {
  await memory.engine.close()
})

type Key = Pick<ApiKeyWithSecret, 'clientId' | 'clientSecret'>

/** A company with a key, and one document in one context of its own. */
async function tenant(name: string): Promise<Key & { readonly principal: Principal }> {
  const { administration } = memory.engine
  const { id: companyId } = await administration.companies.create({ name, parentId: 1 })
  const { userId, ...key } = await administration.apiKeys.create({ companyId })
  const accounts = await administration.accounts.list()
  const account = accounts.find(
    ({ customerId, application }) => customerId === companyId && application === 'assistant',
  )
  const principal: Principal = { companyId, userId, accountId: account?.id ?? 0 }
  const session = memory.engine.as(principal)
  const context = await session.contexts.create({
    ...NEW_CONTEXT,
    name: `Context of ${name}`,
    starterPrompts: ['Why?'],
  })
  await uploadText(session, context.id, `${name}.txt`, `The secret of ${name} is the colour of its door.`)
  return { ...key, principal }
}

/** The REST API and the endpoint of agents on one server. */
function serve(options: McpHandlerOptions = {}, corsOrigins: readonly string[] = []): HttpHandler {
  const { engine, telemetry } = memory
  const handler = createMcpHandler(engine, { telemetry, allowedOrigins: corsOrigins, ...options })
  const mounts = { '/mcp': handler, [`${METADATA}/*`]: handler }
  return createHttpHandler(engine, { mounts, corsOrigins, telemetry })
}

function fetchOf(handler: HttpHandler) {
  return async (url: string | URL, init?: RequestInit): Promise<Response> => await handler(new Request(url, init))
}

async function tokenOf({ clientId, clientSecret }: Key, form: Record<string, string> = {}): Promise<string> {
  const all = { targetApp: 'assistant', clientId, clientSecret, ...form }
  return (await memory.engine.authentication.issueToken(all)).access_token
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

function request(token: string | undefined, init: { headers?: Record<string, string>; body?: string } = {}): Request {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...init.headers,
  }
  return new Request(ENDPOINT, { method: 'POST', headers, body: init.body ?? JSON.stringify(LIST) })
}

describe('a request without a valid token', () => {
  it('is refused, and learns where to get one', async () => {
    const handler = serve()
    const { status, headers, ...answered } = await read(await handler(request(undefined)))
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe(
      `Bearer scope="context:read search", resource_metadata="${ROOT}${METADATA}/mcp"`,
    )
    expect(answered.body).toMatchObject({ status: 401, code: 'ERR_UNAUTHENTICATED' })
    for (const path of [METADATA, `${METADATA}/mcp`]) {
      const metadata = await handler(new Request(ROOT + path))
      expect(metadata.headers.get('cache-control')).toBe('no-store')
      expect(metadata.headers.get('access-control-allow-origin')).toBe('*')
      expect(await metadata.json()).toMatchObject({
        resource: ENDPOINT,
        authorization_servers: [ROOT],
        bearer_methods_supported: ['header'],
        scopes_supported: ['context:read', 'search'],
      })
    }
    expect((await handler(new Request(ROOT + METADATA, { method: 'POST' }))).status).toBe(405)
  })

  it.each([
    [{ publicUrl: 'https://a.example/' }, 'https://a.example/mcp', `https://a.example${METADATA}/mcp`],
    [{ publicUrl: () => 'https://a.example/x' }, 'https://a.example/x/mcp', `https://a.example/x${METADATA}`],
    [{ path: '/api/agents' }, `${ROOT}/api/agents`, `${ROOT}${METADATA}/api/agents`],
  ])('learns the URL of the endpoint as %j says', async (options, resource, metadataUrl) => {
    const handler = createMcpHandler(memory.engine, options)
    const challenge = (await handler(request(undefined))).headers.get('www-authenticate')
    expect(challenge).toContain(`resource_metadata="${metadataUrl}"`)
    const metadata = await handler(new Request(ROOT + METADATA))
    expect(await metadata.json()).toMatchObject({ resource })
    expect(metadata.headers.get('cache-control')).toBe('path' in options ? 'no-store' : 'public, max-age=300')
  })

  it('is refused with a wrong, a foreign, an expired and a revoked token, and with one of a revoked key', async () => {
    const handler = serve()
    const key = await tenant('A')
    const status = async (token: string): Promise<number> => (await handler(request(token))).status
    const token = await tokenOf(key)
    expect(await status(token)).toBe(200)
    expect(await status('nonsense')).toBe(401)
    expect(await status(`${token.slice(0, -4)}AAAA`)).toBe(401)
    const refused = await handler(request('nonsense'))
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"')
    expect(await status(await tokenOf(key, { targetApp: 'tenant' }))).toBe(403)
    await memory.engine.authentication.revokeToken({ ...key, token })
    expect(await status(token)).toBe(401)
    const second = await tokenOf(key)
    memory.clock.advance(901_000)
    expect(await status(second)).toBe(401)
    const third = await tokenOf(key)
    expect(await status(third)).toBe(200)
    const keys = await memory.engine.administration.apiKeys.list()
    await memory.engine.administration.apiKeys.revoke(keys.find(({ clientId }) => clientId === key.clientId)?.id ?? 0)
    expect(await status(third)).toBe(401)
    const logged = JSON.stringify(memory.telemetry.events)
    expect(logged).not.toContain(third)
    expect(logged).toContain('"path":"/mcp"')
  })

  it('is refused with a sentence if the scope of the token leaves out what a tool needs', async () => {
    const key = await tenant('A')
    const token = await tokenOf(key, { scope: 'context:read' })
    const agent = await AGENT_KINDS[0]?.overHttp(ENDPOINT, { token, fetch: fetchOf(serve()) })
    const answer = await agent?.callTool({ name: 'search', arguments: { query: 'door' } })
    expect([answer?.isError, textOf(answer ?? {})]).toEqual([true, expect.stringContaining('ERR_FORBIDDEN')])
    await agent?.close()
  })
})

async function read(response: Response): Promise<{ status: number; headers: Headers; body: unknown }> {
  return { status: response.status, headers: response.headers, body: await response.json() }
}

describe.each([
  ['2026', ClientCredentialsProvider, StreamableHTTPClientTransport, Client],
  ['2025', FormerCredentials, FormerTransport, FormerClient],
] as const)('a client of %s that has only an API key', (_year, Credentials, Transport, AgentOf) => {
  it('finds the token endpoint by the metadata, gets a token, and gets the next one when that has expired', async () => {
    const { clientId, clientSecret } = await tenant('A')
    const authProvider = new Credentials({ clientId, clientSecret, expectedIssuer: ROOT })
    const transport = new Transport(new URL(ENDPOINT), { authProvider, fetch: fetchOf(serve()) })
    const agent = new AgentOf({ name: 'a', version: '1' })
    await agent.connect(transport)
    const { tools } = (await agent.listTools()) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toContain('search')
    memory.clock.advance(901_000)
    const found = await agent.callTool({ name: 'search', arguments: { query: 'door' } })
    expect(textOf(found as { content?: unknown })).toContain('The secret of A')
    await agent.close()
  })
})

describe('two tenants', () => {
  it.each(AGENT_KINDS)('never see anything of each other ($name)', async (kind) => {
    const [a, b] = [await tenant('Apple'), await tenant('Banana')]
    const fetch = fetchOf(serve())
    const agents = await Promise.all(
      [a, b].map(async (key) => await kind.overHttp(ENDPOINT, { token: await tokenOf(key), fetch })),
    )
    const [ofA, ofB] = agents as [AgentClient, AgentClient]
    // Both at the same time, through one handler.
    const seen = await Promise.all([ofA, ofB].map(async (agent) => JSON.stringify(await seeAll(agent))))
    expect(seen[0]).toContain('The secret of Apple')
    expect(seen[0]).not.toContain('Banana')
    expect(seen[1]).toContain('The secret of Banana')
    expect(seen[1]).not.toContain('Apple')
    const [{ uri } = { uri: '' }] = (await ofB.listResources()).resources
    const [, contextId, documentId] = /contexts\/(\d+)\/documents\/(\d+)/.exec(uri) ?? []
    const foreign = { contextId: Number(contextId), documentId: Number(documentId) }
    for (const [name, given] of [
      ['read_document', foreign],
      ['search', { query: 'door', contextIds: [foreign.contextId] }],
    ] as const) {
      const answer = await ofA.callTool({ name, arguments: given })
      expect([answer.isError, textOf(answer)]).toEqual([true, expect.stringContaining('_NOT_FOUND')])
    }
    await expect(ofA.readResource({ uri })).rejects.toThrow('no context with the id')
    await expect(ofA.getPrompt({ name: `context-${contextId}-starter-1` })).rejects.toThrow('no context with the id')
    for (const agent of agents) await agent.close()
  })

  it('lose their rights at once, also in the middle of a connection', async () => {
    const key = await tenant('Apple')
    const [kind] = AGENT_KINDS
    const agent = await kind?.overHttp(ENDPOINT, { token: await tokenOf(key), fetch: fetchOf(serve()) })
    expect(textOf((await agent?.callTool({ name: 'list_contexts' })) ?? {})).toContain('Context of Apple')
    await memory.engine.administration.companies.disable(key.principal.companyId)
    await expect(agent?.callTool({ name: 'list_contexts' })).rejects.toThrow()
    await agent?.close()
  })
})

async function seeAll(agent: AgentClient): Promise<unknown[]> {
  const { resources } = await agent.listResources()
  const texts = await Promise.all(resources.map(async ({ uri }) => await agent.readResource({ uri })))
  return [
    await agent.listTools(),
    await agent.callTool({ name: 'list_contexts' }),
    await agent.callTool({ name: 'search', arguments: { query: 'secret colour of the door', topN: 100 } }),
    resources,
    texts,
    await agent.listPrompts(),
  ]
}

describe('two servers of one database, without stickiness', () => {
  it.each(AGENT_KINDS)('answer the requests of one client in turns ($name)', async (kind) => {
    const token = await tokenOf(await tenant('A'))
    const handlers = [serve(), serve()]
    const used = [0, 0]
    let turn = 0
    const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
      turn = 1 - turn
      used[turn] = (used[turn] ?? 0) + 1
      return (await handlers[turn]?.(new Request(url, init))) ?? Response.error()
    }
    const agent = await kind.overHttp(ENDPOINT, { token, fetch })
    for (let round = 0; round < 3; round += 1) {
      expect(JSON.stringify(await seeAll(agent))).toContain('The secret of A')
    }
    expect(Math.min(...used)).toBeGreaterThan(5)
    await agent.close()
  })
})

describe('a request that no agent sends', () => {
  let token: string
  let handler: HttpHandler

  beforeEach(async () => {
    token = await tokenOf(await tenant('A'))
    handler = serve({ allowedHosts: ['alcove.test', 'localhost'], maxBodyBytes: 1_000 }, ['https://app.example'])
  })

  it('is refused if it comes from a page of another origin, and is answered for an allowed one', async () => {
    const origin = (value: string) => request(token, { headers: { origin: value } })
    for (const value of ['https://evil.example', 'null', 'http://app.example', 'https://app.example.evil.example']) {
      const refused = await handler(origin(value))
      expect([refused.status, await reasonOf(refused)]).toEqual([403, 'page-of-other-origin'])
    }
    const answered = await handler(origin('https://app.example'))
    expect(answered.status).toBe(200)
    expect(answered.headers.get('access-control-allow-origin')).toBe('https://app.example')
    const preflight = await handler(
      new Request(ENDPOINT, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://app.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,mcp-protocol-version',
        },
      }),
    )
    expect(preflight.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version')
  })

  it('is refused if its name leads here by the name server of a stranger', async () => {
    const refused = await handler(request(token, { headers: { host: 'evil.example:8787' } }))
    expect([refused.status, await reasonOf(refused)]).toEqual([403, 'host-not-own'])
    expect((await handler(request(token, { headers: { host: 'localhost:8787' } }))).status).toBe(200)
  })

  it.each([
    ['a large body', JSON.stringify({ ...LIST, params: { pad: 'x'.repeat(1_000) } }), 413],
    ['a body that is not JSON', '{', 400],
    ['an empty body', '', 400],
    ['a long batch', JSON.stringify(Array.from({ length: 21 }, () => 1)), 400],
    ['a message of no kind', '{"a":1}', 400],
  ])('is refused with %s', async (_what, body, status) => {
    const answered = await handler(request(token, { body }))
    expect(answered.status).toBe(status)
    expect(await answered.text()).not.toContain('    at ')
  })

  it.each([
    ['GET', 405],
    ['DELETE', 405],
    ['PUT', 405],
  ])('is refused with the method %s, which only servers with sessions know', async (method, status) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    expect((await handler(new Request(ENDPOINT, { method, headers }))).status).toBe(status)
  })

  it('gets 503 after the engine is closed', async () => {
    await memory.engine.close()
    const { status, body } = await read(await handler(request(token)))
    expect([status, body]).toEqual([503, expect.objectContaining({ code: 'ERR_CLOSED' })])
  })
})

describe("the host's own login", () => {
  it('finds the caller; without one, bearer tokens still count unless the host forbids them', async () => {
    const key = await tenant('A')
    const authenticate = (sent: Request): Principal | undefined =>
      sent.headers.get('cookie') === 'user=a' ? key.principal : undefined
    const cookie = { headers: { cookie: 'user=a' } }
    const both = serve({ authenticate })
    const login = serve({ authenticate, bearerTokens: false })
    expect((await both(request(undefined, cookie))).status).toBe(200)
    expect((await both(request(await tokenOf(key)))).status).toBe(200)
    expect((await login(request(undefined, cookie))).status).toBe(200)
    const refused = await login(request(await tokenOf(key)))
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer scope="context:read search"',
    ])
    expect((await login(new Request(ROOT + METADATA))).status).toBe(404)
  })
})

describe('a fault of the host', () => {
  it.each([
    ['a login that fails', { authenticate: () => Promise.reject(new Error('no database at 10.0.0.7')) }],
    ['a login that gives an invalid principal', { authenticate: () => ({}) as Principal }],
    ['an invalid public URL', { publicUrl: () => 'alcove' }],
  ])('is 500 and in the log, and says nothing to the client: %s', async (_what, options) => {
    const answered = await read(await serve(options)(request(undefined)))
    expect([answered.status, answered.body]).toEqual([500, expect.objectContaining({ code: 'ERR_INTERNAL' })])
    expect(JSON.stringify(answered.body)).not.toContain('10.0.0.7')
    expect(memory.telemetry.events).toContainEqual(expect.objectContaining({ name: 'mcp.request.failed' }))
  })
})

describe('a mounted handler', () => {
  it('is logged with its caller, and its answers have the headers of the server', async () => {
    const key = await tenant('A')
    const answered = await serve()(request(await tokenOf(key)))
    expect(answered.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/)
    expect(answered.headers.get('x-content-type-options')).toBe('nosniff')
    await answered.text()
    const { userId, companyId } = key.principal
    expect(memory.telemetry.events).toContainEqual(
      expect.objectContaining({
        name: 'http.request',
        fields: expect.objectContaining({
          path: '/mcp',
          route: '/mcp',
          clientId: key.clientId,
          userId,
          companyId,
        }) as object,
      }),
    )
  })

  it('has a path', () => {
    const mounts = { mcp: async () => await Promise.resolve(new Response()) }
    expect(() => createHttpHandler(memory.engine, { mounts })).toThrow('mounts: must have paths such as /mcp')
  })
})

async function reasonOf(refused: Response): Promise<unknown> {
  const { reason } = (await refused.json()) as { readonly reason?: { readonly code: string } }
  return reason?.code
}
