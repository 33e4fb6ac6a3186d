import { describe, expect, it } from 'vitest'
import { checkedOptions, parseSearch } from '../../../src/search/search-input.js'

/** No schema accepts it. */
const INVALID = { filter: { metadata: { year: Number.NaN } } }

describe('the options of a search', () => {
  it('are checked, and copied', () => {
    const options = { filter: { metadata: { year: 2_026 } } }
    const parsed = parseSearch('leave', options)
    options.filter.metadata.year = 1_999
    expect(parsed).toEqual({ prompt: 'leave', filter: { metadata: { year: 2_026 } } })
    expect(() => parseSearch('leave', INVALID)).toThrow('filter.metadata.year')
  })

  it('are not checked again after the body of a request was, unless the prompt is another one', () => {
    const options = checkedOptions('leave', { ...INVALID })
    expect(parseSearch('leave', options)).toEqual({ prompt: 'leave', ...INVALID })
    expect(() => parseSearch('holidays', options)).toThrow('filter.metadata.year')
    expect(() => parseSearch('leave', { ...options })).toThrow('filter.metadata.year')
  })
})
