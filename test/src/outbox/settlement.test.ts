import { describe, expect, it } from 'vitest'
import { settleAttempt } from '../../../src/outbox/settlement.js'
import type { HttpOutcome, RetrySchedule } from '../../../src/ports/index.js'
import { answer } from './outbox-engine.js'

const NOW = new Date('2026-01-02T03:04:05.000Z')
const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]

function settle(outcome: HttpOutcome, retry: RetrySchedule, attempts = 1, random = 0.5) {
  return settleAttempt({ outcome, attempts, retry, now: NOW, random })
}

/** The pauses of a delivery whose every attempt has this outcome. */
function pauses(outcome: HttpOutcome, retry: RetrySchedule, random = 0.5): readonly number[] {
  const all: number[] = []
  for (let attempts = 1; ; attempts += 1) {
    const { retryInMs } = settle(outcome, retry, attempts, random)
    if (retryInMs === undefined) return all
    all.push(retryInMs)
  }
}

function slowDown(httpStatus: number, retryAfter: string): HttpOutcome {
  return { ...answer(httpStatus), kind: 'response', retryAfter } as HttpOutcome
}

describe('the schedule of a delivery', () => {
  it('has the three attempts of the specification by default, whatever Retry-After says', () => {
    expect(pauses(answer(503), 'standard')).toEqual([500, 2_000])
    expect(pauses(slowDown(503, '3600'), 'standard')).toEqual([500, 2_000])
    expect(settle(answer(503), 'standard', 3)).toMatchObject({ status: 'failed', isExhausted: false, isGone: false })
    for (const final of [408, 410, 425, 429]) {
      expect(settle(answer(final), 'standard')).toMatchObject({ status: 'failed', isGone: false, isExhausted: false })
    }
  })

  // D18
  it('has eleven attempts over about a day for a destination that asks for it', () => {
    const all = pauses(answer(503), 'long')
    const minutes = [2, 10, 30, 60, 120, 240, 360, 600].map((each) => each * MINUTE)
    expect(all).toEqual([5 * SECOND, 30 * SECOND, ...minutes])
    const total = (random: number): number => pauses(answer(503), 'long', random).reduce((sum, each) => sum + each, 0)
    expect(total(0.5) / HOUR).toBeCloseTo(23.7, 1)
    expect(total(0) / HOUR).toBeGreaterThan(20)
    expect(total(1) / HOUR).toBeLessThan(27.5)
    for (const outcome of [answer(408), answer(425), answer(429), { kind: 'timeout', error: 'late' } as const]) {
      expect(pauses(outcome, 'long')).toHaveLength(10)
    }
    expect(settle(answer(503), 'long', 11)).toMatchObject({ status: 'failed', isExhausted: true })
  })

  it.each([300, 400, 401, 404, 413])('is final after %d with either schedule', (httpStatus) => {
    for (const retry of ['standard', 'long'] as const) {
      expect(settle(answer(httpStatus), retry)).toMatchObject({ status: 'failed', isExhausted: false, isGone: false })
    }
  })

  // D19
  it('ends at once with 410, and says that the destination is to be disabled', () => {
    const { status, retryInMs, isGone, error } = settle(answer(410), 'long')
    expect([status, retryInMs, isGone, error]).toEqual([
      'failed',
      undefined,
      true,
      'the destination answered 410: its URL is gone',
    ])
  })

  // D20
  it('waits as long as Retry-After says, at most six hours, and never shorter than the schedule', () => {
    const pause = (retryAfter: string, attempts = 1): number | undefined =>
      settle(slowDown(429, retryAfter), 'long', attempts, 0).retryInMs
    expect(pause('120')).toBe(120 * SECOND)
    expect(pause(' 120 ')).toBe(120 * SECOND)
    expect(pause('Fri, 02 Jan 2026 04:04:05 GMT')).toBe(HOUR)
    expect(pause('999999999')).toBe(6 * HOUR)
    expect(pause('Fri, 02 Jan 2099 04:04:05 GMT')).toBe(6 * HOUR)
    const scheduled = 0.85 * 5 * SECOND
    for (const unusable of ['', 'soon', '-5', '0', '1.5', 'Fri, 02 Jan 2020 04:04:05 GMT']) {
      expect([unusable, pause(unusable)]).toEqual([unusable, scheduled])
    }
    expect(pause('120', 10)).toBe(0.85 * 10 * HOUR)
    // The pauses of many deliveries that were refused together differ.
    expect(settle(slowDown(429, '120'), 'long', 1, 1).retryInMs).toBe(138 * SECOND)
  })
})
