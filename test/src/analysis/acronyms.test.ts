import { describe, expect, it } from 'vitest'
import { definedTerms, definitionPrefixes, definitionsIn, definitionTerms } from '../../../src/analysis/index.js'

const found = (text: string): string[] =>
  definitionsIn(text).map(({ acronym, words }) => `${acronym}: ${words.join(' ')}`)

/** The terms that a context with a text adds to a prompt. */
function added(text: string, prompt: string): Record<string, number> {
  const terms = definitionsIn(text).flatMap(definitionTerms)
  const prefixes = definitionPrefixes(prompt)
  const read = terms.filter((term) => prefixes.some((prefix) => term.startsWith(prefix)))
  return Object.fromEntries(definedTerms(read, prompt))
}

describe('the definitions of acronyms in a text', () => {
  it.each([
    ['Send the return merchandise authorisation (RMA) form.', 'rma: return merchandise authorisation'],
    ['The RMA (return merchandise authorisation) number', 'rma: return merchandise authorisation'],
    ['says the Department of Health (DoH).', 'doh: department of health'],
    ['heat shock protein (HSP90)', 'hsp90: heat shock protein'],
    ['der Bundesverband der Deutschen Industrie (BDI)', 'bdi: bundesverband der deutschen industrie'],
    ['Организация Объединённых Наций (ООН)', 'оон: организация объединенных нации'],
    ['a deoxyribonucleic acid (DNA)', 'dna: deoxyribonucleic acid'],
  ])('are found: %s', (text, definition) => {
    expect(found(text)).toEqual([definition])
  })

  it.each([
    'Customers love our product (US).',
    'see figure (A) and (see below) or Table (TABLE)',
    'Error (HTTP 404)',
    'the end.\nReturn merchandise\n(RMA)',
    'an open (parenthesis',
    '((((RMA',
  ])('are not guessed: %s', (text) => {
    expect(found(text)).toEqual([])
  })

  it('are none in texts of many parentheses', () => {
    expect(found('( word '.repeat(20_000))).toEqual([])
    expect(found('word (RMA '.repeat(20_000))).toEqual([])
    expect(found('word ) (( '.repeat(20_000))).toEqual([])
  })
})

describe('the terms that definitions add to a prompt', () => {
  const TEXT = 'Send the return merchandise authorisation (RMA) form to the World Health Organization (WHO).'

  it('are the words of its acronyms, which count as one together', () => {
    const third = 1 / 3
    expect(added(TEXT, 'Where is the rma?')).toEqual({ return: third, merchandise: third, authorisation: third })
  })

  it('are the acronym of its words, if it has all of them in their order', () => {
    expect(added(TEXT, 'How do I get a return merchandise authorisation?')).toEqual({ rma: 1 })
    expect(added(TEXT, 'How do I get a return merchandise label?')).toEqual({})
  })

  it('are none for a word of questions, unless it is in capitals', () => {
    expect(added(TEXT, 'who signs the form?')).toEqual({})
    expect(Object.keys(added(TEXT, 'what does the WHO sign?'))).toEqual(['world', 'health', 'organization'])
  })
})
