import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel } from '../../../../adapters/memory/index.js'
import type { SearchResult } from '../../../../src/index.js'
import type { EmbedOptions } from '../../../../src/ports/index.js'
import { HeldModel } from '../../../src/engine/held-model.js'
import type { Answer } from '../check-answer.js'
import { fileForm, NEW_CONTEXT, type Problem, startServer, type TestServer } from '../server.js'

let server: TestServer
let token: string
let contextId: number

beforeAll(async () => {
  server = await startServer()
  token = await server.token('assistant')
  contextId = (await server.request<{ id: number }>('POST', '/context', { token, json: NEW_CONTEXT })).body.id
  for (const [name, text] of [
    ['coffee.txt', 'The coffee machine is cleaned on Friday.'],
    ['leave.txt', 'Parental leave lasts sixteen weeks.'],
  ] as const) {
    const path = `/context/upload/${contextId}`
    const { body: uuid } = await server.request<string>('POST', path, { token, body: fileForm(name, text) })
    await server.engine.as(server.engine.owner).documents.whenProcessed(uuid)
  }
})

afterAll(async () => {
  await server.close()
})

async function search<Body = Problem>(json: unknown): Promise<Answer<Body>> {
  return await server.request<Body>('POST', `/context/relevant-docs/${contextId}`, { token, json })
}

