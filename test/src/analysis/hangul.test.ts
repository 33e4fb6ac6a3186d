import { describe, expect, it } from 'vitest'
import { hangulStemLength } from '../../../src/analysis/hangul.js'
import { questionTerms, questionWords, termsOf } from '../../../src/analysis/index.js'

describe('a Korean word', () => {
  it.each([
    ['도서관은', '도서관'],
    ['도서관에서는', '도서관'],
    ['학교의', '학교'],
    ['사람들에게서', '사람들'],
    ['서울', '서울'],
    ['나이', '나이'],
    ['에서', '에서'],
  ])('stands without the particle at its end: %s', (word, stem) => {
    expect(word.slice(0, hangulStemLength(word))).toBe(stem)
  })

  it('has the same terms with each particle', () => {
    for (const particle of ['은', '에서', '까지는', '으로부터'.slice(0, 2)]) {
      expect(termsOf(`도서관${particle}`)).toEqual(termsOf('도서관'))
    }
  })

  it('has a term for its beginning, which the middle of another word does not have', () => {
    const beginning = termsOf('수도').filter((term) => !termsOf('상수도관').includes(term))
    expect(beginning).toEqual(['^수도', '수'])
  })

  it('counts little if it only asks', () => {
    const weights = questionTerms('수도는 어디인가요')
    expect(weights.get('수도')).toBe(1)
    expect(weights.get('어디')).toBe(0.2)
    expect(questionWords('수도는 어디인가요')).toContain('어디')
    expect(questionWords('누가복음')).toEqual(new Set())
  })
})
