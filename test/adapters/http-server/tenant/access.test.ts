import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiKey, ApiKeyWithSecret, Company, ListedRole, UserDetails } from '../../../../src/index.js'
import { NEW_CONTEXT, type Problem, startServer, type TestServer } from '../server.js'

let server: TestServer
let tenant: string
let bakery: { readonly id: number; readonly key: ApiKeyWithSecret; readonly token: string }

beforeAll(async () => {
  server = await startServer()
  tenant = await server.token('tenant')
  const { id } = await server.engine.administration.companies.create({ name: 'Bakery', parentId: 1 })
  const key = await server.engine.administration.apiKeys.create({ companyId: id })
  bakery = { id, key, token: await server.token('tenant', key) }
})

afterAll(async () => {
  await server.close()
})

async function newUser(companyId: number): Promise<number> {
  const email = `${crypto.randomUUID()}@example.com`
  return (await server.engine.administration.users.add({ email, companyId })).id
}

describe('GET /tenant/companies', () => {
  it('lists the company of the token and those below it', async () => {
    const all = await server.request<Company[]>('GET', '/tenant/companies', { token: tenant })
    expect(all.status).toBe(200)
    expect(all.body).toEqual([
      { id: 1, name: 'Root', parentId: null, disabled: false },
      { id: bakery.id, name: 'Bakery', parentId: 1, disabled: false },
    ])
    const own = await server.request<Company[]>('GET', '/tenant/companies', { token: bakery.token })
    expect(own.body).toEqual([{ id: bakery.id, name: 'Bakery', parentId: null, disabled: false }])
  })
})

describe('GET /tenant/roles', () => {
  it('lists the system-wide roles and those of the companies of the token', async () => {
    const { administration } = server.engine
    const role = { name: 'Baker', applications: ['assistant'], capabilities: ['search'], companyId: bakery.id }
    const { id } = await administration.roles.create(role)
    await administration.roles.create({ ...role, name: 'Of the root', companyId: 1 })
    const { status, body } = await server.request<ListedRole[]>('GET', '/tenant/roles', { token: bakery.token })
    expect(status).toBe(200)
    expect(body.map(({ name }) => name).sort()).toEqual(['Administrator', 'Baker', 'Member', 'Reader'])
    const { companyId: customerId, ...given } = role
    expect(body.find(({ name }) => name === 'Baker')).toEqual({
      id,
      customerId,
      ...given,
      disabled: false,
      grantable: true,
    })
  })
})

