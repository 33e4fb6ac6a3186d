import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { excerpt } from '../../../adapters/cli/output/passages.js'

const mark = (text: string): string => `[${text}]`

describe('an excerpt', () => {
  it('marks each matching line separately', () => {
    expect(excerpt('one two three', { start: 4, end: 7 }, mark)).toEqual(['one [two] three'])
    expect(excerpt('one\ntwo\r\n\nthree four', { start: 4, end: 15 }, mark)).toEqual([
      'one',
      '[two]',
      '',
      '[three] four',
    ])
  })

  it('marks nothing where everything matched', () => {
    expect(excerpt('one two', { start: 0, end: 7 }, mark)).toEqual(['one two'])
  })

  it('begins at the line before the match when the match is far inside', () => {
    const content = `${'a line of words\n'.repeat(200)}needle\n${'more of it\n'.repeat(200)}`
    const start = content.indexOf('needle')
    const lines = excerpt(content, { start, end: start + 6 }, mark)
    expect(lines[0]).toBe('… after 2912 characters')
    expect(lines[1]).toBe('a line of words')
    expect(lines).toContain('[needle]')
    expect(lines.at(-1)).toMatch(/^… and \d+ more characters \(--json prints all\)$/)
  })

  it('contains no control character, and no half of a surrogate pair', () => {
    expect(excerpt('a\u001b[2Jb\u0007', { start: 0, end: 1 }, mark)).toEqual(['[a]\uFFFD[2Jb\uFFFD'])
    const faces = '😀'.repeat(2_000)
    expect(excerpt(faces, { start: 2_001, end: 2_003 }, mark).join('').isWellFormed()).toBe(true)
  })

  it('contains at most 1,200 characters of any text, and a part of the match', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', 'ß', '中'), minLength: 1, maxLength: 5_000 })
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(400), (content, at, length) => {
        const start = at % content.length
        const end = Math.min(content.length, start + 1 + length)
        const shown = excerpt(content, { start, end }).filter((line) => !line.startsWith('…'))
        expect(shown.join('\n').length).toBeLessThanOrEqual(1_200)
        const matched = content.slice(start, end).trim()
        expect(shown.join('\n')).toContain(matched)
      }),
    )
  })
})
