import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparable, hasMostOf, passagesNotIn } from '../../../../adapters/tools/evaluation/passages.js'

const PASSAGE = comparable('The oven is cleaned on Monday morning.')
const has = (text: string): boolean => hasMostOf(comparable(text), PASSAGE)

async function* streamed<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  for (const item of items) yield await Promise.resolve(item)
}

describe('a text has most of a passage', () => {
  it('whatever the white space, the case and the kind of characters', () => {
    expect(has('Rules.\n\nthe OVEN\tis  cleaned\non Monday morning. And more.')).toBe(true)
    expect(hasMostOf(comparable('the ﬁnal Straße'), comparable('FINAL STRASSE'))).toBe(true)
  })

  it('if it begins or ends with more than half of it, or lies within it', () => {
    expect(has('is cleaned on Monday morning. The floor comes next.')).toBe(true)
    expect(has('First of all: the oven is cleaned on Mon')).toBe(true)
    expect(has('oven is cleaned on Monday mor')).toBe(true)
  })

  it('not if it has half of it or less, or parts of it in other places', () => {
    expect(has('Monday morning. The floor comes next.')).toBe(false)
    expect(has('First of all: the oven is clean')).toBe(false)
    expect(has('The oven is cleaned on Sunday; on Monday morning it is hot.')).toBe(false)
    expect(has('cleaned')).toBe(false)
    expect(has('')).toBe(false)
  })
})

describe('passages that a document does not have', () => {
  it('are found in chunks that overlap, also where a passage is in none of them as a whole', async () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/)
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { minLength: 4, maxLength: 40 }),
        fc.integer({ min: 3, max: 30 }),
        fc.nat({ max: 10 }),
        fc.nat(),
        fc.nat(),
        async (words, size, overlap, first, length) => {
          const text = words.join('  \n')
          const step = Math.max(1, size - overlap)
          const chunks: { content: string; start: number; end: number }[] = []
          for (let start = 0; start < text.length; start += step) {
            const cut = text.slice(start, start + size)
            const content = cut.trim()
            const from = start + cut.length - cut.trimStart().length
            if (content !== '') chunks.push({ content, start: from, end: from + content.length })
          }
          const from = first % words.length
          const present = comparable(words.slice(from, from + 1 + (length % 8)).join(' '))
          const missing = await passagesNotIn(streamed(chunks), [present, 'NOT 1 IN IT'])
          expect([...missing]).toEqual(['NOT 1 IN IT'])
        },
      ),
    )
  })
})
