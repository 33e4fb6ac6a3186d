import assert from 'node:assert/strict'
import type { Storage } from '../../../src/ports/index.js'
import type { DefineTest } from '../harness.js'
import { seedCompany } from './storage-seed.js'

const NOW = new Date('2026-01-01T00:00:00.000Z')
const HELD = { isolation: 'read committed' } as const

/** Tests of secrets of one-time passwords and of recovery codes. */
export function defineOneTimePasswordTests(test: DefineTest<Storage>): void {
  // A96
  test('keeps the previous secret in use until the new secret is confirmed', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { oneTimePasswords } = repositories
      const { userId } = await seedCompany(repositories)
      assert.equal(await oneTimePasswords.get(userId), undefined)
      assert.equal(await oneTimePasswords.activate(userId, 'first', 7), false)
      await oneTimePasswords.putPending(userId, 'zero')
      await oneTimePasswords.putPending(userId, 'first')
      const waiting = { userId, secret: null, pendingSecret: 'first', lastStep: null }
      assert.deepEqual(await oneTimePasswords.get(userId), waiting)
      assert.equal(await oneTimePasswords.activate(userId, 'zero', 7), false)
      assert.equal(await oneTimePasswords.consumeStep(userId, 'first', 7), false)
      assert.equal(await oneTimePasswords.activate(userId, 'first', 7), true)
      assert.equal(await oneTimePasswords.activate(userId, 'first', 8), false)
      await oneTimePasswords.putPending(userId, 'second')
      const both = { userId, secret: 'first', pendingSecret: 'second', lastStep: 7 }
      assert.deepEqual(await oneTimePasswords.get(userId), both)
      assert.equal(await oneTimePasswords.activate(userId, 'second', 5), true)
      const second = { userId, secret: 'second', pendingSecret: null, lastStep: 5 }
      assert.deepEqual(await oneTimePasswords.get(userId), second)
    })
  })

  // A97
  test('accepts a step once, no earlier step, and no step for another secret', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { oneTimePasswords } = repositories
      const { userId } = await seedCompany(repositories)
      await oneTimePasswords.putPending(userId, 'secret')
      await oneTimePasswords.activate(userId, 'secret', 7)
      const taken: boolean[] = []
      for (const step of [7, 6, 8, 8, 7, 60_000_000_000, 9])
        taken.push(await oneTimePasswords.consumeStep(userId, 'secret', step))
      assert.deepEqual(taken, [false, false, true, false, false, true, false])
      assert.equal((await oneTimePasswords.get(userId))?.lastStep, 60_000_000_000)
      assert.equal(await oneTimePasswords.consumeStep(userId, 'other', 60_000_000_001), false)
      assert.equal(await oneTimePasswords.consumeStep(userId + 1, 'secret', 60_000_000_001), false)
    })
  })

  // A97
  test('accepts a step or a recovery code once among concurrent tries', async (storage) => {
    const userId = await storage.transaction(async (repositories) => {
      const { oneTimePasswords } = repositories
      const seed = await seedCompany(repositories)
      await oneTimePasswords.putPending(seed.userId, 'secret')
      await oneTimePasswords.activate(seed.userId, 'secret', 7)
      await oneTimePasswords.replaceRecoveryCodes(seed.userId, ['a', 'b'])
      return seed.userId
    })
    const steps = Array.from({ length: 10 }, () =>
      storage.transaction(({ oneTimePasswords }) => oneTimePasswords.consumeStep(userId, 'secret', 8), HELD),
    )
    assert.equal((await Promise.all(steps)).filter(Boolean).length, 1)
    const codes = Array.from({ length: 10 }, () =>
      storage.transaction(({ oneTimePasswords }) => oneTimePasswords.consumeRecoveryCode(userId, 'a'), HELD),
    )
    assert.equal((await Promise.all(codes)).filter(Boolean).length, 1)
  })

  // A97
  test('locks a user for one transaction at a time, and each reads what the others committed', async (storage) => {
    const userId = await storage.transaction(async (repositories) => {
      const seed = await seedCompany(repositories)
      await repositories.oneTimePasswords.putPending(seed.userId, 'secret')
      await repositories.settings.put('count', '0')
      return seed.userId
    })
    const increments = Array.from({ length: 20 }, () =>
      storage.transaction(async ({ oneTimePasswords, settings }) => {
        await oneTimePasswords.lock(userId)
        const count = Number(await settings.get('count'))
        await new Promise((resolve) => setTimeout(resolve, 1))
        await settings.put('count', String(count + 1))
      }, HELD),
    )
    await Promise.all(increments)
    assert.equal(await storage.read(({ settings }) => settings.get('count')), '20')
    await storage.transaction(({ oneTimePasswords }) => oneTimePasswords.lock(userId + 1))
  })

  // A98
  test('stores recovery codes for each user and accepts each code once', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { oneTimePasswords } = repositories
      const [one, other] = [await seedCompany(repositories), await seedCompany(repositories, 'Other')]
      await oneTimePasswords.replaceRecoveryCodes(one.userId, ['a', 'b'])
      await oneTimePasswords.replaceRecoveryCodes(other.userId, ['a'])
      assert.equal(await oneTimePasswords.consumeRecoveryCode(one.userId, 'c'), false)
      assert.equal(await oneTimePasswords.consumeRecoveryCode(one.userId, 'a'), true)
      assert.equal(await oneTimePasswords.consumeRecoveryCode(one.userId, 'a'), false)
      assert.equal(await oneTimePasswords.countRecoveryCodes(one.userId), 1)
      await oneTimePasswords.replaceRecoveryCodes(one.userId, ['x', 'y', 'z'])
      assert.equal(await oneTimePasswords.consumeRecoveryCode(one.userId, 'b'), false)
      assert.equal(await oneTimePasswords.countRecoveryCodes(one.userId), 3)
      await oneTimePasswords.replaceRecoveryCodes(one.userId, [])
      assert.equal(await oneTimePasswords.countRecoveryCodes(one.userId), 0)
      assert.equal(await oneTimePasswords.consumeRecoveryCode(other.userId, 'a'), true)
    })
  })

  // A96
  test('lists the users with a secret in use and deletes the secrets of a user', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { oneTimePasswords } = repositories
      const [one, other, begun] = [
        await seedCompany(repositories),
        await seedCompany(repositories, 'Other'),
        await seedCompany(repositories, 'Begun'),
      ]
      for (const { userId } of [other, one, begun]) await oneTimePasswords.putPending(userId, 's')
      for (const { userId } of [other, one]) await oneTimePasswords.activate(userId, 's', 1)
      assert.deepEqual(await oneTimePasswords.listUserIds(), [one.userId, other.userId])
      assert.deepEqual(await oneTimePasswords.listUserIds([other.userId, begun.userId]), [other.userId])
      assert.deepEqual(await oneTimePasswords.listUserIds([begun.userId]), [])
      assert.deepEqual(await oneTimePasswords.listUserIds([]), [])
      await oneTimePasswords.replaceRecoveryCodes(one.userId, ['a'])
      assert.equal(await oneTimePasswords.removeOf({ userId: one.userId }), true)
      assert.equal(await oneTimePasswords.removeOf({ userId: one.userId }), false)
      assert.equal(await oneTimePasswords.get(one.userId), undefined)
      assert.equal(await oneTimePasswords.countRecoveryCodes(one.userId), 0)
      assert.deepEqual(await oneTimePasswords.listUserIds(), [other.userId])
    })
  })
}

