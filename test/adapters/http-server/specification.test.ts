import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import type { Answer } from './check-answer.js'
import { fileForm, type RequestOptions, startServer, type TestServer } from './server.js'

/**
 * The specification, row by row, in its own order and words: tables first, then the error table and the rules. A row
 * has the text of the table, the request, and the expected answer.
 */

type Json = Record<string, unknown>

interface World {
  readonly contextId: number
  readonly docId: number
  readonly userId: number
  readonly accountId: number
  readonly permissionId: number
  readonly uuid: string
}

interface Row {
  readonly says: string
  readonly method: string
  readonly path: (world: World) => string
  /** Default: the token of the API the row belongs to. */
  readonly token?: 'assistant' | 'tenant' | 'none'
  readonly send?: (world: World) => RequestOptions
  readonly status: number
  readonly answers?: (body: never, answer: Answer, world: World) => void
}

let server: TestServer
const tokens = { assistant: '', tenant: '', none: undefined }

beforeAll(async () => {
  server = await startServer()
})

afterAll(async () => {
  await server.close()
})

const TEXTS = { name: 'Bot', description: 'Be helpful.', caption: 'Helps' }
const isArray = (body: never): void => expect(body).toBeInstanceOf(Array)
const isNothing = (body: never): void => expect(body).toBe('')
const json = (value: unknown) => (): RequestOptions => ({ json: value })

/** A context with a document, and a user with a permission, for one row alone. */
async function makeWorld(): Promise<World> {
  tokens.assistant = await server.token('assistant')
  tokens.tenant = await server.token('tenant')
  const session = server.engine.as(server.engine.owner)
  const { id: contextId } = await session.contexts.create({ ...TEXTS, toolsJson: '[]' })
  const uuid = await session.documents.upload(contextId, {
    fileName: 'a.txt',
    content: Buffer.from('The sky is blue.'),
  })
  const { id: docId } = await session.documents.whenProcessed(uuid)
  const { administration } = server.engine
  const email = `${crypto.randomUUID()}@example.com`
  const { id: userId } = await administration.users.add({ email, companyId: 1 })
  const { id: accountId } = await administration.accounts.create({
    companyId: 1,
    application: 'assistant',
    region: 'local',
    name: 'Account',
  })
  const permission = { userIdentityId: userId, appAccountId: accountId, appRoleId: 2 }
  const { id: permissionId } = await administration.permissions.grant(permission)
  return { contextId, docId, userId, accountId, permissionId, uuid }
}

function define(title: string, api: 'assistant' | 'tenant' | 'none', rows: readonly Row[]): void {
  describe(title, () => {
    it.each(rows)('$says', async (row) => {
      const world = await makeWorld()
      const token = tokens[row.token ?? api]
      const answer = await server.request(row.method, row.path(world), { token, ...row.send?.(world) })
      expect([row.says, answer.status, answer.status >= 400 && answer.body]).toEqual([
        row.says,
        row.status,
        row.status >= 400 && answer.body,
      ])
      row.answers?.(answer.body as never, answer, world)
      if (answer.status >= 400) expect((answer.body as Json)['detail']).toEqual(expect.any(String))
    })
  })
}

