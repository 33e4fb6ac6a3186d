import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ContextSearchResult } from '../../../../src/index.js'
import type { Answer } from '../check-answer.js'
import { fileForm, NEW_CONTEXT, type Problem, startServer, type TestServer } from '../server.js'

let server: TestServer
let token: string
let ids: [coffee: number, leave: number]

beforeAll(async () => {
  server = await startServer()
  token = await server.token('assistant')
  ids = [
    await newContext('coffee.txt', 'The coffee machine is cleaned on Friday.'),
    await newContext('leave.txt', 'Parental leave lasts sixteen weeks.'),
  ]
})

afterAll(async () => {
  await server.close()
})

async function newContext(fileName: string, text: string): Promise<number> {
  const { body } = await server.request<{ id: number }>('POST', '/context', { token, json: NEW_CONTEXT })
  const path = `/context/upload/${body.id}`
  const { body: uuid } = await server.request<string>('POST', path, { token, body: fileForm(fileName, text) })
  await server.engine.as(server.engine.owner).documents.whenProcessed(uuid)
  return body.id
}

async function search<Body = Problem>(json: unknown): Promise<Answer<Body>> {
  return await server.request<Body>('POST', '/context/relevant-docs', { token, json })
}

describe('POST /context/relevant-docs', () => {
  it('finds the chunks of all contexts, with their context', async () => {
    const { status, body } = await search<ContextSearchResult[]>({ contextIds: ids, prompt: 'parental leave' })
    expect(status).toBe(200)
    expect(body.map(({ contextId }) => contextId)).toEqual([ids[1], ids[0]])
    for (const result of body) {
      expect(Object.keys(result)).toEqual(['contextId', 'id', 'docId', 'content', 'similarity'])
    }
    expect((await search({ contextIds: ids, prompt: 'parental leave', topN: 1 })).body).toEqual(body.slice(0, 1))
    const words = { contextIds: ids, prompt: 'coffee', mode: 'keyword', include: ['score', 'source', 'match'] }
    const byWords = await search<ContextSearchResult[]>(words)
    expect(byWords.body).toMatchObject([
      { contextId: ids[0], match: { start: 0, end: 40 }, source: { displayName: 'coffee.txt', foundBy: ['words'] } },
    ])
    expect((await search({ ...words, scoreThreshold: 1 })).body).toEqual([])
  })

  it.each([
    [{}, 'contextIds: is required'],
    [{ contextIds: [] }, 'contextIds: must have at least 1 element'],
    [{ contextIds: [1, null] }, 'contextIds[1]: must be an integer'],
    [{ contextIds: [1], prompt: '' }, 'prompt: must not be empty'],
    [{ contextIds: [1], mode: 'fuzzy' }, 'mode: must be one of "hybrid", "semantic", "keyword"'],
  ])('answers 400 to %j', async (json, detail) => {
    expect(await search({ prompt: 'text', ...json })).toMatchObject({ status: 400, body: { detail } })
  })

  it('answers 404 if one of the contexts is not there, and to a token of another company', async () => {
    const missing = await search({ contextIds: [...ids, 999], prompt: 'leave' })
    expect(missing).toMatchObject({ status: 404, body: { code: 'ERR_CONTEXT_NOT_FOUND' } })
    const tenant = await server.token('tenant')
    const json = { contextIds: ids, prompt: 'leave' }
    expect((await server.request('POST', '/context/relevant-docs', { token: tenant, json })).status).toBe(403)
    expect((await server.request('POST', '/context/relevant-docs', { json })).status).toBe(401)
  })

  it('streams a long answer', async () => {
    const long = (word: string): string => `${word} ${'filler words of a long text '.repeat(1_500)}`
    const large = [await newContext('a.txt', long('apples')), await newContext('b.txt', long('pears'))]
    const { body } = await search<ContextSearchResult[]>({
      contextIds: large,
      prompt: 'apples filler',
      topN: 100,
      collapse: false,
    })
    expect(body.length).toBeGreaterThan(10)
    expect(new Set(body.map(({ contextId }) => contextId))).toEqual(new Set(large))
    const alone = await server.engine
      .as(server.engine.owner)
      .searchAll(large, 'apples filler', { topN: 100, collapse: false })
    expect(body.map(({ id }) => id)).toEqual(alone.map(({ id }) => id))
  })
})
