import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Document, SearchResult } from '../../../../src/index.js'
import type { Answer } from '../check-answer.js'
import { fileForm, NEW_CONTEXT, type Problem, startServer, type TestServer } from '../server.js'

let server: TestServer
let token: string
let contextId: number
let docId: number

beforeAll(async () => {
  server = await startServer({ maxUploadBytes: 2_000 })
  token = await server.token('assistant')
})

beforeEach(async () => {
  const session = server.engine.as(server.engine.owner)
  contextId = (await session.contexts.create({ ...NEW_CONTEXT, settings: { maxSizeBytes: 1_000 } })).id
  const uuid = await session.documents.upload(contextId, { fileName: 'faq.txt', content: 'A heron nests here.' })
  docId = (await session.documents.whenProcessed(uuid)).id
})

afterAll(async () => {
  await server.close()
})

async function replace<Body = string>(text: string, name = 'faq.txt', id = docId): Promise<Answer<Body>> {
  const path = `/context/upload/${contextId}/${id}`
  return await server.request<Body>('PUT', path, { token, body: fileForm(name, text) })
}

async function document(): Promise<Document> {
  return (await server.request<Document>('GET', `/context/documents/${contextId}/${docId}`, { token })).body
}

async function whenProcessed(): Promise<Document> {
  const session = server.engine.as(server.engine.owner)
  return await session.documents.whenProcessed({ contextId, id: docId })
}

async function search(prompt: string): Promise<readonly SearchResult[]> {
  const json = { prompt, include: ['source'], scoreThreshold: 0 }
  return (await server.request<SearchResult[]>('POST', `/context/relevant-docs/${contextId}`, { token, json })).body
}

describe('PUT /context/upload/{contextId}/{docId}', () => {
  it('answers the UUID of the new version, which takes the place of the old one', async () => {
    const before = await document()
    expect(before).toMatchObject({ id: docId, replacement: null })
    const { status, body: uuid } = await replace('An osprey nests here.', 'guide.txt')
    expect([status, uuid === before.uuid]).toEqual([200, false])
    await whenProcessed()
    expect(await document()).toMatchObject({ id: docId, uuid, fileName: uuid, originalName: 'guide.txt' })
    const [hit, ...others] = await search('an osprey')
    expect(others).toEqual([])
    expect(hit).toMatchObject({ docId, content: 'An osprey nests here.', source: { uuid } })
    const list = await server.request<Document[]>('GET', `/context/documents/${contextId}`, { token })
    expect(list.body.map(({ id }) => id)).toEqual([docId])
  })

  it('answers the same UUID for the same file', async () => {
    const { uuid } = await document()
    expect(await replace('A heron nests here.')).toMatchObject({ status: 200, body: uuid })
    expect(await document()).toMatchObject({ uuid, replacement: null })
  })

  it('shows why a replacement failed, and keeps the old version', async () => {
    const { uuid } = await document()
    const { body: failed } = await replace('   ')
    await whenProcessed().catch(() => undefined)
    const error = expect.stringContaining('ERR_NO_TEXT') as string
    expect(await document()).toMatchObject({ uuid, error: null, replacement: { uuid: failed, error } })
    expect(await search('a heron')).toHaveLength(1)
  })

  it('refuses what it cannot take', async () => {
    expect(await replace<Problem>('text', 'faq.txt', 99_999)).toMatchObject({
      status: 404,
      body: { code: 'ERR_DOCUMENT_NOT_FOUND' },
    })
    expect(await replace<Problem>('x'.repeat(1_001))).toMatchObject({
      status: 413,
      body: { code: 'ERR_QUOTA_EXCEEDED' },
    })
    expect(await replace<Problem>('text', 'faq.exe')).toMatchObject({
      status: 400,
      body: { code: 'ERR_UNSUPPORTED_FORMAT' },
    })
    expect(await replace<Problem>('')).toMatchObject({ status: 400, body: { code: 'ERR_EMPTY_FILE' } })
    const path = `/context/upload/${contextId}/${docId}`
    expect(await server.request<Problem>('PUT', path, { token, json: {} })).toMatchObject({ status: 400 })
    expect(await server.request<Problem>('PUT', path, { body: fileForm('faq.txt', 'text') })).toMatchObject({
      status: 401,
    })
    expect(await replace('x'.repeat(1_000))).toMatchObject({ status: 200 })
  })
})
