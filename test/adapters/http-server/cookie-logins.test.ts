import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpHandler } from '../../../adapters/http-server/index.js'
import { InvalidInputError, type Login, type User } from '../../../src/index.js'
import { NEW_CONTEXT, type Problem, startServer, type TestServer } from './server.js'

const PASSWORD = 'correct horse battery staple'
const PATH = '/auth/login'

let server: TestServer
let ada: User

beforeAll(async () => {
  server = await startServer({ cookieLogins: true })
  const { administration, owner } = server.engine
  // A new user of a host's login is a member of the assistant account.
  const ensured = await administration.ensureUser({
    externalId: 'ada',
    email: 'ada@example.com',
    companyId: owner.companyId,
  })
  ada = ensured.user
  await administration.users.completeSetup(ada.id, PASSWORD)
})

afterAll(async () => {
  await server.close()
})

/** Logs in, and returns the header `Cookie` of later requests. */
async function logIn(credentials: object = { email: 'ada@example.com', password: PASSWORD }): Promise<string> {
  const { status, headers } = await server.request('POST', PATH, { json: credentials })
  expect(status).toBe(200)
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

async function statusOf(cookie: string, path: string = '/context', headers: Record<string, string> = {}) {
  return (await server.request('GET', path, { headers: { cookie, ...headers } })).status
}

describe('a login by a cookie', () => {
  it('is known by a cookie that no script can read and no other site sends', async () => {
    const { status, headers, body } = await server.request<Login>('POST', PATH, {
      json: { email: 'ada@example.com', password: PASSWORD },
    })
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(headers.get('set-cookie')).toMatch(/^alcove_login=[^;]{50,1000}; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(body).toMatchObject({ kind: 'password', clientId: null, user: { id: ada.id, email: 'ada@example.com' } })
    expect(body.accounts).toMatchObject([{ application: 'assistant', customerName: 'Root' }])
    expect(body.accounts[0]?.capabilities).toContain('context:write')
  })

  it('sees what the user sees, and is told by GET', async () => {
    const cookie = await logIn()
    const token = await server.token('assistant')
    const created = await server.request<{ id: number }>('POST', '/context', { token, json: NEW_CONTEXT })
    expect(created.status).toBe(201)
    expect(await statusOf(cookie, `/context/${created.body.id}`)).toBe(404)
    const state = await server.request<Login>('GET', PATH, { headers: { cookie } })
    expect(state.body.user.id).toBe(ada.id)
    const ofToken = await server.request<Login>('GET', PATH, { token, headers: { cookie } })
    expect([ofToken.body.kind, ofToken.body.clientId]).toEqual(['key', server.key.clientId])
  })

  it('ends with the logout for all who have the cookie', async () => {
    const cookie = await logIn()
    expect(await statusOf(cookie)).toBe(200)
    const { status, headers } = await server.request('DELETE', PATH, { headers: { cookie } })
    expect([status, headers.get('set-cookie')]).toEqual([
      204,
      'alcove_login=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict',
    ])
    expect(await statusOf(cookie)).toBe(401)
    expect((await server.request('DELETE', PATH, { headers: { cookie } })).status).toBe(204)
  })

  it('ends with another password, with the user, and after 12 hours', async () => {
    const { users } = server.engine.administration
    const first = await logIn()
    await users.completeSetup(ada.id, `${PASSWORD} two`)
    expect(await statusOf(first)).toBe(401)
    await users.completeSetup(ada.id, PASSWORD)
    expect(await statusOf(first)).toBe(401)
    const second = await logIn()
    await users.disable(ada.id)
    expect(await statusOf(second)).toBe(401)
    await users.enable(ada.id)
    expect(await statusOf(second)).toBe(401)
    const third = await logIn()
    expect(await statusOf(third)).toBe(200)
    server.clock.advance(12 * 3_600_000 - 1_000)
    expect(await statusOf(third)).toBe(200)
    server.clock.advance(2_000)
    expect(await statusOf(third)).toBe(401)
  })

  it('loses what a permission gave at once', async () => {
    const { permissions } = server.engine.administration
    const cookie = await logIn()
    const [permission] = (await permissions.list()).filter(({ userIdentityId }) => userIdentityId === ada.id)
    await permissions.toggle(permission?.id ?? 0)
    expect(await statusOf(cookie)).toBe(403)
    expect((await server.request<Login>('GET', PATH, { headers: { cookie } })).body.accounts).toEqual([])
    await permissions.toggle(permission?.id ?? 0)
    expect(await statusOf(cookie)).toBe(200)
  })

  it('acts on the account that a header names, if the user may', async () => {
    const cookie = await logIn()
    const { companies, accounts } = server.engine.administration
    const company = await companies.create({ name: 'Bakery', parentId: server.engine.owner.companyId })
    const account = (await accounts.list()).find(
      ({ customerId, application }) => customerId === company.id && application === 'assistant',
    )
    const other = { 'x-alcove-account': String(account?.id) }
    expect(await statusOf(cookie, '/context', other)).toBe(403)
    const role = (await server.engine.administration.roles.list()).find(({ name }) => name === 'Member')
    const right = { userIdentityId: ada.id, appAccountId: account?.id ?? 0, appRoleId: role?.id ?? 0 }
    await server.engine.administration.permissions.grant(right)
    expect(await statusOf(cookie, '/context', other)).toBe(200)
    const options = { headers: { cookie, ...other }, json: NEW_CONTEXT }
    const made = await server.request<{ id: number }>('POST', '/context', options)
    expect(made.status).toBe(201)
    expect(await statusOf(cookie, `/context/${made.body.id}`, other)).toBe(200)
    expect(await statusOf(cookie, `/context/${made.body.id}`)).toBe(404)
    for (const text of ['0', 'x', '1e3', '-1'])
      expect(await statusOf(cookie, '/context', { 'x-alcove-account': text })).toBe(403)
  })
})

describe('a login with an API key', () => {
  it('has the applications of the key, and ends with it', async () => {
    const { apiKeys } = server.engine.administration
    const { companyId } = server.engine.owner
    const key = await apiKeys.create({ companyId, targets: ['assistant'] })
    const cookie = await logIn({ clientId: key.clientId, clientSecret: key.clientSecret })
    const state = await server.request<Login>('GET', PATH, { headers: { cookie } })
    expect([state.body.kind, state.body.clientId]).toEqual(['key', key.clientId])
    expect(new Set(state.body.accounts.map(({ application }) => application))).toEqual(new Set(['assistant']))
    expect(await statusOf(cookie)).toBe(200)
    expect(await statusOf(cookie, '/tenant/users')).toBe(403)
    await apiKeys.revoke(key.id)
    expect(await statusOf(cookie)).toBe(401)
  })

  it('never acts on an account of an application that is not one of the key', async () => {
    const { apiKeys } = server.engine.administration
    const { companyId } = server.engine.owner
    const key = await apiKeys.create({ companyId, userId: ada.id, targets: ['tenant'] })
    const cookie = await logIn({ clientId: key.clientId, clientSecret: key.clientSecret })
    expect(await statusOf(cookie)).toBe(403)
  })
})

describe('a user, a company or an account that is enabled again', () => {
  it('gets no login and no token back that it had before, and new ones at once', async () => {
    const { administration, owner } = server.engine
    const { id: companyId } = await administration.companies.create({ name: 'Closed', parentId: owner.companyId })
    const { user } = await administration.ensureUser({ externalId: 'eve', email: 'eve@example.com', companyId })
    await administration.users.completeSetup(user.id, PASSWORD)
    const key = await administration.apiKeys.create({ companyId, userId: user.id, targets: ['assistant'] })
    const start = async () => ({
      byPassword: await logIn({ email: 'eve@example.com', password: PASSWORD }),
      byKey: await logIn({ clientId: key.clientId, clientSecret: key.clientSecret }),
      token: await server.token('assistant', key),
    })
    type Started = Awaited<ReturnType<typeof start>>
    const statuses = async ({ byPassword, byKey, token }: Started) => [
      await statusOf(byPassword),
      await statusOf(byKey),
      (await server.request('GET', '/context', { token })).status,
    ]
    const { users, companies, accounts } = administration
    let last = await start()
    const former = [last]
    expect(await statuses(last)).toEqual([200, 200, 200])
    for (const part of [users, companies, users]) {
      const id = part === users ? user.id : companyId
      await part.disable(id)
      // A second call with the same value changes nothing.
      await part.disable(id)
      for (const one of former) expect(await statuses(one)).toEqual([401, 401, 401])
      await part.enable(id)
      for (const one of former) expect(await statuses(one)).toEqual([401, 401, 401])
      last = await start()
      await part.enable(id)
      expect(await statuses(last)).toEqual([200, 200, 200])
      former.push(last)
    }
    // An account takes rights away, and gives them back: the login is one of the user.
    const account = (await accounts.list()).find(
      ({ customerId, application }) => customerId === companyId && application === 'assistant',
    )
    await accounts.setActive(account?.id ?? 0, false)
    expect(await statuses(last)).toEqual([403, 403, 403])
    await accounts.setActive(account?.id ?? 0, true)
    expect(await statuses(last)).toEqual([200, 200, 200])
  })
})

describe('a refused login', () => {
  it.each([
    [{ email: 'ada@example.com', password: 'wrong' }, 401, 'ERR_UNAUTHENTICATED'],
    [{ email: 'nobody@example.com', password: 'wrong' }, 401, 'ERR_UNAUTHENTICATED'],
    [{ clientId: 'ak_x', clientSecret: 'y' }, 401, 'ERR_UNAUTHENTICATED'],
    [{ email: 'ada@example.com' }, 400, 'ERR_INVALID_INPUT'],
    [{ email: 'ada@example.com', password: PASSWORD, clientid: 'x' }, 400, 'ERR_INVALID_INPUT'],
    [[], 400, 'ERR_INVALID_INPUT'],
    [null, 400, 'ERR_INVALID_INPUT'],
  ])('says why: %j', async (json, status, code) => {
    const answer = await server.request<Problem>('POST', PATH, { json })
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('is that of a page of another site or origin: %s', async (method) => {
    const cookie = await logIn()
    const strangers = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'https://app.example.com' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]
    const handler = createHttpHandler(server.engine, { cookieLogins: true, corsOrigins: ['https://app.example.com'] })
    const paths = method === 'POST' || method === 'DELETE' ? [PATH, '/context/1'] : ['/context/1']
    for (const headers of strangers) {
      for (const path of paths) {
        const body = method === 'DELETE' ? null : '{}'
        const init = { method, body, headers: { cookie, 'content-type': 'application/json', ...headers } }
        const { status } = await handler(new Request(`http://alcove.example${path}`, init))
        // No operation has this method at this path.
        expect([path, [403, 405]]).toEqual([path, expect.arrayContaining([status])])
        if (status === 405) expect(method).toMatch(/^(POST|PATCH)$/)
      }
    }
    // The login is still there.
    expect(await statusOf(cookie)).toBe(200)
  })

  it('takes an altered cookie for none', async () => {
    const cookie = await logIn()
    for (const altered of [
      `${cookie.slice(0, -8)}AAAAAAA%3D`,
      'alcove_login=',
      'alcove_login=v1%3AAAAA',
      'alcove_login=%',
    ])
      expect(await statusOf(altered)).toBe(401)
  })
})

describe('a login beside others', () => {
  it('comes after a bearer token, and is not disturbed by the password of a proxy', async () => {
    const cookie = await logIn()
    const basic = { authorization: `Basic ${btoa('proxy:secret')}` }
    expect(await statusOf(cookie, '/context', basic)).toBe(200)
    expect(
      (await server.request('GET', '/tenant/users', { token: await server.token('tenant'), headers: { cookie } }))
        .status,
    ).toBe(200)
  })

  it('ends the one before it in the same browser', async () => {
    const first = await logIn()
    const json = { email: 'ada@example.com', password: PASSWORD }
    const second = await server.request('POST', PATH, { json, headers: { cookie: first } })
    expect(second.status).toBe(200)
    expect(await statusOf(first)).toBe(401)
  })

  it('has a name for https that no other server of the site can set', async () => {
    const handler = createHttpHandler(server.engine, { cookieLogins: true, publicUrl: 'https://alcove.example' })
    const body = JSON.stringify({ email: 'ada@example.com', password: PASSWORD })
    const headers = { 'content-type': 'application/json' }
    const answer = await handler(new Request('http://127.0.0.1/auth/login', { method: 'POST', body, headers }))
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-alcove_login=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    expect((await handler(new Request('http://127.0.0.1/context', { headers: { cookie } }))).status).toBe(200)
  })

  it.each([
    ['the public URL', { publicUrl: 'https://alcove.example' }, 'http://127.0.0.1'],
    ['the address of the request', {}, 'https://alcove.example'],
  ])(
    'takes no cookie that another server of the site can set, where %s begins with https',
    async (_, options, root) => {
      const handler = createHttpHandler(server.engine, { cookieLogins: true, ...options })
      const plain = await logIn()
      const statusAt = async (cookie: string, path = '/context', method = 'GET') =>
        (await handler(new Request(`${root}${path}`, { method, headers: { cookie } }))).status
      const value = plain.slice('alcove_login='.length)
      expect(await statusAt(plain)).toBe(401)
      expect(await statusAt(plain, PATH)).toBe(401)
      expect(await statusAt(`__Secure-alcove_login=${value}`)).toBe(401)
      // Such a cookie does not disturb the login of the browser, neither in front nor behind.
      expect(await statusAt(`alcove_login=other; __Host-alcove_login=${value}`)).toBe(200)
      expect(await statusAt(`__Host-alcove_login=${value}; alcove_login=other`)).toBe(200)
      // It is no login that this page could end.
      expect(await statusAt(plain, PATH, 'DELETE')).toBe(204)
      expect(await statusOf(plain)).toBe(200)
      expect(await statusAt(`__Host-alcove_login=${value}`, PATH, 'DELETE')).toBe(204)
      expect(await statusOf(plain)).toBe(401)
    },
  )

  it('keeps the protected name of its cookie below a base path', async () => {
    const options = { cookieLogins: true, publicUrl: 'https://alcove.example', basePath: '/apps/alcove' }
    const handler = createHttpHandler(server.engine, options)
    const body = JSON.stringify({ email: 'ada@example.com', password: PASSWORD })
    const headers = { 'content-type': 'application/json' }
    const url = `http://127.0.0.1${options.basePath}`
    const answer = await handler(new Request(`${url}${PATH}`, { method: 'POST', body, headers }))
    const set = answer.headers.get('set-cookie') ?? ''
    expect(set).toMatch(/^__Host-alcove_login%2Fapps%2Falcove=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
    const [cookie = ''] = set.split(';')
    const statusAt = async (sent: string) =>
      (await handler(new Request(`${url}/context`, { headers: { cookie: sent } }))).status
    expect(await statusAt(cookie)).toBe(200)
    expect(await statusAt(cookie.replace(/^[^=]+/, 'alcove_login'))).toBe(401)
  })

  it('is none where two cookies of its name differ, and ends both at the next login', async () => {
    const [one, two] = [await logIn(), await logIn()]
    expect(await statusOf(`${one}; ${one}`)).toBe(200)
    expect(await statusOf(`${one}; ${two}`)).toBe(401)
    const json = { email: 'ada@example.com', password: PASSWORD }
    expect((await server.request('POST', PATH, { json, headers: { cookie: `${one}; ${two}` } })).status).toBe(200)
    expect([await statusOf(one), await statusOf(two)]).toEqual([401, 401])
  })

  it('refuses a page of http where the address of the server begins with https', async () => {
    const handler = createHttpHandler(server.engine, { cookieLogins: true, publicUrl: 'https://alcove.example' })
    const value = (await logIn()).slice('alcove_login='.length)
    const statusFor = async (origin: string) => {
      const headers = { cookie: `__Host-alcove_login=${value}`, host: 'alcove.example', origin }
      return (await handler(new Request(`http://alcove.example${PATH}`, { method: 'DELETE', headers }))).status
    }
    expect(await statusFor('http://alcove.example')).toBe(403)
    expect(await statusFor('https://alcove.example')).toBe(204)
  })

  it('shows a token only the accounts within its reach', async () => {
    const { administration, owner } = server.engine
    const one = await administration.companies.create({ name: 'One', parentId: owner.companyId })
    const two = await administration.companies.create({ name: 'Two', parentId: owner.companyId })
    const roles = [{ application: 'tenant', role: 'Administrator' }]
    const { user } = await administration.ensureUser({ externalId: 'guest', companyId: one.id, roles })
    const account = (await administration.accounts.list()).find(
      ({ customerId, application }) => customerId === two.id && application === 'tenant',
    )
    const role = (await administration.roles.list()).find(({ name }) => name === 'Administrator')
    await administration.permissions.grant({
      userIdentityId: user.id,
      appAccountId: account?.id ?? 0,
      appRoleId: role?.id ?? 0,
    })
    const key = await administration.apiKeys.create({ companyId: one.id, userId: user.id, targets: ['tenant'] })
    const token = await server.token('tenant', key)
    const { body } = await server.request<Login>('GET', PATH, { token })
    expect(body.accounts.map(({ customerName }) => customerName)).toEqual(['One'])
  })
})

describe('an API key for one application', () => {
  it('makes no key for another, by a token or by a cookie', async () => {
    const { administration, owner } = server.engine
    const { companyId } = owner
    const roles = [
      { application: 'tenant', role: 'Administrator' },
      { application: 'assistant', role: 'Administrator' },
    ]
    const { user } = await administration.ensureUser({ externalId: 'manager', companyId, roles })
    for (const userId of [user.id, undefined]) {
      const key = await administration.apiKeys.create({ companyId, targets: ['tenant'], ...(userId && { userId }) })
      const token = await server.token('tenant', key)
      const cookie = await logIn({ clientId: key.clientId, clientSecret: key.clientSecret })
      for (const json of [{ targets: ['assistant'] }, { targets: ['tenant', 'assistant'], userId: key.userId }]) {
        for (const caller of [{ token }, { headers: { cookie } }]) {
          const { status, body } = await server.request<Problem>('POST', '/tenant/keys', { json, ...caller })
          expect([status, body.detail]).toEqual([403, expect.stringContaining('not for assistant')])
        }
      }
    }
  })
})

describe('a login without an account', () => {
  it('is told, so that the user can leave it', async () => {
    const { administration, owner } = server.engine
    const key = await administration.apiKeys.create({ companyId: owner.companyId, userId: ada.id, targets: ['tenant'] })
    const cookie = await logIn({ clientId: key.clientId, clientSecret: key.clientSecret })
    const { status, body } = await server.request<Login>('GET', PATH, { headers: { cookie } })
    expect([status, body.accounts]).toEqual([200, []])
    expect((await server.request('DELETE', PATH, { headers: { cookie } })).status).toBe(204)
  })
})

describe('the option cookieLogins', () => {
  it('is enough without bearer tokens', async () => {
    const handler = createHttpHandler(server.engine, { cookieLogins: true, bearerTokens: false })
    expect((await handler(new Request('http://x/context', { headers: { cookie: await logIn() } }))).status).toBe(200)
    expect((await handler(new Request('http://x/context'))).status).toBe(401)
  })

  it('is off by default: neither the routes nor the cookie exist', async () => {
    const cookie = await logIn()
    const handler = createHttpHandler(server.engine)
    expect((await handler(new Request('http://x/auth/login', { method: 'POST' }))).status).toBe(404)
    expect((await handler(new Request('http://x/context', { headers: { cookie } }))).status).toBe(401)
  })

  it('must be true or false', () => {
    const options = { cookieLogins: 'yes' as unknown as boolean }
    expect(() => createHttpHandler(server.engine, options)).toThrow(InvalidInputError)
  })
})
