import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../check-answer.js'
import { NEW_CONTEXT, type Problem, startServer, type TestServer } from '../server.js'

interface Asked extends Problem {
  readonly access_token: string
  readonly scope?: string
  readonly error?: string
}

let server: TestServer

beforeAll(async () => {
  server = await startServer()
})

afterAll(async () => {
  await server.close()
})

async function ask(scope: string, target = 'assistant', key: { clientId: string; clientSecret: string } = server.key) {
  const form = {
    grant_type: 'client_credentials',
    client_id: key.clientId,
    client_secret: key.clientSecret,
    target_app: target,
    scope,
  }
  return await server.request<Asked>('POST', '/connect/token', { form })
}

async function use(token: string, method: string, path: string, json?: object): Promise<Answer<Problem>> {
  return await server.request<Problem>(method, path, { token, ...(json && { json }) })
}

describe('a scope that a client requests', () => {
  // A92
  it('is in the answer and in the token; without a requested scope the answer has none', async () => {
    const { status, body } = await ask('search context:read')
    expect([status, body.scope?.split(' ').sort()]).toEqual([200, ['context:read', 'search']])
    const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1] ?? '', 'base64url').toString()) as object
    expect(claims).toMatchObject({ scope: body.scope })
    expect((await ask('')).body).toEqual({
      access_token: expect.any(String) as string,
      token_type: 'Bearer',
      expires_in: 900,
    })
  })

  // A92
  it.each([
    'everything',
    'search everything',
    'Search',
    'search,context:read',
    'search  context:read',
    ' search',
    'search ',
    'search\tcontext:read',
    'search search',
    '__proto__',
    '東京',
  ])('is refused with invalid_scope: %j', async (scope) => {
    const { status, body } = await ask(scope)
    expect([status, body.error]).toEqual([400, 'invalid_scope'])
    expect(body.detail).toContain('scope must be capabilities')
  })

  // A92
  it("is refused when the user's role on the account lacks one of its capabilities", async () => {
    const { administration } = server.engine
    const accounts = await administration.accounts.list()
    const account = accounts.find(({ customerId, application }) => customerId === 1 && application === 'assistant')
    const user = await administration.users.add({ email: 'reader@example.com', companyId: 1 })
    for (const { id, userIdentityId } of await administration.permissions.list()) {
      if (userIdentityId === user.id) await administration.permissions.revoke(id)
    }
    const reader = (await administration.roles.list()).find(({ name }) => name === 'Reader')
    const right = { userIdentityId: user.id, appAccountId: account?.id ?? 0, appRoleId: reader?.id ?? 0 }
    await administration.permissions.grant(right)
    const key = await administration.apiKeys.create({ companyId: 1, userId: user.id })
    expect((await ask('search', 'assistant', key)).status).toBe(200)
    const { status, body } = await ask('search document:write', 'assistant', key)
    expect([status, body.error]).toEqual([400, 'invalid_scope'])
    expect(body.detail).toContain('document:write')
    expect(body.detail).not.toContain('search')
  })

  // A93
  it('narrows the token: a request beyond it gets 403 with the scope that it needs', async () => {
    const { access_token: token } = (await ask('context:read')).body
    expect((await use(token, 'GET', '/context')).status).toBe(200)
    const beyond = await use(token, 'POST', '/context', NEW_CONTEXT)
    expect([beyond.status, beyond.body.code]).toEqual([403, 'ERR_FORBIDDEN'])
    expect(beyond.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="context:write"')
    const tenant = (await ask('webhook:manage', 'tenant')).body.access_token
    expect((await use(tenant, 'GET', '/v1/outbound-webhooks/destinations')).status).toBe(200)
    const users = await use(tenant, 'GET', '/tenant/users')
    expect([users.status, users.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="tenant:manage"',
    ])
    // A token for another application is refused for its application, not for its scope.
    expect((await use(tenant, 'GET', '/context')).headers.get('www-authenticate')).toBeNull()
  })

  // A93
  it('gives no capability that the role has lost since', async () => {
    const { administration } = server.engine
    const company = await administration.companies.create({ name: 'Loses', parentId: 1 })
    const key = await administration.apiKeys.create({ companyId: company.id })
    const { access_token: token } = (await ask('context:write', 'assistant', key)).body
    expect((await use(token, 'POST', '/context', NEW_CONTEXT)).status).toBe(201)
    const accounts = await administration.accounts.list()
    const own = accounts.find(({ customerId, application }) => customerId === company.id && application === 'assistant')
    const roles = await administration.roles.list()
    for (const { id, userIdentityId, appAccountId } of await administration.permissions.list()) {
      if (userIdentityId === key.userId && appAccountId === own?.id) await administration.permissions.revoke(id)
    }
    const appRoleId = roles.find(({ name }) => name === 'Reader')?.id ?? 0
    await administration.permissions.grant({ userIdentityId: key.userId, appAccountId: own?.id ?? 0, appRoleId })
    const refused = await use(token, 'POST', '/context', NEW_CONTEXT)
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([403, null])
  })
})
