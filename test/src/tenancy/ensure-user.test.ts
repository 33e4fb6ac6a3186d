import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EnsuredUser, EnsureUserInput, HostAdministration } from '../../../src/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT } from '../engine/memory-engine.js'
import { DATABASES } from '../outbox/database.js'

let memory: MemoryEngine
let administration: HostAdministration
let companyId: number
let count = 0

beforeAll(async () => {
  memory = await memoryEngine()
  administration = memory.engine.administration
})

afterAll(async () => {
  await memory.engine.close()
})

/** A company for each test. */
beforeEach(async () => {
  companyId = (await administration.companies.create({ name: `Bakery ${(count += 1)}`, parentId: 1 })).id
})

const ensure = async (input: Partial<EnsureUserInput> = {}): Promise<EnsuredUser> =>
  await administration.ensureUser({ externalId: 'oidc|ada', companyId, ...input })

async function accountOf(application: string): Promise<number> {
  const accounts = await administration.accounts.list()
  return accounts.find((one) => one.customerId === companyId && one.application === application)?.id ?? 0
}

const rolesOf = ({ principals }: EnsuredUser): readonly string[][] =>
  principals.map(({ application, role }) => [application, role.name])

async function auditOf(id: number): Promise<readonly string[]> {
  const { items } = await administration.audit.list({ companyId, limit: 100 })
  return items
    .filter(({ targetId, targetType }) => targetType === 'user' && targetId === id)
    .map(({ action }) => action)
}

