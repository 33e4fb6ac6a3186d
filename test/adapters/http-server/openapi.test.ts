import { readFile } from 'node:fs/promises'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import createClient, { type Middleware } from 'openapi-fetch'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { type components, createAlcoveClient, dataOf, type paths } from '../../../adapters/client/index.js'
import { describeApi } from '../../../adapters/http-server/index.js'
import { fileForm, startServer, type TestServer } from './server.js'

let server: TestServer

beforeAll(async () => {
  server = await startServer()
})

afterAll(async () => {
  await server.close()
})

describe('the OpenAPI description', () => {
  it('passes the linter', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: JSON.stringify(describeApi()), config })
    const errors = problems.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
  })

  it('equals the description that the server shows', async () => {
    expect((await server.request('GET', '/openapi.json')).body).toEqual(describeApi({ basePath: '' }))
  })

  it('gives typed clients texts for event types: a host has types of its own', async () => {
    const types = await readFile(new URL('../../../adapters/client/generated/api.ts', import.meta.url), 'utf8')
    expect(types).toMatch(/EventType: \("run\.started" \| .*"document\.deleted"\) \| string;/)
    expectTypeOf<components['schemas']['Delivery']['type']>().toEqualTypeOf<string>()
    const client = createAlcoveClient({ baseUrl: server.url, access: { token: () => 'none' } })
    const answer = client.GET('/v1/outbound-webhooks/deliveries/{id}', { params: { path: { id: 1 } } })
    const delivery = dataOf(answer)
    expectTypeOf(delivery).resolves.toExtend<components['schemas']['Delivery']>()
    await expect(delivery).rejects.toThrow('access token')
  })
})

describe('a client with types from the description', () => {
  it('runs the whole flow', async () => {
    const client = createClient<paths>({ baseUrl: server.url })
    const authorize = async (target_app: 'assistant' | 'tenant'): Promise<Middleware> => {
      const { data } = await client.POST('/connect/token', {
        body: {
          grant_type: 'client_credentials',
          client_id: server.key.clientId,
          client_secret: server.key.clientSecret,
          target_app,
        },
        bodySerializer: (body) =>
          new URLSearchParams(Object.entries(body).map(([name, value]) => [name, String(value)] as [string, string])),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      expect(data?.expires_in).toBe(900)
      const authorization = `Bearer ${data?.access_token ?? ''}`
      return {
        onRequest: ({ request }) => {
          request.headers.set('authorization', authorization)
        },
      }
    }
    const assistant = createClient<paths>({ baseUrl: server.url })
    assistant.use(await authorize('assistant'))
    const tenant = createClient<paths>({ baseUrl: server.url })
    tenant.use(await authorize('tenant'))

    const created = await assistant.POST('/context', {
      body: { name: 'Handbook', description: 'Answer.', caption: 'HR', toolsJson: '[]' },
    })
    const contextId = created.data?.id ?? 0
    const params = { path: { contextId } }
    const uploaded = await assistant.POST('/context/upload/{contextId}', {
      params,
      body: { file: '' },
      bodySerializer: () => fileForm('a.txt', 'Parental leave lasts sixteen weeks.'),
    })
    expect(uploaded.response.status).toBe(200)
    await server.engine.as(server.engine.owner).documents.whenProcessed(uploaded.data ?? '')
    const documents = await assistant.GET('/context/documents/{contextId}', { params })
    const document = documents.data?.[0]
    expect(document?.fileName).toBe(uploaded.data)
    const docId = document?.id ?? 0
    const shown = await assistant.GET('/context/documents/{contextId}/{docId}', {
      params: { path: { contextId, docId } },
    })
    expect(shown.data?.receipt).not.toBeNull()
    const found = await assistant.POST('/context/relevant-docs/{contextId}', {
      params,
      body: { prompt: 'Parental leave lasts sixteen weeks.' },
    })
    expect(found.data?.[0]?.similarity).toBeGreaterThan(0.95)
    await assistant.PUT('/context/share/{contextId}', { params, body: { shareState: 1 } })
    const updated = await assistant.PUT('/context/{contextId}', {
      params,
      body: { name: 'Renamed', description: 'Answer.', caption: 'HR' },
    })
    expect([updated.data?.name, updated.data?.shareState]).toEqual(['Renamed', 1])
    expect((await assistant.GET('/context')).data).toHaveLength(1)
    await assistant.DELETE('/context/documents/{contextId}/{docId}', { params: { path: { contextId, docId } } })
    await assistant.DELETE('/context/{contextId}', { params })
    const missing = await assistant.GET('/context/{contextId}', { params })
    expect(missing.error).toMatchObject({ status: 404, code: 'ERR_CONTEXT_NOT_FOUND' })

    const added = await tenant.POST('/tenant/user', { body: { email: 'ada@example.com', name: 'Ada Lovelace' } })
    const userIdentityId = added.data?.id ?? 0
    await tenant.POST('/tenant/user/init', { body: { id: userIdentityId } })
    const steps = await tenant.GET('/permission/options/{type}/{region}/{account}', {
      params: { path: { type: 3, region: 1, account: 3 }, query: { all: true } },
    })
    const appRoleId = steps.data?.roles.find(({ title }) => title === 'Member')?.value ?? 0
    const granted = await tenant.POST('/permission', { body: { appAccountId: 3, appRoleId, userIdentityId } })
    const permId = granted.data?.id ?? 0
    await tenant.PATCH('/permission/{permId}', { params: { path: { permId } } })
    await tenant.PUT('/permission', { body: { id: permId, appRoleId: 1 } })
    const users = await tenant.GET('/tenant/users/{cid}', { params: { path: { cid: 1 } } })
    const listed = users.data?.find(({ id }) => id === userIdentityId)?.permissions.find(({ id }) => id === permId)
    expect(listed).toMatchObject({ disabled: true, role: { name: 'Administrator' } })
    expect((await tenant.DELETE('/permission/{permId}', { params: { path: { permId } } })).response.status).toBe(204)
  })
})