/** Tests of revoked tokens. */
export function defineRevokedTokenTests(test: DefineTest<Storage>): void {
  // A94
  test('finds revoked tokens and reports a second revocation of the same token', async (storage) => {
    const expiresMs = NOW.getTime() + 900_000
    const add = async (): Promise<boolean> =>
      await storage.transaction(({ revokedTokens }) => revokedTokens.add({ tokenHash: 'a', expiresMs }))
    assert.deepEqual([await add(), await add()], [true, false])
    await storage.read(async ({ revokedTokens }) => {
      assert.deepEqual([await revokedTokens.has('a'), await revokedTokens.has('b')], [true, false])
    })
  })

  // A94
  test('reads the API key of a token by either name, its access, and whether the token is revoked', async (storage) => {
    const seed = await storage.transaction((repositories) => seedCompany(repositories))
    const { companyId, userId, accountId, roleId } = seed
    const fields = { companyId, userId, targets: ['assistant'], sight: 'account', created: NOW.toISOString() } as const
    const key = await storage.transaction(async ({ apiKeys, revokedTokens }) => {
      await revokedTokens.add({ tokenHash: 'a', expiresMs: NOW.getTime() + 900_000 })
      const unused = { expires: null, lastUsed: null, revoked: null }
      return await apiKeys.insert({ ...fields, ...unused, clientId: 'ak_1', secretHash: 'cd'.repeat(32) })
    })
    await storage.read(async ({ apiKeys }) => {
      for (const name of [{ id: key.id }, { clientId: 'ak_1' }]) {
        const ofToken = async (tokenHash: string) => await apiKeys.findOfToken(name, { tokenHash, userId, accountId })
        assert.deepEqual(await ofToken('a'), { key, isTokenRevoked: true, access: undefined })
        assert.deepEqual(await ofToken('b'), { key, isTokenRevoked: false, access: undefined })
      }
      for (const name of [{ id: key.id + 1 }, { clientId: 'ak_2' }]) {
        assert.equal(await apiKeys.findOfToken(name, { tokenHash: 'a', userId, accountId }), undefined)
      }
    })
    const permission = { userId, accountId, roleId, created: NOW.toISOString(), createdBy: '{}', lastAccess: null }
    await storage.transaction(async ({ permissions }) => await permissions.insert({ ...permission, isDisabled: false }))
    await storage.read(async ({ apiKeys, permissions }) => {
      const ids = { tokenHash: 'a', userId, accountId }
      const found = await apiKeys.findOfToken({ id: key.id }, ids)
      assert.notEqual(found?.access, undefined)
      assert.deepEqual(found?.access, await permissions.findAccess(userId, accountId))
      const ofOther = await apiKeys.findOfToken({ id: key.id }, { ...ids, accountId: accountId + 1 })
      assert.deepEqual(ofOther, { key, isTokenRevoked: true, access: undefined })
    })
  })

  // A94
  test('removes expired revoked tokens in batches', async (storage) => {
    await storage.transaction(async ({ revokedTokens }) => {
      for (const [at, tokenHash] of ['a', 'b', 'c', 'later'].entries()) {
        await revokedTokens.add({ tokenHash, expiresMs: NOW.getTime() + (at === 3 ? 1 : 0) })
      }
      assert.equal(await revokedTokens.removeExpired({ now: NOW, limit: 2 }), 2)
      assert.equal(await revokedTokens.removeExpired({ now: NOW, limit: 2 }), 1)
      assert.equal(await revokedTokens.removeExpired({ now: NOW, limit: 2 }), 0)
      assert.deepEqual([await revokedTokens.has('a'), await revokedTokens.has('later')], [false, true])
    })
  })
}
