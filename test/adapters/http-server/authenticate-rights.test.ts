import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Principal } from '../../../src/index.js'
import { HeldModel } from '../../src/engine/held-model.js'
import { LoginHost, makeContext, send } from './login-host.js'
import { NEW_CONTEXT } from './server.js'

let host: LoginHost

beforeAll(async () => {
  host = await LoginHost.open()
})

afterAll(async () => {
  await host.memory.engine.close()
})

beforeEach(async () => {
  await host.renew()
})

describe('the rights of a principal of the login', () => {
  it('are read at each call', async () => {
    const handler = host.handler()
    const { administration } = host.memory.engine
    const userId = host.idOf('ada')
    const statusNow = async (): Promise<number> => (await send(handler, 'GET', '/context', { user: 'ada' })).status
    const [permission] = (await administration.permissions.list()).filter((one) => one.userIdentityId === userId)
    expect(await statusNow()).toBe(200)
    await administration.permissions.toggle(permission?.id ?? 0)
    expect(await statusNow()).toBe(403)
    await administration.permissions.toggle(permission?.id ?? 0)
    await administration.users.disable(userId)
    expect(await statusNow()).toBe(401)
    await administration.users.enable(userId)
    await administration.users.delete(userId)
    expect(await statusNow()).toBe(401)
  })

  it('end a list that is being sent', async () => {
    const handler = host.handler()
    const session = host.memory.engine.as(host.principals['ada'] ?? host.memory.engine.owner)
    for (let at = 0; at < 8; at += 1) await session.contexts.create({ ...NEW_CONTEXT, description: 'x'.repeat(9_000) })
    const request = () => new Request('http://localhost/context', { headers: { cookie: 'user=ada' } })
    expect(((await (await handler(request())).json()) as object[]).length).toBeGreaterThanOrEqual(8)
    const reader = (await handler(request())).body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    await host.memory.engine.administration.users.disable(host.idOf('ada'))
    await expect(reader?.read()).rejects.toThrow('the list was aborted')
    const failures = host.telemetry.events.filter(({ name }) => name === 'http.request.failed')
    expect(failures.map(({ level }) => level)).toEqual(['warn'])
  })

  it('can be narrowed to a scope', async () => {
    const handler = host.handler((request, info) => {
      const principal = host.byCookie(request, info) as Principal | undefined
      return principal && { ...principal, scope: ['context:read'] }
    })
    expect((await send(handler, 'GET', '/context', { user: 'ada' })).status).toBe(200)
    expect((await send(handler, 'POST', '/context', { user: 'ada', json: NEW_CONTEXT })).status).toBe(403)
  })

  it('cover the operations on users, with one principal for both applications', async () => {
    const handler = host.handler()
    const { administration, owner } = host.memory.engine
    expect((await send(handler, 'GET', '/tenant/users', { user: 'ada' })).status).toBe(403)
    const accounts = await administration.accounts.list()
    const roles = await administration.roles.list()
    await administration.permissions.grant({
      userIdentityId: host.idOf('ada'),
      appAccountId: accounts.find(({ application }) => application === 'tenant')?.id ?? 0,
      appRoleId: roles.find(({ name }) => name === 'Administrator')?.id ?? 0,
    })
    const added = await send<{ id: number }>(handler, 'POST', '/tenant/user', {
      user: 'ada',
      json: { email: 'added@example.com' },
    })
    expect(added.status).toBe(201)
    const { items } = await administration.audit.list({ action: 'user.added', limit: 1 })
    expect(items).toMatchObject([
      {
        targetId: added.body.id,
        companyId: owner.companyId,
        actor: { kind: 'user', userId: host.idOf('ada') },
        clientId: null,
        remoteAddress: '203.0.113.7',
        requestId: added.headers.get('x-request-id'),
      },
    ])
  })

  it('count for the limits of the user, and are in the log of requests', async () => {
    const model = new HeldModel()
    const busy = await LoginHost.open(model)
    await busy.renew()
    const handler = busy.handler()
    const id = await makeContext(handler, 'ada')
    await makeContext(handler, 'bo')
    await send(handler, 'PUT', `/context/share/${id}`, { user: 'ada', json: { shareState: 1 } })
    const search = async (user: string) =>
      await send(handler, 'POST', `/context/relevant-docs/${id}`, { user, json: { prompt: 'leave' } })
    const first = search('ada')
    await expect.poll(() => model.begun).toBe(1)
    const second = await search('ada')
    const other = search('bo')
    model.gate.open()
    expect([(await first).status, second.status, (await other).status]).toEqual([200, 429, 200])
    expect(second.body.detail).toContain('this user already has 1 searches in progress')
    const requests = busy.telemetry.events.filter(
      ({ name, fields }) => name === 'http.request' && fields?.['status'] === 429,
    )
    expect(requests.map(({ fields }) => fields)).toMatchObject([{ userId: busy.idOf('ada'), companyId: 1 }])
    await busy.memory.engine.close()
  })
})
