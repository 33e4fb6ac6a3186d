import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { MemoryFileStore } from '../../../../adapters/memory/index.js'
import { VERSION } from '../../../../adapters/node-kit/index.js'
import type { CompanyUsage, EngineState, VerifyReport } from '../../../../src/index.js'
import { NEW_CONTEXT, type Problem, startServer, type TestServer } from '../server.js'

type State = EngineState & { readonly version: string }

const fileStore = new MemoryFileStore()
let server: TestServer
let token: string
/** A token of a manager of a company below the root. */
let tokenBelow: string
let companyBelow: number

beforeAll(async () => {
  server = await startServer({}, undefined, { fileStore })
  token = await server.token('tenant')
  const { administration } = server.engine
  companyBelow = (await administration.companies.create({ name: 'Below', parentId: 1 })).id
  const roles = [{ role: 'Administrator', application: 'tenant' }]
  const { user } = await administration.ensureUser({ externalId: 'ada', companyId: companyBelow, roles })
  const key = await administration.apiKeys.create({ companyId: companyBelow, userId: user.id, targets: ['tenant'] })
  tokenBelow = await server.token('tenant', key)
  const session = server.engine.as(server.engine.owner)
  const { id } = await session.contexts.create(NEW_CONTEXT)
  const uuid = await session.documents.upload(id, { fileName: 'a.txt', content: Buffer.from('Parental leave.') })
  await session.documents.whenProcessed(uuid)
})

afterEach(() => {
  vi.restoreAllMocks()
})

afterAll(async () => {
  await server.close()
})

describe('GET /tenant/usage', () => {
  it('returns what the company of the token uses, and what a company below it uses', async () => {
    const own = await server.request<CompanyUsage>('GET', '/tenant/usage', { token })
    expect(own.status).toBe(200)
    expect(own.body).toMatchObject({
      companyId: 1,
      contexts: { used: 1, limit: 10_000 },
      users: { used: 1, limit: 10_000 },
      apiKeys: { used: 1, limit: 1_000 },
      destinations: { used: 0, limit: 100 },
      documents: 1,
      documentBytes: 15,
      largestContexts: [{ documents: 1, sizeBytes: 15, maxSizeBytes: 104_857_600 }],
    })
    const below = await server.request<CompanyUsage>('GET', `/tenant/usage?cid=${companyBelow}`, { token })
    expect(below.body).toMatchObject({ companyId: companyBelow, users: { used: 1 }, documents: 0 })
    const itself = await server.request<CompanyUsage>('GET', '/tenant/usage', { token: tokenBelow })
    expect(itself.body).toEqual(below.body)
  })

  it('refuses companies out of reach, other tokens and invalid queries', async () => {
    const status = async (query: string, given?: string) =>
      (await server.request('GET', `/tenant/usage${query}`, { token: given })).status
    expect(await status('?cid=1', tokenBelow)).toBe(403)
    expect(await status('?cid=999', token)).toBe(403)
    expect(await status('', await server.token('assistant'))).toBe(403)
    expect(await status('')).toBe(401)
    expect(await status('?cid=x', token)).toBe(400)
    expect(await status('?company=1', token)).toBe(400)
  })
})

describe('GET /operator/state', () => {
  it('returns the state with the version, and without a name of a folder or a secret', async () => {
    const { status, body } = await server.request<State>('GET', '/operator/state', { token })
    expect(status).toBe(200)
    expect(body).toMatchObject({ version: VERSION, roles: ['ingest', 'relay'], pendingDeliveries: 0, mails: 'kept' })
    expect(body.queues.map(({ kind }) => kind)).toContain('ingest-document')
    const parts = new Map(body.disk.map((part) => [part.part, part]))
    for (const part of ['database', 'vectors', 'words'] as const) {
      expect(parts.get(part)?.usedBytes, part).toBeGreaterThan(0)
    }
    expect(parts.get('files')).toEqual({ part: 'files', usedBytes: 15, freeBytes: null })
    expect(parts.get('vectors')?.freeBytes).toBeGreaterThan(0)
    const text = JSON.stringify(body)
    for (const secret of [server.dataDir, '/', server.key.clientSecret]) expect(text).not.toContain(secret)
  })

  it.each([
    ['GET', '/operator/state'],
    ['POST', '/operator/verify'],
  ])('is, as %s %s, for managers of the root company alone', async (method, path) => {
    const refused = await server.request<Problem>(method, path, { token: tokenBelow })
    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject({
      code: 'ERR_FORBIDDEN',
      reason: { code: 'operator-only', parameters: {} },
      detail: 'only a manager of the root company may do this',
    })
    expect((await server.request(method, path, { token: await server.token('assistant') })).status).toBe(403)
    expect((await server.request(method, path)).status).toBe(401)
    expect((await server.request(method, `${path}?repair=true`, { token })).status).toBe(400)
  })
})

