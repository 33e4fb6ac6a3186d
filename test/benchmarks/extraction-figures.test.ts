import { describe, expect, it } from 'vitest'
import { figureRows, missedFigures } from '../../benchmarks/extraction/extraction-figures.js'
import { type Outcome, summary } from '../../benchmarks/extraction/extraction-outcome.js'
import { encodingOf, lettersOf } from '../../benchmarks/references/charset-reference.js'
import { areSameRows, isRowEqual } from '../../benchmarks/references/csv-reference.js'
import { isWrongReference } from '../../benchmarks/references/wrong-references.js'

function outcome(file: string, tag: string, code: string, scores: Readonly<Record<string, number>>): Outcome {
  const type = file.split('.').at(-1) ?? ''
  return { file, type, tag, code, ms: 1, scores: new Map(Object.entries(scores)), plain: [] }
}

describe('figures of the extraction benchmark', () => {
  it('are not missed when they are reached', () => {
    const reached = [outcome('docs/pdf/a.pdf', 'text', 'completed', { pdftotext: 1, expected: 1 })]
    expect(missedFigures(reached)).toEqual([])
    expect(figureRows(reached)[0]).toMatchObject({ references: 1, mean: 1, goodShare: 1, least: 1 })
  })

  it('are named when they are missed, and so are files whose outcome their tag does not explain', () => {
    const outcomes = [
      outcome('docs/pdf/a.pdf', 'text', 'completed', { pdftotext: 0.9 }),
      outcome('docs/pdf/b.pdf', 'text', 'ERR_ENCRYPTED', {}),
      outcome('docs/md/c.md', 'real', 'completed', { bytes: 0 }),
    ]
    expect(missedFigures(outcomes)).toEqual([
      '.pdf beside pdftotext: the mean is 0.9, not 0.985',
      '.pdf beside pdftotext: 0 of the files have at least 0.98, not 0.92',
      '.md, bytes: the mean is 0, not 1',
      'docs/pdf/b.pdf (text) ended with ERR_ENCRYPTED',
    ])
  })

  it('leave out unreadable files, and nothing else', () => {
    const unreadable = outcome('docs/pdf/a.pdf', 'encrypted', 'ERR_ENCRYPTED', { pdftotext: 0 })
    const refused = outcome('docs/pdf/b.pdf', 'text', 'ERR_NO_TEXT', { pdftotext: 0 })
    expect(missedFigures([unreadable])).toEqual([])
    expect(missedFigures([unreadable, refused])).not.toEqual([])
  })

  it('are rounded to four places', () => {
    expect(summary([1, 1, 0])).toEqual({ references: 3, mean: 0.6667, goodShare: 0.6667, least: 0 })
    expect(summary([])).toEqual({ references: 0, mean: null, goodShare: null, least: null })
  })
})

describe('references', () => {
  it('know the encoding of a text, and wrong labels', () => {
    expect(encodingOf('docs/txt/udhr_Polish-Latin2.txt')).toBe('windows-1250')
    expect(encodingOf('docs/txt/udhr_Hungarian_Magyar-Latin2.txt')).toBe('iso-8859-2')
    expect(encodingOf('docs/txt/windows-1250-hungarian__ude.txt')).toBe('windows-1250')
    expect(encodingOf('docs/txt/MacCyrillic__a.txt')).toBe('x-mac-cyrillic')
    expect(encodingOf('docs/txt/notes.txt')).toBeUndefined()
    expect(lettersOf('Ä, b-1!')).toBe('Äb1')
  })

  it('compare rows with the text that includes headers, or with other rows', () => {
    const rows = [
      ['city', 'country'],
      ['Oslo', 'Norway'],
      ['Rome', ''],
    ]
    expect(isRowEqual(rows, 'city; country\ncity: Oslo; country: Norway\ncity: Rome\n')).toBe(true)
    expect(isRowEqual(rows, 'city; country\nOslo; Norway\nRome\n')).toBe(true)
    expect(isRowEqual(rows, 'city; country\ncity: Oslo; country: Norway\n')).toBe(false)
    expect(areSameRows(rows, [...rows])).toBe(true)
    expect(areSameRows(rows, [['city,country']])).toBe(false)
  })

  it('are left out by type when they are wrong', () => {
    expect(isWrongReference('pdf', 'docs/pdf/TAMReview.pdf')).toBe(true)
    expect(isWrongReference('doc', 'docs/doc/TAMReview.doc')).toBe(false)
  })
})
