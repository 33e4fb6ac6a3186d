import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../check-answer.js'
import { type Problem, startServer, type TestServer } from '../server.js'

interface TokenProblem extends Problem {
  readonly error: string
  readonly error_description: string
}

let server: TestServer
let right: Record<string, string>

beforeAll(async () => {
  server = await startServer()
  right = {
    grant_type: 'client_credentials',
    client_id: server.key.clientId,
    client_secret: server.key.clientSecret,
    target_app: 'assistant',
  }
})

afterAll(async () => {
  await server.close()
})

async function post(form: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer<TokenProblem>> {
  return await server.request<TokenProblem>('POST', '/connect/token', { form, headers })
}

function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

function without(...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(right).filter(([name]) => !names.includes(name)))
}

describe('POST /connect/token', () => {
  // T1
  it('returns a bearer token that lives 900 seconds and must not be stored', async () => {
    const { status, headers, body } = await server.request('POST', '/connect/token', { form: right })
    expect(status).toBe(200)
    expect(body).toEqual({ access_token: expect.any(String) as string, token_type: 'Bearer', expires_in: 900 })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  // T1
  it('returns a token for the tenant API, and one for a named account', async () => {
    expect((await post({ ...right, target_app: 'tenant' })).status).toBe(200)
    expect((await post({ ...right, account_id: '1' })).status).toBe(200)
  })

  // T1
  it('returns a token for the assistant API to a client that names the endpoint of agents', async () => {
    const form = { ...without('target_app'), resource: `${server.url}/mcp`, scope: 'context:read search' }
    const { status, body } = await server.request<{ access_token: string }>('POST', '/connect/token', { form })
    expect(status).toBe(200)
    const token = body.access_token
    expect((await server.request('GET', '/context', { token })).status).toBe(200)
    expect((await server.request('GET', '/tenant/user/list', { token, isDescribed: false })).status).not.toBe(200)
    const tenant = await post({ ...right, target_app: 'tenant', resource: `${server.url}/mcp` })
    expect(tenant.status).toBe(200)
  })

  // T2
  it.each(['grant_type', 'client_id', 'client_secret', 'target_app'])('refuses a request without %s', async (name) => {
    const { status, body, headers } = await post(without(name))
    expect(status).toBe(400)
    expect(body.error).toBe('invalid_request')
    expect(body.detail).toContain(name)
    expect(body.error_description).toBe(body.detail)
    expect(headers.get('cache-control')).toBe('no-store')
    expect((await post({ ...right, [name]: '' })).body.error).toBe('invalid_request')
  })

  // T2
  it('accepts id and secret by Basic instead, but not both ways', async () => {
    const byBasic = basic(server.key.clientId, server.key.clientSecret)
    expect((await post(without('client_id', 'client_secret'), byBasic)).status).toBe(200)
    expect(await post(right, byBasic)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect(await post(without('client_secret'), byBasic)).toMatchObject({ status: 400 })
    for (const authorization of ['Basic', 'Basic !!!', 'Bearer abc', `Basic ${Buffer.from('x').toString('base64')}`]) {
      const { status, body } = await post(without('client_id', 'client_secret'), { authorization })
      expect([authorization, status, body.error]).toEqual([authorization, 400, 'invalid_request'])
    }
  })

  // T2
  it('refuses a repeated field', async () => {
    const form = new URLSearchParams([...Object.entries(right), ['target_app', 'tenant']])
    const { status, body } = await server.request<TokenProblem>('POST', '/connect/token', { form })
    expect([status, body.error]).toEqual([400, 'invalid_request'])
  })

  // T2
  it('refuses JSON, no body, and more than 8 KB', async () => {
    const json = await server.request<TokenProblem>('POST', '/connect/token', { json: right })
    expect([json.status, json.body.error]).toEqual([400, 'invalid_request'])
    const none = await server.request<TokenProblem>('POST', '/connect/token')
    expect([none.status, none.body.error]).toEqual([400, 'invalid_request'])
    const long = await post({ ...right, padding: 'x'.repeat(8_192) })
    expect([long.status, long.body.error]).toEqual([400, 'invalid_request'])
  })

  // T3
  it('refuses another grant type', async () => {
    for (const grant_type of ['password', 'authorization_code', 'Client_Credentials']) {
      expect(await post({ ...right, grant_type })).toMatchObject({
        status: 400,
        body: { error: 'unsupported_grant_type' },
      })
    }
  })

  // T4
  it('answers alike to an unknown id and a wrong, revoked or expired secret', async () => {
    const { apiKeys } = server.engine.administration
    const revoked = await apiKeys.create({ companyId: 1 })
    await apiKeys.revoke(revoked.id)
    const expires = new Date(server.clock.now().getTime() + 1_000).toISOString()
    const expired = await apiKeys.create({ companyId: 1, expires })
    server.clock.advance(1_000)
    const attempts: [string, string][] = [
      ['ak_unknown', server.key.clientSecret],
      [server.key.clientId, 'sk_wrong'],
      [server.key.clientId, `${server.key.clientSecret} `],
      [revoked.clientId, revoked.clientSecret],
      [expired.clientId, expired.clientSecret],
    ]
    const bodies = new Set<string>()
    for (const [id, secret] of attempts) {
      const byForm = await post({ ...right, client_id: id, client_secret: secret })
      expect([byForm.status, byForm.headers.get('www-authenticate')]).toEqual([401, null])
      const byBasic = await post(without('client_id', 'client_secret'), basic(id, encodeURIComponent(secret)))
      expect(byBasic.status).toBe(401)
      expect(byBasic.headers.get('www-authenticate')).toMatch(/^Basic /)
      bodies.add(JSON.stringify(byForm.body)).add(JSON.stringify(byBasic.body))
    }
    expect([...bodies]).toHaveLength(1)
    expect([...bodies][0]).toContain('"error":"invalid_client"')
  })

  // T5
  it('refuses a key that is not allowed for the target', async () => {
    const key = await server.engine.administration.apiKeys.create({ companyId: 1, targets: ['assistant'] })
    const form = { ...right, client_id: key.clientId, client_secret: key.clientSecret }
    expect((await post(form)).status).toBe(200)
    expect(await post({ ...form, target_app: 'tenant' })).toMatchObject({
      status: 400,
      body: { error: 'unauthorized_client' },
    })
  })

  // T6
  it('refuses an unknown target', async () => {
    for (const target_app of ['builder', 'Assistant', '__proto__']) {
      expect(await post({ ...right, target_app })).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
  })

  // T7
  it("refuses an invalid account_id, and accounts that are not the key's", async () => {
    for (const account_id of [
      'abc',
      '1e3',
      '-1',
      '0',
      '1.0',
      ' 1',
      '0x1',
      '9007199254740992',
      '99999999999999999999',
    ]) {
      const { status, body } = await post({ ...right, account_id })
      expect([account_id, status, body.error]).toEqual([account_id, 400, 'invalid_request'])
    }
    const { administration } = server.engine
    const other = await administration.companies.create({ name: 'Other', parentId: 1 })
    const foreign = (await administration.accounts.list()).filter(({ customerId }) => customerId === other.id)
    const disabled = await administration.accounts.create({
      companyId: 1,
      application: 'assistant',
      region: 'local',
      name: 'Off',
    })
    await administration.permissions.grant({ userIdentityId: 1, appAccountId: disabled.id, appRoleId: 1 })
    expect((await post({ ...right, account_id: String(disabled.id) })).status).toBe(200)
    await administration.accounts.setActive(disabled.id, false)
    const ids = [999, 2, disabled.id, ...foreign.map(({ id }) => id)]
    for (const id of ids) {
      const { status, body } = await post({ ...right, account_id: String(id) })
      expect([id, status, body.error]).toEqual([id, 400, 'invalid_scope'])
    }
    const tenant = await post({ ...right, target_app: 'tenant', account_id: '1' })
    expect([tenant.status, tenant.body.error]).toEqual([400, 'invalid_scope'])
  })

  // T7
  it('uses the account with the lowest id when none is named', async () => {
    const { administration } = server.engine
    const company = await administration.companies.create({ name: 'Three accounts', parentId: 1 })
    const newAccount = { companyId: company.id, application: 'assistant', region: 'Europe' }
    const own = (await administration.accounts.list()).find(
      ({ customerId, application }) => customerId === company.id && application === 'assistant',
    )
    const second = await administration.accounts.create({ ...newAccount, name: 'Second' })
    const third = await administration.accounts.create({ ...newAccount, name: 'Third' })
    const user = await administration.users.add({ email: 'lowest@example.com', companyId: company.id })
    const key = await administration.apiKeys.create({ companyId: company.id, userId: user.id })
    // The account with the highest id is granted first, because the order of the permissions must not count.
    const grant = async (appAccountId: number): Promise<number> =>
      (await administration.permissions.grant({ userIdentityId: user.id, appAccountId, appRoleId: 2 })).id
    const permissions = [await grant(third.id), await grant(second.id)]
    const form = { ...right, client_id: key.clientId, client_secret: key.clientSecret }
    const account = async (): Promise<unknown> => accountOf((await post(form)).body as unknown as Token)
    expect(await account()).toBe(own?.id)
    const [member] = (await administration.permissions.list()).filter(
      ({ userIdentityId }) => userIdentityId === user.id,
    )
    await administration.permissions.toggle(member?.id ?? 0)
    expect(await account()).toBe(second.id)
    expect((await post({ ...form, account_id: String(third.id) })).status).toBe(200)
    for (const id of permissions) await administration.permissions.toggle(id)
    expect((await post(form)).body.error).toBe('invalid_scope')
  })

  // T8
  it('accepts no other method', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, headers, body } = await server.request<TokenProblem>(method, '/connect/token')
      expect([method, status, headers.get('allow'), body.error]).toEqual([method, 405, 'POST', 'invalid_request'])
    }
  })

  // T9
  it('throttles wrong secrets by client id; the right secret still passes', async () => {
    const key = await server.engine.administration.apiKeys.create({ companyId: 1 })
    const form = { ...right, client_id: key.clientId, client_secret: 'wrong' }
    for (let attempt = 0; attempt < 10; attempt += 1) expect((await post(form)).status).toBe(401)
    const throttled = await post(form)
    expect([throttled.status, throttled.body.error]).toEqual([429, 'temporarily_unavailable'])
    // The engine remembers the throttled client id, however many names a stranger invents.
    for (let at = 0; at < 50; at += 1) await post({ ...form, client_id: `ak_invented_${at}` })
    expect((await post(form)).status).toBe(429)
    expect(Number(throttled.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(throttled.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect((await post({ ...form, client_secret: key.clientSecret })).status).toBe(200)
    expect((await post(form)).status).toBe(429)
    expect((await post(right)).status).toBe(200)
    server.clock.advance(60_000)
    expect((await post(form)).status).toBe(401)
  })
})

interface Token {
  readonly access_token: string
}

function accountOf({ access_token: token }: Token): unknown {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
  return (JSON.parse(payload) as Record<string, unknown>)['account_id']
}
