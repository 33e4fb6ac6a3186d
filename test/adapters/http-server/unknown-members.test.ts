import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Context, DestinationWithSecret } from '../../../src/index.js'
import { type Problem, startServer, type TestServer } from './server.js'

const DESTINATIONS = '/v1/outbound-webhooks/destinations'
const UNKNOWN = {
  status: 400,
  body: {
    code: 'ERR_INVALID_INPUT',
    detail: expect.stringContaining('unknown member "nmae"; expected one of') as string,
  },
}

let server: TestServer

beforeAll(async () => {
  server = await startServer({}, undefined, { webhooks: { resolver: async () => ['8.8.8.8'] } })
})

afterAll(async () => {
  await server.close()
})

it('the operations of the specification ignore unknown members, so that a client can send back what it read', async () => {
  const token = await server.token('assistant')
  const texts = { name: 'Handbook', description: '', caption: '', toolsJson: '[]' }
  const created = await server.request<Context>('POST', '/context', { token, json: { ...texts, nmae: 'x' } })
  expect(created.status).toBe(201)
  const path = `/context/${created.body.id}`
  expect(await server.request('PUT', path, { token, json: created.body })).toMatchObject({
    status: 200,
    body: created.body,
  })
  const search = { prompt: 'words', topN: 3, nmae: 'x' }
  const found = await server.request('POST', `/context/relevant-docs/${created.body.id}`, { token, json: search })
  expect(found.status).toBe(200)
  for (const query of ['nmae=x', 'limit=5&nmae=x&after=0']) {
    expect((await server.request('GET', `/context?${query}`, { token })).status).toBe(200)
    expect((await server.request('GET', `/context/documents/${created.body.id}?${query}`, { token })).status).toBe(200)
  }
  expect((await server.request('DELETE', `${path}?nmae=x`, { token })).status).toBe(200)
  const tenant = await server.token('tenant')
  expect((await server.request('GET', '/tenant/users?nmae=x', { token: tenant })).status).toBe(200)
})

it('the operations of the specification ignore an unknown member of any depth', async () => {
  const token = await server.token('assistant')
  const texts = { name: 'Deep', description: '', caption: '', toolsJson: '[]' }
  const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
  const body = `${JSON.stringify(texts).slice(0, -1)},"nmae":${deep}}`
  const headers = { 'content-type': 'application/json' }
  expect(await server.request('POST', '/context', { token, body, headers })).toMatchObject({ status: 201 })
})

describe('unknown parameters of a query', () => {
  const cases: [application: 'assistant' | 'tenant', method: string, path: string, known: string][] = [
    ['assistant', 'GET', '/context/documents/1/1', 'none'],
    ['assistant', 'PATCH', '/context/documents/1/1', 'none'],
    ['assistant', 'GET', '/context/documents/1/1/content', 'none'],
    ['assistant', 'GET', '/context/documents/1/1/text', 'one of start, end'],
    ['assistant', 'GET', '/context/documents/1/1/chunks', 'one of limit, after'],
    ['assistant', 'PUT', '/context/upload/1/1', 'none'],
    ['assistant', 'POST', '/context/explain/1', 'none'],
    ['assistant', 'POST', '/context/relevant-docs', 'none'],
    ['tenant', 'GET', '/tenant/audit', 'one of '],
    ['tenant', 'GET', '/tenant/usage', 'one of cid'],
    ['tenant', 'POST', '/operator/verify', 'none'],
    ['tenant', 'DELETE', '/tenant/user/99', 'none'],
    ['tenant', 'GET', '/tenant/companies', 'one of limit, after'],
    ['tenant', 'GET', '/tenant/roles', 'none'],
    ['tenant', 'GET', '/tenant/keys', 'one of limit, after'],
    ['tenant', 'DELETE', '/tenant/keys/99', 'none'],
    ['tenant', 'GET', '/v1/outbound-webhooks/catalog', 'one of all'],
    ['tenant', 'GET', DESTINATIONS, 'one of cid, limit, after'],
    ['tenant', 'GET', '/v1/outbound-webhooks/deliveries', 'one of destinationId, '],
  ]

  it.each(cases)(
    'are refused by operations that are not of the specification: %s %s %s',
    async (application, method, path, known) => {
      const token = await server.token(application)
      const answer = await server.request<Problem>(method, `${path}?nmae=x`, { token })
      expect([answer.status, answer.body.code]).toEqual([400, 'ERR_INVALID_INPUT'])
      expect(answer.body.detail).toContain(`unknown parameter "nmae"; expected ${known}`)
    },
  )

  it('change nothing about pages and probes, to which browsers and proxies add parameters', async () => {
    for (const path of ['/health', '/ready', '/openapi.json', '/auth/setup?token=x']) {
      const { status } = await server.request('GET', `${path}${path.includes('?') ? '&' : '?'}utm_source=mail`)
      expect([path, status]).toEqual([path, 200])
    }
  })
})

