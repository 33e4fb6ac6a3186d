import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryStorage } from '../../../adapters/memory/index.js'
import type { Capability, Engine, Principal, Session } from '../../../src/index.js'
import type { Storage } from '../../../src/ports/index.js'
import { memoryEngine, NEW_CONTEXT } from '../engine/memory-engine.js'
import { DATABASES } from '../outbox/database.js'

const ALL: readonly Capability[] = [
  'context:read',
  'context:write',
  'document:write',
  'search',
  'tenant:manage',
  'webhook:manage',
]
const WITHOUT_WEBHOOKS = ALL.filter((capability) => capability !== 'webhook:manage')

interface OpenStorage {
  readonly storage: Storage
  dispose(): Promise<void>
}

const STORAGES: readonly { readonly name: string; readonly open: () => Promise<OpenStorage> }[] = [
  { name: 'memory', open: async () => ({ storage: new MemoryStorage(), dispose: async () => undefined }) },
  ...DATABASES.map(({ name, open }) => ({
    name,
    open: async () => {
      const database = await open()
      return { storage: database.storage(), dispose: async () => await database.dispose() }
    },
  })),
]

/** A storage that waits before each transaction. */
function withPause(storage: Storage, pause: () => Promise<void>): Storage {
  return new Proxy(storage, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      if (name !== 'transaction') return member.bind(target) as unknown
      return async (...args: readonly unknown[]) => {
        await pause()
        return await (member.apply(target, args) as Promise<unknown>)
      }
    },
  })
}

/** The codes of the refusals of some calls. */
async function codesOf(calls: readonly Promise<unknown>[]): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(calls)
  return outcomes.map((outcome) =>
    outcome.status === 'fulfilled' ? 'done' : (outcome.reason as { readonly code?: string }).code,
  )
}