describe('/tenant/keys', () => {
  it('makes a key, shows its secret once, and revokes it with its tokens', async () => {
    const made = await server.request<ApiKeyWithSecret>('POST', '/tenant/keys', {
      token: bakery.token,
      json: { targets: ['tenant'], expires: '2999-01-31' },
    })
    expect(made.status).toBe(201)
    expect(made.headers.get('cache-control')).toBe('no-store')
    const { clientSecret, ...key } = made.body
    expect(key).toEqual({
      id: expect.any(Number) as number,
      clientId: expect.stringMatching(/^ak_/) as string,
      companyId: bakery.id,
      userId: expect.any(Number) as number,
      targets: ['tenant'],
      sight: 'account',
      created: expect.any(String) as string,
      expires: '2999-01-31T00:00:00.000Z',
      lastUsed: null,
      revoked: null,
    })
    const token = await server.token('tenant', { clientId: key.clientId, clientSecret })
    const listed = await server.request<ApiKey[]>('GET', '/tenant/keys', { token })
    expect(listed.body.map(({ id }) => id)).toEqual([bakery.key.id, key.id])
    expect(listed.body[1]).toEqual({ ...key, lastUsed: expect.any(String) as string })
    expect(JSON.stringify(listed.body)).not.toContain(clientSecret)
    const revoked = await server.request('DELETE', `/tenant/keys/${key.id}`, { token: bakery.token })
    expect(revoked.status).toBe(204)
    expect((await server.request('GET', '/tenant/keys', { token })).status).toBe(401)
    const after = await server.request<ApiKey[]>('GET', '/tenant/keys', { token: bakery.token })
    expect(after.body.find(({ id }) => id === key.id)?.revoked).not.toBeNull()
  })

  it('makes a key for a user of a company below, with the sight of that user', async () => {
    const userId = await newUser(bakery.id)
    const json = { companyId: bakery.id, userId, targets: ['assistant'] }
    const { status, body } = await server.request<ApiKeyWithSecret>('POST', '/tenant/keys', { token: tenant, json })
    expect([status, body.userId, body.companyId, body.sight]).toEqual([201, userId, bakery.id, 'user'])
  })

  it('gives a manager who sees only own contexts no key of a service user that others have keys of', async () => {
    const { administration } = server.engine
    const companyId = bakery.id
    const service = await administration.apiKeys.create({ companyId, sight: 'account' })
    const context = await server.request<{ id: number }>('POST', '/context', {
      token: await server.token('assistant', service),
      json: { ...NEW_CONTEXT, name: 'Salaries' },
    })
    expect(context.status).toBe(201)
    const roles = ['assistant', 'tenant'].map((application) => ({ application, role: 'Administrator' }))
    const { user } = await administration.ensureUser({ externalId: 'manager', companyId, roles })
    const own = await administration.apiKeys.create({ companyId, userId: user.id, sight: 'user' })
    const token = await server.token('tenant', own)
    const json = { targets: ['assistant'], userId: service.userId }
    const refused = await server.request<Problem>('POST', '/tenant/keys', { token, json })
    expect([refused.status, refused.body.code]).toEqual([403, 'ERR_FORBIDDEN'])
    expect(refused.body.detail).toContain('because you did not make all of its keys')
    // A key for a new service user, and a second one for it, show contexts of that user alone.
    const made = await server.request<ApiKeyWithSecret>('POST', '/tenant/keys', {
      token,
      json: { targets: ['assistant'] },
    })
    const second = { targets: ['assistant'], userId: made.body.userId }
    const next = await server.request<ApiKeyWithSecret>('POST', '/tenant/keys', { token, json: second })
    expect([made.status, next.status]).toEqual([201, 201])
    const sees = await server.token('assistant', next.body)
    expect((await server.request('GET', `/context/${context.body.id}`, { token: sees })).status).toBe(404)
  })

  it('refuses what is out of reach, unknown or invalid', async () => {
    const ofRoot = await newUser(1)
    const { id: rootKey } = await server.engine.administration.apiKeys.create({ companyId: 1, userId: ofRoot })
    const cases: [method: string, path: string, json: object | undefined, status: number, code: string][] = [
      ['POST', '/tenant/keys', { companyId: 1, targets: ['tenant'] }, 403, 'ERR_FORBIDDEN'],
      ['POST', '/tenant/keys', { companyId: 999, targets: ['tenant'] }, 403, 'ERR_FORBIDDEN'],
      ['POST', '/tenant/keys', { userId: ofRoot, targets: ['tenant'] }, 404, 'ERR_USER_NOT_FOUND'],
      ['POST', '/tenant/keys', {}, 400, 'ERR_INVALID_INPUT'],
      ['POST', '/tenant/keys', { targets: [] }, 400, 'ERR_INVALID_INPUT'],
      ['POST', '/tenant/keys', { targets: ['tenant'], nmae: 'x' }, 400, 'ERR_INVALID_INPUT'],
      ['DELETE', `/tenant/keys/${rootKey}`, undefined, 404, 'ERR_API_KEY_NOT_FOUND'],
      ['DELETE', '/tenant/keys/999', undefined, 404, 'ERR_API_KEY_NOT_FOUND'],
      ['DELETE', '/tenant/keys/x', undefined, 400, 'ERR_INVALID_INPUT'],
      ['GET', '/tenant/keys?limit=0', undefined, 400, 'ERR_INVALID_INPUT'],
    ]
    for (const [method, path, json, status, code] of cases) {
      const answer = await server.request<Problem>(method, path, { token: bakery.token, ...(json && { json }) })
      expect([method, path, answer.status, answer.body.code]).toEqual([method, path, status, code])
    }
  })

  it('needs a token for tenant, and the scope tenant:manage', async () => {
    const assistant = await server.token('assistant')
    for (const path of ['/tenant/companies', '/tenant/roles', '/tenant/keys']) {
      expect((await server.request('GET', path)).status).toBe(401)
      expect((await server.request('GET', path, { token: assistant })).status).toBe(403)
    }
  })

  it('409 beyond the limit of keys', async () => {
    const small = await startServer({}, undefined, { limits: { apiKeysPerCompany: 1 } })
    try {
      const token = await small.token('tenant')
      const { status, body } = await small.request<Problem>('POST', '/tenant/keys', {
        token,
        json: { userId: 1, targets: ['tenant'] },
      })
      expect([status, body.code]).toEqual([409, 'ERR_LIMIT_REACHED'])
      expect(body.reason).toEqual({ code: 'limit-of-api-keys', parameters: { company: 1, held: 1, max: 1 } })
    } finally {
      await small.close()
    }
  })
})

describe('the operations that a page about users needs', () => {
  it('names in a list what suspends, resumes, changes and revokes each permission of a user', async () => {
    const { administration } = server.engine
    const userId = await newUser(bakery.id)
    const { token } = bakery
    const read = async () => (await server.request<UserDetails>('GET', `/tenant/user/${userId}`, { token })).body
    const users = await server.request<UserDetails[]>('GET', '/tenant/users', { token })
    const [permission] = users.body.find(({ id }) => id === userId)?.permissions ?? []
    expect(permission).toMatchObject({
      id: expect.any(Number) as number,
      disabled: false,
      role: { name: 'Member' },
      account: { customerId: bakery.id },
      application: { key: 'assistant' },
    })
    const path = `/permission/${permission?.id ?? 0}`
    expect((await server.request('PATCH', path, { token })).status).toBe(204)
    expect((await read()).permissions[0]?.disabled).toBe(true)
    expect((await server.request('PATCH', path, { token })).status).toBe(204)
    expect((await read()).permissions[0]?.disabled).toBe(false)
    const roles = await server.request<ListedRole[]>('GET', '/tenant/roles', { token })
    const appRoleId = roles.body.find(({ name }) => name === 'Reader')?.id
    const json = { id: permission?.id, appRoleId }
    expect((await server.request('PUT', '/permission', { token, json })).status).toBe(204)
    expect((await read()).permissions[0]?.role.name).toBe('Reader')
    expect((await server.request('DELETE', path, { token })).status).toBe(204)
    expect((await read()).permissions).toEqual([])
    expect((await server.request('DELETE', `/tenant/user/${userId}`, { token })).status).toBe(204)
    expect(await administration.users.find({ id: userId })).toBeUndefined()
  })
})