describe('ensureUser', () => {
  it('adds a user without an address and without a mail, and gives a principal that works at once', async () => {
    const ensured = await ensure()
    expect(ensured).toMatchObject({ isNew: true, user: { customerId: companyId, email: '', externalId: 'oidc|ada' } })
    expect(ensured.principal).toEqual({ companyId, userId: ensured.user.id, accountId: await accountOf('assistant') })
    expect(rolesOf(ensured)).toEqual([['assistant', 'Member']])
    const session = memory.engine.as(ensured.principal)
    expect((await session.contexts.create(NEW_CONTEXT)).userId).toBe(ensured.user.id)
    expect(memory.mailer.sent.filter(({ to }) => to.address === '')).toEqual([])
    expect(await auditOf(ensured.user.id)).toEqual(['user.added'])
  })

  it.each([
    [undefined, 'the input is required'],
    [null, 'the input must be an object'],
    [{}, 'externalId: is required'],
    [{ externalId: 'a' }, 'companyId: is required'],
    [{ externalId: 'a', companyId: 1, email: 'x' }, 'email: must be an e-mail address such as name@example.com'],
    [{ externalId: 'a', companyId: 1, invite: true }, 'email: is required for an invitation'],
    [{ externalId: 'a', companyId: 1, roles: [{ role: 99 }] }, 'roles[0].role: the role 99 is neither one of the '],
    [{ externalId: 'a', companyId: 1, roles: [{}] }, 'roles[0].role: must be the name or the id of a role, or null'],
  ])('refuses %j by a sentence with a subject', async (input, message) => {
    const refused = administration.ensureUser(input as never)
    await expect(refused).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
    await expect(refused).rejects.toThrow(message)
  })

  it('gives the same user every time, and writes nothing if nothing changes', async () => {
    const given = { email: 'Ada@Example.com', name: 'Ada Lovelace', roles: [{ role: 'Reader' }] }
    const first = await ensure(given)
    expect(await ensure(given)).toEqual({ ...first, isNew: false })
    expect(await ensure()).toEqual({ ...first, isNew: false })
    expect(await auditOf(first.user.id)).toEqual(['user.added'])
    const { items } = await administration.audit.list({ companyId, action: 'permission.created' })
    expect(items).toHaveLength(1)
  })

  it('tells users of several companies apart, and ids that differ in case', async () => {
    const other = await ensure({ companyId: 1 })
    const [one, two] = [await ensure(), await ensure({ externalId: 'OIDC|ada' })]
    expect(new Set([other.user.id, one.user.id, two.user.id]).size).toBe(3)
  })

  it('follows the login: another address ends the links of the former one', async () => {
    const { user } = await ensure({ email: 'ada@old.example', invite: true })
    const invitation = memory.mailer.sent.find(({ to }) => to.address === 'ada@old.example')
    const token = /token=([\w-]+)/.exec(invitation?.text ?? '')?.[1] ?? ''
    expect(token).not.toBe('')
    const changed = await ensure({ email: 'Ada@New.example', name: 'Ada King' })
    expect(changed.user).toEqual({
      ...user,
      email: 'Ada@New.example',
      name: 'Ada King',
      firstName: 'Ada',
      lastName: 'King',
    })
    const setup = memory.engine.authentication.setPassword({ token, password: 'seven grey herons' })
    await expect(setup).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
    expect(await auditOf(user.id)).toEqual(['user.updated', 'user.added'])
    expect((await ensure()).user.email).toBe('Ada@New.example')
  })

  it('leaves a disabled user disabled, and adds a deleted one again', async () => {
    const { user, principal } = await ensure()
    await administration.users.disable(user.id)
    expect(await ensure()).toMatchObject({ isNew: false, user: { id: user.id, disabled: true } })
    await expect(memory.engine.as(principal).contexts.list()).rejects.toMatchObject({ code: 'ERR_UNAUTHENTICATED' })
    await administration.users.delete(user.id)
    const again = await ensure()
    expect(again.isNew).toBe(true)
    expect(again.user.id).not.toBe(user.id)
  })

  it('invites nobody without an address', async () => {
    await expect(ensure({ invite: true })).rejects.toThrow('email: is required for an invitation')
    const { user } = await ensure()
    const owner = memory.engine.as(memory.engine.owner)
    await expect(owner.users.reinitiate(user.id)).rejects.toThrow(`the user ${user.id} has no e-mail address`)
  })

  it('keeps users without an address apart, and gives them mails of no kind', async () => {
    const [one, two] = [await ensure({ externalId: 'one' }), await ensure({ externalId: 'two' })]
    await administration.users.completeSetup(one.user.id, 'seven grey herons')
    const before = memory.mailer.sent.length
    await administration.users.completeSetup(one.user.id, 'eight grey herons')
    expect(memory.mailer.sent).toHaveLength(before)
    const setup = await administration.users.oneTimePassword.begin(two.user.id)
    expect(decodeURIComponent(setup.uri)).toContain(':two?')
  })

  it.each([
    [{ externalId: '' }, /^externalId: /],
    [{ externalId: 'x'.repeat(256) }, /^externalId: must have at most 255 characters/],
    [{ externalId: 'a\nb' }, /^externalId: must be one line/],
    [{ externalId: 7 }, /^externalId: must be a string/],
    [{ email: 'nobody' }, /^email: must be an e-mail address/],
    [{ name: 'evil.com' }, /^name: must be a name, without web addresses/],
    [{ mail: 'a@example.com' }, /^mail: /],
    [{ companyId: 0 }, /^companyId: /],
    [{ roles: 'Reader' }, /^roles: must be an array/],
    [{ roles: [{ role: true }] }, /^roles\[0\]\.role: must be the name or the id of a role, or null/],
    [{ roles: [{ application: 'office', role: 'Reader' }] }, /^roles\[0\]\.application: /],
  ])('refuses %j', async (input, message) => {
    await expect(ensure(input as Partial<EnsureUserInput>)).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      message: expect.stringMatching(message) as string,
    })
  })

  it('refuses a company that does not exist', async () => {
    await expect(ensure({ companyId: 999_999 })).rejects.toMatchObject({ code: 'ERR_COMPANY_NOT_FOUND' })
  })
})

describe('a user who is there already with that address', () => {
  it('is linked only if the login has verified the address', async () => {
    const { id } = await administration.users.add({ email: 'bo@example.com', companyId, invite: false })
    await expect(ensure({ email: 'BO@example.com' })).rejects.toMatchObject({
      code: 'ERR_ALREADY_EXISTS',
      message: expect.stringContaining('pass linkByEmail: true if your login has verified') as string,
    })
    const linked = await ensure({ email: 'BO@example.com', linkByEmail: true })
    expect([linked.isNew, linked.user.id, linked.user.externalId]).toEqual([false, id, 'oidc|ada'])
    expect(await auditOf(id)).toEqual(['user.updated', 'user.added'])
    await expect(ensure({ externalId: 'x', email: 'bo@example.com', linkByEmail: true })).rejects.toMatchObject({
      code: 'ERR_ALREADY_EXISTS',
      message: expect.stringContaining('another external id') as string,
    })
  })

  it('keeps its address, whatever the login says of another user', async () => {
    const bo = await ensure({ externalId: 'bo', email: 'bo@example.com' })
    await ensure()
    await expect(ensure({ email: 'bo@example.com' })).rejects.toMatchObject({ code: 'ERR_ALREADY_EXISTS' })
    expect((await administration.users.get(bo.user.id)).email).toBe('bo@example.com')
  })
})