define('Endpoints: Assistant API', 'assistant', [
  {
    says: 'Create context: POST /context, with defaults filled in and shareState 0',
    method: 'POST',
    path: () => '/context',
    send: json({ ...TEXTS, toolsJson: '[]', starterPrompts: ['Hi?'] }),
    status: 201,
    answers: (body: Json) => {
      expect(body).toEqual({
        ...TEXTS,
        id: expect.any(Number) as number,
        userId: 1,
        embeddingModel: expect.any(String) as string,
        maxSize: 104_857_600,
        topN: 5,
        scoreThreshold: 0,
        chunkSize: 1_000,
        overlap: 0.2,
        toolsJson: '[]',
        starterPrompts: ['Hi?'],
        shareState: 0,
        deleted: null,
        created: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      })
    },
  },
  {
    says: 'Create context: starterPrompts generated when omitted',
    method: 'POST',
    path: () => '/context',
    send: json({ ...TEXTS, toolsJson: '[]' }),
    status: 201,
    answers: (body: { starterPrompts: string[] }) => expect(body.starterPrompts.length).toBeGreaterThan(0),
  },
  ...['name', 'description', 'caption', 'toolsJson'].map(
    (field): Row => ({
      says: `Create context: ${field} is required`,
      method: 'POST',
      path: () => '/context',
      send: json(Object.fromEntries(Object.entries({ ...TEXTS, toolsJson: '[]' }).filter(([name]) => name !== field))),
      status: 400,
      answers: (body: Json) => expect(body['detail']).toBe(`${field}: is required`),
    }),
  ),
  {
    says: 'List contexts: GET /context gives an array',
    method: 'GET',
    path: () => '/context',
    status: 200,
    answers: (body: { id: number }[], _answer, { contextId }) => expect(body.map(({ id }) => id)).toContain(contextId),
  },
  {
    says: 'Get context: GET /context/{contextId}',
    method: 'GET',
    path: ({ contextId }) => `/context/${contextId}`,
    status: 200,
    answers: (body: Json, _answer, { contextId }) => expect(body).toMatchObject({ id: contextId, ...TEXTS }),
  },
  {
    says: 'Update context: PUT /context/{contextId} answers the updated record',
    method: 'PUT',
    path: ({ contextId }) => `/context/${contextId}`,
    send: json({ name: 'New', description: 'Other', caption: 'Else', starterPrompts: ['One?'], toolsJson: '[]' }),
    status: 200,
    answers: (body: Json) =>
      expect(body).toMatchObject({ name: 'New', description: 'Other', caption: 'Else', starterPrompts: ['One?'] }),
  },
  {
    says: 'Update context: toolsJson and starterPrompts are optional, and stay',
    method: 'PUT',
    path: ({ contextId }) => `/context/${contextId}`,
    send: json({ ...TEXTS, name: 'Renamed' }),
    status: 200,
    answers: (body: { name: string; toolsJson: string; starterPrompts: string[] }) => {
      expect([body.name, body.toolsJson]).toEqual(['Renamed', '[]'])
      expect(body.starterPrompts.length).toBeGreaterThan(0)
    },
  },
  ...['name', 'description', 'caption'].map(
    (field): Row => ({
      says: `Update context: ${field} is required`,
      method: 'PUT',
      path: ({ contextId }) => `/context/${contextId}`,
      send: json(Object.fromEntries(Object.entries(TEXTS).filter(([name]) => name !== field))),
      status: 400,
    }),
  ),
  {
    says: 'Delete context: DELETE /context/{contextId} is 200',
    method: 'DELETE',
    path: ({ contextId }) => `/context/${contextId}`,
    status: 200,
    answers: (body: Json) => expect(body).toEqual({}),
  },
  {
    says: 'Upload document: POST /context/upload/{contextId} answers the UUID as a JSON string',
    method: 'POST',
    path: ({ contextId }) => `/context/upload/${contextId}`,
    send: () => ({ body: fileForm('b.md', '# Title') }),
    status: 200,
    answers: (body: string) => expect(body).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  },
  {
    says: 'Upload document: other types than those of the list are refused',
    method: 'POST',
    path: ({ contextId }) => `/context/upload/${contextId}`,
    send: () => ({ body: fileForm('b.exe', '{}') }),
    status: 400,
  },
  {
    says: 'List documents: GET /context/documents/{contextId}; fileName equals the string returned by upload',
    method: 'GET',
    path: ({ contextId }) => `/context/documents/${contextId}`,
    status: 200,
    answers: (body: Json[], _answer, { contextId, docId, uuid }) => {
      const timestamp = expect.stringMatching(/^\d{4}-/) as string
      expect(body).toEqual([
        {
          id: docId,
          contextId,
          uuid,
          fileName: uuid,
          originalName: 'a.txt',
          displayName: 'a.txt',
          nameIndex: 0,
          contentType: 'text/plain',
          contentHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
          size: 16,
          chunks: 1,
          created: timestamp,
          createdBy: 1,
          started: timestamp,
          completed: timestamp,
          error: null,
          errorCode: null,
          metadata: {},
          replacement: null,
        },
      ])
    },
  },
  {
    says: 'Delete document: DELETE /context/documents/{contextId}/{docId} is 200',
    method: 'DELETE',
    path: ({ contextId, docId }) => `/context/documents/${contextId}/${docId}`,
    status: 200,
  },
  {
    says: 'Semantic search: POST /context/relevant-docs/{contextId} gives an array of results',
    method: 'POST',
    path: ({ contextId }) => `/context/relevant-docs/${contextId}`,
    send: json({ prompt: 'The sky is blue.' }),
    status: 200,
    answers: (body: Json[], _answer, { docId }) =>
      expect(body).toEqual([
        {
          id: expect.any(Number) as number,
          docId,
          content: 'The sky is blue.',
          similarity: expect.any(Number) as number,
        },
      ]),
  },
  {
    says: 'Share context: PUT /context/share/{contextId} is 204 without a body',
    method: 'PUT',
    path: ({ contextId }) => `/context/share/${contextId}`,
    send: json({ shareState: 1, icon: '🐙' }),
    status: 204,
    answers: isNothing,
  },
  ...[{ shareState: 2 }, { shareState: '1' }, {}, { shareState: 1, icon: 'two' }].map(
    (body): Row => ({
      says: `Share context: shareState is 0 or 1, icon one emoji; not ${JSON.stringify(body)}`,
      method: 'PUT',
      path: ({ contextId }) => `/context/share/${contextId}`,
      send: json(body),
      status: 400,
    }),
  ),
])

