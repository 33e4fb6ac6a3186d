import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Document, SearchResult } from '../../../../src/index.js'
import type { Answer } from '../check-answer.js'
import { NEW_CONTEXT, type Problem, startServer, type TestServer } from '../server.js'

let server: TestServer
let token: string
let contextId: number

beforeAll(async () => {
  server = await startServer()
  token = await server.token('assistant')
})

beforeEach(async () => {
  const session = server.engine.as(server.engine.owner)
  contextId = (await session.contexts.create({ ...NEW_CONTEXT, settings: { scoreThreshold: 0 } })).id
})

afterAll(async () => {
  await server.close()
})

type Field = readonly [name: string, value: string | Blob, fileName?: string]

async function upload<Body = Problem>(...fields: readonly Field[]): Promise<Answer<Body>> {
  const form = new FormData()
  for (const [name, value, fileName] of fields) {
    if (value instanceof Blob) form.append(name, value, fileName)
    else form.append(name, value)
  }
  return await server.request<Body>('POST', `/context/upload/${contextId}`, { token, body: form })
}

const file = (name: string): Field => ['file', new Blob([`The price in ${name} is ten.`]), name]

async function list(filter?: object): Promise<Document[]> {
  const query = filter === undefined ? '' : `?filter=${encodeURIComponent(JSON.stringify(filter))}`
  return (await server.request<Document[]>('GET', `/context/documents/${contextId}${query}`, { token })).body
}

describe('the field metadata of an upload', () => {
  it('is read before and after the file', async () => {
    expect((await upload(['metadata', '{"at":"before"}'], file('a.txt'))).status).toBe(200)
    expect((await upload(file('b.txt'), ['metadata', '{"at":"after"}'])).status).toBe(200)
    expect((await upload(file('c.txt'))).status).toBe(200)
    expect((await list()).map(({ metadata }) => metadata)).toEqual([{ at: 'before' }, { at: 'after' }, {}])
  })

  it.each<[string, readonly Field[], string]>([
    ['no JSON', [['metadata', '{"a"']], 'metadata: must be valid JSON, such as {"year":2026}'],
    ['no object', [['metadata', '5']], 'metadata: must be an object of keys and values'],
    [
      'an invalid value',
      [['metadata', '{"a":{}}']],
      'metadata.a: must be a string, a finite number, true, false or a list of strings',
    ],
    [
      'a second field',
      [
        ['metadata', '{}'],
        ['metadata', '{}'],
      ],
      'metadata: must be given once',
    ],
    ['a file', [['metadata', new Blob(['{}']), 'metadata.json']], 'metadata: must be a field without a file name'],
  ])('is refused before and after the file: %s', async (_case, fields, detail) => {
    for (const form of [
      [...fields, file('a.txt')],
      [file('a.txt'), ...fields],
    ]) {
      const { status, body } = await upload(...form)
      expect({ ...body, status }).toMatchObject({ status: 400, code: 'ERR_INVALID_INPUT', detail })
    }
    expect(await list()).toEqual([])
  })
})

describe('PATCH /context/documents/{contextId}/{docId}', () => {
  it('changes the name, and merges the metadata', async () => {
    await upload(['metadata', '{"year":2025,"draft":true}'], file('a.txt'))
    const [before] = await list()
    const path = `/context/documents/${contextId}/${before?.id}`
    const json = { displayName: 'Prices', metadata: { year: 2026, draft: null } }
    const changed = await server.request<Document>('PATCH', path, { token, json })
    expect(changed).toMatchObject({ status: 200, body: { displayName: 'Prices', metadata: { year: 2026 } } })
    const { id, uuid, originalName } = before ?? expect.fail()
    const shown = { id, uuid, originalName, displayName: 'Prices', metadata: { year: 2026 } }
    expect((await list())[0]).toMatchObject(shown)
    const problem = await server.request<Problem>('PATCH', path, { token, json: { metadata: { year: [1] } } })
    expect(problem).toMatchObject({ status: 400, body: { detail: 'metadata.year[0]: must be a string' } })
    expect((await server.request('PATCH', `/context/documents/${contextId}/999`, { token, json })).status).toBe(404)
  })
})

describe('a filter', () => {
  it('selects documents in lists and searches', async () => {
    await upload(['metadata', '{"year":2025}'], file('a.txt'))
    await upload(['metadata', '{"year":2026}'], file('b.txt'))
    const session = server.engine.as(server.engine.owner)
    const documents = await list()
    for (const { uuid } of documents) await session.documents.whenProcessed(uuid)
    const filter = { metadata: { year: { gte: 2026 } } }
    expect((await list(filter)).map(({ originalName }) => originalName)).toEqual(['b.txt'])
    const search = async (json: object) =>
      await server.request<SearchResult[] & Problem>('POST', `/context/relevant-docs/${contextId}`, { token, json })
    const found = await search({ prompt: 'price', filter })
    expect(found.body.map(({ docId }) => docId)).toEqual([documents[1]?.id])
    expect((await search({ prompt: 'price' })).body).toHaveLength(2)
    expect((await search({ prompt: 'price', filter: { documents: [999] } })).body).toEqual([])
    expect(await search({ prompt: 'price', filter: { metadata: { year: { gte: {} } } } })).toMatchObject({
      status: 400,
      body: { detail: 'filter.metadata.year.gte: must be a finite number or a string' },
    })
  })

  it('is refused in the query of a list if it is no JSON, or wrong in form', async () => {
    const get = async (query: string) =>
      await server.request<Problem>('GET', `/context/documents/${contextId}?${query}`, { token })
    expect(await get('filter=x')).toMatchObject({
      status: 400,
      body: { detail: 'filter: must be valid JSON, such as {"metadata":{"year":2026}}' },
    })
    expect(await get('filter=5')).toMatchObject({ status: 400, body: { code: 'ERR_INVALID_INPUT' } })
  })
})
