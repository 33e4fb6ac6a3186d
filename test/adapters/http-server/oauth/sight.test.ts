import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiKeyWithSecret, Context } from '../../../../src/index.js'
import { NEW_CONTEXT, type Problem, startServer, type TestServer } from '../server.js'

let server: TestServer
let boId: number
let keys: { readonly ofUser: ApiKeyWithSecret; readonly ofAccount: ApiKeyWithSecret }
/** Ada's contexts, and Bo's. */
let ids: { readonly private: number; readonly shared: number; readonly own: number }

beforeAll(async () => {
  server = await startServer()
  const { administration, owner } = server.engine
  const { companyId, accountId } = owner
  const addUser = async (name: string): Promise<number> =>
    (await administration.users.add({ email: `${name}@example.com`, name, companyId })).id
  const ada = server.engine.as({ companyId, accountId, userId: await addUser('Ada') })
  boId = await addUser('Bo')
  const bo = server.engine.as({ companyId, accountId, userId: boId })
  const make = async (session: typeof ada): Promise<number> => (await session.contexts.create(NEW_CONTEXT)).id
  ids = { private: await make(ada), shared: await make(ada), own: await make(bo) }
  await ada.contexts.share(ids.shared, { shareState: 1 })
  keys = {
    ofUser: await administration.apiKeys.create({ companyId, userId: boId, sight: 'user' }),
    ofAccount: await administration.apiKeys.create({ companyId, userId: boId }),
  }
})

afterAll(async () => {
  await server.close()
})

describe('a token of a key with the sight of its user', () => {
  it('sees the contexts of the user and shared ones, and no others', async () => {
    const token = await server.token('assistant', keys.ofUser)
    const listed = await server.request<Context[]>('GET', '/context', { token })
    expect(listed.body.map(({ id }) => id)).toEqual([ids.shared, ids.own])
    for (const [method, path] of [
      ['GET', `/context/${ids.private}`],
      ['DELETE', `/context/${ids.private}`],
      ['GET', `/context/documents/${ids.private}`],
    ] as const) {
      const { status, body } = await server.request<Problem>(method, path, { token })
      expect([method, status, body.code]).toEqual([method, 404, 'ERR_CONTEXT_NOT_FOUND'])
    }
    const search = { token, json: { prompt: 'leave' } }
    expect((await server.request('POST', `/context/relevant-docs/${ids.private}`, search)).status).toBe(404)
    expect((await server.request('POST', `/context/relevant-docs/${ids.shared}`, search)).status).toBe(200)
  })

  it('changes no context that another user shares', async () => {
    const token = await server.token('assistant', keys.ofUser)
    const { status, body } = await server.request<Problem>('DELETE', `/context/${ids.shared}`, { token })
    expect([status, body.code]).toEqual([403, 'ERR_FORBIDDEN'])
    expect(body.detail).toContain('belongs to another user')
  })

  it('is not the default: a key sees its whole account, as before', async () => {
    expect(keys.ofAccount.sight).toBe('account')
    const token = await server.token('assistant', keys.ofAccount)
    const listed = await server.request<Context[]>('GET', '/context', { token })
    expect(listed.body.map(({ id }) => id)).toEqual([ids.private, ids.shared, ids.own])
  })
})

it('lists and audits what keys see', async () => {
  const { administration } = server.engine
  const listed = (await administration.apiKeys.list()).map(({ id, sight }) => [id, sight])
  expect(listed).toEqual([
    [1, 'account'],
    [keys.ofUser.id, 'user'],
    [keys.ofAccount.id, 'account'],
  ])
  const { items } = await administration.audit.list({ action: 'api-key.created' })
  expect(items.map(({ targetId, details }) => [targetId, details['sight']]).reverse()).toEqual(listed)
})

it('refuses a key with the sight of a user that names no user', async () => {
  const { apiKeys } = server.engine.administration
  await expect(apiKeys.create({ companyId: 1, sight: 'user' })).rejects.toMatchObject({
    code: 'ERR_INVALID_INPUT',
    message: expect.stringContaining('sight: can be "user" only together with userId') as string,
  })
  await expect(apiKeys.create({ companyId: 1, userId: boId, sight: 'all' as 'user' })).rejects.toMatchObject({
    code: 'ERR_INVALID_INPUT',
  })
  expect(await apiKeys.list()).toHaveLength(3)
})
