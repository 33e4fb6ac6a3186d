import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { otherSpellings } from '../../../src/analysis/index.js'

const termsFor = (prompt: string): string[] => otherSpellings(prompt).map(({ term }) => term)

describe('other spellings of a prompt', () => {
  it('are two words as one, unless both are words of questions, or are not of letters', () => {
    expect(termsFor('the black board in room 7 b')).toEqual(['theblack', 'blackboard', 'boardin', 'inroom'])
    expect(termsFor('who is in it')).toEqual([])
    expect(termsFor('part E-4711 and C-12')).toEqual([])
    expect(termsFor('東京 大阪')).toEqual([])
  })

  it('have the usual forms of a date, and the name of its month', () => {
    const forms = termsFor('on 2 May 2024')
    expect(forms).toEqual(
      expect.arrayContaining(['2024-05-02', '02.05.2024', '2/5/2024', '05/02/2024', 'may', 'mai', 'toukokuuta']),
    )
    expect(forms).not.toContain('05/03/2024')
  })

  it('take no other numbers for a date', () => {
    for (const text of ['2024-13-40', '31.02.2024', '30 Mays 2024', '192.168.2024', 'chapter 4 2024']) {
      expect(termsFor(text).filter((term) => /\d/.test(term))).toEqual([])
    }
  })

  it('are few, and fast, for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2_000 }), (text) => {
        for (const { term, weight } of otherSpellings(text)) {
          expect(term.length).toBeGreaterThan(0)
          expect(weight).toBeGreaterThan(0)
        }
      }),
    )
    expect(otherSpellings('ab cd '.repeat(5_000)).length).toBeLessThanOrEqual(64)
  })
})