describe.each(STORAGES)('on $name, a user who manages a company', ({ open }) => {
  let engine: Engine
  let dispose: () => Promise<void>
  /** Runs once, before the next transaction of a call in {@link watched} begins. */
  let beforeTransaction: (() => Promise<void>) | undefined
  /** The engine works in the background too: its own transactions must not count. */
  const watched = new AsyncLocalStorage<true>()

  beforeEach(async () => {
    const opened = await open()
    dispose = async () => await opened.dispose()
    beforeTransaction = undefined
    const storage = withPause(opened.storage, async () => {
      if (watched.getStore() === undefined) return
      const pause = beforeTransaction
      beforeTransaction = undefined
      await pause?.()
    })
    engine = (await memoryEngine({ storage, limits: { apiKeysPerCompany: 3 } })).engine
  })

  afterEach(async () => {
    await engine.close()
    await dispose()
  })

  async function newCompany(name: string, parentId = 1) {
    const { id } = await engine.administration.companies.create({ name, parentId })
    const accounts = (await engine.administration.accounts.list()).filter(({ customerId }) => customerId === id)
    const idOf = (key: string): number => accounts.find(({ application }) => application === key)?.id ?? 0
    return { id, tenantId: idOf('tenant'), assistantId: idOf('assistant') }
  }

  type TestCompany = Awaited<ReturnType<typeof newCompany>>

  async function roleOf(capabilities: readonly Capability[]): Promise<number> {
    const name = `Of ${capabilities.join('+')}`
    const { roles } = engine.administration
    const known = (await roles.list()).find((role) => role.name === name)
    return (known ?? (await roles.create({ name, applications: ['assistant', 'tenant'], capabilities }))).id
  }

  /** A user with a role on the company's tenant account, and on no other. */
  async function newUser(company: TestCompany, capabilities: readonly Capability[]): Promise<number> {
    const { permissions, users } = engine.administration
    const { id } = await users.add({ email: `${crypto.randomUUID()}@example.com`, companyId: company.id })
    for (const permission of await permissions.list()) {
      if (permission.userIdentityId === id) await permissions.revoke(permission.id)
    }
    await permissions.grant({
      userIdentityId: id,
      appAccountId: company.tenantId,
      appRoleId: await roleOf(capabilities),
    })
    return id
  }

  /** A session of a new user; with the sight of the user, as a login gives it. */
  async function manager(
    company: TestCompany,
    capabilities: readonly Capability[] = ALL,
    extra: Partial<Principal> = {},
  ): Promise<Session> {
    const userId = await newUser(company, capabilities)
    return engine.as({ companyId: company.id, userId, accountId: company.tenantId, ...extra })
  }

  async function serviceKey({ id: companyId }: TestCompany) {
    return await engine.administration.apiKeys.create({ companyId })
  }

  it('sees the companies, roles and keys of that company and those below it, and never those of another one', async () => {
    const { administration } = engine
    const [bakery, smithy] = [await newCompany('Bakery'), await newCompany('Smithy')]
    const shop = await newCompany('Shop', bakery.id)
    for (const company of [bakery, smithy, shop]) {
      const role = { applications: ['assistant'], capabilities: ['search'], companyId: company.id }
      await administration.roles.create({ ...role, name: `Role of ${company.id}` })
      await serviceKey(company)
    }
    for (const [company, reached] of [
      [bakery, [bakery, shop]],
      [shop, [shop]],
      [smithy, [smithy]],
    ] as const) {
      const session = await manager(company)
      const ids = reached.map(({ id }) => id)
      const companies = await session.companies.list()
      expect(companies.map(({ id }) => id)).toEqual(ids)
      // The topmost company hides the one above.
      expect(companies.map(({ parentId }) => parentId)).toEqual([null, ...ids.slice(0, -1)])
      expect((await session.apiKeys.list()).map(({ companyId }) => companyId)).toEqual(ids)
      const roles = await session.roles.list()
      expect(roles.flatMap(({ customerId }) => customerId ?? [])).toEqual(ids)
      expect(roles.map(({ name }) => name)).toEqual(expect.arrayContaining(['Administrator', 'Member', 'Reader']))
      const page = await session.companies.page({ limit: 1 })
      expect(page.nextAfter).toBe(ids.length > 1 ? company.id : null)
      const keys: number[] = []
      for await (const { companyId } of session.apiKeys.entries({ after: 0 })) keys.push(companyId)
      expect(keys).toEqual(ids)
    }
  })

  it('sees which roles it may grant', async () => {
    const session = await manager(await newCompany('Bakery'), WITHOUT_WEBHOOKS)
    const grantable = new Map((await session.roles.list()).map((role) => [role.name, role.grantable]))
    expect(Object.fromEntries(grantable)).toMatchObject({ Administrator: false, Member: true, Reader: true })
    const narrowed = engine.as({ ...session.principal, scope: ['tenant:manage'] })
    expect((await narrowed.roles.list()).find(({ name }) => name === 'Member')?.grantable).toBe(false)
  })

  it('makes a key whose secret works, with the caller in the audit trail, and revokes it', async () => {
    const bakery = await newCompany('Bakery')
    const session = await manager(bakery)
    const { userId: callerId } = session.principal
    const key = await session.apiKeys.create({ targets: ['assistant', 'tenant'], expires: '2999-01-31' })
    expect(key).toMatchObject({
      companyId: bakery.id,
      sight: 'user',
      expires: '2999-01-31T00:00:00.000Z',
      revoked: null,
    })
    const request = { clientId: key.clientId, clientSecret: key.clientSecret, targetApp: 'tenant' }
    expect((await engine.authentication.issueToken(request)).token_type).toBe('Bearer')
    const [listed] = await session.apiKeys.list()
    expect(listed).toMatchObject({ id: key.id, clientId: key.clientId, userId: key.userId })
    expect(JSON.stringify(listed)).not.toContain(key.clientSecret)
    expect((await session.apiKeys.revoke(key.id)).revoked).not.toBeNull()
    await expect(engine.authentication.issueToken(request)).rejects.toMatchObject({ error: 'invalid_client' })
    const { items } = await session.audit.list({ userId: callerId })
    expect(items.map(({ action, outcome, targetId }) => [action, outcome, targetId]).reverse()).toEqual([
      ['user.added', 'done', key.userId],
      ...[1, 2, 3].map(() => ['permission.created', 'done', expect.any(Number) as number]),
      ['api-key.created', 'done', key.id],
      ['api-key.revoked', 'done', key.id],
    ])
  })

  it('makes no key for a company or a user out of reach, and revokes none there', async () => {
    const [bakery, smithy] = [await newCompany('Bakery'), await newCompany('Smithy')]
    const shop = await newCompany('Shop', bakery.id)
    const session = await manager(shop)
    const boss = await newUser(bakery, ['tenant:manage'])
    for (const company of [bakery, smithy, { id: 1 }, { id: 999 }]) {
      await expect(session.apiKeys.create({ companyId: company.id, targets: ['tenant'] })).rejects.toMatchObject({
        code: 'ERR_FORBIDDEN',
        message: `the company ${company.id} is not accessible`,
      })
    }
    for (const userId of [boss, await newUser(smithy, ['search']), 999]) {
      const created = session.apiKeys.create({ userId, targets: ['tenant'] })
      await expect(created).rejects.toMatchObject({ code: 'ERR_USER_NOT_FOUND' })
    }
    for (const { id } of [await serviceKey(bakery), await serviceKey(smithy), { id: 999 }]) {
      await expect(session.apiKeys.revoke(id)).rejects.toMatchObject({ code: 'ERR_API_KEY_NOT_FOUND' })
    }
    // The company's own key, for a user from above.
    const { id } = await engine.administration.apiKeys.create({ companyId: shop.id, userId: boss })
    await expect(session.apiKeys.revoke(id)).rejects.toMatchObject({
      code: 'ERR_FORBIDDEN',
      message: expect.stringContaining('of a company that is not accessible') as string,
    })
    const usable = (await engine.administration.apiKeys.list()).filter(({ revoked }) => revoked === null)
    expect(usable).toHaveLength(3)
  })

  it('who lacks a capability makes and revokes no key of somebody who has it, and the refusals are recorded', async () => {
    const bakery = await newCompany('Bakery')
    const session = await manager(bakery, WITHOUT_WEBHOOKS)
    const above = await newUser(bakery, ['webhook:manage'])
    const below = await newUser(bakery, ['tenant:manage'])
    const { id } = await engine.administration.apiKeys.create({ companyId: bakery.id, userId: above })
    const lacking = { code: 'ERR_FORBIDDEN', message: expect.stringContaining('(webhook:manage)') as string }
    await expect(session.apiKeys.create({ userId: above, targets: ['tenant'] })).rejects.toMatchObject(lacking)
    await expect(session.apiKeys.create({ targets: ['assistant'] })).rejects.toMatchObject(lacking)
    await expect(session.apiKeys.revoke(id)).rejects.toMatchObject(lacking)
    const key = await session.apiKeys.create({ userId: below, targets: ['tenant'] })
    await session.apiKeys.revoke(key.id)
    expect(
      (await engine.administration.users.list()).filter(({ customerId }) => customerId === bakery.id),
    ).toHaveLength(3)
    const { items } = await session.audit.list({ userId: session.principal.userId })
    expect(items.map(({ action, outcome, targetId }) => [action, outcome, targetId]).reverse()).toEqual([
      ['api-key.created', 'refused', null],
      ['api-key.created', 'refused', null],
      ['api-key.revoked', 'refused', id],
      ['api-key.created', 'done', key.id],
      ['api-key.revoked', 'done', key.id],
    ])
  })

  it('makes a key for itself that has its own rights, and never more than its role or its scope', async () => {
    const bakery = await newCompany('Bakery')
    const session = await manager(bakery, ['tenant:manage'])
    const { userId } = session.principal
    const key = await session.apiKeys.create({ userId, targets: ['tenant'] })
    expect(key).toMatchObject({ userId, sight: 'user' })
    const more = { userIdentityId: userId, appAccountId: bakery.assistantId, appRoleId: await roleOf(['search']) }
    await engine.administration.permissions.grant(more)
    expect((await session.apiKeys.create({ userId, targets: ['tenant'] })).targets).toEqual(['tenant'])
    await expect(session.apiKeys.create({ userId, targets: ['tenant', 'assistant'] })).rejects.toMatchObject({
      message: expect.stringContaining('(search)') as string,
    })
    const all = await manager(bakery)
    const narrowed = engine.as({ ...all.principal, scope: ['tenant:manage'] })
    await expect(narrowed.apiKeys.create({ userId: all.principal.userId, targets: ['tenant'] })).rejects.toMatchObject({
      code: 'ERR_FORBIDDEN',
    })
    // Nobody needs a right to give up a key of their own.
    const own = await all.apiKeys.create({ userId: all.principal.userId, targets: ['tenant'] })
    expect((await narrowed.apiKeys.revoke(own.id)).revoked).not.toBeNull()
  })

  it('sees no more contexts by a key than without it', async () => {
    const bakery = await newCompany('Bakery')
    const session = await manager(bakery)
    const person = await newUser(bakery, ['search'])
    const refused = { code: 'ERR_FORBIDDEN', message: expect.stringContaining('private contexts') as string }
    const targets = ['assistant'] as const
    await expect(session.apiKeys.create({ targets, sight: 'account' })).rejects.toMatchObject(refused)
    await expect(session.apiKeys.create({ targets, userId: person })).rejects.toMatchObject(refused)
    const own = { targets, userId: session.principal.userId, sight: 'account' } as const
    await expect(session.apiKeys.create(own)).rejects.toMatchObject(refused)
    const service = await session.apiKeys.create({ targets })
    expect(service.sight).toBe('user')
    // A second key of a service user replaces the first one.
    const next = await session.apiKeys.create({ targets, userId: service.userId })
    expect(next).toMatchObject({ userId: service.userId, sight: 'user' })
  })

  it('makes no further key for a service user with a key of somebody else, even if that key is revoked', async () => {
    const bakery = await newCompany('Bakery')
    const [ada, ben] = [await manager(bakery), await manager(bakery)]
    const targets = ['assistant'] as const
    const refused = {
      code: 'ERR_FORBIDDEN',
      message: expect.stringContaining('you did not make all of its keys') as string,
    }
    const makers = [
      async () => await serviceKey(bakery),
      async () => await ben.apiKeys.create({ targets }),
      async () => {
        const { userId } = await ada.apiKeys.create({ targets })
        return await engine.administration.apiKeys.create({ companyId: bakery.id, userId, targets })
      },
    ]
    for (const make of makers) {
      const { id, userId } = await make()
      await expect(ada.apiKeys.create({ targets, userId })).rejects.toMatchObject(refused)
      await engine.administration.apiKeys.revoke(id)
      await expect(ada.apiKeys.create({ targets, userId })).rejects.toMatchObject(refused)
      // A key for users and permissions alone shows no contexts.
      const ofTenant = await ada.apiKeys.create({ targets: ['tenant'], userId })
      await engine.administration.apiKeys.revoke(ofTenant.id)
    }
    const all = await manager(bakery, ALL, { sight: 'account' })
    const { userId, id } = await serviceKey(bakery)
    await engine.administration.apiKeys.revoke(id)
    expect((await all.apiKeys.create({ targets, userId })).userId).toBe(userId)
  })

  it('gives no new user the external id of a person whose contexts it does not see', async () => {
    const bakery = await newCompany('Bakery')
    const session = await manager(bakery)
    const user = { email: 'mine@example.com', externalId: 'oidc|victim', invite: false }
    await expect(session.users.add(user)).rejects.toMatchObject({
      code: 'ERR_FORBIDDEN',
      message: expect.stringContaining('external id') as string,
    })
    expect((await session.users.add({ email: user.email, invite: false })).email).toBe(user.email)
    const all = await manager(bakery, ALL, { sight: 'account' })
    const other = { ...user, email: 'other@example.com' }
    expect((await all.users.add(other)).email).toBe(other.email)
  })

  it('who sees all contexts of its accounts makes keys that do, too', async () => {
    const bakery = await newCompany('Bakery')
    const session = await manager(bakery, ALL, { sight: 'account' })
    const person = await newUser(bakery, ['search'])
    const targets = ['assistant'] as const
    expect((await session.apiKeys.create({ targets })).sight).toBe('account')
    expect((await session.apiKeys.create({ targets, userId: person })).sight).toBe('user')
    expect((await session.apiKeys.create({ targets, userId: person, sight: 'account' })).sight).toBe('account')
  })

  it.each([
    ['makes no service user', async ({ apiKeys }: Session) => await apiKeys.create({ targets: ['tenant'] })],
    [
      'makes no key for itself',
      async ({ apiKeys, principal: { userId } }: Session) => await apiKeys.create({ userId, targets: ['tenant'] }),
    ],
    ['revokes no key', async ({ apiKeys }: Session, id: number) => await apiKeys.revoke(id)],
  ])('whose permission is suspended after the check of the rights %s', async (_what, call) => {
    const bakery = await newCompany('Bakery')
    const session = await manager(bakery)
    const { id } = await serviceKey(bakery)
    const permission = (await engine.administration.permissions.list()).find(
      ({ userIdentityId }) => userIdentityId === session.principal.userId,
    )
    const before = await engine.administration.apiKeys.list()
    let isSuspended = false
    beforeTransaction = async () => {
      await engine.administration.permissions.toggle(permission?.id ?? 0)
      isSuspended = true
    }
    await expect(watched.run(true, () => call(session, id))).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' })
    expect(isSuspended).toBe(true)
    expect(await engine.administration.apiKeys.list()).toEqual(before)
    const lists = [session.companies.list(), session.roles.list(), session.apiKeys.list()]
    expect(await codesOf(lists)).toEqual(['ERR_FORBIDDEN', 'ERR_FORBIDDEN', 'ERR_FORBIDDEN'])
  })

  it('reaches the limit of keys, and revokes one to make another', async () => {
    const bakery = await newCompany('Bakery')
    const session = await manager(bakery)
    const { userId } = session.principal
    const create = async () => await session.apiKeys.create({ userId, targets: ['tenant'] })
    const [first] = [await create(), await create(), await create()]
    await expect(create()).rejects.toMatchObject({ code: 'ERR_LIMIT_REACHED' })
    await session.apiKeys.revoke(first.id)
    expect((await create()).id).toBeGreaterThan(first.id)
  })

  it('names what is wrong with a new key', async () => {
    const { apiKeys } = await manager(await newCompany('Bakery'))
    for (const [input, message] of [
      [{}, 'targets: '],
      [{ targets: [] }, 'targets: must name at least one of assistant, tenant'],
      [{ targets: ['builder'] }, 'targets[0]: '],
      [{ targets: ['tenant'], expires: '2020-01-01' }, 'expires: must lie in the future'],
      [{ targets: ['tenant'], sight: 'all' }, 'sight: '],
      [{ targets: ['tenant'], companyId: 'x' }, 'companyId: '],
    ] as const) {
      await expect(apiKeys.create(input as never)).rejects.toMatchObject({
        code: 'ERR_INVALID_INPUT',
        message: expect.stringContaining(message) as string,
      })
    }
    await expect(apiKeys.revoke(0)).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
  })

  it('gets nothing without the capability tenant:manage', async () => {
    const session = await manager(await newCompany('Bakery'), ['webhook:manage'])
    const codes = await codesOf([
      session.companies.list(),
      session.roles.list(),
      session.apiKeys.list(),
      session.apiKeys.create({ userId: session.principal.userId, targets: ['tenant'] }),
      session.apiKeys.revoke(1),
    ])
    expect(codes).toEqual(codes.map(() => 'ERR_FORBIDDEN'))
    expect(codes).toHaveLength(5)
  })
})

describe('a key of a person', () => {
  it('shows the contexts of that person alone', async () => {
    const { engine } = await memoryEngine()
    const { owner, administration } = engine
    const ada = (await administration.users.add({ email: 'ada@example.com', companyId: owner.companyId })).id
    const [own] = await administration.users.principals(ada)
    await engine.as(owner).contexts.create(NEW_CONTEXT)
    const adas = await engine.as(own?.principal ?? owner).contexts.create({ ...NEW_CONTEXT, name: 'Of Ada' })
    const { clientId, clientSecret } = await engine.as(owner).apiKeys.create({ userId: ada, targets: ['assistant'] })
    const request = { clientId, clientSecret, targetApp: 'assistant' }
    const { access_token: token } = await engine.authentication.issueToken(request)
    const { principal } = await engine.authentication.authenticate(token)
    expect((await engine.as(principal).contexts.list()).map(({ id }) => id)).toEqual([adas.id])
    await engine.close()
  })
})
