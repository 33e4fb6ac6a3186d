import assert from 'node:assert/strict'
import type { Storage, UserRecord } from '../../../src/ports/index.js'
import { type DefineTest, rejectsWith } from '../harness.js'
import { LATER, NOW, type Seed, seedCompany, seedContext } from './storage-seed.js'

type NewUser = Omit<UserRecord, 'id' | 'isDisabled' | 'loginEpoch'>

function userOf({ companyId }: Seed, name: string, externalId: string | null): NewUser {
  const email = `${name}@example.com`
  const names = { firstName: name, lastName: '', name }
  const unused = { created: NOW, lastAccess: null, passwordHash: null }
  return { companyId, email, emailKey: email, externalId, ...names, ...unused }
}

/** Tests of users by the ids of a host's login, of what API keys see, and of contexts that get another owner. */
export function defineIdentityTests(test: DefineTest<Storage>): void {
  // N10
  test('finds users by the id that a host gave them, which is unique within a company', async (storage) => {
    const one = await storage.transaction((repositories) => seedCompany(repositories, 'One'))
    const two = await storage.transaction((repositories) => seedCompany(repositories, 'Two'))
    const insert = async (user: NewUser) => await storage.transaction(({ users }) => users.insert(user))
    const ada = await insert(userOf(one, 'ada', 'oidc|Ä-1'))
    const sameElsewhere = await insert(userOf(two, 'ada', 'oidc|Ä-1'))
    // Any number of users have no such id.
    await insert(userOf(one, 'bo', null))
    await insert(userOf(one, 'cy', null))
    await assert.rejects(async () => await insert(userOf(one, 'dee', 'oidc|Ä-1')), {
      code: 'ERR_ALREADY_EXISTS',
      message: 'a user with this external id exists',
      reason: { code: 'external-id-taken', parameters: {} },
    })
    await assert.rejects(async () => await insert(userOf(one, 'ada', 'oidc|2')), {
      code: 'ERR_ALREADY_EXISTS',
      message: 'a user with this e-mail address exists',
      reason: { code: 'email-address-taken', parameters: {} },
    })
    await storage.read(async ({ users }) => {
      assert.deepEqual(await users.findByExternalId(one.companyId, 'oidc|Ä-1'), ada)
      assert.equal(ada.externalId, 'oidc|Ä-1')
      assert.equal(await users.findByExternalId(one.companyId, 'oidc|ä-1'), undefined)
      assert.equal(await users.findByExternalId(999, 'oidc|Ä-1'), undefined)
      assert.deepEqual(await users.listByExternalId('oidc|Ä-1'), [ada, sameElsewhere])
      assert.deepEqual(await users.listByExternalId('nobody'), [])
      assert.equal(await users.findByEmailKey(one.companyId, 'dee@example.com'), undefined)
    })
  })

  test('adds one of two users with the same external id that come at the same time', async (storage) => {
    const seed = await storage.transaction((repositories) => seedCompany(repositories))
    const outcomes = await Promise.allSettled(
      ['ada', 'bo'].map(
        async (name) => await storage.transaction(({ users }) => users.insert(userOf(seed, name, 'same'))),
      ),
    )
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.equal((await storage.read(({ users }) => users.listByExternalId('same'))).length, 1)
  })

  test('changes the names, the address and the external id of a user', async (storage) => {
    const seed = await storage.transaction((repositories) => seedCompany(repositories))
    const ada = await storage.transaction(({ users }) => users.insert(userOf(seed, 'ada', null)))
    const bo = await storage.transaction(({ users }) => users.insert(userOf(seed, 'bo', 'b-1')))
    const changes = {
      email: 'Ada@New.example',
      emailKey: 'ada@new.example',
      externalId: 'a-1',
      firstName: 'Ada',
      lastName: 'Lovelace',
      name: 'Ada Lovelace',
    }
    assert.equal(await storage.transaction(({ users }) => users.update(ada.id, changes)), true)
    assert.deepEqual(await storage.read(({ users }) => users.get(ada.id)), { ...ada, ...changes })
    const refused = [{ externalId: 'b-1' }, { email: bo.email, emailKey: bo.emailKey }]
    for (const change of refused) {
      await rejectsWith(
        'ERR_ALREADY_EXISTS',
        async () => await storage.transaction(({ users }) => users.update(ada.id, change)),
      )
    }
    assert.deepEqual(await storage.read(({ users }) => users.get(ada.id)), { ...ada, ...changes })
  })

  test('tells a deleted user from one that never was, and frees the external id', async (storage) => {
    const seed = await storage.transaction((repositories) => seedCompany(repositories))
    const ada = await storage.transaction(({ users }) => users.insert(userOf(seed, 'ada', 'a-1')))
    const traceOf = async (id: number) => await storage.read(({ users }) => users.getDeleted(id))
    assert.equal(await traceOf(ada.id), undefined)
    await storage.transaction(({ users }) => users.erase({ userId: ada.id }, LATER))
    assert.deepEqual(await traceOf(ada.id), { id: ada.id, companyId: seed.companyId })
    assert.equal(await traceOf(999), undefined)
    assert.equal(await storage.read(({ users }) => users.findByExternalId(seed.companyId, 'a-1')), undefined)
    const again = await storage.transaction(({ users }) => users.insert(userOf(seed, 'ada', 'a-1')))
    assert.notEqual(again.id, ada.id)
  })

  test('stores what the tokens of an API key see', async (storage) => {
    const { companyId, userId } = await storage.transaction((repositories) => seedCompany(repositories))
    const key = { secretHash: 'cd'.repeat(32), companyId, userId, targets: ['assistant'], created: NOW }
    const unused = { expires: null, lastUsed: null, revoked: null }
    for (const sight of ['account', 'user'] as const) {
      const inserted = await storage.transaction(({ apiKeys }) =>
        apiKeys.insert({ ...key, ...unused, clientId: `ak_${sight}`, sight }),
      )
      assert.equal(inserted.sight, sight)
      const found = await storage.read(({ apiKeys }) => apiKeys.findByClientId(`ak_${sight}`))
      assert.deepEqual(found, inserted)
    }
    const listed = await storage.read(({ apiKeys }) => apiKeys.list())
    assert.deepEqual(
      listed.map(({ sight }) => sight),
      ['account', 'user'],
    )
  })

  test('hands over the live contexts of a user, a few at a time', async (storage) => {
    const seed = await storage.transaction((repositories) => seedCompany(repositories))
    const other = await storage.transaction((repositories) => seedCompany(repositories, 'Other'))
    const elsewhere = { ...seed, accountId: other.accountId }
    const contexts = await storage.transaction(async (repositories) => {
      const made = []
      for (const of of [seed, elsewhere, seed, seed, { ...seed, userId: other.userId }]) {
        made.push(await seedContext(repositories, of))
      }
      await repositories.contexts.update(made[2]?.id ?? 0, { deleted: NOW })
      return made
    })
    const [first, abroad, deleted, last, foreign] = contexts.map(({ id }) => id)
    const accountsOf = async (userId: number) =>
      await storage.read((repositories) => repositories.contexts.listAccountsOf(userId))
    assert.deepEqual(await accountsOf(seed.userId), [seed.accountId, other.accountId])
    assert.deepEqual(await accountsOf(999), [])
    const handOver = async (accountId: number, page: { readonly after: number; readonly limit: number }) => {
      const change = { accountId, fromUserId: seed.userId, toUserId: other.userId }
      return await storage.transaction((repositories) => repositories.contexts.handOver(change, page))
    }
    assert.deepEqual(await handOver(other.accountId, { after: 0, limit: 10 }), [abroad])
    assert.deepEqual(await handOver(seed.accountId, { after: 0, limit: 1 }), [first])
    assert.deepEqual(await handOver(seed.accountId, { after: first ?? 0, limit: 5 }), [last])
    assert.deepEqual(await handOver(seed.accountId, { after: 0, limit: 5 }), [])
    assert.deepEqual(await accountsOf(seed.userId), [])
    assert.deepEqual(await accountsOf(other.userId), [seed.accountId, other.accountId])
    const owners = await storage.read(async (repositories) => await repositories.contexts.page({ after: 0, limit: 10 }))
    assert.deepEqual(
      owners.map(({ id, userId }) => [id, userId]),
      [
        [first, other.userId],
        [abroad, other.userId],
        [deleted, seed.userId],
        [last, other.userId],
        [foreign, other.userId],
      ],
    )
    assert.deepEqual({ ...owners[0], userId: seed.userId }, contexts[0])
  })
}
