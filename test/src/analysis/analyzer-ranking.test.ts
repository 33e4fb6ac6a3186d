import { describe, expect, it } from 'vitest'
import { questionTerms, termsOf } from '../../../src/analysis/index.js'
import { bm25, inverseDocumentFrequency } from '../../../src/ports/index.js'

describe('a ranking by BM25', () => {
  /** The texts that a question finds, the best first. */
  function found(question: string, texts: readonly string[]): string[] {
    const chunks = texts.map((text) => ({ text, terms: termsOf(text) }))
    const meanLength = chunks.reduce((sum, { terms }) => sum + terms.length, 0) / chunks.length
    const idfs = new Map<string, number>()
    for (const [term, weight] of questionTerms(question)) {
      const withTerm = chunks.filter(({ terms }) => terms.includes(term)).length
      idfs.set(term, weight * inverseDocumentFrequency(chunks.length, withTerm))
    }
    return chunks
      .map(({ text, terms }) => {
        const occurrences = (term: string): number => terms.filter((other) => other === term).length
        return { text, score: bm25(idfs, { occurrences, length: terms.length }, meanLength) }
      })
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .map(({ text }) => text)
  }

  const CODES = [
    'Error E-4712 means that the disk is full.',
    'Model 4711, 4711 and again 4711, made in 4711.',
    'Error E-4711 means that the pump is dry, and that somebody has to look after it soon.',
    'Appendix E: e, E and e.',
    'Nothing of that kind.',
  ]
  it.each(['E-4711', 'E4711', 'e-4711', 'What is E-4711?', '"E-4711",'])(
    'answers %s with the identifier before its parts',
    (question) => {
      expect(found(question, CODES)[0]).toContain('E-4711')
    },
  )

  it.each([
    ['where is GOALS.md?', 'Read GOALS.md first.', 'Our goals: goals, goals. An md is a doctor.'],
    ['9router', 'Install 9router today.', 'A router, nine routers, router 9.'],
    ['#1795', 'Fixed in #1795.', 'In 1795, the year 1795 began. 1795!'],
    ['parseHtml', 'Call parse_html().', 'Parse the html: html parse, html.'],
    ['C++', 'Written in C++.', 'Written in C, C# and C.'],
    ['北京大学', '我在北京大学学习。', '大学在北方，京都很大。'],
    ['서울', '서울에서 만나요.', '서로 울었다.'],
  ])('answers %s with %s before %s', (question, wanted, other) => {
    expect(found(question, [other, wanted, 'Something else.', '…'])[0]).toBe(wanted)
  })

  it('finds an identifier by one of its parts', () => {
    expect(found('router', ['Install 9router today.', 'Nothing.'])).toEqual(['Install 9router today.'])
    expect(found('goals', ['See GOALS.md.', 'Nothing.'])).toEqual(['See GOALS.md.'])
    expect(found('example.com', ['Mail user@example.com.', 'Nothing.'])).toEqual(['Mail user@example.com.'])
  })
})