define('Endpoints: Tenant API', 'tenant', [
  {
    says: 'List users: GET /tenant/users gives those of the company the token was issued for',
    method: 'GET',
    path: () => '/tenant/users',
    status: 200,
    answers: (body: Json[], _answer, { userId }) => {
      const user = body.find(({ id }) => id === userId)
      expect(Object.keys(user ?? {})).toEqual([
        'id',
        'firstName',
        'lastName',
        'name',
        'email',
        'createdAt',
        'hasPassword',
        'otpMethod',
        'lastAccess',
        'permissions',
      ])
      const [permission] = (user?.['permissions'] ?? []) as Json[]
      expect(permission).toEqual({
        id: expect.any(Number) as number,
        disabled: false,
        createdAt: expect.any(String) as string,
        lastAccess: null,
        instanceActive: true,
        role: { id: 2, name: 'Member' },
        account: { id: 1, name: 'Root', customerId: 1 },
        application: { id: 1, name: 'Assistant', key: 'assistant' },
        region: { id: 1, name: 'local' },
      })
    },
  },
  {
    says: 'List users: GET /tenant/users/{cid}',
    method: 'GET',
    path: () => '/tenant/users/1',
    status: 200,
    answers: isArray,
  },
  {
    says: 'Add user: POST /tenant/user is 201; customerId defaults to the current company',
    method: 'POST',
    path: () => '/tenant/user',
    send: () => ({ json: { email: `${crypto.randomUUID()}@example.com` } }),
    status: 201,
    answers: (body: Json) => expect(body).toMatchObject({ hasPassword: false, lastAccess: null }),
  },
  {
    says: 'Add user: name is split into firstName and lastName when those are empty',
    method: 'POST',
    path: () => '/tenant/user',
    send: () => ({ json: { email: `${crypto.randomUUID()}@example.com`, name: 'Ada King Lovelace', customerId: 1 } }),
    status: 201,
    answers: (body: Json) =>
      expect(body).toMatchObject({ firstName: 'Ada King', lastName: 'Lovelace', name: 'Ada King Lovelace' }),
  },
  {
    says: 'Add user: the user receives access to the assistant application',
    method: 'POST',
    path: () => '/tenant/user',
    send: () => ({ json: { email: `${crypto.randomUUID()}@example.com`, firstName: 'Ada', lastName: 'L' } }),
    status: 201,
    answers: (body: { name: string; permissions: { application: Json; disabled: boolean }[] }) => {
      expect(body.name).toBe('Ada L')
      expect(body.permissions.map(({ application, disabled }) => [application['key'], disabled])).toEqual([
        ['assistant', false],
      ])
    },
  },
  {
    says: 'Add user: email is required',
    method: 'POST',
    path: () => '/tenant/user',
    send: json({ firstName: 'Ada' }),
    status: 400,
  },
  {
    says: 'Reinitiate user: POST /tenant/user/init is 204',
    method: 'POST',
    path: () => '/tenant/user/init',
    send: ({ userId }) => ({ json: { id: userId } }),
    status: 204,
    answers: isNothing,
  },
  ...['', '/1', '/1/1', '/1/1/1'].map(
    (path): Row => ({
      says: `Permission options: GET /permission/options${path} gives an object with the five keys`,
      method: 'GET',
      path: () => `/permission/options${path}?cid=1&all=true`,
      status: 200,
      answers: (body: Json) =>
        expect(Object.keys(body)).toEqual(['applications', 'regions', 'accounts', 'roles', 'users']),
    }),
  ),
  {
    says: 'Create permission: POST /permission gives the record, disabled false by default',
    method: 'POST',
    path: () => '/permission',
    send: ({ userId }) => ({ json: { appAccountId: 3, appRoleId: 2, userIdentityId: userId } }),
    status: 201,
    answers: (body: Json, _answer, { userId }) =>
      expect(body).toEqual({
        id: expect.any(Number) as number,
        appAccountId: 3,
        userIdentityId: userId,
        appRoleId: 2,
        lastAccess: null,
        disabled: false,
        createdAt: expect.any(String) as string,
        createdBy: '{"id":1,"email":"boss@example.com"}',
      }),
  },
  {
    says: 'Create permission: created with given disabled',
    method: 'POST',
    path: () => '/permission',
    send: ({ userId }) => ({ json: { appAccountId: 3, appRoleId: 2, userIdentityId: userId, disabled: true } }),
    status: 201,
    answers: (body: Json) => expect(body['disabled']).toBe(true),
  },
  ...['appAccountId', 'appRoleId', 'userIdentityId'].map(
    (field): Row => ({
      says: `Create permission: ${field} is required`,
      method: 'POST',
      path: () => '/permission',
      send: ({ userId }) => {
        const all = { appAccountId: 3, appRoleId: 2, userIdentityId: userId }
        return { json: Object.fromEntries(Object.entries(all).filter(([name]) => name !== field)) }
      },
      status: 400,
    }),
  ),
  {
    says: 'Update permission: PUT /permission is 204',
    method: 'PUT',
    path: () => '/permission',
    send: ({ permissionId }) => ({ json: { id: permissionId, appRoleId: 3 } }),
    status: 204,
    answers: isNothing,
  },
  {
    says: 'Toggle permission: PATCH /permission/{permId} is 204',
    method: 'PATCH',
    path: ({ permissionId }) => `/permission/${permissionId}`,
    status: 204,
    answers: isNothing,
  },
  {
    says: 'Delete permission: DELETE /permission/{permId} is 204',
    method: 'DELETE',
    path: ({ permissionId }) => `/permission/${permissionId}`,
    status: 204,
    answers: isNothing,
  },
])