describe('the roles of ensureUser', () => {
  it('are granted, changed and taken on the accounts that are named', async () => {
    const both = await ensure({ roles: [{ role: 'Reader' }, { application: 'tenant', role: 'Administrator' }] })
    expect(rolesOf(both)).toEqual([
      ['assistant', 'Reader'],
      ['tenant', 'Administrator'],
    ])
    expect(both.principal.accountId).toBe(await accountOf('assistant'))
    const changed = await ensure({ roles: [{ role: 'Member' }] })
    expect(rolesOf(changed)).toEqual([
      ['assistant', 'Member'],
      ['tenant', 'Administrator'],
    ])
    const taken = await ensure({ roles: [{ accountId: await accountOf('tenant'), role: null }] })
    expect(rolesOf(taken)).toEqual([['assistant', 'Member']])
    await expect(memory.engine.as(taken.principal).users.list()).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' })
  })

  it('may be none: the principal is then refused, until there is a role', async () => {
    const none = await ensure({ roles: [] })
    expect(none.principals).toEqual([])
    const session = memory.engine.as(none.principal)
    await expect(session.contexts.list()).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' })
    await ensure({ roles: [{ role: 'Reader' }] })
    expect(await session.contexts.list()).toEqual([])
  })

  it('leave a suspended permission suspended', async () => {
    const { user } = await ensure()
    const permissions = (await administration.permissions.list()).filter((one) => one.userIdentityId === user.id)
    await administration.permissions.toggle(permissions[0]?.id ?? 0)
    const ensured = await ensure({ roles: [{ role: 'Reader' }] })
    expect(ensured.principals).toEqual([])
  })

  it('prefer a role of the company to a system-wide one of that name', async () => {
    const role = { name: 'Reader', applications: ['assistant'], capabilities: ['search'], companyId }
    const own = await administration.roles.create(role)
    expect((await ensure({ roles: [{ role: 'Reader' }] })).principals[0]?.role.id).toBe(own.id)
    await administration.roles.create(role)
    await expect(ensure({ externalId: 'x', roles: [{ role: 'Reader' }] })).rejects.toThrow('use the id of one')
    expect((await ensure({ externalId: 'x', roles: [{ role: own.id }] })).principals[0]?.role.id).toBe(own.id)
  })

  it('must exist, and be one for each account', async () => {
    await expect(ensure({ roles: [{ role: 'reader' }] })).rejects.toThrow(
      'roles[0].role: there is no such role for assistant; expected one of Administrator, Member, Reader',
    )
    const accountId = await accountOf('assistant')
    await expect(ensure({ roles: [{ role: 'Reader' }, { accountId, role: 'Member' }] })).rejects.toThrow(
      /^roles\[1\]: is a second role on the account/,
    )
    await expect(ensure({ roles: [{ accountId: 999_999, role: 'Reader' }] })).rejects.toThrow('no account 999999')
    expect(await administration.users.find({ externalId: 'oidc|ada', companyId })).toBeUndefined()
  })
})

describe('calls at the same time', () => {
  it.each(DATABASES)('add one user on $name, in one process and in two', async ({ open }) => {
    const database = await open()
    const engines = [
      await memoryEngine({ storage: database.storage() }),
      await memoryEngine({ storage: database.storage() }),
    ]
    const calls = [0, 1, 0, 1, 0, 1, 0, 1].map(async (at) => {
      return await engines[at]?.engine.administration.ensureUser({
        externalId: 'u-1',
        email: 'ada@example.com',
        companyId: 1,
        roles: [{ role: 'Reader' }],
      })
    })
    const ensured = await Promise.all(calls)
    expect(ensured.filter((one) => one?.isNew)).toHaveLength(1)
    expect(new Set(ensured.map((one) => one?.user.id)).size).toBe(1)
    const users = await engines[0]?.engine.administration.users.list()
    expect(users?.filter(({ externalId }) => externalId === 'u-1')).toHaveLength(1)
    await Promise.all(engines.map(async ({ engine }) => await engine.close()))
    await database.dispose()
  })
})
