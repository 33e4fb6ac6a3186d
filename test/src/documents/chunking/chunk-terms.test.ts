import { describe, expect, it } from 'vitest'
import { termsOf } from '../../../../src/analysis/index.js'
import { chunkTerms } from '../../../../src/documents/pipeline/chunks.js'
import { TimeSlice } from '../../../../src/kernel/scheduling/time-slice.js'
import { leastOfLongestWorkMs } from '../../../ingestion/loop-stops.js'

/** Half a million characters, as many as a chunk of 8,192 tokens may have. */
const MOST_CHARACTERS = 524_288
const ENGLISH = 'The heron E-4711, v1.2.3 of GOALS.md, waits at user@example.com for C++ and 1,234.56 frogs. '
const CHINESE = '在图书馆里，每本书都有自己的位置，读者可以自由借阅。'

const TEXTS: readonly [name: string, text: string][] = [
  ['English', ENGLISH.repeat(MOST_CHARACTERS / ENGLISH.length)],
  ['white space', `a${' '.repeat(MOST_CHARACTERS - 2)}b`],
  ['lines of identifiers', 'A-1.b_2/c:3\n'.repeat(MOST_CHARACTERS / 12)],
  ['Chinese with spaces', `${CHINESE} `.repeat(1_000)],
  // No model has fewer tokens for so many characters without white space.
  ['Chinese without spaces', CHINESE.repeat(320)],
]

// W14
describe('the terms of a large chunk', () => {
  it.each(TEXTS)(
    'of %s equal those of the whole text, and their computation leaves the event loop free',
    async (_name, text) => {
      // The first call compiles the expressions, which the test does not measure.
      await chunkTerms(text, new TimeSlice())
      let terms: readonly string[] = []
      const longestMs = await leastOfLongestWorkMs(async () => {
        terms = await chunkTerms(text, new TimeSlice())
      })
      expect(longestMs).toBeLessThan(50)
      expect(terms).toEqual(termsOf(text))
    },
  )
})