define('Events: catalog and destinations', 'tenant', [
  ...(['assistant', 'tenant'] as const).map(
    (token): Row => ({
      says: `The list of webhook event types is served by GET /v1/outbound-webhooks/catalog, to a token for ${token}`,
      method: 'GET',
      path: () => '/v1/outbound-webhooks/catalog',
      token,
      status: 200,
      answers: (body: Json[]) => {
        expect(body.map(({ type }) => type)).toEqual([
          'run.started',
          'run.completed',
          'run.failed',
          'agent.created',
          'agent.published',
          'agent.unpublished',
          'agent.enabled',
          'agent.disabled',
          'agent.deleted',
        ])
        expect(body[3]).toEqual({
          type: 'agent.created',
          event_category: 'agent',
          description: expect.any(String) as string,
          data: { agentId: 'integer', name: 'string' },
        })
      },
    }),
  ),
  {
    says: 'Destinations: Endpoint URL, optional Name, chosen event types; the secret is shown at creation',
    method: 'POST',
    path: () => '/v1/outbound-webhooks/destinations',
    send: json({ url: 'https://8.8.8.8/hook', name: 'Mine', eventTypes: ['run.completed'] }),
    status: 201,
    answers: (body: Json) => {
      expect(body).toMatchObject({ url: 'https://8.8.8.8/hook', name: 'Mine', eventTypes: ['run.completed'] })
      expect(body['secret']).toMatch(/^whsec_/)
    },
  },
  ...[
    ['plain HTTP', 'http://8.8.8.8/'],
    ['loopback', 'https://127.0.0.1/'],
    ['loopback', 'https://[::1]/'],
    ['loopback', 'https://localhost/'],
    ['a private range', 'https://10.0.0.1/'],
    ['a private range', 'https://[fd00::1]/'],
    ['a cloud metadata address', 'https://169.254.169.254/latest/meta-data/'],
  ].map(
    ([what = '', url = '']): Row => ({
      says: `Destination requirements: ${what} is rejected: ${url}`,
      method: 'POST',
      path: () => '/v1/outbound-webhooks/destinations',
      send: json({ url, eventTypes: null }),
      status: 400,
    }),
  ),
])

