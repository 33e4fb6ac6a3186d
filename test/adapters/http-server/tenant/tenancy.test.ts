import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqlite } from '../../../../adapters/knex/index.js'
import type { ApiKeyWithSecret, Permission, PermissionOptions, UserWithPermissions } from '../../../../src/index.js'
import { sized } from '../../../full-form.js'
import type { Answer } from '../check-answer.js'
import { type Problem, startServer, type TestServer } from '../server.js'

/** The tree of the cases: R→A→{A1→A11, A2}; R→B; orphan X. */
const NAMES = ['R', 'A', 'A1', 'A11', 'A2', 'B', 'X'] as const
type Name = (typeof NAMES)[number]
const PARENTS: Record<Name, Name | undefined> = {
  R: undefined,
  A: 'R',
  A1: 'A',
  A11: 'A1',
  A2: 'A',
  B: 'R',
  X: undefined,
}

interface Member {
  readonly companyId: number
  readonly key: ApiKeyWithSecret
  readonly token: string
  readonly assistantId: number
  /** A user of the company. */
  readonly userId: number
}

let server: TestServer
const tree = {} as Record<Name, Member>

function isWithin(target: Name, caller: Name): boolean {
  for (let at: Name | undefined = target; at !== undefined; at = PARENTS[at]) if (at === caller) return true
  return false
}

beforeAll(async () => {
  server = await startServer()
  const { administration } = server.engine
  const ids: Partial<Record<Name, number>> = {}
  for (const name of NAMES) {
    ids[name] = (await administration.companies.create({ name, parentId: ids[PARENTS[name] ?? 'X'] ?? 1 })).id
  }
  // The engine cannot create an orphan: the test cuts the company off by hand.
  const database = openSqlite(join(server.dataDir, 'alcove.sqlite'))
  await database('alcove_companies').where('id', ids.X).update({ parent_id: null })
  await database.destroy()
  for (const name of NAMES) {
    const companyId = ids[name] ?? 0
    const key = await administration.apiKeys.create({ companyId })
    const user = await administration.users.add({ email: `${name}@example.com`, companyId })
    const accounts = (await administration.accounts.list()).filter(({ customerId }) => customerId === companyId)
    tree[name] = {
      companyId,
      key,
      token: await server.token('tenant', key),
      assistantId: accounts.find(({ application }) => application === 'assistant')?.id ?? 0,
      userId: user.id,
    }
  }
})

afterAll(async () => {
  await server.close()
})

const PAIRS = NAMES.flatMap((caller) => NAMES.map((target): [Name, Name] => [caller, target]))

async function call<Body = Problem>(caller: Name, method: string, path: string, json?: unknown): Promise<Answer<Body>> {
  return await server.request<Body>(method, path, { token: tree[caller].token, ...(json !== undefined && { json }) })
}

async function role(name: string): Promise<number> {
  return (await server.engine.administration.roles.list()).find((known) => known.name === name)?.id ?? 0
}

/** A user and a permission of the target company that only this attempt uses. */
async function fresh(target: Name): Promise<{ userId: number; permissionId: number }> {
  const { administration } = server.engine
  const email = `${crypto.randomUUID()}@example.com`
  const { id: userId } = await administration.users.add({ email, companyId: tree[target].companyId })
  const granted = (await administration.permissions.list()).find(({ userIdentityId }) => userIdentityId === userId)
  return { userId, permissionId: granted?.id ?? 0 }
}

