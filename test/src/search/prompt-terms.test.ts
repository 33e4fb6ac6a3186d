import { describe, expect, it } from 'vitest'
import { promptTerms } from '../../../src/search/prompt.js'
import { PromptTerms } from '../../../src/search/prompt-terms.js'

describe('the terms of a prompt', () => {
  it('are all terms of a short prompt, and none of punctuation', () => {
    expect([...promptTerms('Which pump leaks?').keys()]).toEqual(['which', 'pump', 'leaks'])
    expect(promptTerms('?!').size).toBe(0)
  })

  it('are the 256 with the most weight of a long prompt', () => {
    const filler = Array.from({ length: 2_000 }, (_, number) => `w${number}`).join(' the ')
    const terms = promptTerms(`${filler} hydraulics hydraulics hydraulics`)
    expect(terms.size).toBe(256)
    expect(terms.has('hydraulics')).toBe(true)
  })
  it('of other parts of the prompt take no word of a text', () => {
    const similar = new Map([
      ['paretnal', { isKnown: false, terms: new Map([['parental', 1]]) }],
      ['parents', { isKnown: true, terms: new Map([['parental', 0.5]]) }],
    ])
    expect(new PromptTerms(new Map([['parents', 1]]), similar).termFor('parental')).toBe('parents')
    expect(new PromptTerms(new Map([['leave', 1]]), similar).termFor('parental')).toBeUndefined()
  })
})