define('Errors', 'assistant', [
  {
    says: '400: missing required fields',
    method: 'POST',
    path: () => '/context',
    send: json({}),
    status: 400,
  },
  {
    says: '400: invalid JSON',
    method: 'POST',
    path: () => '/context',
    send: () => ({ body: '{"name": ', headers: { 'content-type': 'application/json' } }),
    status: 400,
  },
  {
    says: '400: permission already exists for the user and account (rule 1)',
    method: 'POST',
    path: () => '/permission',
    token: 'tenant',
    send: ({ userId, accountId }) => ({ json: { appAccountId: accountId, appRoleId: 2, userIdentityId: userId } }),
    status: 400,
    answers: (body: Json) => expect(body['detail']).toContain('Permission already exists'),
  },
  {
    says: '401: missing token',
    method: 'GET',
    path: () => '/context',
    token: 'none',
    status: 401,
  },
  {
    says: '401: an invalid token',
    method: 'GET',
    path: () => '/context',
    send: () => ({ token: 'abc' }),
    status: 401,
  },
  {
    says: '403: token lacks permission',
    method: 'GET',
    path: () => '/context',
    token: 'tenant',
    status: 403,
  },
  {
    says: '403: target account does not belong to an accessible company (rule 3)',
    method: 'POST',
    path: () => '/permission',
    token: 'tenant',
    send: ({ userId }) => ({ json: { appAccountId: 99_999, appRoleId: 2, userIdentityId: userId } }),
    status: 403,
  },
  {
    says: '404: contextId does not exist',
    method: 'GET',
    path: () => '/context/99999',
    status: 404,
  },
  {
    says: '404: docId does not exist',
    method: 'DELETE',
    path: ({ contextId }) => `/context/documents/${contextId}/99999`,
    status: 404,
  },
  {
    says: '404: a path that does not exist',
    method: 'GET',
    path: () => '/contexts',
    status: 404,
  },
  {
    says: '405: a method that the path does not have',
    method: 'PATCH',
    path: () => '/context',
    status: 405,
    answers: (_body, { headers }) => expect(headers.get('allow')).toBe('POST, GET, HEAD'),
  },
])

