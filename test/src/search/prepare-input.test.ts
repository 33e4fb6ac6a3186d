import { describe, expect, it } from 'vitest'
import { parsePrepare, prepareBodySchema } from '../../../src/search/chat/prepare-input.js'
import { leastProcessorMs } from '../../least-processor-ms.js'

/** A history as long as one may be. */
const history = Array.from({ length: 1_000 }, (_, at) => ({
  role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
  content: 'x y z '.repeat(166),
}))

describe('the longest history of a prompt', () => {
  it('is checked in less than 3 ms, so that other calls go on', () => {
    const bodyMs = leastProcessorMs(() => prepareBodySchema.parse({ question: 'leave', history }), 3)
    const optionsMs = leastProcessorMs(() => parsePrepare('leave', { history }), 3)
    expect([bodyMs, optionsMs].every((ms) => ms < 3)).toBe(true)
  })

  it.each([
    ['a character of two units counts once', '👍'.repeat(100_000), true],
    ['a character too many is refused', `${'👍'.repeat(99_999)}ab`, false],
  ])('%s', (_title, content, isValid) => {
    expect(prepareBodySchema.safeParse({ question: 'leave', history: [{ role: 'user', content }] }).success).toBe(
      isValid,
    )
  })
})