describe('a company', () => {
  // N1
  it.each(PAIRS)('%s manages %s if and only if the second is the first or below it', async (caller, target) => {
    const { companyId, assistantId } = tree[target]
    const allowed = isWithin(target, caller)
    const expected = (status: number, refusal: number): number => (allowed ? status : refusal)
    const listed = await call(caller, 'GET', `/tenant/users/${companyId}`)
    expect(listed.status).toBe(expected(200, 403))
    const email = `${crypto.randomUUID()}@example.com`
    const added = await call(caller, 'POST', '/tenant/user', { email, customerId: companyId })
    expect(added.status).toBe(expected(201, 403))
    const { userId, permissionId } = await fresh(target)
    expect((await call(caller, 'POST', '/tenant/user/init', { id: userId })).status).toBe(expected(204, 404))
    for (const step of ['', '/1', '/1/1', `/1/1/${assistantId}`]) {
      const options = await call(caller, 'GET', `/permission/options${step}?cid=${companyId}`)
      expect([step, options.status]).toEqual([step, expected(200, 403)])
    }
    const reader = await role('Reader')
    expect((await call(caller, 'PUT', '/permission', { id: permissionId, appRoleId: reader })).status).toBe(
      expected(204, 404),
    )
    expect((await call(caller, 'PATCH', `/permission/${permissionId}`)).status).toBe(expected(204, 404))
    expect((await call(caller, 'DELETE', `/permission/${permissionId}`)).status).toBe(expected(204, 404))
    const permission = { appAccountId: assistantId, appRoleId: reader, userIdentityId: userId }
    if (!allowed) await server.engine.administration.permissions.revoke(permissionId)
    expect((await call(caller, 'POST', '/permission', permission)).status).toBe(expected(201, 403))
  })

  // N1
  it('gets the same refusal for a company that does not exist as for one out of reach', async () => {
    const missing = await call('A', 'GET', '/tenant/users/99999')
    const foreign = await call('A', 'GET', `/tenant/users/${tree.B.companyId}`)
    expect([missing.status, foreign.status]).toEqual([403, 403])
    expect(missing.body.detail.replace('99999', 'N')).toBe(foreign.body.detail.replace(String(tree.B.companyId), 'N'))
  })

  // N1
  it('manages only itself and the companies below it in any tree', async () => {
    const { administration } = server.engine
    const parents = fc.array(fc.nat(), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(parents, fc.nat(), fc.nat(), async (links, callerAt, targetAt) => {
        const ids = [(await administration.companies.create({ name: 'Top', parentId: 1 })).id]
        const above: (number | undefined)[] = [undefined]
        for (const link of links) {
          const parent = link % ids.length
          ids.push((await administration.companies.create({ name: 'C', parentId: ids[parent] ?? 0 })).id)
          above.push(parent)
        }
        const [caller, target] = [callerAt % ids.length, targetAt % ids.length]
        let isBelow = false
        for (let at: number | undefined = target; at !== undefined; at = above[at]) isBelow ||= at === caller
        const key = await administration.apiKeys.create({ companyId: ids[caller] ?? 0 })
        const token = await server.token('tenant', key)
        const { status } = await server.request('GET', `/tenant/users/${ids[target] ?? 0}`, { token })
        expect(status).toBe(isBelow ? 200 : 403)
      }),
      { numRuns: sized(12, 40) },
    )
  })

  // N1
  it('gets no reach above itself by a permission on its account, whatever the key', async () => {
    const { administration } = server.engine
    const { id: userId } = await administration.users.add({
      email: 'climber@example.com',
      companyId: tree.A1.companyId,
    })
    // This key of A belongs to a user without a permission there: the administrator of A1 grants one on A1's account.
    const key = await administration.apiKeys.create({ companyId: tree.A.companyId, userId })
    await expect(server.token('tenant', key)).rejects.toThrow('invalid_scope')
    const account = (await administration.accounts.list()).find(
      ({ customerId, application }) => customerId === tree.A1.companyId && application === 'tenant',
    )
    const permission = {
      userIdentityId: userId,
      appAccountId: account?.id ?? 0,
      appRoleId: await role('Administrator'),
    }
    expect((await call('A1', 'POST', '/permission', permission)).status).toBe(201)
    const token = await server.token('tenant', key)
    const statuses: Partial<Record<Name, number>> = {}
    for (const name of NAMES) {
      statuses[name] = (await server.request('GET', `/tenant/users/${tree[name].companyId}`, { token })).status
    }
    expect(statuses).toEqual({ R: 403, A: 403, A1: 200, A11: 200, A2: 403, B: 403, X: 403 })
    const json = { email: 'planted@example.com', customerId: tree.A.companyId }
    expect((await server.request('POST', '/tenant/user', { token, json })).status).toBe(403)
  })

  // N2
  it('never becomes its own ancestor', async () => {
    const { companies } = server.engine.administration
    const invalid = { code: 'ERR_INVALID_INPUT' }
    await expect(companies.move(tree.A.companyId, tree.A11.companyId)).rejects.toMatchObject(invalid)
    await expect(companies.move(tree.A.companyId, tree.A.companyId)).rejects.toMatchObject(invalid)
    const left = await companies.create({ name: 'Left', parentId: 1 })
    const right = await companies.create({ name: 'Right', parentId: 1 })
    const moves = await Promise.allSettled([companies.move(left.id, right.id), companies.move(right.id, left.id)])
    expect(moves.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  // N3
  it('cannot be managed within a cycle that somebody wrote into the table by hand, and every query ends', async () => {
    const { administration } = server.engine
    const [upper, lower] = [
      await administration.companies.create({ name: 'Upper', parentId: 1 }),
      await administration.companies.create({ name: 'Lower', parentId: 1 }),
    ]
    const token = await server.token('tenant')
    const inside = await server.token('tenant', await administration.apiKeys.create({ companyId: lower.id }))
    const status = async (id: number): Promise<number> =>
      (await server.request('GET', `/tenant/users/${id}`, { token })).status
    expect([await status(upper.id), await status(lower.id)]).toEqual([200, 200])
    const database = openSqlite(join(server.dataDir, 'alcove.sqlite'))
    await database('alcove_companies').where('id', upper.id).update({ parent_id: lower.id })
    await database('alcove_companies').where('id', lower.id).update({ parent_id: upper.id })
    await database.destroy()
    expect([await status(upper.id), await status(lower.id)]).toEqual([403, 403])
    expect(await status(1)).toBe(200)
    // A key within the cycle manages nothing either: neither the companies above nor those that were below.
    const within = async (id: number): Promise<number> =>
      (await server.request('GET', `/tenant/users/${id}`, { token: inside })).status
    expect([await within(upper.id), await within(1)]).toEqual([403, 403])
  })

  // N4
  it('at the top manages a tree 500 deep', async () => {
    const { administration } = server.engine
    let parentId = 1
    const ids: number[] = []
    for (let depth = 0; depth < 500; depth += 1) {
      parentId = (await administration.companies.create({ name: `Deep ${depth}`, parentId })).id
      ids.push(parentId)
    }
    const token = await server.token('tenant', await administration.apiKeys.create({ companyId: ids[0] ?? 0 }))
    expect((await server.request('GET', `/tenant/users/${parentId}`, { token })).status).toBe(200)
    const lowest = await server.token('tenant', await administration.apiKeys.create({ companyId: parentId }))
    expect((await server.request('GET', `/tenant/users/${ids[498] ?? 0}`, { token: lowest })).status).toBe(403)
  })

  // N5
  it('leaves the reach of its old parents at once when it moves, tokens included', async () => {
    const { administration } = server.engine
    const moving = await administration.companies.create({ name: 'Moving', parentId: tree.A.companyId })
    const path = `/tenant/users/${moving.id}`
    expect([(await call('A', 'GET', path)).status, (await call('B', 'GET', path)).status]).toEqual([200, 403])
    await administration.companies.move(moving.id, tree.B.companyId)
    expect([(await call('A', 'GET', path)).status, (await call('B', 'GET', path)).status]).toEqual([403, 200])
  })
})

describe('permissions', () => {
  const grant = async (caller: Name, permission: object): Promise<Answer<Problem & Permission>> =>
    await call<Problem & Permission>(caller, 'POST', '/permission', permission)

  // N6
  it('need an account in reach, and a role of its company or system-wide that is valid for the application', async () => {
    const { administration } = server.engine
    const { userId } = await fresh('A1')
    const appAccountId = tree.A1.assistantId
    await administration.permissions.revoke((await permissionsOf(userId))[0]?.id ?? 0)
    const own = { applications: ['assistant'], capabilities: ['search'] }
    const foreignRole = await administration.roles.create({ ...own, name: 'Of A2', companyId: tree.A2.companyId })
    const parentRole = await administration.roles.create({ ...own, name: 'Of A', companyId: tree.A.companyId })
    const ownRole = await administration.roles.create({ ...own, name: 'Of A1', companyId: tree.A1.companyId })
    const otherUse = await administration.roles.create({ ...own, name: 'Builders', applications: ['builder'] })
    const attempt = async (permission: object): Promise<number> =>
      (await grant('A1', { userIdentityId: userId, appAccountId, ...permission })).status
    expect(await attempt({ appAccountId: tree.A2.assistantId, appRoleId: ownRole.id })).toBe(403)
    expect(await attempt({ appAccountId: 99_999, appRoleId: ownRole.id })).toBe(403)
    expect(await attempt({ appRoleId: foreignRole.id })).toBe(400)
    expect(await attempt({ appRoleId: parentRole.id })).toBe(400)
    expect(await attempt({ appRoleId: otherUse.id })).toBe(400)
    expect(await attempt({ appRoleId: 99_999 })).toBe(400)
    expect(await attempt({ userIdentityId: 99_999, appRoleId: ownRole.id })).toBe(404)
    expect(await attempt({ userIdentityId: tree.B.userId, appRoleId: ownRole.id })).toBe(404)
    expect(await attempt({ appRoleId: ownRole.id })).toBe(201)
    await administration.permissions.revoke((await permissionsOf(userId))[0]?.id ?? 0)
    const system = await grant('A1', { userIdentityId: userId, appAccountId, appRoleId: await role('Reader') })
    expect(system.status).toBe(201)
    expect(JSON.parse(system.body.createdBy)).toEqual({
      id: tree.A1.key.userId,
      email: expect.stringContaining('@') as string,
    })
    expect(system.body).toMatchObject({ lastAccess: null, disabled: false })
  })

  it('are checked in the order account, user, role and pair', async () => {
    const { userId } = await fresh('A')
    const member = await role('Member')
    const all = { appAccountId: tree.B.assistantId, userIdentityId: 99_999, appRoleId: 99_999 }
    expect((await grant('A', all)).status).toBe(403)
    expect((await grant('A', { ...all, appAccountId: tree.A.assistantId })).status).toBe(404)
    const known = { appAccountId: tree.A.assistantId, userIdentityId: userId }
    expect((await grant('A', { ...known, appRoleId: 99_999 })).body.detail).toContain('appRoleId')
    expect((await grant('A', { ...known, appRoleId: member })).body.detail).toContain('Permission already exists')
  })

  it('give nobody a capability that the caller lacks', async () => {
    const { administration } = server.engine
    const manager = await administration.roles.create({
      name: 'Manager',
      applications: ['tenant'],
      capabilities: ['tenant:manage'],
    })
    const { id: userId } = await administration.users.add({ email: 'manager@example.com', companyId: tree.B.companyId })
    const tenantAccount = (await administration.accounts.list()).find(
      ({ customerId, application }) => customerId === tree.B.companyId && application === 'tenant',
    )
    await administration.permissions.grant({
      userIdentityId: userId,
      appAccountId: tenantAccount?.id ?? 0,
      appRoleId: manager.id,
    })
    const token = await server.token(
      'tenant',
      await administration.apiKeys.create({ companyId: tree.B.companyId, userId }),
    )
    const target = await fresh('B')
    const given = { userIdentityId: target.userId, appAccountId: tenantAccount?.id ?? 0 }
    const administrator = await role('Administrator')
    const refused = await server.request('POST', '/permission', { token, json: { ...given, appRoleId: administrator } })
    expect(refused.status).toBe(403)
    expect(
      (await server.request('POST', '/permission', { token, json: { ...given, appRoleId: manager.id } })).status,
    ).toBe(201)
    const [created] = (await permissionsOf(target.userId)).filter(({ appRoleId }) => appRoleId === manager.id)
    const change = { id: created?.id, appRoleId: administrator }
    expect((await server.request('PUT', '/permission', { token, json: change })).status).toBe(403)
  })

  // N7
  it('are created once when two requests create the same one at once', async () => {
    const { userId, permissionId } = await fresh('A')
    await server.engine.administration.permissions.revoke(permissionId)
    const permission = { userIdentityId: userId, appAccountId: tree.A.assistantId, appRoleId: await role('Member') }
    const answers = await Promise.all([grant('A', permission), grant('A', permission)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
    expect(answers.find(({ status }) => status === 400)?.body.detail).toContain('Permission already exists')
  })

  // N8
  it('keep their state after two simultaneous toggles', async () => {
    const { userId, permissionId } = await fresh('A')
    for (let round = 0; round < 5; round += 1) {
      const toggles = [1, 2].map(async () => await call('A', 'PATCH', `/permission/${permissionId}`))
      expect((await Promise.all(toggles)).map(({ status }) => status)).toEqual([204, 204])
      expect((await permissionsOf(userId))[0]?.disabled).toBe(false)
    }
  })

  // N9
  it('have options that contain nothing out of reach, step by step', async () => {
    const options = async (caller: Name, path: string): Promise<Answer<PermissionOptions>> =>
      await call<PermissionOptions>(caller, 'GET', `/permission/options${path}`)
    const none = { regions: [], accounts: [], roles: [], users: [] }
    const first = (await options('A1', '')).body
    expect(first).toMatchObject(none)
    expect(first.applications.map(({ title, selected }) => [title, selected])).toEqual([
      ['Assistant', false],
      ['Tenant', false],
      ['Builder', false],
    ])
    const regions = (await options('A1', '/1')).body
    expect(regions.applications.map(({ selected }) => selected)).toEqual([true, false, false])
    expect(regions).toMatchObject({ ...none, regions: [{ value: 1, title: 'local', selected: false }] })
    const accounts = (await options('A1', '/1/1')).body
    expect(accounts.accounts).toEqual([{ value: tree.A1.assistantId, title: 'A1', selected: false }])
    expect([accounts.roles, accounts.users]).toEqual([[], []])
    const all = (await options('A1', `/1/1/${tree.A1.assistantId}`)).body
    expect(all.regions[0]?.selected).toBe(true)
    expect(all.accounts[0]?.selected).toBe(true)
    const titles = all.roles.map(({ title }) => title)
    expect(titles).toEqual(expect.arrayContaining(['Administrator', 'Member', 'Reader']))
    for (const foreign of ['Of A', 'Of A2', 'Builders', 'Manager']) expect(titles).not.toContain(foreign)
    const people = await call<UserWithPermissions[]>('A1', 'GET', '/tenant/users')
    expect(all.users.map(({ value }) => value)).toEqual(people.body.map(({ id }) => id))
    expect((await options('A1', `/1/1/${tree.A11.assistantId}?cid=${tree.A11.companyId}`)).status).toBe(200)
    expect((await options('A1', `?cid=${tree.A2.companyId}`)).status).toBe(403)
    expect((await options('A1', `/1/1/${tree.A2.assistantId}`)).status).toBe(403)
    expect((await options('A1', '/1/1/99999')).status).toBe(403)
    expect((await options('A1', `/1/1/${tree.A11.assistantId}`)).status).toBe(400)
    expect((await options('A1', '/9')).status).toBe(400)
    expect((await options('A1', '/1/99')).status).toBe(400)
  })

  it('have options that contain disabled accounts only when the request asks for all', async () => {
    const { administration } = server.engine
    const account = await administration.accounts.create({
      companyId: tree.X.companyId,
      application: 'assistant',
      region: 'Mars',
      name: 'Asleep',
    })
    await administration.accounts.setActive(account.id, false)
    const titles = async (query: string): Promise<unknown[]> => {
      const { body } = await call<PermissionOptions>('X', 'GET', `/permission/options/1${query}`)
      return body.regions.map(({ title }) => title)
    }
    expect(await titles('')).toEqual(['local'])
    expect(await titles('?all=false')).toEqual(['local'])
    expect(await titles('?all=true')).toEqual(['local', 'Mars'])
    expect((await call('X', 'GET', '/permission/options/1?all=yes')).status).toBe(400)
  })

  async function permissionsOf(userId: number): Promise<Permission[]> {
    const all = await server.engine.administration.permissions.list()
    return all.filter(({ userIdentityId }) => userIdentityId === userId)
  }
})

describe('users', () => {
  // N10, A53
  it('have one address each within a company, in any spelling', async () => {
    expect((await call('A', 'POST', '/tenant/user', { email: 'A@x.example' })).status).toBe(201)
    const texts = new Set<string>()
    for (const email of ['a@x.example', 'A@X.EXAMPLE', ' a@x.example ']) {
      const { status, body } = await call('A', 'POST', '/tenant/user', { email })
      expect([email, status]).toEqual([email, 400])
      texts.add(body.detail)
    }
    expect([...texts]).toHaveLength(1)
    expect((await call('A', 'POST', '/tenant/user', { email: 'u@bücher.example' })).status).toBe(201)
    expect((await call('A', 'POST', '/tenant/user', { email: 'u@xn--bcher-kva.example' })).status).toBe(400)
    expect((await call('A', 'POST', '/tenant/user', { email: 'a@x.example.' })).status).toBe(400)
    expect((await call('A', 'POST', '/tenant/user', { email: 'straße@x.example' })).status).toBe(201)
    expect((await call('A', 'POST', '/tenant/user', { email: 'STRASSE@x.example' })).status).toBe(400)
    expect((await call('A', 'POST', '/tenant/user', { email: 'p@ex%61mple.org' })).status).toBe(400)
    const lines = { email: 'lines@x.example', name: 'A\r\nBcc: b@x.example' }
    expect((await call('A', 'POST', '/tenant/user', lines)).body.detail).toContain('name: must be one line')
  })

  it('are listed with the permissions that the caller can reach', async () => {
    const { userId } = await fresh('A11')
    const grant = { userIdentityId: userId, appRoleId: await role('Reader') }
    await server.engine.administration.permissions.grant({ ...grant, appAccountId: tree.B.assistantId })
    const listed = async (caller: Name): Promise<(number | undefined)[]> => {
      const { body } = await call<UserWithPermissions[]>(caller, 'GET', `/tenant/users/${tree.A11.companyId}`)
      return body.find(({ id }) => id === userId)?.permissions.map(({ account }) => account.customerId) ?? []
    }
    expect(await listed('R')).toEqual([tree.A11.companyId, tree.B.companyId])
    expect(await listed('A')).toEqual([tree.A11.companyId])
  })

  it('are listed for one company, not for those below it', async () => {
    const { body } = await call<UserWithPermissions[]>('R', 'GET', '/tenant/users')
    expect(body.map(({ email }) => email)).toContain('R@example.com')
    expect(body.map(({ email }) => email)).not.toContain('A@example.com')
  })
})

describe('an e-mail address', () => {
  // A53
  it('can be added by each company alike, whichever other companies have it, and by none twice', async () => {
    const email = 'ada.lovelace@example.com'
    const added: UserWithPermissions[] = []
    for (const [at, caller] of NAMES.entries()) {
      const { status, body } = await call<UserWithPermissions>(caller, 'POST', '/tenant/user', { email, name: 'Ada' })
      expect([caller, status]).toEqual([caller, 201])
      added.push(body)
      const duplicate = await call(caller, 'POST', '/tenant/user', { email: 'ADA.Lovelace@EXAMPLE.com' })
      expect([duplicate.status, duplicate.body.code]).toEqual([400, 'ERR_ALREADY_EXISTS'])
      expect(duplicate.body.detail).toBe('a user with this e-mail address exists')
      expect(duplicate.body.reason).toEqual({ code: 'email-address-taken', parameters: {} })
      expect(new Set(added.map(({ id }) => id)).size).toBe(at + 1)
    }
    for (const [at, name] of NAMES.entries()) {
      expect(added[at]).toMatchObject({ email, hasPassword: false })
      const { body: users } = await call<UserWithPermissions[]>(name, 'GET', '/tenant/users')
      expect(users.filter((user) => user.email === email)).toEqual([expect.objectContaining({ id: added[at]?.id })])
    }
  })

  // A53
  it.each(PAIRS)(
    '%s adds the address of a user of %s: the answer equals the answer for an unknown address',
    async (caller, owner) => {
      if (caller === owner) return
      const { companyId } = tree[owner]
      const email = `${caller}-${owner}@taken.example.com`
      await server.engine.administration.users.add({ email, companyId, name: 'Grace' })
      const answer = async (address: string): Promise<unknown> => {
        const { status, body } = await call<UserWithPermissions>(caller, 'POST', '/tenant/user', { email: address })
        const [permission, ...others] = body.permissions
        const { account, role: granted } = permission ?? {}
        return [status, { ...body, id: 0, email: '', permissions: [] }, account, granted, others]
      }
      expect(await answer(email)).toEqual(await answer(`${caller}-${owner}@free.example.com`))
    },
  )
})