describe('Errors', () => {
  it('400: reinitiate for a user who already completed setup (rule 2)', async () => {
    const { userId } = await makeWorld()
    await server.engine.administration.users.completeSetup(userId)
    const answer = await server.request('POST', '/tenant/user/init', { token: tokens.tenant, json: { id: userId } })
    expect(answer.status).toBe(400)
  })

  it('401: expired token', async () => {
    const { contextId } = await makeWorld()
    const token = await server.token('assistant')
    server.clock.advance(900_000)
    expect((await server.request('GET', `/context/${contextId}`, { token })).status).toBe(401)
  })

  it("413: uploaded document exceeds the context's maxSize", async () => {
    await makeWorld()
    const session = server.engine.as(server.engine.owner)
    const { id } = await session.contexts.create({ ...TEXTS, toolsJson: '[]', settings: { maxSizeBytes: 10 } })
    const body = fileForm('a.txt', 'more than ten bytes')
    const answer = await server.request('POST', `/context/upload/${id}`, { token: tokens.assistant, body })
    expect(answer.status).toBe(413)
  })

  it('500: an internal failure reveals no internal detail, and is logged', async () => {
    class BrokenModel extends MemoryEmbeddingModel {
      override embed(): Promise<Float32Array> {
        return Promise.reject(new Error('secret of /the/inside'))
      }
    }
    const broken = await startServer({}, new BrokenModel())
    const token = await broken.token('assistant')
    const { id } = await broken.engine.as(broken.engine.owner).contexts.create({ ...TEXTS, toolsJson: '[]' })
    const path = `/context/relevant-docs/${id}`
    const { status, body } = await broken.request<Json>('POST', path, { token, json: { prompt: 'x' } })
    expect([status, body['code'], body['detail']]).toEqual([
      500,
      'ERR_INTERNAL',
      'internal failure: see the log of the service',
    ])
    const logged = broken.telemetry.events.find(({ name }) => name === 'http.request.failed')
    expect((logged?.error as Error).message).toBe('secret of /the/inside')
    await broken.close()
  })

  it('503: a stopping service reveals no internal detail either', async () => {
    await makeWorld()
    const token = await server.token('assistant')
    const broken = await startServer()
    const brokenToken = await broken.token('assistant')
    await broken.engine.close()
    const { status, body } = await broken.request('GET', '/context', { token: brokenToken })
    expect(status).toBe(503)
    expect(JSON.stringify(body)).not.toMatch(/sqlite|stack|\/|node_modules/i)
    await broken.close()
    expect((await server.request('GET', '/context', { token })).status).toBe(200)
  })
})

