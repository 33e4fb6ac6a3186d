import assert from 'node:assert/strict'
import type { Repositories, Storage } from '../../../src/ports/index.js'
import type { DefineTest } from '../harness.js'
import { LATER, NOW, PLAIN_DESTINATION, type Seed, seedCompany, seedContext } from './storage-seed.js'

/** Includes {@link LATER}. */
const VALID = { after: NOW, until: LATER }

async function grant({ permissions }: Repositories, seed: Seed, createdBy: object, account = seed): Promise<number> {
  const { userId, roleId } = seed
  const { accountId } = account
  const rest = { isDisabled: false, created: NOW, createdBy: JSON.stringify(createdBy), lastAccess: null }
  return (await permissions.insert({ userId, accountId, roleId, ...rest })).id
}

const keyOf = ({ companyId, userId }: Pick<Seed, 'companyId' | 'userId'>, clientId: string) => {
  const rest = {
    targets: ['assistant'],
    sight: 'account',
    created: NOW,
    expires: null,
    lastUsed: null,
    revoked: null,
  } as const
  return { clientId, secretHash: 'cd'.repeat(32), companyId, userId, ...rest }
}

/** Tests of disabled and deleted records. */
export function defineOffboardingTests(test: DefineTest<Storage>): void {
  // A80
  test('reports disabled users, roles and companies', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { users, roles, companies, permissions } = repositories
      const one = await seedCompany(repositories, 'One')
      const other = await seedCompany(repositories, 'Other')
      await grant(repositories, one, {}, other)
      const find = async () => await permissions.findAccess(one.userId, other.accountId)
      const states = async () => {
        const found = await find()
        const { user, account, role } = found ?? {}
        return [user?.isDisabled, user?.isCompanyDisabled, account?.isCompanyDisabled, role?.isDisabled]
      }
      assert.deepEqual(await states(), [false, false, false, false])
      assert.equal(await users.update(one.userId, { isDisabled: true }), true)
      assert.deepEqual(await states(), [true, false, false, false])
      assert.equal(await companies.setDisabled(one.companyId, true), true)
      assert.deepEqual(await states(), [true, true, false, false])
      assert.equal(await companies.setDisabled(other.companyId, true), true)
      assert.deepEqual(await states(), [true, true, true, false])
      assert.equal(await roles.setDisabled(one.roleId, true), true)
      assert.deepEqual(await states(), [true, true, true, true])
      assert.deepEqual((await permissions.listAccess(one.userId, 'assistant'))[0], await find())
      assert.equal((await companies.get(one.companyId))?.isDisabled, true)
      assert.equal((await users.get(one.userId))?.isDisabled, true)
      assert.equal((await roles.get(one.roleId))?.isDisabled, true)
      assert.equal(await companies.setDisabled(999, true), false)
      assert.equal(await roles.setDisabled(999, true), false)
    })
  })

  // A81
  test('erases a user and frees the address for another user', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { users, permissions } = repositories
      const seed = await seedCompany(repositories, 'One')
      const other = await seedCompany(repositories, 'Other')
      const user = await users.get(seed.userId)
      assert.ok(user)
      const given = await grant(repositories, other, { id: seed.userId, email: user.email })
      const foreign = await grant(repositories, other, { id: other.userId, email: user.email }, seed)
      await permissions.eraseCreators({ userId: seed.userId })
      await users.erase({ userId: seed.userId }, LATER)
      assert.equal(await users.get(seed.userId), undefined)
      assert.equal(await users.findByEmailKey(seed.companyId, user.emailKey), undefined)
      assert.deepEqual(await users.list({ companyId: seed.companyId }), [])
      assert.equal(await users.update(seed.userId, { passwordHash: 'hash' }), false)
      assert.deepEqual(JSON.parse((await permissions.get(given))?.createdBy ?? ''), { id: seed.userId, email: '' })
      assert.match((await permissions.get(foreign))?.createdBy ?? '', /@example\.com/)
      const { id: _id, isDisabled: _disabled, ...newUser } = user
      assert.notEqual((await users.insert(newUser)).id, seed.userId)
      assert.deepEqual(
        (await users.list()).map(({ email }) => email),
        [(await users.get(other.userId))?.email, user.email],
      )
    })
  })

  // A81
  test('removes API keys, tokens and mails of users', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { apiKeys, passwordTokens, mails } = repositories
      const one = await seedCompany(repositories, 'One')
      const other = await seedCompany(repositories, 'Other')
      for (const [clientId, of] of [
        ['own', one],
        ['of the user', { companyId: other.companyId, userId: one.userId }],
        ['of the company', { companyId: one.companyId, userId: other.userId }],
        ['foreign', other],
      ] as const) {
        await apiKeys.insert(keyOf(of, clientId))
      }
      const revoked = keyOf({ companyId: other.companyId, userId: one.userId }, 'revoked')
      await apiKeys.insert({ ...revoked, revoked: NOW })
      const abroad = async (after: number) => {
        const keys = await apiKeys.listAbroad(one.companyId, { after, limit: 10 })
        return keys.map(({ clientId }) => clientId)
      }
      assert.deepEqual(await abroad(0), ['of the user'])
      const [first] = await apiKeys.listAbroad(one.companyId, { after: 0, limit: 1 })
      assert.deepEqual(await abroad(first?.id ?? 0), [])
      const clientIds = async () => (await apiKeys.list()).map(({ clientId }) => clientId)
      await apiKeys.deleteOf({ userId: one.userId })
      assert.deepEqual(await clientIds(), ['of the company', 'foreign'])
      await apiKeys.deleteOf({ companyId: one.companyId })
      assert.deepEqual(await clientIds(), ['foreign'])
      for (const { userId } of [one, other]) {
        await passwordTokens.insert({ userId, tokenHash: `${userId}`, expires: LATER })
      }
      const { id } = await mails.insert({ userId: one.userId, purpose: 'reset', created: NOW })
      await mails.insert({ userId: other.userId, purpose: 'reset', created: NOW })
      assert.deepEqual(await mails.removeOf({ companyId: one.companyId }), [id])
      assert.deepEqual(await mails.removeOf({ userId: one.userId }), [])
      assert.deepEqual([await mails.countOfUser(one.userId), await mails.countOfUser(other.userId)], [0, 1])
      await passwordTokens.removeOfCompany(one.companyId)
      assert.equal(await passwordTokens.countOfUser(one.userId, VALID), 0)
      assert.equal(await passwordTokens.countOfUser(other.userId, VALID), 1)
    })
  })

  test('counts and keeps the password tokens that expire within a time', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { userId } = await seedCompany(repositories)
      const { passwordTokens } = repositories
      const ends = { past: NOW, valid: LATER, 'before a step of the clock': '2026-02-02T03:04:05.678Z' }
      for (const [tokenHash, expires] of Object.entries(ends)) {
        await passwordTokens.insert({ userId, tokenHash, expires })
      }
      assert.equal(await passwordTokens.countOfUser(userId, VALID), 1)
      await passwordTokens.removeExpired(VALID)
      const found = await Promise.all(Object.keys(ends).map(async (hash) => await passwordTokens.find(hash)))
      assert.deepEqual(
        found.map((token) => token?.tokenHash),
        [undefined, 'valid', undefined],
      )
    })
  })

  // A82
  test('deletes the contexts that a user created, with their texts', async (storage) => {
    await storage.transaction(async (repositories) => {
      const one = await seedCompany(repositories, 'One')
      const other = await seedCompany(repositories, 'Other')
      const { contexts } = repositories
      const own = await seedContext(repositories, one)
      const kept = await seedContext(repositories, other)
      const abroad = await seedContext(repositories, { ...other, userId: one.userId })
      const gone = await seedContext(repositories, one)
      await contexts.update(gone.id, { deleted: NOW })
      const expected = [own, abroad].map(({ id, accountId }) => ({ id, accountId }))
      assert.deepEqual(await contexts.deleteMadeBy(one.userId, LATER), expected)
      assert.deepEqual(await contexts.deleteMadeBy(one.userId, LATER), [])
      assert.deepEqual(await contexts.list({ accountId: one.accountId }), [])
      assert.deepEqual(await contexts.list({ accountId: other.accountId }), [kept])
      const states = [own, kept, abroad, gone].map(async ({ id }) => await contexts.isDeleted(id))
      assert.deepEqual(await Promise.all(states), [true, false, true, true])
      assert.equal(await contexts.isDeleted(999), false)
      const [row] = await contexts.page({ after: abroad.id - 1, limit: 1 })
      const texts = { description: '', caption: '', toolsJson: '[]', starterPrompts: [] }
      assert.deepEqual(row, { ...abroad, ...texts, deleted: LATER })
    })
  })

  // A84, A85
  test('deletes roles and accounts', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { roles, accounts, permissions } = repositories
      const seed = await seedCompany(repositories)
      await grant(repositories, seed, {})
      assert.equal((await permissions.list({ roleId: seed.roleId })).length, 1)
      assert.equal((await permissions.list({ roleId: 999 })).length, 0)
      assert.equal((await permissions.list({ accountId: seed.accountId })).length, 1)
      await permissions.deleteOfCompany(seed.companyId)
      assert.equal(await roles.delete(seed.roleId), true)
      assert.equal(await roles.delete(seed.roleId), false)
      assert.equal(await roles.get(seed.roleId), undefined)
      await seedContext(repositories, seed)
      assert.equal(await accounts.remove(seed.accountId, LATER), true)
      assert.equal(await accounts.remove(seed.accountId, LATER), false)
      assert.equal(await accounts.get(seed.accountId), undefined)
      assert.deepEqual(await accounts.list({ companyId: seed.companyId }), [])
      assert.equal(await accounts.setActive(seed.accountId, true), false)
      assert.deepEqual(await accounts.listIds(seed.companyId), [seed.accountId])
    })
  })

  // A87
  test('deletes a company and no data of another company', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { companies, users, roles, permissions } = repositories
      const one = await seedCompany(repositories, 'One')
      const other = await seedCompany(repositories, 'Other')
      const role = { name: 'Own', applications: ['assistant'], capabilities: ['search'] }
      const own = await roles.insert({ ...role, companyId: one.companyId })
      await grant(repositories, one, {})
      await grant(repositories, one, {}, other)
      await grant(repositories, other, {}, one)
      const kept = await grant(repositories, other, {})
      const [abroad, ...more] = await permissions.listAbroad(one.companyId, { after: 0, limit: 10 })
      assert.deepEqual(more, [])
      const { userId, roleId } = one
      assert.deepEqual(
        { ...abroad, id: 0 },
        { id: 0, userId, roleId, accountId: other.accountId, companyId: other.companyId },
      )
      assert.deepEqual(await permissions.listAbroad(one.companyId, { after: abroad?.id ?? 0, limit: 10 }), [])
      await permissions.deleteOfCompany(one.companyId)
      assert.deepEqual(
        (await permissions.list()).map(({ id }) => id),
        [kept],
      )
      await roles.deleteOfCompany(one.companyId)
      assert.equal(await roles.get(own.id), undefined)
      assert.equal((await roles.list()).length, 2)
      await users.erase({ companyId: one.companyId }, LATER)
      assert.deepEqual(
        (await users.list()).map(({ id }) => id),
        [other.userId],
      )
      assert.equal(await companies.isDeleted(one.companyId), false)
      assert.equal(await companies.remove(one.companyId, LATER), true)
      assert.equal(await companies.remove(one.companyId, LATER), false)
      assert.deepEqual(
        [await companies.isDeleted(one.companyId), await companies.isDeleted(other.companyId)],
        [true, false],
      )
      assert.equal(await companies.get(one.companyId), undefined)
      assert.deepEqual(
        (await companies.list()).map(({ id }) => id),
        [other.companyId],
      )
      assert.equal(await companies.isWithin(one.companyId, one.companyId), false)
      assert.equal(await companies.setDisabled(one.companyId, false), false)
    })
  })

  // A87
  test('removes all events of a company, and all deliveries to its destinations', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { destinations, deliveries, events, companies } = repositories
      const top = await seedCompany(repositories)
      const { id: companyId } = await companies.insert({ name: 'Child', parentId: top.companyId, created: NOW })
      for (const of of [top.companyId, companyId]) {
        await destinations.insert({
          companyId: of,
          url: 'https://hooks.example.com/in',
          ...PLAIN_DESTINATION,
          includeDescendants: true,
        })
      }
      const recorded = async (of: number, eventId: string) => {
        const payload = new Uint8Array([0x7b])
        const event = { eventId, companyId: of, type: 'run.failed', payload, payloadHash: 'ab', created: NOW }
        const inserted = await events.insert(event)
        const queued = await deliveries.fanOut(inserted, { isNamedOnly: false })
        return { inserted, queued: queued.map(({ companyId: to }) => to) }
      }
      const own = await recorded(companyId, 'own')
      const above = await recorded(top.companyId, 'above')
      assert.deepEqual([own.queued, above.queued], [[top.companyId, companyId], [top.companyId]])
      const sendable = async () => [...(await deliveries.getSendable([1, 2, 3])).keys()]
      assert.equal((await sendable()).length, 3)
      await companies.setDisabled(companyId, true)
      assert.equal((await sendable()).length, 2)
      assert.deepEqual((await recorded(companyId, 'while disabled')).queued, [top.companyId])
      assert.equal(await deliveries.removeOfCompany(companyId, 10), 1)
      assert.equal(await deliveries.removeOfCompany(companyId, 10), 0)
      let after: number | undefined = 0
      for (let page = 0; after !== undefined; page += 1) {
        assert.ok(page < 5)
        after = await deliveries.removeEventsOfCompany(companyId, { after, limit: 2 })
      }
      assert.equal(await events.get(own.inserted.id), undefined)
      assert.notEqual(await events.get(above.inserted.id), undefined)
      assert.deepEqual(
        (await deliveries.list({ limit: 10 })).map(({ eventId }) => eventId),
        ['above'],
      )
      const [id] = await destinations.idsOfCompany(companyId)
      await destinations.deleteOfCompany(companyId)
      assert.deepEqual(await destinations.idsOfCompany(companyId), [])
      assert.equal(await destinations.get(id ?? 0), undefined)
      assert.equal((await destinations.list()).length, 1)
    })
  })
}
