import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HostAdministration, Session, UserQuery } from '../../../src/index.js'
import { type MemoryEngine, memoryEngine } from '../engine/memory-engine.js'

let memory: MemoryEngine
let administration: HostAdministration
let companyId: number
let ids: { readonly ada: number; readonly adaElsewhere: number; readonly bo: number }

beforeAll(async () => {
  memory = await memoryEngine()
  administration = memory.engine.administration
  companyId = (await administration.companies.create({ name: 'Bakery', parentId: 1 })).id
  const add = async (user: Parameters<HostAdministration['users']['add']>[0]): Promise<number> =>
    (await administration.users.add({ ...user, invite: false })).id
  ids = {
    ada: await add({ email: 'Ada@Example.com', name: 'Ada Lovelace', externalId: 'oidc|1', companyId }),
    adaElsewhere: await add({ email: 'ada@example.com', externalId: 'oidc|1', companyId: 1 }),
    bo: await add({ email: 'bo@example.com', companyId }),
  }
})

afterAll(async () => {
  await memory.engine.close()
})

/** A manager of the company, who does not manage the root company. */
async function managerOf(company: number): Promise<Session> {
  const { principal } = await administration.ensureUser({
    externalId: 'manager',
    companyId: company,
    roles: [{ application: 'tenant', role: 'Administrator' }],
  })
  return memory.engine.as(principal)
}

it('users.add sends no invitation if invite is false, and a manager can send it later', async () => {
  expect(memory.mailer.sent).toEqual([])
  const owner = memory.engine.as(memory.engine.owner)
  const added = await owner.users.add({ email: 'cy@example.com', invite: false })
  expect(added.permissions.map(({ role }) => role.name)).toEqual(['Member'])
  expect(memory.mailer.sent).toEqual([])
  await owner.users.reinitiate(added.id)
  expect(memory.mailer.sent.map(({ to }) => to.address)).toEqual(['cy@example.com'])
  await owner.users.add({ email: 'dee@example.com' })
  expect(memory.mailer.sent.map(({ to }) => to.address)).toEqual(['cy@example.com', 'dee@example.com'])
})

it('users.add refuses an external id that another user of the company has', async () => {
  const same = { email: 'other@example.com', companyId, externalId: 'oidc|1', invite: false }
  await expect(administration.users.add(same)).rejects.toMatchObject({
    code: 'ERR_ALREADY_EXISTS',
    message: 'a user with this external id exists',
  })
})

describe('the administration of the host', () => {
  it('gets a user by id', async () => {
    const user = await administration.users.get(ids.ada)
    expect(user).toMatchObject({ id: ids.ada, email: 'Ada@Example.com', externalId: 'oidc|1', customerId: companyId })
    expect(await administration.users.find({ id: ids.ada })).toEqual(user)
    await expect(administration.users.get(999)).rejects.toMatchObject({ code: 'ERR_USER_NOT_FOUND' })
    expect(await administration.users.find({ id: 999 })).toBeUndefined()
  })

  it('finds a user by address in any spelling, and by external id', async () => {
    const idOf = async (query: UserQuery) => (await administration.users.find(query))?.id
    expect(await idOf({ email: ' ADA@example.COM', companyId })).toBe(ids.ada)
    expect(await idOf({ email: 'bo@example.com' })).toBe(ids.bo)
    expect(await idOf({ externalId: 'oidc|1', companyId: 1 })).toBe(ids.adaElsewhere)
    expect(await idOf({ externalId: 'OIDC|1', companyId })).toBeUndefined()
    expect(await idOf({ id: ids.ada, companyId: 1 })).toBeUndefined()
    expect(await idOf({ email: 'nobody@example.com' })).toBeUndefined()
  })

  it('asks for the company if users of several companies match', async () => {
    for (const query of [{ email: 'ada@example.com' }, { externalId: 'oidc|1' }]) {
      await expect(administration.users.find(query)).rejects.toMatchObject({ code: 'ERR_COMPANY_REQUIRED' })
    }
  })

  it.each([{}, { id: 1, email: 'a@example.com' }, { name: 'Ada' }, { email: 'nobody' }, { id: 'x' }])(
    'refuses the query %j',
    async (query) => {
      await expect(administration.users.find(query as UserQuery)).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
    },
  )

  it('lists the principals of a user, without those that are refused now', async () => {
    const principals = await administration.users.principals(ids.bo)
    expect(principals).toMatchObject([
      { application: 'assistant', account: { customerId: companyId }, role: { name: 'Member' } },
    ])
    const [principal] = principals.map((one) => one.principal)
    expect(await memory.engine.as(principal ?? memory.engine.owner).contexts.list()).toEqual([])
    await administration.accounts.setActive(principals[0]?.account.id ?? 0, false)
    expect(await administration.users.principals(ids.bo)).toEqual([])
    await administration.accounts.setActive(principals[0]?.account.id ?? 0, true)
    await administration.users.disable(ids.bo)
    expect(await administration.users.principals(ids.bo)).toEqual([])
    await administration.users.enable(ids.bo)
    await administration.companies.disable(companyId)
    expect(await administration.users.principals(ids.bo)).toEqual([])
    await administration.companies.enable(companyId)
    expect(await administration.users.principals(ids.bo)).toEqual(principals)
    await expect(administration.users.principals(999)).rejects.toMatchObject({ code: 'ERR_USER_NOT_FOUND' })
  })
})

describe('a manager of a company', () => {
  it('finds users of that company, with their permissions', async () => {
    const { users } = await managerOf(companyId)
    const ada = await users.get(ids.ada)
    expect(ada).toMatchObject({ id: ids.ada, externalId: 'oidc|1', customerId: companyId, disabled: false })
    expect(ada.permissions.map(({ application }) => application.key)).toEqual(['assistant'])
    expect(await users.find({ externalId: 'oidc|1' })).toEqual(ada)
    expect(await users.find({ email: 'ada@example.com' })).toEqual(ada)
  })

  it('finds no user of another company', async () => {
    const { users } = await managerOf(companyId)
    await expect(users.get(ids.adaElsewhere)).rejects.toMatchObject({ code: 'ERR_USER_NOT_FOUND' })
    expect(await users.find({ id: ids.adaElsewhere })).toBeUndefined()
    await expect(users.find({ email: 'ada@example.com', companyId: 1 })).rejects.toMatchObject({
      code: 'ERR_FORBIDDEN',
    })
  })

  it('needs the capability tenant:manage', async () => {
    const [principal] = await administration.users.principals(ids.bo)
    const { users } = memory.engine.as(principal?.principal ?? memory.engine.owner)
    await expect(users.get(ids.ada)).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' })
    await expect(users.find({ email: 'ada@example.com' })).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' })
  })
})
