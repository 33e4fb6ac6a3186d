import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Engine, HostAdministration, Principal } from '../../../src/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT } from '../engine/memory-engine.js'

let memory: MemoryEngine
let engine: Engine
let administration: HostAdministration
let owner: Principal

beforeEach(async () => {
  memory = await memoryEngine({ initial: { companyName: 'Root', ownerEmail: 'boss@example.com' } })
  engine = memory.engine
  administration = engine.administration
  owner = engine.owner
})

afterEach(async () => {
  await engine.close()
})

describe('a new installation', () => {
  it('has a root company, its accounts, the system-wide roles and the owner', async () => {
    expect(await administration.companies.list()).toEqual([{ id: 1, name: 'Root', parentId: null, disabled: false }])
    expect(await administration.accounts.list()).toEqual(
      ['assistant', 'tenant', 'builder'].map((application, index) => ({
        id: index + 1,
        customerId: 1,
        application,
        region: 'local',
        name: 'Root',
        active: true,
      })),
    )
    expect(
      (await administration.roles.list()).map(({ name, customerId, applications, capabilities }) => [
        name,
        customerId,
        applications,
        capabilities,
      ]),
    ).toEqual([
      [
        'Administrator',
        null,
        ['assistant', 'tenant', 'builder'],
        ['context:read', 'context:write', 'document:write', 'search', 'tenant:manage', 'webhook:manage'],
      ],
      [
        'Member',
        null,
        ['assistant', 'tenant', 'builder'],
        ['context:read', 'context:write', 'document:write', 'search'],
      ],
      ['Reader', null, ['assistant'], ['context:read', 'search']],
    ])
    expect(await administration.users.list()).toMatchObject([{ id: 1, email: 'boss@example.com', customerId: 1 }])
    expect(await administration.permissions.list()).toHaveLength(3)
    expect(owner).toEqual({ companyId: 1, userId: 1, accountId: 1, sight: 'account' })
  })

  it('creates its first API key only once', async () => {
    const key = await engine.initialize()
    expect(key).toMatchObject({ companyId: 1, userId: 1 })
    expect(key.clientSecret.length).toBeGreaterThan(40)
    await expect(engine.initialize()).rejects.toMatchObject({ code: 'ERR_ALREADY_INITIALIZED' })
    const keys = await administration.apiKeys.list()
    expect(keys).toHaveLength(1)
    expect(JSON.stringify(keys)).not.toContain(key.clientSecret)
  })
})

describe('an API key', () => {
  it.each(['2030-02-30', '2030-13-01', 'tomorrow', '2030-01-31T25:00:00Z', ''])(
    'cannot expire on %j',
    async (expires) => {
      await expect(administration.apiKeys.create({ companyId: 1, expires })).rejects.toThrow('expires: must be a date')
    },
  )

  it('expires at the given time', async () => {
    const { expires } = await administration.apiKeys.create({ companyId: 1, expires: '2028-02-29' })
    expect(expires).toBe('2028-02-29T00:00:00.000Z')
  })
})

