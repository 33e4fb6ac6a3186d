import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { POSTING_BYTES, type TermScore, Turns } from '../../../adapters/words/postings.js'
import { addUp } from '../../../adapters/words/score-blocks.js'
import { ScoredChunks } from '../../../adapters/words/scored-chunks.js'

/** Numbers within one block of 8,192, at the edges of blocks, far apart, and at the end of the range. */
const numbers = fc.uniqueArray(
  fc.oneof(
    fc.integer({ min: 0, max: 300 }),
    fc.constantFrom(8_191, 8_192, 16_383, 16_384),
    fc.integer({ min: 0, max: 100_000 }),
    fc.integer({ min: 2 ** 32 - 9_000, max: 2 ** 32 - 1 }),
  ),
  { maxLength: 300 },
)
const ascending = numbers.map((each) => each.toSorted((one, other) => one - other))
const terms = fc.array(fc.tuple(ascending, fc.integer({ min: 1, max: 200 }), fc.constantFrom(0.1, 0.7, 3)), {
  maxLength: 5,
})

/** The score grows with the number of occurrences. */
const scoreOf =
  (factor: number): TermScore =>
  (view, place) =>
    factor * view.getUint16(place * POSTING_BYTES + 4)

const occurrences = (number: number): number => 1 + (number % 7)

function postingsIn(parts: readonly number[], perPart: number): Buffer[] {
  const buffers: Buffer[] = []
  for (let at = 0; at < parts.length; at += perPart) {
    const part = parts.slice(at, at + perPart)
    const buffer = Buffer.alloc(part.length * POSTING_BYTES)
    for (const [place, number] of part.entries()) {
      buffer.writeUInt32BE(number, place * POSTING_BYTES)
      buffer.writeUInt16BE(occurrences(number), place * POSTING_BYTES + 4)
    }
    buffers.push(buffer)
  }
  return buffers
}

describe('postings that are added up by blocks', () => {
  it('give each chunk the sum of its scores, in the order of the terms, twice in a row', async () => {
    await fc.assert(
      fc.asyncProperty(terms, terms, async (first, second) => {
        const expected = new Map<number, number>()
        let chunks = ScoredChunks.of(new Uint32Array(0))
        for (const group of [first, second]) {
          for (const [list, , factor] of group) {
            for (const number of list) expected.set(number, (expected.get(number) ?? 0) + factor * occurrences(number))
          }
          const added = group.map(([list, perPart, factor]) => {
            return { parts: postingsIn(list, perPart), score: scoreOf(factor) }
          })
          chunks = await addUp(chunks, added, new Turns(1_000))
        }
        const sorted = [...expected].sort(([one], [other]) => one - other)
        expect([...chunks.numbers]).toEqual(sorted.map(([number]) => number))
        expect([...chunks.scores]).toEqual(sorted.map(([, score]) => score))
        chunks.release()
      }),
    )
  })
})
