import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryMailer } from '../../../../adapters/memory/index.js'
import type { Context, UserDetails, UserWithPermissions } from '../../../../src/index.js'
import { NEW_CONTEXT, type Problem, startServer, type TestServer } from '../server.js'

let server: TestServer
let token: string
const mailer = new MemoryMailer()

beforeAll(async () => {
  server = await startServer({}, undefined, { mailer })
  token = await server.token('tenant')
})

afterAll(async () => {
  await server.close()
})

async function add(json: object): Promise<UserWithPermissions> {
  const { status, body } = await server.request<UserWithPermissions>('POST', '/tenant/user', { token, json })
  expect(status).toBe(201)
  return body
}

const get = async (path: string) => await server.request<UserDetails & Problem>('GET', path, { token })

describe('POST /tenant/user', () => {
  it('sends no invitation if invite is false, and keeps the record of the specification', async () => {
    const quiet = await add({ email: 'quiet@example.com', externalId: 'oidc|quiet', invite: false })
    expect(mailer.sent).toEqual([])
    const loud = await add({ email: 'loud@example.com' })
    expect(mailer.sent.map(({ to }) => to.address)).toEqual(['loud@example.com'])
    expect(Object.keys(quiet)).toEqual(Object.keys(loud))
    expect(quiet).not.toHaveProperty('externalId')
    const refused = { token, json: { email: 'other@example.com', externalId: 'oidc|quiet' } }
    const { status, body } = await server.request<Problem>('POST', '/tenant/user', refused)
    expect([status, body.code]).toEqual([400, 'ERR_ALREADY_EXISTS'])
    expect(body.reason).toEqual({ code: 'external-id-taken', parameters: {} })
    expect(mailer.sent).toHaveLength(1)
  })

  it('names an invite and an external id that are not valid', async () => {
    for (const [member, value] of [
      ['invite', 'no'],
      ['externalId', ''],
    ] as const) {
      const json = { email: 'x@example.com', [member]: value }
      const { status, body } = await server.request<Problem>('POST', '/tenant/user', { token, json })
      expect([status, body.detail.split(':')[0]]).toEqual([400, member])
    }
  })
})

describe('GET /tenant/user', () => {
  it('finds one user by id, by address and by external id', async () => {
    const ada = await add({ email: 'Ada@Example.com', name: 'Ada', externalId: 'oidc|ä/1', invite: false })
    const expected = { ...ada, customerId: 1, externalId: 'oidc|ä/1', disabled: false }
    const query = `externalId=${encodeURIComponent('oidc|ä/1')}`
    for (const path of [
      `/tenant/user/${ada.id}`,
      '/tenant/user?email=ada@example.COM',
      `/tenant/user?${query}&cid=1`,
    ]) {
      const { status, body } = await get(path)
      expect([path, status, body]).toEqual([path, 200, expected])
    }
  })

  it('says what is wrong, and nothing of users out of reach', async () => {
    const { administration } = server.engine
    const company = await administration.companies.create({ name: 'Other', parentId: 1 })
    const key = await administration.apiKeys.create({ companyId: company.id })
    const foreign = await server.token('tenant', key)
    const { status, body } = await server.request<Problem>('GET', '/tenant/user/1', { token: foreign })
    expect([status, body.code]).toEqual([404, 'ERR_USER_NOT_FOUND'])
    expect((await get('/tenant/user/999')).body.detail).toBe(body.detail.replace('1', '999'))
    for (const [path, expected, code] of [
      ['/tenant/user?email=nobody@example.com', 404, 'ERR_USER_NOT_FOUND'],
      ['/tenant/user', 400, 'ERR_INVALID_INPUT'],
      ['/tenant/user?email=a@example.com&externalId=x', 400, 'ERR_INVALID_INPUT'],
      ['/tenant/user?mail=a@example.com', 400, 'ERR_INVALID_INPUT'],
      ['/tenant/user?email=a@example.com&cid=999', 403, 'ERR_FORBIDDEN'],
    ] as const) {
      const answer = await get(path)
      expect([path, answer.status, answer.body.code]).toEqual([path, expected, code])
    }
  })
})

describe('the contexts of a user', () => {
  it('go to another user: one by its user, all after the user is deleted', async () => {
    const { administration, owner } = server.engine
    const { companyId, accountId } = owner
    const [from, to] = [await add({ email: 'from@example.com', invite: false }), await add({ email: 'to@example.com' })]
    const { contexts } = server.engine.as({ companyId, accountId, userId: from.id })
    const [one, other] = [await contexts.create(NEW_CONTEXT), await contexts.create(NEW_CONTEXT)]
    const key = await administration.apiKeys.create({ companyId, userId: from.id, sight: 'user' })
    const assistant = await server.token('assistant', key)
    const json = { toUserId: to.id }
    const given = await server.request<Context>('PUT', `/context/owner/${one.id}`, { token: assistant, json })
    expect([given.status, given.body]).toEqual([200, { ...one, userId: to.id }])
    expect((await server.request('GET', `/context/${one.id}`, { token: assistant })).status).toBe(404)
    const path = `/tenant/user/${from.id}/hand-over`
    const tooEarly = await server.request<Problem>('POST', path, { token, json })
    expect([tooEarly.status, tooEarly.body.code]).toEqual([409, 'ERR_IN_USE'])
    expect(tooEarly.body.reason).toEqual({ code: 'user-still-active', parameters: { user: from.id } })
    await server.request('DELETE', `/tenant/user/${from.id}`, { token })
    const all = await server.request<{ contextIds: number[] }>('POST', path, { token, json })
    expect([all.status, all.body]).toEqual([200, { contextIds: [other.id] }])
    const { body } = await server.request<Problem>('PUT', `/context/owner/${one.id}`, {
      token: await server.token('assistant'),
      json: { toUserId: from.id },
    })
    expect([body.status, body.detail]).toEqual([400, expect.stringContaining('may not read contexts of the account')])
  })
})
