import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMcpHandler } from '../../../../adapters/mcp/index.js'
import type { SearchExplanation } from '../../../../src/index.js'
import { AGENT_KINDS, textOf } from '../../mcp/clients.js'
import type { Answer } from '../check-answer.js'
import { fileForm, NEW_CONTEXT, type Problem, startServer, type TestServer } from '../server.js'

let server: TestServer
let token: string
let contextId: number

beforeAll(async () => {
  server = await startServer()
  token = await server.token('assistant')
  contextId = (await server.request<{ id: number }>('POST', '/context', { token, json: NEW_CONTEXT })).body.id
  const body = fileForm('leave.txt', 'Parental leave lasts sixteen weeks.')
  const { body: uuid } = await server.request<string>('POST', `/context/upload/${contextId}`, { token, body })
  await server.engine.as(server.engine.owner).documents.whenProcessed(uuid)
})

afterAll(async () => {
  await server.close()
})

/** A token of a new user whose role may search, and nothing else. */
async function searcher(): Promise<string> {
  const { administration, owner } = server.engine
  const { companyId } = owner
  const name = `Searcher ${crypto.randomUUID()}`
  await administration.roles.create({ name, applications: ['assistant'], capabilities: ['search'], companyId })
  const roles = [{ role: name }]
  const { user } = await administration.ensureUser({ externalId: crypto.randomUUID(), companyId, roles })
  const key = await administration.apiKeys.create({ companyId, userId: user.id, targets: ['assistant'] })
  return await server.token('assistant', key)
}

async function explain<Body = Problem>(json: unknown, id: number = contextId): Promise<Answer<Body>> {
  return await server.request<Body>('POST', `/context/explain/${id}`, { token, json })
}

describe('POST /context/explain/{contextId}', () => {
  it('explains the results', async () => {
    const { status, body } = await explain<SearchExplanation>({ prompt: 'parental leave', topN: 1 })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      contextId,
      mode: 'hybrid',
      documents: { total: 1, searchable: 1, waiting: 0, failed: 0, filtered: null },
      words: [{ word: 'parental', documents: 1, chunks: 1 }, { word: 'leave' }],
      hits: [
        {
          passage: 'Parental leave lasts sixteen weeks.',
          words: { rank: 1 },
          meaning: { rank: 1 },
          source: { displayName: 'leave.txt' },
        },
      ],
      reasons: [],
    })
  })

  it('names the cause of an empty answer', async () => {
    const { body } = await explain<SearchExplanation>({ prompt: 'parental leave', scoreThreshold: 1, mode: 'semantic' })
    expect(body).toMatchObject({ hits: [], reasons: [{ code: 'threshold-too-high' }] })
    expect(body.bestSimilarity).toBeGreaterThan(0.3)
    const byWords = await explain<SearchExplanation>({ prompt: 'zebra', mode: 'keyword' })
    expect(byWords.body).toMatchObject({ hits: [], reasons: [{ code: 'words-not-found' }] })
  })

  it('neither counts documents nor names contexts for somebody who may search and not read contexts', async () => {
    const narrow = await searcher()
    for (const id of [contextId, 999]) {
      const json = { prompt: 'parental leave' }
      const refused = await server.request<Problem>('POST', `/context/explain/${id}`, { token: narrow, json })
      expect([refused.status, refused.body.code]).toEqual([403, 'ERR_FORBIDDEN'])
      expect(refused.body.detail).toContain('context:read')
    }
  })

  it('refuses what a search refuses', async () => {
    expect(await explain({})).toMatchObject({ status: 400, body: { detail: 'prompt: is required' } })
    expect(await explain({ prompt: 'x', topN: 0 })).toMatchObject({ status: 400 })
    expect(await explain({ prompt: 'x' }, 999)).toMatchObject({ status: 404, body: { code: 'ERR_CONTEXT_NOT_FOUND' } })
  })
})

describe('somebody who may search and not read contexts', () => {
  it('finds passages with the names of their documents, and learns no name or number of contexts', async () => {
    const narrow = await searcher()
    const json = { prompt: 'parental leave', include: ['source'] }
    const one = await server.request('POST', `/context/relevant-docs/${contextId}`, { token: narrow, json })
    expect(one).toMatchObject({ status: 200, body: [{ docId: 1, source: { displayName: 'leave.txt' } }] })
    const several = { ...json, contextIds: [contextId] }
    const all = await server.request('POST', '/context/relevant-docs', { token: narrow, json: several })
    expect(all).toMatchObject({ status: 200, body: [{ contextId, docId: 1 }] })
    for (const { body } of [one, all]) {
      for (const text of [NEW_CONTEXT.name, NEW_CONTEXT.caption, NEW_CONTEXT.description])
        expect(JSON.stringify(body)).not.toContain(text)
    }
    const question = { question: 'How long is parental leave?' }
    for (const [method, path, body] of [
      ['POST', `/context/prepare/${contextId}`, question],
      ['GET', '/context', undefined],
      ['GET', `/context/${contextId}`, undefined],
      ['GET', `/context/settings/${contextId}`, undefined],
      ['GET', `/context/documents/${contextId}`, undefined],
    ] as const) {
      const refused = await server.request<Problem>(method, path, { token: narrow, json: body })
      expect([path, refused.status, refused.body.code]).toEqual([path, 403, 'ERR_FORBIDDEN'])
      expect(JSON.stringify(refused.body)).not.toContain(NEW_CONTEXT.name)
    }
  })

  it.each(AGENT_KINDS)('learns as little with $name', async (kind) => {
    const narrow = await searcher()
    const handler = createMcpHandler(server.engine)
    const agent = await kind.overHttp('http://alcove.test/mcp', {
      fetch: async (url, init) => {
        const request = new Request(url, init)
        request.headers.set('authorization', `Bearer ${narrow}`)
        return await handler(request)
      },
    })
    const call = async (name: string, given: Record<string, unknown>) =>
      await agent.callTool({ name, arguments: given })
    const found = await call('search', { query: 'parental leave', contextIds: [contextId] })
    expect(found.isError ?? false).toBe(false)
    expect(textOf(found)).toContain('leave.txt')
    const answers = [
      await call('search', { query: 'parental leave' }),
      await call('list_contexts', {}),
      await call('read_document', { contextId, documentId: 1 }),
    ]
    for (const answer of answers) {
      expect(answer.isError).toBe(true)
      expect(textOf(answer)).toContain('ERR_FORBIDDEN')
    }
    for (const text of [NEW_CONTEXT.name, NEW_CONTEXT.caption, NEW_CONTEXT.description])
      expect(JSON.stringify([found, ...answers])).not.toContain(text)
    await agent.close()
  })
})