describe('States and transitions', () => {
  const shareState = async (id: number): Promise<unknown> =>
    (await server.request<Json>('GET', `/context/${id}`, { token: tokens.assistant })).body['shareState']

  it('Context: shareState 0 to 1 and back', async () => {
    const { contextId } = await makeWorld()
    expect(await shareState(contextId)).toBe(0)
    for (const state of [1, 1, 0]) {
      const path = `/context/share/${contextId}`
      await server.request('PUT', path, { token: tokens.assistant, json: { shareState: state } })
      expect(await shareState(contextId)).toBe(state)
    }
  })

  it('Context: DELETE removes all training documents and embeddings', async () => {
    const { contextId, docId } = await makeWorld()
    const { assistant: token } = tokens
    await server.request('DELETE', `/context/${contextId}`, { token })
    for (const path of [
      `/context/${contextId}`,
      `/context/documents/${contextId}`,
      `/context/documents/${contextId}/${docId}`,
    ]) {
      expect([path, (await server.request('GET', path, { token })).status]).toEqual([path, 404])
    }
    expect((await server.request('DELETE', `/context/${contextId}`, { token })).status).toBe(404)
  })

  it('Document: DELETE removes it and its embeddings', async () => {
    const { contextId, docId } = await makeWorld()
    const { assistant: token } = tokens
    await server.request('DELETE', `/context/documents/${contextId}/${docId}`, { token })
    const found = await server.request('POST', `/context/relevant-docs/${contextId}`, {
      token,
      json: { prompt: 'sky' },
    })
    expect(found.body).toEqual([])
    expect((await server.request('GET', `/context/documents/${contextId}`, { token })).body).toEqual([])
  })

  it('Permission: PATCH flips disabled, PUT keeps the state, DELETE revokes permanently', async () => {
    const { permissionId } = await makeWorld()
    const { tenant: token } = tokens
    const permission = async (): Promise<Json | undefined> =>
      (await server.engine.administration.permissions.list()).find(({ id }) => id === permissionId) as Json | undefined
    await server.request('PATCH', `/permission/${permissionId}`, { token })
    expect(await permission()).toMatchObject({ disabled: true, appRoleId: 2 })
    await server.request('PUT', '/permission', { token, json: { id: permissionId, appRoleId: 3 } })
    expect(await permission()).toMatchObject({ disabled: true, appRoleId: 3 })
    await server.request('PATCH', `/permission/${permissionId}`, { token })
    expect(await permission()).toMatchObject({ disabled: false })
    await server.request('DELETE', `/permission/${permissionId}`, { token })
    expect(await permission()).toBeUndefined()
    for (const method of ['PATCH', 'DELETE']) {
      expect((await server.request(method, `/permission/${permissionId}`, { token })).status).toBe(404)
    }
  })
})

describe('Tool definition', () => {
  const TOOL = {
    id: 1,
    name: 'get_weather',
    description: 'Tells the weather',
    action: 'Run Agent',
    agentId: 7,
    parameters: [{ paramName: 'city', type: 'string', required: true, description: 'Where' }],
  }
  const create = async (tools: unknown): Promise<Answer<Json>> => {
    const token = await server.token('assistant')
    const toolsJson = typeof tools === 'string' ? tools : JSON.stringify(tools)
    return await server.request<Json>('POST', '/context', { token, json: { ...TEXTS, toolsJson } })
  }

  it('keeps the form in which it arrived', async () => {
    const toolsJson = JSON.stringify([{ ...TOOL, extra: 'kept' }])
    expect((await create(toolsJson)).body['toolsJson']).toBe(toolsJson)
    expect((await create([{ ...TOOL, parameters: undefined }])).status).toBe(201)
  })

  it.each<[string, unknown]>([
    ['id is required', [{ ...TOOL, id: undefined }]],
    ['id is unique within the context', [TOOL, { ...TOOL, name: 'other' }]],
    ['name has no spaces', [{ ...TOOL, name: 'get weather' }]],
    ['name is required', [{ ...TOOL, name: undefined }]],
    ['description is required', [{ ...TOOL, description: undefined }]],
    ['action is always Run Agent', [{ ...TOOL, action: 'Run' }]],
    ['agentId is an integer', [{ ...TOOL, agentId: '7' }]],
    ['parameters is an array', [{ ...TOOL, parameters: {} }]],
    ['parameters[].type is one of three', [{ ...TOOL, parameters: [{ ...TOOL.parameters[0], type: 'number' }] }]],
    ['parameters[].required is a boolean', [{ ...TOOL, parameters: [{ ...TOOL.parameters[0], required: 'yes' }] }]],
    ['it is an array', { ...TOOL }],
    ['it is JSON', 'tools'],
  ])('%s', async (_rule, tools) => {
    const { status, body } = await create(tools)
    expect([status, body['detail']]).toEqual([400, expect.stringMatching(/^toolsJson/)])
  })
})
