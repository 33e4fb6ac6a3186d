import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttpHandler, type HttpServer, serveHttp } from '../../adapters/http-server/index.js'
import { createMcpHandler } from '../../adapters/mcp/index.js'
import { MemoryFileStore, MemoryStorage } from '../../adapters/memory/index.js'
import type { Engine, EngineLimits, Principal, Session } from '../../src/index.js'
import type { Repositories } from '../../src/ports/index.js'
import { memoryEngine, NEW_CONTEXT, uploadText } from '../src/engine/memory-engine.js'

/** Calls of one company that work at a time. */
const AT_A_TIME = 4

/** A storage that answers the reads of one user's rights only when the test says so. */
class HeldStorage extends MemoryStorage {
  /** Reads that are held now, or were. */
  begun = 0
  heldUserId: number | undefined
  readonly #waiting: (() => void)[] = []

  override async read<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    const held = { isHeld: false }
    const result = await super.read(async (repositories) => {
      const { permissions, users } = repositories
      const findAccess: typeof permissions.findAccess = async (userId, accountId) => {
        if (userId === this.heldUserId) held.isHeld = true
        return await permissions.findAccess(userId, accountId)
      }
      const get: typeof users.get = async (id) => {
        if (id === this.heldUserId) held.isHeld = true
        return await users.get(id)
      }
      return await work({
        ...repositories,
        permissions: { ...permissions, findAccess },
        users: { ...users, get },
      })
    })
    if (!held.isHeld) return result
    this.begun += 1
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return result
  }

  /** Answers the reads that are held. */
  answer(): void {
    for (const go of this.#waiting.splice(0)) go()
  }

  goOn(): void {
    this.heldUserId = undefined
    this.answer()
  }
}

/** A file store that reads a file in two pieces. */
class TwoPieces extends MemoryFileStore {
  override async *read(key: string): AsyncGenerator<Uint8Array> {
    for await (const bytes of super.read(key)) yield* [bytes.subarray(0, 1), bytes.subarray(1)]
  }
}

interface Company {
  readonly principal: Principal
  readonly session: Session
  readonly contextId: number
  readonly token: string
  /** A login for pages. */
  readonly login: string
}

let storage: HeldStorage
let engine: Engine
let server: HttpServer
let byLogin: HttpServer
let loud: Company
let quiet: Company

async function companyOf(name: string): Promise<Company> {
  const { administration, authentication } = engine
  const company = await administration.companies.create({ name, parentId: 1 })
  const key = await administration.apiKeys.create({ companyId: company.id })
  const accounts = await administration.accounts.list()
  const account = accounts.find(
    ({ customerId, application }) => customerId === company.id && application === 'assistant',
  )
  const principal: Principal = {
    ...{ companyId: company.id, userId: key.userId, accountId: account?.id ?? 0, sight: 'account' },
    origin: { clientId: key.clientId },
  }
  const session = engine.as(principal)
  const { id } = await session.contexts.create(NEW_CONTEXT)
  await uploadText(session, id, 'leave.txt', 'Parental leave lasts for twelve weeks.')
  const { clientId, clientSecret } = key
  const token = await authentication.issueToken({ clientId, clientSecret, targetApp: 'assistant' })
  const login = await authentication.logIn({ clientId, clientSecret })
  return { principal, session, contextId: id, token: token.access_token, login }
}

async function start(limits: Partial<EngineLimits> = {}): Promise<void> {
  storage = new HeldStorage()
  ;({ engine } = await memoryEngine({ storage, fileStore: new TwoPieces(), limits }))
  loud = await companyOf('Loud')
  quiet = await companyOf('Quiet')
  const serve = async (handlers: Parameters<typeof createMcpHandler>[1]): Promise<HttpServer> => {
    const mounts = { '/mcp': createMcpHandler(engine, handlers) }
    return await serveHttp(createHttpHandler(engine, { ...handlers, mounts }), { port: 0 })
  }
  server = await serve({})
  // A login of the host that reads nothing, so that the first read of a request is that of its operation.
  byLogin = await serve({
    authenticate: (request) => (request.headers.get('x-company') === 'loud' ? loud : quiet).principal,
    allowsCrossSite: true,
  })
}

beforeEach(async () => {
  await start()
})

afterEach(async () => {
  storage.goOn()
  await Promise.all([server.close(), byLogin.close()])
  await engine.close()
})