describe('a principal', () => {
  const attempt = (principal: Principal): Promise<unknown> => engine.as(principal).contexts.list()

  it('whose user does not exist is unauthenticated', async () => {
    await expect(attempt({ ...owner, userId: 99 })).rejects.toMatchObject({ code: 'ERR_UNAUTHENTICATED' })
  })

  it('without a permission on the account is forbidden', async () => {
    await expect(attempt({ ...owner, accountId: 99 })).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' })
  })

  it('on the account of another application is forbidden', async () => {
    await expect(attempt({ ...owner, accountId: 2 })).rejects.toThrow(
      'belongs to the application tenant, not assistant',
    )
  })

  it('is refused at once after its permission is disabled, and accepted after it is enabled', async () => {
    await administration.permissions.toggle(1)
    await expect(attempt(owner)).rejects.toThrow('the permission on the account 1 is disabled')
    await administration.permissions.toggle(1)
    await attempt(owner)
    await administration.permissions.revoke(1)
    await expect(attempt(owner)).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' })
  })

  it('is refused at once after its account is disabled', async () => {
    await administration.accounts.setActive(1, false)
    await expect(attempt(owner)).rejects.toThrow('the account 1 is disabled')
    await administration.accounts.setActive(1, true)
    await attempt(owner)
  })

  it('can do what its role allows, and nothing else', async () => {
    const { id: userId } = await administration.users.add({ email: 'reader@example.com', companyId: 1 })
    const [member] = (await administration.permissions.list()).filter(({ userIdentityId }) => userIdentityId === userId)
    await administration.permissions.revoke(member?.id ?? 0)
    const reader = (await administration.roles.list()).find(({ name }) => name === 'Reader')
    await administration.permissions.grant({ userIdentityId: userId, appAccountId: 1, appRoleId: reader?.id ?? 0 })
    const { id } = await memory.session.contexts.create(NEW_CONTEXT)
    await memory.session.contexts.share(id, { shareState: 1 })
    const session = engine.as({ ...owner, userId, sight: 'user' })
    expect(await session.contexts.list()).toHaveLength(1)
    expect(await session.search(id, 'text')).toEqual([])
    const forbidden = { code: 'ERR_FORBIDDEN' }
    await expect(session.contexts.create(NEW_CONTEXT)).rejects.toMatchObject(forbidden)
    await expect(session.contexts.update(id, NEW_CONTEXT)).rejects.toMatchObject(forbidden)
    await expect(session.contexts.delete(id)).rejects.toMatchObject(forbidden)
    await expect(session.documents.upload(id, { fileName: 'a.txt', content: Buffer.from('x') })).rejects.toMatchObject(
      forbidden,
    )
  })

  it('without the capability to search can still read', async () => {
    const role = await administration.roles.create({
      name: 'Lister',
      applications: ['assistant'],
      capabilities: ['context:read'],
    })
    const { id: userId } = await administration.users.add({ email: 'l@example.com', companyId: 1 })
    const [member] = (await administration.permissions.list()).filter(({ userIdentityId }) => userIdentityId === userId)
    await administration.permissions.revoke(member?.id ?? 0)
    await administration.permissions.grant({ userIdentityId: userId, appAccountId: 1, appRoleId: role.id })
    const { id } = await memory.session.contexts.create(NEW_CONTEXT)
    const session = engine.as({ ...owner, userId, sight: 'account' })
    expect(await session.contexts.get(id)).toMatchObject({ id })
    await expect(session.search(id, 'text')).rejects.toThrow('does not have the capability search')
  })

  it.each([
    undefined,
    null,
    {},
    { companyId: 1, userId: 1 },
    { companyId: 1, userId: '1', accountId: 1 },
    { companyId: 1, userId: 1, accountId: 1, sight: 'all' },
  ])('with invalid members is refused: %j', (principal) => {
    expect(() => engine.as(principal as unknown as Principal)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_INPUT' }) as Error,
    )
  })
})