describe('POST /context/relevant-docs/{contextId}', () => {
  it('finds the chunk that is nearest in meaning, the most similar first', async () => {
    const { status, body } = await search<SearchResult[]>({ prompt: 'Parental leave lasts sixteen weeks.' })
    expect(status).toBe(200)
    expect(body[0]?.content).toContain('sixteen weeks')
    expect(body[0]?.similarity).toBeGreaterThan(0.95)
    expect(body.map(({ similarity }) => similarity)).toEqual(
      body.map(({ similarity }) => similarity).sort((one, other) => other - one),
    )
  })

  it('answers only the four fields of the specification by default', async () => {
    const { body } = await search<object[]>({ prompt: 'parental leave', unknown: true })
    expect(body).toHaveLength(2)
    for (const result of body) expect(Object.keys(result)).toEqual(['id', 'docId', 'content', 'similarity'])
    expect((await search<object[]>({ prompt: 'parental leave', include: [] })).body).toEqual(body)
  })

  it('limits the results by topN and scoreThreshold of the body', async () => {
    const all = await search<SearchResult[]>({ prompt: 'parental leave' })
    expect((await search<SearchResult[]>({ prompt: 'parental leave', topN: 1 })).body).toEqual(all.body.slice(0, 1))
    const [best, other] = all.body.map(({ similarity }) => similarity).sort((one, two) => two - one)
    const scoreThreshold = ((best ?? 0) + (other ?? 1)) / 2
    const { body } = await search<SearchResult[]>({ prompt: 'parental leave', scoreThreshold })
    expect(body).toEqual(all.body.filter(({ similarity }) => similarity >= scoreThreshold))
    expect(body).toHaveLength(1)
    for (const [member, value] of [
      ['topN', 0],
      ['topN', '1'],
      ['scoreThreshold', 1.5],
    ] as const) {
      const refused = await search({ prompt: 'parental leave', [member]: value })
      expect(refused.status).toBe(400)
      expect(refused.body.detail).toContain(member)
    }
  })

  it('answers score, source, match and snippet when the client asks for them', async () => {
    const { body } = await search<SearchResult[]>({
      prompt: 'parental leave',
      include: ['score', 'source', 'match', 'snippet'],
    })
    const [best, other] = body
    expect(Object.keys(best ?? {})).toEqual([
      'id',
      'docId',
      'content',
      'similarity',
      'score',
      'source',
      'match',
      'snippet',
    ])
    expect(best?.score).toBeGreaterThan(other?.score ?? 1)
    expect(best?.source).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      originalName: 'leave.txt',
      displayName: 'leave.txt',
      start: 0,
      end: 35,
      pages: null,
      headings: [],
      metadata: {},
      foundBy: ['words', 'meaning'],
    })
    expect(best?.content.slice(best.match.start, best.match.end)).toBe('Parental leave lasts sixteen weeks.')
    expect(best?.snippet).toBe('Parental leave lasts sixteen weeks.')
    const { body: some } = await search<object[]>({ prompt: 'parental leave', include: ['match', 'match'] })
    expect(Object.keys(some[0] ?? {})).toEqual(['id', 'docId', 'content', 'similarity', 'match'])
  })

  it('finds chunks by words, by meaning or by both, according to the mode', async () => {
    const ask = async (mode?: string): Promise<SearchResult[]> => {
      return (await search<SearchResult[]>({ prompt: 'Friday', mode, include: ['source', 'score'] })).body
    }
    const byWords = await ask('keyword')
    expect(byWords.map(({ source }) => [source.originalName, source.foundBy])).toEqual([['coffee.txt', ['words']]])
    expect(byWords[0]?.similarity).toBeGreaterThan(0)
    const byMeaning = await ask('semantic')
    expect(byMeaning.map(({ source }) => source.foundBy)).toEqual([['meaning'], ['meaning']])
    for (const { similarity, score } of byMeaning) expect(score).toBe(similarity)
    const byBoth = await ask('hybrid')
    expect(byBoth.map(({ source }) => source.originalName)).toEqual(['coffee.txt', 'leave.txt'])
    expect(byBoth[0]?.source.foundBy).toEqual(['words', 'meaning'])
    // A context searches in hybrid mode unless its settings say otherwise.
    expect(await ask()).toEqual(byBoth)
  })

  it.each([
    [{ mode: 'fuzzy' }, 'mode: must be one of "hybrid", "semantic", "keyword"'],
    [{ mode: null }, 'mode: must be one of "hybrid", "semantic", "keyword"'],
    [{ mode: ['hybrid'] }, 'mode: must be one of "hybrid", "semantic", "keyword"'],
    [{ include: 'score' }, 'include: must be an array'],
    [{ include: ['score', 'vector'] }, 'include[1]: must be one of "score", "source", "match", "snippet"'],
    [{ include: [7] }, 'include[0]: must be one of "score", "source", "match", "snippet"'],
    [{ include: ['score', 'score', 'score', 'score', 'score'] }, 'include: must have at most 4 elements'],
  ])('refuses %j', async (wrong, detail) => {
    const { status, body } = await search({ prompt: 'coffee', ...wrong })
    expect([status, body.detail]).toEqual([400, detail])
  })

  // Q1
  it.each([undefined, null, '', ' \n\t', 5, true, ['a'], { text: 'a' }])('refuses the prompt %j', async (prompt) => {
    const { status, body } = await search({ prompt })
    expect([status, body.detail.startsWith('prompt: ')]).toEqual([400, true])
  })

  // Q2
  it('refuses a prompt of 1 MB, and a body of more than 2 MB', async () => {
    const long = await search({ prompt: 'x '.repeat(500_000) })
    expect([long.status, long.body.detail]).toEqual([400, 'prompt: must have at most 32768 characters'])
    expect((await search({ prompt: 'x'.repeat(2_000_000) })).status).toBe(413)
    expect((await search({ prompt: 'x '.repeat(2_048) })).status).toBe(200)
  })

  // Q3
  it.each([
    "'; DROP TABLE alcove_chunks; --",
    '%',
    '_',
    'a* OR b NEAR c',
    '"',
    'documentId = 1) OR (1=1',
    '\\',
    '{"$ne": null}',
  ])('treats %s as plain text', async (prompt) => {
    expect((await search(JSON.parse(JSON.stringify({ prompt })))).status).toBe(200)
    expect((await search<SearchResult[]>({ prompt: 'coffee machine' })).body).toHaveLength(2)
  })

  // A32
  it('answers 429 and a time to retry to searches beyond the limit of simultaneous searches', async () => {
    const model = new HeldModel()
    const busy = await startServer({}, model, { limits: { searchesPerKey: 1 } })
    const bearer = await busy.token('assistant')
    const made = await busy.request<{ id: number }>('POST', '/context', { token: bearer, json: NEW_CONTEXT })
    const path = `/context/relevant-docs/${made.body.id}`
    const ask = async () => await busy.request<Problem>('POST', path, { token: bearer, json: { prompt: 'coffee' } })
    const first = ask()
    await expect.poll(() => model.begun).toBe(1)
    const refused = await Promise.all(Array.from({ length: 20 }, ask))
    model.gate.open()
    expect((await first).status).toBe(200)
    for (const { status, headers, body } of refused) {
      expect([status, headers.get('retry-after'), body.code]).toEqual([429, '1', 'ERR_THROTTLED'])
      expect(body.detail).toMatch(/^this API key already has 1 searches in progress/)
    }
    await busy.close()
  })

  // A34
  it('answers a prompt of 32,000 characters', async () => {
    expect((await search({ prompt: 'x '.repeat(16_000) })).status).toBe(200)
  })

  it('finds what a follow-up leans on, and refuses an invalid history', async () => {
    const history = [{ role: 'user', content: 'parental leave' }]
    expect((await search({ prompt: 'And who pays?', history })).status).toBe(200)
    const { status, body } = await search({ prompt: 'And who pays?', history: [{ role: 'system', content: 'x' }] })
    expect([status, body.field]).toEqual([400, 'history[0].role'])
  })

  describe('with long texts', () => {
    const PROMPT = 'words'

    async function open() {
      const long = await startServer()
      const bearer = await long.token('assistant')
      const session = long.engine.as(long.engine.owner)
      const settings = { topN: 20, chunkSizeTokens: 8_192, overlap: 0 }
      const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings })
      for (let at = 0; at < 12; at += 1) {
        const content = Buffer.from(`${at} ${`"${'x'.repeat(400)}" ü\n`.repeat(300)}`)
        await session.documents.whenProcessed(await session.documents.upload(id, { fileName: `${at}.txt`, content }))
      }
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
      const ask = async (more: object = {}): Promise<Response> => {
        const init = { method: 'POST', headers, body: JSON.stringify({ prompt: PROMPT, ...more }) }
        return await fetch(`${long.url}/context/relevant-docs/${id}`, init)
      }
      return { long, session, id, ask, response: await ask() }
    }

    // A19
    it('answers the same bytes in parts', async () => {
      const { long, session, id, ask, response } = await open()
      const text = await response.text()
      expect([response.status, response.headers.get('content-length')]).toEqual([200, null])
      const results = await session.search(id, PROMPT)
      const fields = results.map(({ id: chunkId, docId, content, similarity }) => {
        return { id: chunkId, docId, content, similarity }
      })
      expect(text).toBe(JSON.stringify(fields))
      const more = await ask({ include: ['score', 'source', 'match', 'snippet'], mode: 'semantic' })
      expect(more.headers.get('content-length')).toBeNull()
      expect(await more.json()).toEqual(await session.search(id, PROMPT, { mode: 'semantic' }))
      expect(text.length).toBeGreaterThan(1_000_000)
      const short = await session.searchEntries(id, PROMPT, { topN: 1, scoreThreshold: 1 })
      expect(short).toEqual([])
      await long.close()
    })

    // A19
    it('leaves out chunks of a document that is deleted during the answer, and stops when the caller loses the right', async () => {
      const { long, session, id, response } = await open()
      await response.body?.cancel()
      const found = await session.searchEntries(id, PROMPT)
      if ('length' in found) expect.fail('the texts are short')
      const documents = await session.documents.list(id)
      const seen: SearchResult[] = []
      let goneId = 0
      let failure: unknown
      try {
        for await (const result of found) {
          if (seen.length === 0) {
            const gone = documents.find((document) => document.id !== result.docId) ?? expect.fail()
            goneId = (await session.documents.delete(gone.fileName)).id
          }
          if (seen.length === 8) await session.contexts.delete(id)
          seen.push(result)
        }
      } catch (error) {
        failure = error
      }
      expect(failure).toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
      expect(seen.length).toBeGreaterThanOrEqual(8)
      expect(seen.map(({ docId }) => docId)).not.toContain(goneId)
      await long.close()
    })
  })

  // Q4
  it('never answers a similarity that is not a number', async () => {
    const { body } = await search<SearchResult[]>({ prompt: '\u200b\u200b 🙂' })
    for (const { similarity } of body) expect(Number.isFinite(similarity)).toBe(true)
  })

  // Q4
  it.each<[string, (vectors: Float32Array) => Float32Array]>([
    ['NaN', (vectors) => vectors.fill(Number.NaN)],
    ['the wrong dimension', (vectors) => vectors.subarray(1)],
  ])('fails with a message when the model returns %s, and never answers a score', async (_what, spoil) => {
    class SpoiltModel extends MemoryEmbeddingModel {
      override async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array> {
        const vectors = await super.embed(texts, options)
        return options.kind === 'query' ? spoil(vectors) : vectors
      }
    }
    const spoilt = await startServer({}, new SpoiltModel())
    const bearer = await spoilt.token('assistant')
    const session = spoilt.engine.as(spoilt.engine.owner)
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const content = Buffer.from('The coffee machine is cleaned on Friday.')
    await session.documents.whenProcessed(await session.documents.upload(id, { fileName: 'a.txt', content }))
    const path = `/context/relevant-docs/${id}`
    const { status, body } = await spoilt.request<Problem>('POST', path, { token: bearer, json: { prompt: 'coffee' } })
    expect([status, body.code]).toEqual([500, 'ERR_VECTOR_INVALID'])
    await spoilt.close()
  })

  // Q5
  it("answers alike for another account's context and for one that does not exist", async () => {
    const { administration } = server.engine
    const other = await administration.companies.create({ name: 'Other', parentId: 1 })
    const foreign = await server.token('assistant', await administration.apiKeys.create({ companyId: other.id }))
    const attempts: [string, string, object | undefined][] = [
      ['POST', '/context/relevant-docs/', { prompt: 'coffee' }],
      ['GET', '/context/', undefined],
      ['PUT', '/context/', NEW_CONTEXT],
      ['PUT', '/context/share/', { shareState: 1 }],
      ['GET', '/context/documents/', undefined],
      ['DELETE', '/context/', undefined],
    ]
    for (const [method, path, json] of attempts) {
      const given = { token: foreign, ...(json !== undefined && { json }) }
      const hidden = await server.request<Problem>(method, `${path}${contextId}`, given)
      const missing = await server.request<Problem>(method, `${path}99999`, given)
      expect([path, hidden.status, missing.status]).toEqual([path, 404, 404])
      expect(hidden.body.detail.replace(String(contextId), 'N')).toBe(missing.body.detail.replace('99999', 'N'))
    }
    expect((await server.request('GET', `/context/documents/${contextId}/1`, { token: foreign })).status).toBe(404)
    expect((await server.request('DELETE', `/context/documents/${contextId}/1`, { token: foreign })).status).toBe(404)
    const form = fileForm('a.txt', 'text')
    expect((await server.request('POST', `/context/upload/${contextId}`, { token: foreign, body: form })).status).toBe(
      404,
    )
    expect((await server.request('GET', '/context', { token: foreign })).body).toEqual([])
  })
})
