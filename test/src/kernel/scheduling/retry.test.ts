import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type RetryOptions, retry } from '../../../../src/kernel/scheduling/retry.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const conflict = new Error('a conflict')
const isTransient = (error: unknown): boolean => error === conflict

/** Runs work that fails some times. @returns its outcome, and the ms from the start to each try */
async function runFailing(failures: number, options: Omit<RetryOptions, 'isTransient'>, error: Error = conflict) {
  const startedAt = performance.now()
  const tries: number[] = []
  const work = async (): Promise<string> => {
    tries.push(performance.now() - startedAt)
    if (tries.length <= failures) throw error
    return await Promise.resolve('done')
  }
  const outcome = retry(work, { ...options, isTransient }).catch((failure: unknown) => failure)
  await vi.runAllTimersAsync()
  return { outcome: await outcome, tries }
}

describe('a retry', () => {
  it('does not happen for work that succeeds', async () => {
    expect(await runFailing(0, { backoff: { firstMs: 10 } })).toEqual({ outcome: 'done', tries: [0] })
  })

  it('waits twice as long each time, up to the longest pause', async () => {
    const { outcome, tries } = await runFailing(5, { backoff: { firstMs: 10, longestMs: 50 } })
    expect(outcome).toBe('done')
    expect(tries).toEqual([0, 10, 30, 70, 120, 170])
  })

  it('happens as often as allowed; then it throws the last error', async () => {
    const { outcome, tries } = await runFailing(9, { backoff: { firstMs: 10, maxRetries: 6 } })
    expect(outcome).toBe(conflict)
    expect(tries).toEqual([0, 10, 30, 70, 150, 310, 630])
  })

  it('starts no pause once its time limit is over', async () => {
    const { outcome, tries } = await runFailing(Infinity, {
      backoff: { firstMs: 50, longestMs: 1_000, patienceMs: 8_000 },
    })
    expect(outcome).toBe(conflict)
    expect(tries.at(-2)).toBeLessThanOrEqual(8_000)
    expect(tries.at(-1)).toBeGreaterThan(8_000)
  })

  it('does not happen after an error that is not transient', async () => {
    const permanent = new Error('not allowed')
    const { outcome, tries } = await runFailing(1, { backoff: { firstMs: 10 } }, permanent)
    expect(outcome).toBe(permanent)
    expect(tries).toEqual([0])
  })

  it('does not happen once the signal is aborted', async () => {
    const { outcome, tries } = await runFailing(1, { backoff: { firstMs: 10 }, signal: AbortSignal.abort() })
    expect(outcome).toBe(conflict)
    expect(tries).toEqual([0])
  })

  it('finishes its pause and tries once more when the signal is aborted during the pause', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 5)
    const { outcome, tries } = await runFailing(9, { backoff: { firstMs: 10 }, signal: controller.signal })
    expect(outcome).toBe(conflict)
    expect(tries).toEqual([0, 10])
  })

  it('waits a random part of each pause on request', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.25)
    const { tries } = await runFailing(3, { backoff: { firstMs: 4, longestMs: 8, isRandom: true } })
    expect(tries).toEqual([0, 1, 3, 5])
  })
})
