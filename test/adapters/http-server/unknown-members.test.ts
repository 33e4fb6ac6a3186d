import { afterAll, beforeAll, expect, it } from 'vitest'
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
  expect((await server.request('POST', '/auth/reset', { json: { email: 'a@example.com', nmae: 1 } })).status).toBe(204)
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
  const setup = { token: 'unknown', password: 'a long new password', nmae: 'x' }
  expect(await server.request<Problem>('POST', '/auth/setup', { json: setup })).toMatchObject(UNKNOWN)
})
