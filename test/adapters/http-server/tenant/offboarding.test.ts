import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryMailer } from '../../../../adapters/memory/index.js'
import type { ApiKeyWithSecret, UserWithPermissions } from '../../../../src/index.js'
import { type Problem, startServer, type TestServer } from '../server.js'

let server: TestServer

beforeAll(async () => {
  server = await startServer({}, undefined, { mailer: new MemoryMailer() })
})

afterAll(async () => {
  await server.close()
})

let count = 0

/** A company with a manager, who has a key and an address. */
async function newCompany() {
  const { administration } = server.engine
  const { id: companyId } = await administration.companies.create({ name: 'Company', parentId: 1 })
  const accounts = (await administration.accounts.list()).filter(({ customerId }) => customerId === companyId)
  const idOf = (key: string): number => accounts.find(({ application }) => application === key)?.id ?? 0
  const [tenantId, assistantId] = [idOf('tenant'), idOf('assistant')]
  const roles = await administration.roles.list()
  const roleId = (name: string): number => roles.find((role) => role.name === name)?.id ?? 0
  const newUser = async (role: string) => {
    const { id } = await administration.users.add({ email: `user-${(count += 1)}@example.com`, companyId })
    const permission = { userIdentityId: id, appAccountId: tenantId, appRoleId: roleId(role) }
    await administration.permissions.grant(permission)
    const key: ApiKeyWithSecret = await administration.apiKeys.create({ companyId, userId: id })
    return { id, key, token: await server.token('tenant', key), assistant: await server.token('assistant', key) }
  }
  return { companyId, assistantId, newUser, manager: await newUser('Administrator') }
}

async function remove(id: number, token: string): Promise<[number, string | undefined]> {
  const { status, body } = await server.request<Problem | ''>('DELETE', `/tenant/user/${id}`, { token })
  return [status, body === '' ? undefined : body.code]
}

describe('DELETE /tenant/user/{id}', () => {
  // A83
  it('ends every access of the user at once, and removes the user from the list', async () => {
    const { newUser, manager } = await newCompany()
    const user = await newUser('Member')
    expect(await remove(user.id, manager.token)).toEqual([204, undefined])
    for (const [path, token] of [
      ['/context', user.assistant],
      ['/tenant/users', user.token],
    ] as const) {
      expect((await server.request('GET', path, { token })).status).toBe(401)
    }
    const form = { client_id: user.key.clientId, client_secret: user.key.clientSecret, target_app: 'assistant' }
    const asked = await server.request<{ error: string }>('POST', '/connect/token', {
      form: { grant_type: 'client_credentials', ...form },
    })
    expect([asked.status, asked.body.error]).toEqual([401, 'invalid_client'])
    const { body } = await server.request<UserWithPermissions[]>('GET', '/tenant/users', { token: manager.token })
    expect(body.map(({ id }) => id)).toEqual([manager.id])
    expect(await remove(user.id, manager.token)).toEqual([404, 'ERR_USER_NOT_FOUND'])
    const json = { id: user.id }
    const invited = await server.request('POST', '/tenant/user/init', { token: manager.token, json })
    expect(invited.status).toBe(404)
  })

  // A83
  it('answers alike for a foreign user and an unknown one, and requires the rights for it', async () => {
    const one = await newCompany()
    const other = await newCompany()
    expect(await remove(other.manager.id, one.manager.token)).toEqual([404, 'ERR_USER_NOT_FOUND'])
    expect(await remove(999_999, one.manager.token)).toEqual([404, 'ERR_USER_NOT_FOUND'])
    const member = await one.newUser('Member')
    expect(await remove(one.manager.id, member.token)).toEqual([403, 'ERR_FORBIDDEN'])
    const assistant = await server.request('DELETE', `/tenant/user/${member.id}`, { token: one.manager.assistant })
    expect(assistant.status).toBe(403)
    expect((await server.request('DELETE', '/tenant/user/none', { token: one.manager.token })).status).toBe(400)
  })

  // A83
  it('removes no API key of a company that the caller does not manage', async () => {
    const { apiKeys } = server.engine.administration
    const { manager, newUser } = await newCompany()
    const abroad = await newCompany()
    const user = await newUser('Member')
    const key = await apiKeys.create({ companyId: abroad.companyId, userId: user.id })
    expect(await remove(user.id, manager.token)).toEqual([403, 'ERR_FORBIDDEN'])
    expect((await apiKeys.list()).map(({ id }) => id)).toEqual(expect.arrayContaining([key.id, user.key.id]))
    await apiKeys.revoke(key.id)
    expect(await remove(user.id, manager.token)).toEqual([204, undefined])
  })

  // A83
  it('refuses to delete the last user who manages a company, and the owner', async () => {
    const { manager, newUser } = await newCompany()
    expect(await remove(manager.id, manager.token)).toEqual([409, 'ERR_LAST_MANAGER'])
    const second = await newUser('Administrator')
    expect(await remove(manager.id, manager.token)).toEqual([204, undefined])
    expect(await remove(second.id, second.token)).toEqual([409, 'ERR_LAST_MANAGER'])
    await server.engine.administration.apiKeys.create({ companyId: 1 })
    const owner = await remove(server.engine.owner.userId, await server.token('tenant'))
    expect(owner).toEqual([409, 'ERR_IN_USE'])
  })
})
