import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyze, questionTerms } from '../../../src/analysis/index.js'
import { densestPassage } from '../../../src/search/densest-passage.js'
import { PromptTerms } from '../../../src/search/prompt-terms.js'
import { findWords } from '../../../src/search/words-in-text.js'

const FILLER = 'Nothing of interest is said in this sentence, nor in the next one. '.repeat(20)

async function findDensestPassage(text: string, terms: PromptTerms) {
  return densestPassage(await findWords(text, terms), terms)
}

async function passageOf(text: string, question: string): Promise<string | undefined> {
  const passage = await findDensestPassage(text, new PromptTerms(questionTerms(question), new Map()))
  return passage && text.slice(passage.start, passage.end)
}

describe('the densest passage', () => {
  it('is the part with most of the terms, from the first to the last of them', async () => {
    const text = `${FILLER}The pump may stop. ${FILLER}The error code of the pump is shown in red. ${FILLER}`
    expect(await passageOf(text, 'error code pump')).toBe('error code of the pump')
  })

  it('prefers a rare term to a common one', async () => {
    const text = `the pump, the pump, the pump. ${FILLER}valve. ${FILLER}`
    expect(await passageOf(text, 'pump valve')).toBe('valve')
  })

  it('counts similar words as the words of the question, and says which of them were corrected', async () => {
    const terms = new PromptTerms(
      questionTerms('valves paretnal'),
      new Map([
        ['valves', { isKnown: true, terms: new Map([['valve', 0.7]]) }],
        ['paretnal', { isKnown: false, terms: new Map([['parental', 1]]) }],
      ]),
    )
    const text = `${FILLER}One valve, and parental leave. ${FILLER}`
    const passage = await findDensestPassage(text, terms)
    expect(text.slice(passage?.start, passage?.end)).toBe('valve, and parental')
    expect(passage?.corrected).toEqual([{ from: 'paretnal', to: 'parental' }])
  })

  it('says for a corrected word which word of the text is most like it, the first one of equals', async () => {
    const similar = new Map([
      ['parental', 0.9],
      ['parent', 0.4],
      ['parents', 0.4],
    ])
    const terms = new PromptTerms(
      questionTerms('paretnal'),
      new Map([['paretnal', { isKnown: false, terms: similar }]]),
    )
    const correctedIn = async (text: string) => (await findDensestPassage(text, terms))?.corrected
    expect(await correctedIn('A parent takes parental leave, and parents share it.')).toEqual([
      { from: 'paretnal', to: 'parental' },
    ])
    expect(await correctedIn('A parent meets parents.')).toEqual([{ from: 'paretnal', to: 'parent' }])
  })

  it('tells nothing if its words are in most chunks', async () => {
    const idfs = new Map([
      ['weeks', 2],
      ['of', 0.1],
      ['the', 0.1],
      ['leave', 1.2],
    ])
    const tells = async (text: string): Promise<boolean | undefined> => {
      return (await findDensestPassage(text, new PromptTerms(questionTerms('the weeks of leave'), new Map(), idfs)))
        ?.tells
    }
    expect(await tells('the end of the road')).toBe(false)
    expect(await tells('the end of the leave')).toBe(true)
    expect(await tells('no such word')).toBeUndefined()
  })

  it('exists in a text without spaces', async () => {
    const text = `${'今天天气很好。'.repeat(60)}错误代码在屏幕上。${'今天天气很好。'.repeat(60)}`
    expect(await passageOf(text, '错误代码')).toBe('错误代码')
  })

  it('does not exist when no term is in the text', async () => {
    expect(await passageOf(FILLER, 'pump')).toBeUndefined()
    expect(await passageOf('', 'pump')).toBeUndefined()
    expect(await passageOf(FILLER, '?!')).toBeUndefined()
  })

  it('lies within the text, begins and ends with a term of the question, and is short', async () => {
    const word = fc.constantFrom('pump', 'valve', 'E-4711', 'of', 'oil', 'Größe', '错误', '\n', '. ')
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { maxLength: 200 }),
        fc.array(word, { minLength: 1, maxLength: 5 }),
        async (words, asked) => {
          const [text, query] = [words.join(' '), questionTerms(asked.join(' '))]
          const passage = await findDensestPassage(text, new PromptTerms(query, new Map()))
          const terms = analyze(text).filter(({ term }) => query.has(term))
          expect(passage === undefined).toBe(terms.length === 0)
          if (passage === undefined) return
          expect(terms.some(({ start }) => start === passage.start)).toBe(true)
          expect(terms.some(({ end }) => end === passage.end)).toBe(true)
          expect(passage.end - passage.start).toBeLessThanOrEqual(320)
        },
      ),
    )
  })
})
