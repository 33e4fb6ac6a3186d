import assert from 'node:assert/strict'
import type { AlcoveError, Storage } from '../../../src/ports/index.js'
import { type DefineTest, rejectsWith } from '../harness.js'
import { LATER, NOW, seedCompany } from './storage-seed.js'

/** Tests of companies, accounts, roles, users, permissions and API keys. */
export function defineTenancyTests(test: DefineTest<Storage>): void {
  test('counts how often a user and a company were disabled or enabled', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { accounts, companies, permissions, users } = repositories
      const { companyId, accountId, userId, roleId } = await seedCompany(repositories)
      await permissions.insert({
        userId,
        accountId,
        roleId,
        isDisabled: false,
        created: NOW,
        createdBy: '{}',
        lastAccess: null,
      })
      const epochs = async () => {
        const access = await permissions.findAccess(userId, accountId)
        const ofAccess = [access?.user.loginEpoch, access?.user.companyLoginEpoch, access?.account.companyLoginEpoch]
        const ofRows = [(await users.get(userId))?.loginEpoch, (await companies.get(companyId))?.loginEpoch]
        return [...ofAccess, ...ofRows]
      }
      assert.deepEqual(await epochs(), [0, 0, 0, 0, 0])
      await companies.setDisabled(companyId, true)
      await companies.setDisabled(companyId, false)
      await users.update(userId, { isDisabled: true, loginEpoch: 1 })
      await accounts.setActive(accountId, false)
      assert.deepEqual(await epochs(), [1, 2, 2, 1, 2])
    })
  })

  test('keeps the maker of an API key', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { apiKeys } = repositories
      const { companyId, userId } = await seedCompany(repositories)
      const key = { secretHash: 'a', companyId, userId, targets: ['assistant'], sight: 'user', created: NOW } as const
      const unused = { expires: null, lastUsed: null, revoked: null }
      const made = await apiKeys.insert({ ...key, ...unused, clientId: 'ak_made', makerId: userId })
      const unmade = await apiKeys.insert({ ...key, ...unused, clientId: 'ak_unmade' })
      assert.deepEqual(await apiKeys.list({ userId }), [made, unmade])
      assert.deepEqual([made.makerId, unmade.makerId], [userId, undefined])
    })
  })

  test('walks up the company tree', async (storage) => {
    await storage.transaction(async ({ companies }) => {
      const root = await companies.insert({ name: 'R', parentId: null, created: NOW })
      const a = await companies.insert({ name: 'A', parentId: root.id, created: NOW })
      const b = await companies.insert({ name: 'B', parentId: root.id, created: NOW })
      const deep = await companies.insert({ name: 'A1', parentId: a.id, created: NOW })
      assert.equal(await companies.isWithin(deep.id, root.id), true)
      assert.equal(await companies.isWithin(deep.id, a.id), true)
      assert.equal(await companies.isWithin(deep.id, deep.id), true)
      assert.equal(await companies.isWithin(deep.id, b.id), false)
      assert.equal(await companies.isWithin(a.id, deep.id), false)
      assert.equal(await companies.isWithin(999, root.id), false)
      assert.equal(await companies.isWithin(deep.id, 999), false)
      await companies.setParent(a.id, b.id)
      assert.equal(await companies.isWithin(deep.id, b.id), true)
      assert.deepEqual(
        (await companies.list()).map(({ name, parentId }) => [name, parentId]),
        [
          ['R', null],
          ['A', b.id],
          ['B', root.id],
          ['A1', a.id],
        ],
      )
    })
  })

  // N3
  test('stops at a cycle of companies and denies access', async (storage) => {
    await storage.transaction(async ({ companies }) => {
      const root = await companies.insert({ name: 'R', parentId: null, created: NOW })
      const a = await companies.insert({ name: 'A', parentId: root.id, created: NOW })
      const b = await companies.insert({ name: 'B', parentId: a.id, created: NOW })
      await companies.setParent(a.id, b.id)
      assert.equal(await companies.isWithin(b.id, root.id), false)
    })
  })

  // N4
  test('walks up a tree 500 deep', async (storage) => {
    await storage.transaction(async ({ companies }) => {
      let parentId: number | null = null
      let first = 0
      for (let depth = 0; depth < 500; depth += 1) {
        const { id }: { readonly id: number } = await companies.insert({ name: `C${depth}`, parentId, created: NOW })
        first ||= id
        parentId = id
      }
      assert.equal(await companies.isWithin(parentId ?? 0, first), true)
    })
  })

  test('creates each region once', async (storage) => {
    await storage.transaction(async ({ regions }) => {
      const local = await regions.ensure('local')
      const europe = await regions.ensure('Europe')
      assert.deepEqual(await regions.ensure('local'), local)
      assert.deepEqual(await regions.list(), [local, europe])
    })
  })

  test('stores accounts with their state', async (storage) => {
    await storage.transaction(async (repositories) => {
      const one = await seedCompany(repositories, 'One')
      const two = await seedCompany(repositories, 'Two')
      const { accounts } = repositories
      assert.equal((await accounts.list()).length, 2)
      assert.deepEqual(
        (await accounts.list({ companyId: two.companyId })).map(({ id }) => id),
        [two.accountId],
      )
      assert.equal(await accounts.setActive(one.accountId, false), true)
      assert.equal((await accounts.get(one.accountId))?.isActive, false)
      assert.equal(await accounts.setActive(999, false), false)
      assert.equal(await accounts.get(999), undefined)
    })
  })

  test('stores roles with their applications and capabilities', async (storage) => {
    await storage.transaction(async ({ roles }) => {
      const given = { companyId: null, name: 'Reader', applications: ['assistant', 'tenant'], capabilities: ['search'] }
      const role = await roles.insert(given)
      assert.deepEqual(await roles.get(role.id), { id: role.id, ...given, isDisabled: false })
      assert.deepEqual(await roles.list(), [role])
      assert.equal(await roles.get(999), undefined)
    })
  })

  test('lists the companies, roles and keys of a company and those below it', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { apiKeys, companies, roles } = repositories
      const top = await seedCompany(repositories, 'Top')
      const stranger = await seedCompany(repositories, 'Stranger')
      const below = async (parentId: number) => (await companies.insert({ name: 'B', parentId, created: NOW })).id
      const child = await below(top.companyId)
      const grandchild = await below(child)
      const cycle = await below(stranger.companyId)
      const inCycle = await below(cycle)
      await companies.setParent(cycle, inCycle)
      const ids = [top.companyId, stranger.companyId, child, grandchild, cycle]
      const names = new Map<number, string>()
      const system = await roles.insert({ companyId: null, name: 'System', applications: [], capabilities: [] })
      for (const companyId of ids) {
        const name = `of ${companyId}`
        names.set((await roles.insert({ companyId, name, applications: [], capabilities: [] })).id, name)
        const { userId } = top
        const key = {
          clientId: name,
          secretHash: 'x',
          companyId,
          userId,
          targets: [],
          sight: 'user',
          created: NOW,
        } as const
        await apiKeys.insert({ ...key, expires: null, lastUsed: null, revoked: null })
      }
      const isSeedRole = ({ id }: { readonly id: number }): boolean => names.has(id) || id === system.id
      for (const [withinCompanyId, found] of [
        [top.companyId, [top.companyId, child, grandchild]],
        [child, [child, grandchild]],
        [stranger.companyId, [stranger.companyId]],
        [cycle, []],
        [999, []],
      ] as const) {
        const filter = { withinCompanyId }
        assert.deepEqual(
          (await companies.list(filter)).map(({ id }) => id),
          found,
        )
        assert.deepEqual(await companies.listIds(filter, { after: 0, limit: 10 }), found)
        const keys = await apiKeys.list(filter)
        assert.deepEqual(
          keys.map(({ companyId }) => companyId),
          found,
        )
        assert.deepEqual(
          await apiKeys.listIds(filter, { after: 0, limit: 10 }),
          keys.map(({ id }) => id),
        )
        assert.deepEqual(
          (await roles.list(filter)).filter(isSeedRole).map(({ name }) => name),
          ['System', ...found.map((id) => `of ${id}`)],
        )
      }
      assert.deepEqual(await apiKeys.list({ withinCompanyId: child, userId: stranger.userId }), [])
      assert.equal((await apiKeys.list({ withinCompanyId: child, userId: top.userId })).length, 2)
    })
  })

  // N10, A54
  test('allows one user for each address within a company', async (storage) => {
    const { companyId } = await storage.transaction((repositories) => seedCompany(repositories))
    const user = {
      companyId,
      email: 'Grace@Example.com',
      emailKey: 'grace@example.com',
      externalId: null,
      firstName: 'Grace',
      lastName: 'H',
      name: 'Grace H',
      created: NOW,
      lastAccess: null,
      passwordHash: null,
    }
    const added = await storage.transaction(({ users }) => users.insert(user))
    assert.deepEqual(await storage.read(({ users }) => users.get(added.id)), {
      id: added.id,
      ...user,
      isDisabled: false,
      loginEpoch: 0,
    })
    const { companyId: otherId } = await storage.transaction((repositories) => seedCompany(repositories, 'Other'))
    const find = async (of: number, key = user.emailKey): Promise<unknown> =>
      await storage.read(({ users }) => users.findByEmailKey(of, key))
    assert.deepEqual(await find(companyId), added)
    assert.equal(await find(otherId), undefined)
    await rejectsWith('ERR_ALREADY_EXISTS', async () => storage.transaction(({ users }) => users.insert(user)))
    const ofOther = { ...user, companyId: otherId }
    const outcomes = await Promise.allSettled(
      [1, 2].map(async () => await storage.transaction(({ users }) => users.insert(ofOther))),
    )
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.deepEqual(await find(companyId), added)
    const other = await storage.read(({ users }) => users.findByEmailKey(otherId, user.emailKey))
    assert.deepEqual(other && { ...other, id: 0 }, { ...ofOther, id: 0, isDisabled: false, loginEpoch: 0 })
    const list = async (key: string): Promise<unknown> => await storage.read(({ users }) => users.listByEmailKey(key))
    assert.deepEqual(await list(user.emailKey), [added, other])
    assert.deepEqual(await list('nobody@example.com'), [])
    assert.equal((await storage.read(({ users }) => users.list({ companyId }))).length, 2)
    assert.equal((await storage.read(({ users }) => users.list({ companyId: 999 }))).length, 0)
  })

  // N7
  test('allows one permission for each user and account', async (storage) => {
    const seed = await storage.transaction((repositories) => seedCompany(repositories))
    const permission = {
      userId: seed.userId,
      accountId: seed.accountId,
      roleId: seed.roleId,
      isDisabled: false,
      created: NOW,
      createdBy: '{"id":1,"email":"a@example.com"}',
      lastAccess: null,
    }
    const insert = async (): Promise<unknown> =>
      storage.transaction(({ permissions }) => permissions.insert(permission))
    const outcomes = await Promise.allSettled([insert(), insert()])
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    assert.equal(refused.length, 1)
    assert.match((refused[0]?.reason as Error).message, /Permission already exists/)
    const { reason } = refused[0]?.reason as AlcoveError
    assert.deepEqual(reason, { code: 'permission-exists', parameters: {} })
  })

  // N8
  test('restores a permission when it is toggled twice', async (storage) => {
    const seed = await storage.transaction((repositories) => seedCompany(repositories))
    const { id } = await storage.transaction(({ permissions }) =>
      permissions.insert({ ...seed, isDisabled: false, created: NOW, createdBy: '{}', lastAccess: null }),
    )
    const toggle = async (): Promise<boolean> => storage.transaction(({ permissions }) => permissions.toggle(id))
    assert.equal(await toggle(), true)
    assert.equal((await storage.read(({ permissions }) => permissions.get(id)))?.isDisabled, true)
    await Promise.all([toggle(), toggle()])
    assert.equal((await storage.read(({ permissions }) => permissions.get(id)))?.isDisabled, true)
    assert.equal(await storage.transaction(({ permissions }) => permissions.toggle(999)), false)
  })

  test('finds the permission, user, account and role that decide the access of a user to an account', async (storage) => {
    const seed = await storage.transaction((repositories) => seedCompany(repositories))
    const find = async () => storage.read(({ permissions }) => permissions.findAccess(seed.userId, seed.accountId))
    assert.equal(await find(), undefined)
    const { id } = await storage.transaction(({ permissions }) =>
      permissions.insert({ ...seed, isDisabled: true, created: NOW, createdBy: '{}', lastAccess: null }),
    )
    const access = await find()
    assert.equal(access?.permission.id, id)
    assert.equal(access.permission.isDisabled, true)
    assert.equal(access.account.isActive, true)
    assert.equal(access.account.application, 'assistant')
    assert.equal(access.user.companyId, seed.companyId)
    assert.deepEqual(access.role.capabilities, ['context:read', 'search'])
    await storage.transaction(({ permissions }) => permissions.delete(id))
    assert.equal(await find(), undefined)
    assert.equal(await storage.transaction(({ permissions }) => permissions.delete(id)), false)
  })

  test('lists the access of all users to the accounts of a company', async (storage) => {
    const { own, foreign } = await storage.transaction(async (repositories) => {
      const { permissions } = repositories
      const one = await seedCompany(repositories, 'One')
      const other = await seedCompany(repositories, 'Other')
      const inserted = async (userId: number, accountId: number, isDisabled: boolean): Promise<number> => {
        const rest = { roleId: one.roleId, created: NOW, createdBy: '{}', lastAccess: null }
        return (await permissions.insert({ userId, accountId, isDisabled, ...rest })).id
      }
      const foreignIds = [await inserted(other.userId, other.accountId, false)]
      const ownIds = [
        await inserted(other.userId, one.accountId, true),
        await inserted(one.userId, one.accountId, false),
      ]
      return { own: { ...one, ids: ownIds }, foreign: { ...other, ids: foreignIds } }
    })
    const list = async (companyId: number, application = 'assistant') =>
      storage.read(({ permissions }) => permissions.listAccessOfCompany(companyId, application))
    const listed = await list(own.companyId)
    assert.deepEqual(
      listed.map(({ permission, user }) => [permission.id, permission.isDisabled, user.id]),
      [
        [own.ids[0], true, foreign.userId],
        [own.ids[1], false, own.userId],
      ],
    )
    assert.deepEqual(listed[0]?.role.capabilities, ['context:read', 'search'])
    assert.deepEqual(
      (await list(foreign.companyId)).map(({ permission }) => permission.id),
      foreign.ids,
    )
    assert.deepEqual(await list(own.companyId, 'tenant'), [])
    assert.deepEqual(await list(999), [])
  })

  test('counts the waiting mails of a user by purpose', async (storage) => {
    const { userId } = await storage.transaction((repositories) => seedCompany(repositories))
    const ids = await storage.transaction(async ({ mails }) => {
      const inserted: number[] = []
      for (const purpose of ['invitation', 'reset', 'password-changed', 'password-changed'] as const) {
        inserted.push((await mails.insert({ userId, purpose, created: NOW })).id)
      }
      return inserted
    })
    const last = await storage.read(({ mails }) => mails.get(ids[3] ?? 0))
    assert.deepEqual(last, { id: ids[3], userId, purpose: 'password-changed', destinationId: null, created: NOW })
    const counts = await storage.read(async ({ mails }) => [
      await mails.countOfUser(userId),
      await mails.countOfUser(userId, ['invitation', 'reset']),
      await mails.countOfUser(userId, ['password-changed']),
      await mails.countOfUser(userId, []),
      await mails.countOfUser(999),
    ])
    assert.deepEqual(counts, [4, 2, 2, 0, 0])
    const about = { userId, purpose: 'destination-failing', destinationId: 7, created: NOW } as const
    const mail = await storage.transaction(({ mails }) => mails.insert(about))
    assert.deepEqual(await storage.read(({ mails }) => mails.get(mail.id)), { ...about, id: mail.id })
  })

  test('stores API keys and revokes each once', async (storage) => {
    const { companyId, userId } = await storage.transaction((repositories) => seedCompany(repositories))
    const key = {
      clientId: 'ak_1',
      secretHash: 'cd'.repeat(32),
      companyId,
      userId,
      targets: ['assistant'],
      sight: 'account',
      created: NOW,
      expires: null,
      lastUsed: null,
      revoked: null,
    } as const
    const { id } = await storage.transaction(({ apiKeys }) => apiKeys.insert(key))
    await rejectsWith('ERR_ALREADY_EXISTS', async () => storage.transaction(({ apiKeys }) => apiKeys.insert(key)), {
      code: 'client-id-taken',
      parameters: {},
    })
    assert.deepEqual(await storage.read(({ apiKeys }) => apiKeys.list()), [{ id, ...key }])
    assert.deepEqual(await storage.read(({ apiKeys }) => apiKeys.list({ userId })), [{ id, ...key }])
    assert.deepEqual(await storage.read(({ apiKeys }) => apiKeys.list({ userId: 999 })), [])
    assert.equal(await storage.transaction(({ apiKeys }) => apiKeys.revoke(id, NOW)), true)
    assert.equal(await storage.transaction(({ apiKeys }) => apiKeys.revoke(id, LATER)), true)
    assert.equal((await storage.read(({ apiKeys }) => apiKeys.get(id)))?.revoked, NOW)
    assert.equal(await storage.transaction(({ apiKeys }) => apiKeys.revoke(999, NOW)), false)
  })
}
