import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SearchExplanation } from '../../../../src/index.js'
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
        { passage: 'Parental leave', words: { rank: 1 }, meaning: { rank: 1 }, source: { displayName: 'leave.txt' } },
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
    const { administration, owner } = server.engine
    const { companyId } = owner
    const name = 'Searcher'
    await administration.roles.create({ name, applications: ['assistant'], capabilities: ['search'], companyId })
    const roles = [{ role: name }]
    const { user } = await administration.ensureUser({ externalId: 'searcher', companyId, roles })
    const key = await administration.apiKeys.create({ companyId, userId: user.id, targets: ['assistant'] })
    const narrow = await server.token('assistant', key)
    const json = { prompt: 'parental leave' }
    const path = `/context/search/${contextId}`
    expect((await server.request('POST', path, { token: narrow, json })).status).toBe(200)
    for (const id of [contextId, 999]) {
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
