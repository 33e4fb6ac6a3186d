import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HostAdministration, Permission, PermissionOptions } from '../../../../src/index.js'
import type { Answer } from '../check-answer.js'
import { type Problem, startServer, type TestServer } from '../server.js'

let server: TestServer
let administration: HostAdministration

beforeAll(async () => {
  server = await startServer()
  administration = server.engine.administration
})

afterAll(async () => {
  await server.close()
})

/** A user with a role on the tenant account of a company, and a token of their own. */
interface Manager {
  readonly userId: number
  readonly permissionId: number
  readonly token: string
}

interface Company {
  readonly companyId: number
  readonly assistantId: number
  readonly tenantId: number
  /** With every capability. */
  readonly administrator: Manager
  /** With `tenant:manage` alone. */
  readonly manager: Manager
}

const ALL = ['context:read', 'context:write', 'document:write', 'search', 'tenant:manage', 'webhook:manage']

async function roleOf(capabilities: readonly string[]): Promise<number> {
  const name = `Of ${capabilities.join('+')}`
  const known = (await administration.roles.list()).find((role) => role.name === name)
  if (known !== undefined) return known.id
  return (await administration.roles.create({ name, applications: ['assistant', 'tenant'], capabilities })).id
}

async function newUser(companyId: number): Promise<number> {
  const { id } = await administration.users.add({ email: `${crypto.randomUUID()}@example.com`, companyId })
  for (const permission of await permissionsOf(id)) await administration.permissions.revoke(permission.id)
  return id
}

async function permissionsOf(userId: number): Promise<Permission[]> {
  return (await administration.permissions.list()).filter(({ userIdentityId }) => userIdentityId === userId)
}

async function grant(userId: number, accountId: number, roleId: number, disabled = false): Promise<number> {
  const permission = { userIdentityId: userId, appAccountId: accountId, appRoleId: roleId, disabled }
  return (await administration.permissions.grant(permission)).id
}

async function newManager(companyId: number, tenantId: number, capabilities: readonly string[]): Promise<Manager> {
  const userId = await newUser(companyId)
  const permissionId = await grant(userId, tenantId, await roleOf(capabilities))
  const key = await administration.apiKeys.create({ companyId, userId, targets: ['tenant'] })
  return { userId, permissionId, token: await server.token('tenant', key) }
}

async function newCompany(parentId = 1): Promise<Company> {
  const { id: companyId } = await administration.companies.create({ name: 'Company', parentId })
  const accounts = (await administration.accounts.list()).filter(({ customerId }) => customerId === companyId)
  const idOf = (key: string): number => accounts.find(({ application }) => application === key)?.id ?? 0
  const [assistantId, tenantId] = [idOf('assistant'), idOf('tenant')]
  const administrator = await newManager(companyId, tenantId, ALL)
  return {
    companyId,
    assistantId,
    tenantId,
    administrator,
    manager: await newManager(companyId, tenantId, ['tenant:manage']),
  }
}

async function call<Body = Problem>(
  { token }: Pick<Manager, 'token'>,
  method: string,
  path: string,
  json?: unknown,
): Promise<Answer<Body>> {
  return await server.request<Body>(method, path, { token, ...(json !== undefined && { json }) })
}

