import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { otherSpellings } from '../../../src/analysis/index.js'

const termsFor = (prompt: string): string[] => otherSpellings(prompt).map(({ term }) => term)

describe('other spellings of a prompt', () => {
  it('are two words as one, unless both are words of questions, or are not of letters', () => {
    expect(termsFor('the black board in room 7 b')).toEqual(['blackboard'])
    expect(termsFor('Der Kauf Vertrag')).toEqual(['derkauf', 'kaufvertrag'])
    expect(termsFor('stand in direct sunlight over time')).toEqual(['directsunlight'])
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

  it('read a date in numbers both ways, but not with full stops', () => {
    expect(termsFor('on 3/12/2023')).toEqual(expect.arrayContaining(['2023-03-12', '2023-12-03', 'march', 'december']))
    expect(termsFor('am 3.12.2023')).not.toContain('2023-03-12')
    expect(termsFor('on 0001/1/2')).toContain('0001-01-02')
  })

  it('take no other numbers for a date', () => {
    for (const text of [
      '2024-13-40',
      '31.02.2024',
      '30 Mays 2024',
      '192.168.2024',
      'chapter 4 2024',
      'RE-12-03-2023',
      '12-03-2023-B',
    ]) {
      expect(termsFor(text).filter((term) => /\d/.test(term))).toEqual([])
    }
  })

  it('are few for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2_000 }), (text) => {
        for (const { term, weight } of otherSpellings(text)) {
          expect(term.length).toBeGreaterThan(0)
          expect(weight).toBeGreaterThan(0)
        }
      }),
    )
    expect(otherSpellings('abc def '.repeat(4_000))).toHaveLength(64)
  })
})
