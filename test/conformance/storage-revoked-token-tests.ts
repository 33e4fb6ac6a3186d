import assert from 'node:assert/strict'
import type { Storage } from '../../src/ports/index.js'


const NOW = new Date('2026-01-01T00:00:00.000Z')

/** Tests of revoked tokens. */
export function defineRevokedTokenTests(test: DefineTest): void {
  test('A94 finds revoked tokens and reports a second revocation of the same token', async (storage) => {
    const expiresMs = NOW.getTime() + 900_000
    const add = async (): Promise<boolean> =>
      await storage.transaction(({ revokedTokens }) => revokedTokens.add({ tokenHash: 'a', expiresMs }))
    assert.deepEqual([await add(), await add()], [true, false])
    await storage.read(async ({ revokedTokens }) => {
      assert.deepEqual([await revokedTokens.has('a'), await revokedTokens.has('b')], [true, false])
    })
  })

  test('A94 removes expired revoked tokens in batches', async (storage) => {
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
