import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiKeyWithSecret } from '../../../../src/index.js'
import type { Answer } from '../check-answer.js'
import { type Problem, startServer, type TestServer } from '../server.js'

type Client = Pick<ApiKeyWithSecret, 'clientId' | 'clientSecret'>
type State = Record<string, unknown>

let server: TestServer
let below: ApiKeyWithSecret

beforeAll(async () => {
  server = await startServer()
  const { administration } = server.engine
  const { id: companyId } = await administration.companies.create({ name: 'Below', parentId: 1 })
  below = await administration.apiKeys.create({ companyId })
})

afterAll(async () => {
  await server.close()
})

async function post<Body = string>(path: string, form: Record<string, string>, client: Client = server.key) {
  const credentials = { client_id: client.clientId, client_secret: client.clientSecret }
  return await server.request<Body>('POST', `/connect/${path}`, { form: { ...credentials, ...form } })
}

async function use(token: string): Promise<Answer<Problem>> {
  return await server.request<Problem>('GET', '/context', { token })
}

async function stateOf(token: string, client?: Client): Promise<State> {
  const { status, headers, body } = await post<State>('introspect', { token }, client)
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  return body
}

describe('POST /connect/revoke', () => {
  // A94
  it('ends a token at once, by form and by Basic, and no other token of the key', async () => {
    const [revoked, byBasic, other] = [
      await server.token('assistant'),
      await server.token('tenant'),
      await server.token('assistant'),
    ]
    const answer = await post('revoke', { token: revoked, token_type_hint: 'refresh_token' })
    expect([answer.status, answer.body]).toEqual([200, ''])
    const refused = await use(revoked)
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"'])
    const { clientId, clientSecret } = server.key
    const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    const headers = { authorization }
    expect((await server.request('POST', '/connect/revoke', { form: { token: byBasic }, headers })).status).toBe(200)
    expect((await server.request('GET', '/tenant/users', { token: byBasic })).status).toBe(401)
    expect((await use(other)).status).toBe(200)
  })

  // A94
  it('answers alike for invalid, expired and already revoked tokens, and records one entry', async () => {
    const { audit } = server.engine.administration
    const entries = async () => (await audit.list({ action: 'token.revoked' })).items
    const before = (await entries()).length
    const token = await server.token('assistant')
    const expired = await server.token('assistant')
    for (const given of ['rubbish', '東京', token, token])
      expect((await post('revoke', { token: given })).status).toBe(200)
    server.clock.advance(900_000)
    expect((await post('revoke', { token: expired })).body).toBe('')
    const items = await entries()
    expect(items).toHaveLength(before + 1)
    expect(items[0]).toMatchObject({ companyId: 1, clientId: server.key.clientId, details: {} })
  })

  // A94
  it('refuses the token of another client, whatever its company', async () => {
    const token = await server.token('assistant', below)
    const { status, body } = await post<{ error: string }>('revoke', { token })
    expect([status, body.error]).toEqual([400, 'unauthorized_client'])
    expect((await use(token)).status).toBe(200)
  })

  // A94
  it.each(['revoke', 'introspect'])('POST /connect/%s refuses clients as the token endpoint does', async (path) => {
    const token = await server.token('assistant')
    const key = await server.engine.administration.apiKeys.create({ companyId: 1 })
    const wrong = { clientId: key.clientId, clientSecret: 'sk_wrong' }
    const atToken = await post<State>('token', { grant_type: 'client_credentials', target_app: 'assistant' }, wrong)
    const here = await post<State>(path, { token }, wrong)
    expect([here.status, here.body]).toEqual([401, atToken.body])
    for (let at = 2; at < 10; at += 1) await post(path, { token }, wrong)
    const throttled = await post<State>(path, { token }, wrong)
    expect([throttled.status, throttled.headers.get('retry-after') !== null]).toEqual([429, true])
    expect(
      (await post<State>('token', { grant_type: 'client_credentials', target_app: 'assistant' }, wrong)).status,
    ).toBe(429)
    const { items } = await server.engine.administration.audit.list({ action: 'token.refused', limit: 20 })
    expect(items.map(({ clientId }) => clientId)).toContain(key.clientId)
    const missing = await post<State>(path, {})
    expect([missing.status, missing.body['error']]).toEqual([400, 'invalid_request'])
    const wrongMethod = await server.request<State>('GET', `/connect/${path}`)
    expect([wrongMethod.status, wrongMethod.body['error']]).toEqual([405, 'invalid_request'])
    expect((await use(token)).status).toBe(200)
    server.clock.advance(60_000)
  })
})

describe('POST /connect/introspect', () => {
  // A95
  it('returns the state of a live token, with its current capabilities', async () => {
    const form = { grant_type: 'client_credentials', target_app: 'assistant', scope: 'search' }
    const { access_token: token } = (await post<{ access_token: string }>('token', form, below)).body
    const iat = Math.floor(server.clock.now().getTime() / 1_000)
    expect(await stateOf(token)).toEqual({
      active: true,
      client_id: below.clientId,
      sub: String(below.userId),
      aud: 'alcove',
      iss: 'alcove',
      iat,
      exp: iat + 900,
      jti: expect.any(String) as string,
      token_type: 'Bearer',
      scope: 'search',
      target_app: 'assistant',
      account_id: expect.any(Number) as number,
      company_id: below.companyId,
    })
    const unscoped = await stateOf(await server.token('assistant', below), below)
    expect(unscoped['scope']).toBe('context:read context:write document:write search tenant:manage webhook:manage')
  })

  // A95
  it('reveals nothing about tokens of companies above or beside the asking key', async () => {
    const { administration } = server.engine
    const { id: companyId } = await administration.companies.create({ name: 'Beside', parentId: 1 })
    const beside = await administration.apiKeys.create({ companyId })
    for (const token of [await server.token('assistant'), await server.token('assistant', beside)]) {
      expect(await stateOf(token, below)).toEqual({ active: false })
      expect(await stateOf(token)).toMatchObject({ active: true })
    }
  })

  // A95
  it('has one answer for every token that is not live: malformed, expired, revoked, or without its key or permission', async () => {
    const { administration } = server.engine
    const key = await administration.apiKeys.create({ companyId: 1 })
    const [ofKey, revoked, expired] = [
      await server.token('assistant', key),
      await server.token('assistant'),
      await server.token('assistant'),
    ]
    const { id: companyId } = await administration.companies.create({ name: 'Suspended', parentId: 1 })
    const suspended = await administration.apiKeys.create({ companyId })
    const ofSuspended = await server.token('assistant', suspended)
    const permissions = await administration.permissions.list()
    for (const { id, userIdentityId } of permissions) {
      if (userIdentityId === suspended.userId) await administration.permissions.toggle(id)
    }
    await administration.apiKeys.revoke(key.id)
    await post('revoke', { token: revoked })
    expect(await stateOf(expired)).toMatchObject({ active: true })
    for (const token of ['x', 'a.b.c', ofKey, revoked, ofSuspended])
      expect(await stateOf(token)).toEqual({ active: false })
    server.clock.advance(900_000)
    expect(await stateOf(expired)).toEqual({ active: false })
  })
})
