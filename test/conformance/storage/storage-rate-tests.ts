import assert from 'node:assert/strict'
import type { RateLimit, Storage } from '../../../src/ports/index.js'
import type { DefineTest } from '../harness.js'

const NOW = new Date('2026-01-01T00:00:00.000Z')
const SHARED = { isolation: 'read committed', isWriteFirst: true } as const

function limit(most: number, afterMs = 0): RateLimit {
  return { most, windowMs: 60_000, now: new Date(NOW.getTime() + afterMs) }
}

/** Tests of counters of events in time windows. */
export function defineRateTests(test: DefineTest<Storage>): void {
  test('allows as many events in a window as the limit says and returns the time to wait', async (storage) => {
    await storage.transaction(async ({ rates }) => {
      for (const afterMs of [0, 10_000]) assert.equal((await rates.consume('a', limit(2, afterMs))).isAllowed, true)
      assert.deepEqual(await rates.consume('a', limit(2, 20_000)), { isAllowed: false, retryAfterMs: 40_000 })
      assert.deepEqual(await rates.consume('b', limit(2, 20_000)), { isAllowed: true, retryAfterMs: 0 })
      assert.deepEqual(await rates.consume('a', limit(2, 59_999)), { isAllowed: false, retryAfterMs: 1 })
      assert.deepEqual(await rates.consume('a', limit(2, 60_000)), { isAllowed: true, retryAfterMs: 0 })
    })
  })

  test('counts neither refused events nor peeks', async (storage) => {
    await storage.transaction(async ({ rates }) => {
      assert.equal((await rates.peek('a', limit(1))).isAllowed, true)
      assert.equal((await rates.consume('a', limit(1))).isAllowed, true)
      for (let at = 0; at < 5; at += 1) assert.equal((await rates.consume('a', limit(1, 1))).isAllowed, false)
      assert.deepEqual(await rates.peek('a', limit(1, 1)), { isAllowed: false, retryAfterMs: 59_999 })
      // Under a higher limit, the allowed event counts, and at most one refused event.
      assert.equal((await rates.consume('a', limit(3, 2))).isAllowed, true)
      assert.equal((await rates.peek('a', limit(1, 60_000))).isAllowed, true)
    })
  })

  test('starts a new window after a clock was set back or a counter was forgotten', async (storage) => {
    await storage.transaction(async ({ rates }) => {
      await rates.consume('a', limit(1))
      assert.equal((await rates.consume('a', limit(1, -3_600_000))).isAllowed, true)
      assert.equal((await rates.consume('a', limit(1, -3_600_000))).isAllowed, false)
      await rates.forget('a')
      await rates.forget('unknown')
      assert.equal((await rates.consume('a', limit(1, -3_600_000))).isAllowed, true)
    })
  })

  test('never exceeds the limit under concurrency', async (storage) => {
    const takes = Array.from({ length: 30 }, () =>
      storage.transaction(async ({ rates }) => (await rates.consume('a', limit(7))).isAllowed, SHARED),
    )
    assert.equal((await Promise.all(takes)).filter(Boolean).length, 7)
  })

  test('rolls back a count with its transaction', async (storage) => {
    const failing = storage.transaction(async ({ rates }) => {
      await rates.consume('a', limit(1))
      throw new Error('no')
    })
    await assert.rejects(failing, /no/)
    assert.equal(await storage.transaction(async ({ rates }) => (await rates.consume('a', limit(1))).isAllowed), true)
  })

  test('removes counters of past windows in batches', async (storage) => {
    await storage.transaction(async ({ rates }) => {
      for (const name of ['a', 'b', 'c']) await rates.consume(name, limit(1))
      await rates.consume('later', limit(1, 30_000))
      const now = new Date(NOW.getTime() + 60_000)
      assert.equal(await rates.removeEnded({ now, limit: 2 }), 2)
      assert.equal(await rates.removeEnded({ now, limit: 2 }), 1)
      assert.equal(await rates.removeEnded({ now, limit: 2 }), 0)
      assert.equal((await rates.consume('later', limit(1, 60_000))).isAllowed, false)
    })
  })
}
