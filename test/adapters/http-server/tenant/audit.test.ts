import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditAction, AuditEntry, AuditPage, Permission } from '../../../../src/index.js'
import { startServer, type TestServer } from '../server.js'

let server: TestServer
let token: string

beforeAll(async () => {
  server = await startServer()
  token = await server.token('tenant')
})

afterAll(async () => {
  await server.close()
})

async function newest(): Promise<AuditEntry | undefined> {
  const { status, body } = await server.request<AuditPage>('GET', '/tenant/audit?limit=1', { token })
  expect(status).toBe(200)
  return body.items[0]
}

describe('GET /tenant/audit', () => {
  // A100
  it('returns each change of rights: who, by which key, from which address, in which request', async () => {
    const { administration } = server.engine
    const { id: userId } = await administration.users.add({ email: 'ada@example.com', companyId: 1 })
    const [, accountId = 0] = (await administration.accounts.list()).map(({ id }) => id)
    const [administrator = 0, member = 0] = (await administration.roles.list()).map(({ id }) => id)
    const permission = { userIdentityId: userId, appAccountId: accountId, appRoleId: member }
    const created = await server.request<Permission>('POST', '/permission', { token, json: permission })
    const { id } = created.body
    const expected = {
      outcome: 'done',
      companyId: 1,
      actor: { kind: 'user', userId: server.key.userId },
      clientId: server.key.clientId,
      remoteAddress: expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$|^::1$/) as string,
      targetType: 'permission',
      targetId: id,
    }
    const roles = { userId, accountId, roleId: administrator }
    expect(await newest()).toEqual({
      ...expected,
      id: expect.any(Number) as number,
      time: server.clock.now().toISOString(),
      action: 'permission.created',
      requestId: created.headers.get('x-request-id'),
      details: { userId, accountId, roleId: member, disabled: false },
    })
    const changes = [
      [
        'PUT',
        '/permission',
        'permission.role-changed',
        { userId, accountId, oldRoleId: member, newRoleId: administrator },
      ],
      ['PATCH', `/permission/${id}`, 'permission.suspended', roles],
      ['PATCH', `/permission/${id}`, 'permission.resumed', roles],
      ['DELETE', `/permission/${id}`, 'permission.revoked', roles],
    ] as const
    for (const [method, path, action, details] of changes) {
      const json = method === 'PUT' ? { id, appRoleId: administrator } : undefined
      const { status, headers } = await server.request(method, path, { token, ...(json && { json }) })
      expect(status).toBe(204)
      expect(await newest()).toMatchObject({ ...expected, action, details, requestId: headers.get('x-request-id') })
    }
  })

  // A104
  it('accepts tokens of the tenant API alone', async () => {
    expect((await server.request('GET', '/tenant/audit')).status).toBe(401)
    const other = await server.token('assistant')
    expect((await server.request('GET', '/tenant/audit', { token: other })).status).toBe(403)
  })

  // A105
  it('refuses a limit above 1,000, an unknown action and an invalid cursor', async () => {
    for (const query of ['limit=1001', 'limit=0', 'action=x', 'cursor=x', 'from=x']) {
      expect((await server.request('GET', `/tenant/audit?${query}`, { token })).status).toBe(400)
    }
  })
})

describe('an attempt by a stranger', () => {
  const entriesOf = async (action: AuditAction): Promise<AuditEntry[]> => {
    const entries: AuditEntry[] = []
    for await (const entry of server.engine.administration.audit.entries({ action })) entries.push(entry)
    return entries
  }
  const ask = async (clientId: string, clientSecret: string, targetApp = 'tenant') => {
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
    return await server.request('POST', '/connect/token', { form: { ...form, target_app: targetApp } })
  }

  // A110
  it('is recorded when a token is refused: without the secret, and without an invalid client id', async () => {
    const { key } = server
    const wrong = await ask(key.clientId, 'sk_wrong-secret')
    const unknown = await ask(key.clientSecret, 'sk_other-secret')
    expect([wrong.status, unknown.status]).toEqual([401, 401])
    const [second, first] = await entriesOf('token.refused')
    const refused = { outcome: 'refused', actor: { kind: 'anonymous', userId: null } }
    const details = { reason: 'invalid_client' }
    expect(first).toMatchObject({ ...refused, companyId: 1, clientId: key.clientId, targetType: 'api-key', details })
    expect(first?.requestId).toBe(wrong.headers.get('x-request-id'))
    expect(second).toMatchObject({ ...refused, companyId: null, clientId: null, targetId: null, details })
    expect(second?.requestId).toBe(unknown.headers.get('x-request-id'))
    expect(JSON.stringify([first, second])).not.toMatch(/sk_/)
    const given = await ask(key.clientId, key.clientSecret)
    expect(given.status).toBe(200)
    expect(await entriesOf('token.refused')).toHaveLength(2)
  })

  // A111
  it('is recorded up to a limit for each minute, however many attempts there are, and again in the next minute', async () => {
    server.clock.advance(61_000)
    const before = (await entriesOf('token.refused')).length
    const statuses: number[] = []
    for (let round = 0; round < 6; round += 1) {
      const asked = Array.from({ length: 20 }, async () => (await ask(`ak_${crypto.randomUUID()}`, 'sk_wrong')).status)
      statuses.push(...(await Promise.all(asked)))
    }
    expect(statuses.every((status) => status === 401 || status === 429)).toBe(true)
    expect((await entriesOf('token.refused')).length - before).toBe(30)
    server.clock.advance(61_000)
    await ask('ak_one', 'sk_wrong')
    expect((await entriesOf('token.refused')).length - before).toBe(31)
  })

  // A112
  it('is recorded when a password is wrong, also for an unknown e-mail address, and without the address', async () => {
    const { administration } = server.engine
    const { id } = await administration.users.add({ email: 'grace@example.com', companyId: 1 })
    await administration.users.completeSetup(id, 'correct horse battery staple')
    for (const email of ['grace@example.com', 'nobody@example.com']) {
      expect(await administration.verifyPassword(email, 'wrong wrong wrong')).toBeUndefined()
    }
    const [nobody, grace] = await entriesOf('login.refused')
    const details = { reason: 'wrong-password' }
    expect(grace).toMatchObject({ outcome: 'refused', companyId: 1, targetType: 'user', targetId: id, details })
    expect(nobody).toMatchObject({ outcome: 'refused', companyId: null, targetType: 'user', targetId: null, details })
    expect(JSON.stringify([grace, nobody])).not.toContain('@')
    expect(await administration.verifyPassword('grace@example.com', 'correct horse battery staple')).toMatchObject({
      id,
    })
    expect(await entriesOf('login.refused')).toHaveLength(2)
  })
})