describe('unknown fields of a form', () => {
  const form = (isFirst: boolean): FormData => {
    const fields = new FormData()
    if (isFirst) fields.append('metdata', '{"year":2026}')
    fields.append('file', new Blob(['A heron nests here.']), 'faq.txt')
    if (!isFirst) fields.append('metdata', '{"year":2026}')
    return fields
  }

  it.each([true, false])(
    'are refused by a replacement and ignored by an upload: before the file %s',
    async (isFirst) => {
      const token = await server.token('assistant')
      const session = server.engine.as(server.engine.owner)
      const { id } = await session.contexts.create({ name: 'C', description: '', caption: '', toolsJson: '[]' })
      const uploaded = await server.request<string>('POST', `/context/upload/${id}`, { token, body: form(isFirst) })
      expect(uploaded.status).toBe(200)
      const document = await session.documents.whenProcessed(uploaded.body)
      const path = `/context/upload/${id}/${document.id}`
      const { status, body } = await server.request<Problem>('PUT', path, { token, body: form(isFirst) })
      expect([status, body.code]).toEqual([400, 'ERR_INVALID_INPUT'])
      expect(body.detail).toContain('unknown field "metdata"; expected one of file, metadata')
      expect(await session.documents.get(document.uuid)).toMatchObject({ uuid: uploaded.body, replacement: null })
    },
  )
})

it('searches beyond the specification, and changes of documents, refuse them', async () => {
  const token = await server.token('assistant')
  const prompt = { prompt: 'words', nmae: 'x' }
  for (const [method, path, json] of [
    ['POST', '/context/relevant-docs', { contextIds: [1], ...prompt }],
    ['POST', '/context/explain/1', prompt],
    ['PATCH', '/context/documents/1/1', { displayName: 'Prices', nmae: 'x' }],
  ] as const) {
    const answer = await server.request<Problem>(method, path, { token, json })
    expect([answer.status, answer.body.code], path).toEqual([400, 'ERR_INVALID_INPUT'])
    expect(answer.body.detail).toMatch(/unknown (member|option) "nmae"; expected one of/)
  }
})

it('the other operations refuse them, and still take back a destination as it was read', async () => {
  const token = await server.token('tenant')
  const input = { url: 'https://hooks.example.com/alcove', eventTypes: null }
  expect(await server.request<Problem>('POST', DESTINATIONS, { token, json: { ...input, nmae: 'x' } })).toMatchObject(
    UNKNOWN,
  )
  const { body } = await server.request<DestinationWithSecret>('POST', DESTINATIONS, { token, json: input })
  const path = `${DESTINATIONS}/${body.id}`
  const { secret: _secret, ...read } = body
  expect((await server.request('PUT', path, { token, json: read })).status).toBe(200)
  expect(await server.request<Problem>('PUT', path, { token, json: { ...read, nmae: 'x' } })).toMatchObject(UNKNOWN)
  const reset = { email: 'a@example.com', nmae: 'x' }
  expect(await server.request<Problem>('POST', '/auth/reset', { json: reset })).toMatchObject(UNKNOWN)
  const setup = { token: 'unknown', password: 'a long new password', nmae: 'x' }
  expect(await server.request<Problem>('POST', '/auth/setup', { json: setup })).toMatchObject(UNKNOWN)
})