describe('a caller with tenant:manage alone', () => {
  // A1
  it('cannot restore their own suspended Administrator permission', async () => {
    const { manager, assistantId } = await newCompany()
    const role = await roleOf(ALL)
    const suspended = await grant(manager.userId, assistantId, role, true)
    const { status, body } = await call(manager, 'PATCH', `/permission/${suspended}`)
    expect([status, body.code]).toEqual([403, 'ERR_FORBIDDEN'])
    expect(body.detail).toContain('has capabilities that you do not have (context:read')
    const capabilities = expect.stringMatching(/^context:read, /) as unknown
    expect(body.reason).toEqual({ code: 'role-with-more-rights', parameters: { role, capabilities } })
    expect((await call(manager, 'DELETE', `/permission/${suspended}`)).status).toBe(403)
    expect((await permissionsOf(manager.userId)).find(({ id }) => id === suspended)?.disabled).toBe(true)
  })

  // A1
  it("cannot enable another user's prepared permission whose role the caller cannot grant", async () => {
    const { manager, companyId, assistantId, administrator } = await newCompany()
    const userId = await newUser(companyId)
    const prepared = await grant(userId, assistantId, await roleOf(['search']), true)
    expect((await call(manager, 'PATCH', `/permission/${prepared}`)).status).toBe(403)
    expect((await permissionsOf(userId))[0]?.disabled).toBe(true)
    expect((await call(administrator, 'PATCH', `/permission/${prepared}`)).status).toBe(204)
  })

  // A2
  it.each([
    ['suspend', 'PATCH'],
    ['delete', 'DELETE'],
  ])('does not %s a full Administrator', async (_what, method) => {
    const { manager, administrator } = await newCompany()
    const { status, body } = await call(manager, method, `/permission/${administrator.permissionId}`)
    expect([status, body.code]).toEqual([403, 'ERR_FORBIDDEN'])
    expect((await call(administrator, 'GET', '/tenant/users')).status).toBe(200)
  })

  // A2
  it("cannot demote a full Administrator, or a user whose role has more capabilities than the caller's", async () => {
    const { manager, administrator, companyId, assistantId } = await newCompany()
    const lesser = await roleOf(['tenant:manage'])
    const change = { id: administrator.permissionId, appRoleId: lesser }
    const { status, body } = await call(manager, 'PUT', '/permission', change)
    expect([status, body.code]).toEqual([403, 'ERR_FORBIDDEN'])
    const reader = await grant(await newUser(companyId), assistantId, await roleOf(['search']))
    expect((await call(manager, 'PUT', '/permission', { id: reader, appRoleId: lesser })).status).toBe(403)
  })

  // A3
  it('cannot add a user, who would get the capabilities of the role Member', async () => {
    const { manager, administrator, companyId } = await newCompany()
    const before = (await administration.users.list()).length
    const { status, body } = await call(manager, 'POST', '/tenant/user', { email: 'planted@a3.example' })
    expect([status, body.code]).toEqual([403, 'ERR_FORBIDDEN'])
    expect(body.detail).toContain('(context:read, context:write, document:write, search)')
    // The answer is the same for a known and an unknown address.
    const known = (await administration.users.list())[0]?.email
    expect((await call(manager, 'POST', '/tenant/user', { email: known })).body.detail).toBe(body.detail)
    expect(await administration.users.list()).toHaveLength(before)
    const json = { email: 'welcome@a3.example', customerId: companyId }
    expect((await call(administrator, 'POST', '/tenant/user', json)).status).toBe(201)
  })

  // A3
  it('gets only the roles that they may grant as options', async () => {
    const { manager, administrator, assistantId } = await newCompany()
    await roleOf(['tenant:manage'])
    const offered = async (caller: Manager): Promise<string[]> => {
      const path = `/permission/options/1/1/${assistantId}`
      return (await call<PermissionOptions>(caller, 'GET', path)).body.roles.map(({ title }) => title)
    }
    expect(await offered(manager)).toEqual(['Of tenant:manage'])
    expect(await offered(administrator)).toEqual(expect.arrayContaining(['Administrator', 'Member', 'Reader']))
  })
})

describe('a suspended permission', () => {
  // A4
  it('cannot be enabled by its own user, whatever rights they have and whatever they try', async () => {
    const { administrator, assistantId } = await newCompany()
    const suspended = await grant(administrator.userId, assistantId, await roleOf(ALL), true)
    const { status, body } = await call(administrator, 'PATCH', `/permission/${suspended}`)
    expect([status, body.code]).toEqual([403, 'ERR_FORBIDDEN'])
    expect(body.detail).toBe(`the permission ${suspended} is your own and suspended: another user must resume it`)
    // Replacing the permission does not work either.
    expect((await call(administrator, 'DELETE', `/permission/${suspended}`)).status).toBe(403)
    const change = { id: suspended, appRoleId: await roleOf(['search']) }
    expect((await call(administrator, 'PUT', '/permission', change)).status).toBe(403)
    const replacement = {
      userIdentityId: administrator.userId,
      appAccountId: assistantId,
      appRoleId: await roleOf(ALL),
    }
    expect((await call(administrator, 'POST', '/permission', replacement)).body.detail).toContain('already exists')
    expect((await permissionsOf(administrator.userId)).find(({ id }) => id === suspended)?.disabled).toBe(true)
  })

  // A4
  it('can be enabled by another user who has the role', async () => {
    const { administrator, manager, companyId, tenantId } = await newCompany()
    const other = await newManager(companyId, tenantId, ALL)
    expect((await call(other, 'PATCH', `/permission/${administrator.permissionId}`)).status).toBe(204)
    expect((await call(administrator, 'GET', '/tenant/users')).status).toBe(403)
    expect((await call(manager, 'PATCH', `/permission/${administrator.permissionId}`)).status).toBe(403)
    expect((await call(other, 'PATCH', `/permission/${administrator.permissionId}`)).status).toBe(204)
    expect((await call(administrator, 'GET', '/tenant/users')).status).toBe(200)
  })
})
