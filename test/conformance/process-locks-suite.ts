import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { ProcessLocks } from '../../src/ports/index.js'
import { type CreateSubject, defineSuite, rejectsWith, type TestRunner } from './harness.js'

/** Two ProcessLocks that share their locks, as two processes do. */
export interface SharedLocks {
  readonly one: ProcessLocks
  readonly other: ProcessLocks
}

/** Tests for all ProcessLocks. */
export function processLocksSuite(runner: TestRunner, name: string, create: CreateSubject<SharedLocks>): void {
  defineSuite(runner, `ProcessLocks: ${name}`, create, (test) => {
    test('run the work of one name one after the other', async ({ one, other }) => {
      const steps: string[] = []
      const work = async (locks: ProcessLocks, id: string): Promise<void> => {
        await locks.hold('a', async () => {
          steps.push(id)
          await setTimeout(5)
          steps.push(id)
        })
      }
      await Promise.all([work(one, '1'), work(other, '2'), work(one, '3'), work(other, '4')])
      assert.equal(steps.length, 8)
      for (let at = 0; at < 8; at += 2) assert.equal(steps[at], steps[at + 1])
    })

    test('return the result of the work, and release the lock if the work throws', async ({ one, other }) => {
      assert.equal(await one.hold('a', () => Promise.resolve(7)), 7)
      const failing = one.hold('a', () => Promise.reject(new Error('of the work')))
      await assert.rejects(failing, /of the work/)
      assert.equal(await other.hold('a', () => Promise.resolve(8)), 8)
    })

    test('let work under different names run at the same time', async ({ one, other }) => {
      await one.hold('a', async () => {
        await other.hold('b', async () => {
          assert.equal(await one.tryToHold('c', () => Promise.resolve()), true)
        })
      })
    })

    test('do not wait for a busy lock when a caller only tries it', async ({ one, other }) => {
      let works = 0
      const work = (): Promise<void> => {
        works += 1
        return Promise.resolve()
      }
      await one.hold('a', async () => {
        assert.equal(await other.tryToHold('a', work), false)
        assert.equal(await one.tryToHold('a', work), false)
      })
      assert.equal(await other.tryToHold('a', work), true)
      assert.equal(works, 1)
      await assert.rejects(
        one.tryToHold('a', () => Promise.reject(new Error('of the work'))),
        /of the work/,
      )
      assert.equal(await other.tryToHold('a', work), true)
    })

    test('handle many locks at a time and give each waiter its turn', async ({ one, other }) => {
      let sum = 0
      const works = Array.from({ length: 60 }, async (_, at) => {
        await (at % 2 === 0 ? one : other).hold(`name-${at % 7}`, async () => {
          await setTimeout(1)
          sum += 1
        })
      })
      await Promise.all(works)
      assert.equal(sum, 60)
    })

    test('reject work after close', async ({ one }) => {
      await one.close()
      await one.close()
      await rejectsWith(
        'ERR_CLOSED',
        one.hold('a', () => Promise.resolve()),
      )
      await rejectsWith(
        'ERR_CLOSED',
        one.tryToHold('a', () => Promise.resolve()),
      )
    })
  })
}