describe('POST /operator/verify', () => {
  it('returns the report, and records nothing', async () => {
    const entries = async () => (await server.engine.administration.audit.list({ limit: 1 })).items[0]?.id
    const before = await entries()
    const { status, body } = await server.request<VerifyReport>('POST', '/operator/verify', { token })
    expect(status).toBe(200)
    expect(body).toMatchObject({ isHealthy: true, checked: { documents: 1, files: 1, bytes: 15 }, problems: [] })
    expect(await entries()).toBe(before)
  })

  it('has ids, and no names, of documents and contexts, which may be private', async () => {
    const [document] = await server.engine.as(server.engine.owner).documents.list(1)
    const limit = async (maxSizeBytes: number): Promise<unknown> =>
      await server.engine.as(server.engine.owner).contexts.update(1, { ...NEW_CONTEXT, settings: { maxSizeBytes } })
    await limit(1)
    vi.spyOn(fileStore, 'digest').mockResolvedValue({ sizeBytes: 15, sha256: '0'.repeat(64) })
    const { body } = await server.request<VerifyReport>('POST', '/operator/verify', { token })
    expect(body.problems.map(({ code }) => code).toSorted()).toEqual(['file-changed', 'quota-exceeded'])
    const text = JSON.stringify(body)
    for (const name of ['a.txt', NEW_CONTEXT.name]) expect(text).not.toContain(name)
    expect(text).toContain(document?.uuid)
    const { problems } = await server.engine.administration.verify()
    expect(JSON.stringify(problems)).toContain('a.txt')
    expect(JSON.stringify(problems)).toContain(NEW_CONTEXT.name)
    await limit(104_857_600)
  })

  it('sends white space while a long run goes on, and then the report', async () => {
    const digest = fileStore.digest.bind(fileStore)
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    vi.spyOn(fileStore, 'digest').mockImplementation(async (key, options) => {
      await released
      return await digest(key, options)
    })
    const url = `${server.url}/operator/verify`
    const response = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('content-length')).toBeNull()
    release()
    const text = await response.text()
    expect(text).toMatch(/^\n+\{"isHealthy":true,/)
    expect(JSON.parse(text)).toMatchObject({ checked: { documents: 1, files: 1 } })
  })

  it('runs once at a time, and ends when the client leaves', async () => {
    const ended = holdDigest()
    const leaving = new AbortController()
    const url = `${server.url}/operator/verify`
    const init = { method: 'POST', headers: { authorization: `Bearer ${token}` }, signal: leaving.signal }
    const first = fetch(url, init).catch(() => 'left')
    const state = async () => (await server.request<State>('GET', '/operator/state', { token })).body
    await vi.waitFor(async () => expect((await state()).verification).not.toBeNull(), 5_000)
    const second = await server.request<Problem>('POST', '/operator/verify', { token })
    expect(second.status).toBe(429)
    expect(second.headers.get('retry-after')).toBe('60')
    expect(second.body.detail).toContain('a verification runs in this process already')
    await vi.waitFor(() => expect(ended.isHeld).toBe(true), 5_000)
    leaving.abort()
    expect(await first).toBe('left')
    await vi.waitFor(async () => expect((await state()).verification).toBeNull(), 5_000)
    expect(ended.isAborted).toBe(true)
  })
})

/** Makes every check of a file wait until it is aborted. */
function holdDigest(): { isHeld: boolean; isAborted: boolean } {
  const ended = { isHeld: false, isAborted: false }
  vi.spyOn(fileStore, 'digest').mockImplementation(async (_key, options) => {
    ended.isHeld = true
    return await new Promise((_, reject) => {
      options?.signal?.addEventListener('abort', () => {
        ended.isAborted = true
        reject(options.signal?.reason as Error)
      })
    })
  })
  return ended
}
