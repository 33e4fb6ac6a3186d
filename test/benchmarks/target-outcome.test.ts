import { describe, expect, it } from 'vitest'
import { limitOf, missedBy, outcomeOf, type Target } from '../../benchmarks/harness/target-outcome.js'

const target: Target = {
  benchmark: 'any',
  what: 'an answer',
  path: ['rows', { name: 'alcove' }, 'p50Ms'],
  atMost: 5,
  unit: 'ms',
  limit: { text: 'it is {} ms beside {}.', figures: [['rows', { name: 'alcove' }, 'p50Ms'], ['plainMs']] },
}

function resultsOf(median: number, least: number): unknown {
  return { rows: [{ name: 'other' }, { name: 'alcove', p50Ms: { median, least, most: 2 * median } }], plainMs: 3 }
}

describe('a benchmark target', () => {
  it('is reached by the median, and missed without a measurement', () => {
    expect(outcomeOf(target, resultsOf(5, 1)).isReached).toBe(true)
    expect(outcomeOf(target, resultsOf(5.001, 1)).isReached).toBe(false)
    expect(outcomeOf(target, { rows: [] })).toMatchObject({ figure: undefined, isReached: false })
    expect(missedBy([target], { rows: [] })).toEqual([
      { sentence: 'an answer is not measured, and not ≤ 5 ms', mustHold: true },
    ])
  })

  it('names its limit with the figures measured beside it', () => {
    expect(limitOf(target, resultsOf(6, 5.5))).toBe('it is 6 ms beside 3. Needed: a faster core.')
  })

  it('requests an unshared core only when the best round was good enough', () => {
    expect(limitOf(target, resultsOf(6, 4))).toContain('a core that no other program shares: 4 ms')
    const rate: Target = { ...target, atLeast: 10 }
    const { atMost: _, ...atLeast } = rate
    expect(limitOf(atLeast, resultsOf(6, 5.5))).toContain('a core that no other program shares: 12 ms')
    expect(limitOf({ ...atLeast, atLeast: 13 }, resultsOf(6, 5.5))).toContain('a faster core.')
  })

  it('for the worst of all rounds is compared with the best of them', () => {
    const worst: Target = { ...target, path: [...target.path, 'most'] }
    expect(outcomeOf(worst, resultsOf(4, 1))).toMatchObject({ figure: 8, isReached: false })
    expect(limitOf(worst, resultsOf(4, 1))).toContain('1 ms were measured at the best')
  })
})