describe('companies', () => {
  it('have an account of each application', async () => {
    const company = await administration.companies.create({ name: 'Sub', parentId: 1 })
    expect(company).toEqual({ id: 2, name: 'Sub', parentId: 1, disabled: false })
    const accounts = (await administration.accounts.list()).filter(({ customerId }) => customerId === 2)
    expect(accounts.map(({ application }) => application)).toEqual(['assistant', 'tenant', 'builder'])
  })

  // N2
  it('are never moved into a cycle', async () => {
    const a = await administration.companies.create({ name: 'A', parentId: 1 })
    const a1 = await administration.companies.create({ name: 'A1', parentId: a.id })
    const a11 = await administration.companies.create({ name: 'A11', parentId: a1.id })
    const b = await administration.companies.create({ name: 'B', parentId: 1 })
    await expect(administration.companies.move(a.id, a11.id)).rejects.toThrow(
      `parentId: company ${a11.id} lies below company ${a.id} itself`,
    )
    await expect(administration.companies.move(a.id, a.id)).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
    await expect(administration.companies.move(1, b.id)).rejects.toThrow('the root company cannot be moved')
    const outcomes = await Promise.allSettled([
      administration.companies.move(a.id, b.id),
      administration.companies.move(b.id, a.id),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await administration.companies.move(a1.id, b.id).catch(() => 'below itself')).toBeDefined()
  })

  it('need an existing parent', async () => {
    await expect(administration.companies.create({ name: 'X', parentId: 99 })).rejects.toMatchObject({
      code: 'ERR_COMPANY_NOT_FOUND',
    })
    await expect(administration.companies.create({ name: '', parentId: 1 })).rejects.toThrow('name: must not be empty')
  })
})

describe('accounts and roles', () => {
  it('need a known application and an existing company', async () => {
    const account = await administration.accounts.create({
      companyId: 1,
      application: 'assistant',
      region: 'Europe',
      name: 'Second',
    })
    expect(account).toEqual({
      id: 4,
      customerId: 1,
      application: 'assistant',
      region: 'Europe',
      name: 'Second',
      active: true,
    })
    await expect(
      administration.accounts.create({ companyId: 1, application: 'other', region: 'x', name: 'y' }),
    ).rejects.toThrow('application: must be one of "assistant", "tenant", "builder"')
    await expect(
      administration.accounts.create({ companyId: 99, application: 'tenant', region: 'x', name: 'y' }),
    ).rejects.toMatchObject({ code: 'ERR_COMPANY_NOT_FOUND' })
    await expect(administration.accounts.setActive(99, true)).rejects.toMatchObject({ code: 'ERR_ACCOUNT_NOT_FOUND' })
  })

  it('refuse unknown capabilities and applications', async () => {
    const role = { name: 'X', applications: ['assistant'], capabilities: ['search'] }
    await expect(administration.roles.create({ ...role, capabilities: ['fly'] })).rejects.toThrow(
      'capabilities[0]: must be one of',
    )
    await expect(administration.roles.create({ ...role, capabilities: [] })).rejects.toThrow(
      'capabilities: must name at least one',
    )
    await expect(administration.roles.create({ ...role, applications: [] })).rejects.toThrow(
      'applications: must name at least one',
    )
    await expect(administration.roles.create({ ...role, companyId: 99 })).rejects.toMatchObject({
      code: 'ERR_COMPANY_NOT_FOUND',
    })
  })
})

describe('users', () => {
  // N10, A53
  it('are unique by address within a company, in any case', async () => {
    const user = await administration.users.add({ email: 'Ada@Example.com', companyId: 1, name: 'Ada King Lovelace' })
    expect(user).toMatchObject({
      email: 'Ada@Example.com',
      firstName: 'Ada King',
      lastName: 'Lovelace',
      name: 'Ada King Lovelace',
    })
    await expect(administration.users.add({ email: 'ada@example.COM', companyId: 1 })).rejects.toMatchObject({
      code: 'ERR_ALREADY_EXISTS',
      message: 'a user with this e-mail address exists',
    })
    const company = await administration.companies.create({ name: 'Sub', parentId: 1 })
    const other = await administration.users.add({ email: 'ada@example.COM', companyId: company.id })
    expect(other).toMatchObject({ email: 'ada@example.COM', customerId: company.id, hasPassword: false })
    expect(other.id).not.toBe(user.id)
  })

  it('can become members of their company’s assistant account at once', async () => {
    const { id } = await administration.users.add({ email: 'a@example.com', companyId: 1 })
    const session = engine.as({ companyId: 1, userId: id, accountId: 1 })
    expect(await session.contexts.create(NEW_CONTEXT)).toMatchObject({ userId: id })
    const [permission] = (await administration.permissions.list()).filter(({ userIdentityId }) => userIdentityId === id)
    expect(JSON.parse(permission?.createdBy ?? '')).toEqual({ id: 1, email: 'boss@example.com' })
  })
})

describe('permissions', () => {
  // N6
  it('are granted only for roles of the account’s company, or system-wide ones, that are valid for its application', async () => {
    const company = await administration.companies.create({ name: 'Sub', parentId: 1 })
    const { id: userId } = await administration.users.add({ email: 'a@example.com', companyId: company.id })
    const foreign = await administration.roles.create({
      name: 'Sub only',
      applications: ['tenant'],
      capabilities: ['search'],
      companyId: company.id,
    })
    const reader = (await administration.roles.list()).find(({ name }) => name === 'Reader')
    const grant = (appAccountId: number, appRoleId: number): Promise<unknown> =>
      administration.permissions.grant({ userIdentityId: userId, appAccountId, appRoleId })
    await expect(grant(2, foreign.id)).rejects.toThrow(
      "appRoleId: the role 4 is neither one of the account's company nor system-wide",
    )
    await expect(grant(2, reader?.id ?? 0)).rejects.toThrow(
      'appRoleId: the role 3 is not valid for the application tenant',
    )
    await expect(grant(99, 1)).rejects.toMatchObject({ code: 'ERR_ACCOUNT_NOT_FOUND' })
    await expect(grant(1, 99)).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
    await expect(
      administration.permissions.grant({ userIdentityId: 99, appAccountId: 1, appRoleId: 1 }),
    ).rejects.toMatchObject({ code: 'ERR_USER_NOT_FOUND' })
    await grant(2, 1)
    await expect(grant(2, 1)).rejects.toThrow('Permission already exists')
  })

  it('that do not exist are not found', async () => {
    await expect(administration.permissions.toggle(99)).rejects.toMatchObject({ code: 'ERR_PERMISSION_NOT_FOUND' })
    await expect(administration.permissions.revoke(99)).rejects.toMatchObject({ code: 'ERR_PERMISSION_NOT_FOUND' })
  })
})

describe('API keys', () => {
  it('show their secret once, and can be revoked', async () => {
    const key = await administration.apiKeys.create({
      companyId: 1,
      userId: 1,
      targets: ['assistant'],
      expires: '2030-01-31',
    })
    expect(key).toMatchObject({ targets: ['assistant'], expires: '2030-01-31T00:00:00.000Z', revoked: null })
    expect(await administration.apiKeys.revoke(key.id)).toMatchObject({
      id: key.id,
      revoked: '2026-01-01T00:00:00.000Z',
    })
    await expect(administration.apiKeys.revoke(99)).rejects.toMatchObject({ code: 'ERR_API_KEY_NOT_FOUND' })
    await expect(administration.apiKeys.create({ companyId: 1, userId: 1, expires: 'soon' })).rejects.toThrow(
      'expires: must be a date',
    )
    await expect(administration.apiKeys.create({ companyId: 1, userId: 1, expires: '2020-01-01' })).rejects.toThrow(
      'expires: must lie in the future',
    )
  })
})