type Door = (company: Company) => Promise<unknown>

const JSON_BODY = { 'content-type': 'application/json' }
const MCP = { ...JSON_BODY, accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-03-26' }

/** Sends a request, and reads its answer if that has an end. */
async function send(company: Company, method: string, path: string, body?: unknown, headers = {}): Promise<Response> {
  const { address } = byLogin
  const sent = { ...JSON_BODY, ...headers, 'x-company': company === loud ? 'loud' : 'quiet' }
  const json = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await fetch(address + path, { method, headers: sent, ...json })
  const isEndless = path.endsWith('/events')
  if (!isEndless) await answer.clone().text()
  return answer
}

const rest =
  (method: string, path: (id: number) => string, body?: unknown): Door =>
  async (company) => {
    const { status } = await send(company, method, path(company.contextId), body)
    expect(status).toBe(200)
  }

const message = (id: number, method: string, params: object = {}): object => ({ jsonrpc: '2.0', id, method, params })

const mcp =
  (method: string, params: object = {}): Door =>
  async (company) => {
    const answer = await send(company, 'POST', '/mcp', message(1, method, params), MCP)
    expect(await answer.text()).toContain('"result"')
  }

const library =
  (call: (session: Session, id: number) => Promise<unknown>): Door =>
  async ({ session, contextId }) =>
    await call(session, contextId)

const DOORS: readonly (readonly [string, Door])[] = [
  ['REST: a list of contexts', rest('GET', () => '/context?limit=50')],
  ['REST: a list of documents', rest('GET', (id) => `/context/documents/${id}?limit=50`)],
  ['REST: a context', rest('GET', (id) => `/context/${id}`)],
  ['REST: a search', rest('POST', (id) => `/context/relevant-docs/${id}`, { prompt: 'leave' })],
  ['REST: an explanation', rest('POST', (id) => `/context/explain/${id}`, { prompt: 'leave' })],
  ['REST: a prompt for a model', rest('POST', (id) => `/context/prepare/${id}`, { question: 'leave' })],
  ['REST: a stream of events', rest('GET', (id) => `/context/documents/${id}/events`)],
  ['MCP: a list of resources', mcp('resources/list')],
  ['MCP: a list of prompts', mcp('prompts/list')],
  ['MCP: a list of contexts', mcp('tools/call', { name: 'list_contexts', arguments: {} })],
  ['MCP: a search', mcp('tools/call', { name: 'search', arguments: { query: 'leave' } })],
  ['library: a list of contexts', library(async (session) => await session.contexts.list())],
  ['library: a search of several contexts', library(async (session, id) => await session.searchAll([id], 'leave'))],
  [
    'library: an upload',
    library(
      async (session, id) => await session.documents.upload(id, { fileName: 'a.txt', content: Buffer.from('a') }),
    ),
  ],
]

describe.each(DOORS)('%s', (_name, door) => {
  it('waits for few of the 30 calls of another company that are held', async () => {
    storage.heldUserId = loud.principal.userId
    const held = Array.from({ length: 30 }, async () => await door(loud))
    await expect.poll(() => storage.begun).toBe(AT_A_TIME)
    await door(quiet)
    await door(quiet)
    expect(storage.begun).toBe(AT_A_TIME)
    storage.answer()
    // The calls of the company still take their turns, as many at a time as before.
    await expect.poll(() => storage.begun).toBeGreaterThanOrEqual(2 * AT_A_TIME)
    storage.goOn()
    await Promise.all(held)
  })
})

describe('a later part of a long answer', () => {
  const MANY = 30

  /** Begins an answer, and returns what reads its next part. */
  type Begin = (company: Company) => Promise<() => Promise<unknown>>

  const nextOf = (items: AsyncIterable<unknown>): (() => Promise<unknown>) => {
    const iterator = items[Symbol.asyncIterator]()
    return async () => await iterator.next()
  }

  const BEGUN: readonly (readonly [string, Begin])[] = [
    [
      'the states of documents',
      async ({ session, contextId }) => {
        const next = nextOf(session.documents.watch(contextId))
        await next()
        // The check of the first state holds for a few milliseconds.
        await setTimeout(10)
        return next
      },
    ],
    [
      'bytes',
      async ({ session, contextId }) => {
        const [document] = await session.documents.list(contextId, { name: 'long' })
        const next = nextOf(await session.documents.open({ contextId, id: document?.id ?? 0 }))
        await next()
        return next
      },
    ],
    [
      'the texts of many hits',
      async ({ session, contextId }) => {
        const found = await session.searchEntries(contextId, 'holiday', { topN: 100, collapse: false })
        expect(found).not.toBeInstanceOf(Array)
        return nextOf(found as AsyncIterable<unknown>)
      },
    ],
    [
      'a check of rights',
      async ({ principal }) => {
        return async () => await engine.authentication.renewPrincipal(principal, 'assistant')
      },
    ],
  ]

  it.each(BEGUN)('takes a turn: %s', async (_name, begin) => {
    for (const { session, contextId } of [loud, quiet]) {
      await uploadText(session, contextId, 'long.txt', 'The holiday lasts for two weeks in the summer. '.repeat(6_000))
    }
    const parts = await Promise.all(Array.from({ length: MANY }, async () => await begin(loud)))
    const ofQuiet = await begin(quiet)
    storage.heldUserId = loud.principal.userId
    const held = parts.map(async (next) => await next())
    await expect.poll(() => storage.begun).toBe(AT_A_TIME)
    await ofQuiet()
    expect(storage.begun).toBe(AT_A_TIME)
    storage.goOn()
    await Promise.all(held)
  })
})

describe('a batch of 20 messages', () => {
  it('is 20 pieces of work, which leave room for the calls of another company', async () => {
    storage.heldUserId = loud.principal.userId
    const batch = Array.from({ length: 20 }, (_, id) =>
      message(id, 'tools/call', { name: 'list_contexts', arguments: {} }),
    )
    const answer = send(loud, 'POST', '/mcp', batch, MCP)
    await expect.poll(() => storage.begun).toBe(AT_A_TIME)
    const small = await send(quiet, 'POST', '/mcp', batch, MCP)
    expect((await small.text()).match(/"result"/g)).toHaveLength(20)
    expect(storage.begun).toBe(AT_A_TIME)
    storage.goOn()
    expect((await (await answer).text()).match(/"result"/g)).toHaveLength(20)
  })
})

describe('requests with a login of a page', () => {
  it('wait for their turn before the first read of the database, and other companies do not wait for them', async () => {
    const check = async ({ login }: Company): Promise<Principal> => await engine.authentication.principalOfLogin(login)
    storage.heldUserId = loud.principal.userId
    const held = Array.from({ length: 30 }, async () => await check(loud))
    await expect.poll(() => storage.begun).toBe(AT_A_TIME)
    expect(await check(quiet)).toMatchObject({ userId: quiet.principal.userId })
    expect(storage.begun).toBe(AT_A_TIME)
    storage.goOn()
    for (const { companyId } of await Promise.all(held)) expect(companyId).toBe(loud.principal.companyId)
  })
})

describe('requests with a token', () => {
  async function list({ token }: Company): Promise<Response> {
    const answer = await fetch(`${server.address}/context`, { headers: { authorization: `Bearer ${token}` } })
    await answer.clone().text()
    return answer
  }

  it('wait for their turn before the first read of the database, and other companies do not wait for them', async () => {
    storage.heldUserId = loud.principal.userId
    const held = Array.from({ length: 30 }, async () => await list(loud))
    await expect.poll(() => storage.begun).toBe(AT_A_TIME)
    expect((await list(quiet)).status).toBe(200)
    expect(storage.begun).toBe(AT_A_TIME)
    expect((await fetch(`${server.address}/health`)).status).toBe(200)
    storage.goOn()
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array<number>(30).fill(200))
  })

  it('are refused with 429 above the limit of calls in progress, and those of another company are not', async () => {
    await Promise.all([server.close(), byLogin.close()])
    await engine.close()
    await start({ callsPerKey: 8, callsPerCompany: 12 })
    storage.heldUserId = loud.principal.userId
    const held = Array.from({ length: 8 }, async () => await list(loud))
    await expect.poll(() => storage.begun).toBe(AT_A_TIME)
    const refused = await expect
      .poll(async () => (await list(loud)).status)
      .toBe(429)
      .then(async () => await list(loud))
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.json()).toMatchObject({
      code: 'ERR_THROTTLED',
      detail: 'this API key or user already has 8 calls in progress, the maximum: wait until one of them finishes',
    })
    expect((await list(quiet)).status).toBe(200)
    storage.goOn()
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array<number>(8).fill(200))
  })
})
