import { describe, expect, it } from 'vitest'
import { retryAfterOf } from '../../../../adapters/client/api-error.js'
import { retryAfterMs } from '../../../../src/ports/index.js'

const NOW = new Date()

describe('a header Retry-After', () => {
  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['1.5', 1_500],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['', undefined],
    ['soon', undefined],
  ])('%j asks for %s ms, for the engine and for its client', (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms)
    // The client imports nothing of the engine.
    const headers = new Headers({ 'retry-after': header })
    expect(retryAfterOf({ headers })).toBe(ms === undefined ? undefined : ms / 1_000)
  })

  it('may be a date', () => {
    const inTwoMinutes = new Date(Math.floor(NOW.getTime() / 1_000) * 1_000 + 120_000)
    expect(retryAfterMs(inTwoMinutes.toUTCString(), NOW)).toBe(inTwoMinutes.getTime() - NOW.getTime())
    expect(retryAfterMs(undefined, NOW)).toBeUndefined()
    expect(retryAfterMs(null, NOW)).toBeUndefined()
  })
})
