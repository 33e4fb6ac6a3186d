import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../adapters/text-extraction/index.js'
import type { HeadingMark } from '../../../src/ports/index.js'
import { extracted, sourceOf } from '../../extracted.js'
import { line, type PdfOptions, pdfOf } from '../../fixtures/pdf-builder.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

/** The headings of a PDF as outline entries, such as `2 Scope`. Each mark must be at the line that it names. */
async function headingsOf(options: PdfOptions): Promise<string[]> {
  const { pieces } = await extracted(extractor, sourceOf('a.pdf', pdfOf(options)))
  const headings: string[] = []
  for (const { text, marks = [] } of pieces) {
    const found = marks.filter((mark): mark is HeadingMark => 'heading' in mark)
    for (const { at, heading, level } of found) {
      expect(text.slice(at).replaceAll(/\s+/g, ' ').startsWith(heading)).toBe(true)
      headings.push(`${level} ${heading}`)
    }
  }
  return headings
}

const SENTENCE = 'The quick brown fox jumps over the lazy dog and runs away'

interface Part {
  readonly text: string
  readonly font?: 'F1' | 'F2'
  readonly size?: number
  /** The step to the line before, in points. Default: 14, the step in a paragraph. */
  readonly step?: number
  readonly x?: number
}

let written = 0

/** Lines of text that differ from all others: lines that pages repeat are no text. */
const paragraph = (count: number = 3): Part[] =>
  Array.from({ length: count }, (_, index) => {
    written += 1
    return {
      text: `${SENTENCE} ${String.fromCharCode(97 + (written % 26)).repeat(1 + (written % 7))}`,
      step: index === 0 ? 24 : 14,
    }
  })
const heading = (text: string, size: number = 12, font: 'F1' | 'F2' = 'F2'): Part => ({ text, size, font, step: 30 })

function page(...parts: readonly Part[]): { content: string } {
  let y = 760
  const content = parts.map(({ text, font = 'F1', size = 12, step = 14, x = 72 }) => {
    y -= step
    return line(x, y, text, font, size)
  })
  return { content: content.join('') }
}

describe('the headings of a PDF without an outline', () => {
  it('are short lines in a larger size or another font in front of a text, nested by their sizes', async () => {
    const pages = [
      page(
        heading('Annual Report', 24),
        heading('Business', 18),
        ...paragraph(),
        heading('Human Capital'),
        ...paragraph(),
      ),
      page(heading('Competition'), ...paragraph(), heading('Risk Factors', 18), ...paragraph()),
    ]
    expect(await headingsOf({ pages })).toEqual([
      '1 Annual Report',
      '2 Business',
      '3 Human Capital',
      '3 Competition',
      '2 Risk Factors',
    ])
  })

  it('have the lines of one heading together', async () => {
    const first = { ...heading('Recommendation of the Board of', 18), step: 30 }
    const second = { text: 'Directors on the Merger', font: 'F2', size: 18, step: 21 } as const
    expect(await headingsOf({ pages: [page(...paragraph(), first, second, ...paragraph())] })).toEqual([
      '1 Recommendation of the Board of Directors on the Merger',
    ])
  })

  it('are at the place after an equal line of the text', async () => {
    const pages = [page({ text: 'Scope' }, ...paragraph(), heading('Scope', 18), ...paragraph())]
    expect(await headingsOf({ pages })).toEqual(['1 Scope'])
  })

  it('are below the only entry of an outline, which names the file', async () => {
    const pages = [page(...paragraph(), heading('Scope', 18), ...paragraph())]
    expect(await headingsOf({ pages, outline: [['The', 1]] })).toEqual(['1 The', '2 Scope'])
  })

  it('are those of the outline if it has more than one entry', async () => {
    const pages = [page(...paragraph(), heading('Scope', 18), ...paragraph(), heading('Other', 18), ...paragraph())]
    const outline = [['Scope', 1] as const, ['Scope', 1] as const]
    expect(await headingsOf({ pages, outline })).toEqual(['1 Scope', '1 Scope'])
  })

  it.each<[string, Part[]]>([
    ['a line of the same font and size', [{ text: 'Summary', step: 30 }]],
    ['a line within a paragraph', [{ ...heading('Summary'), step: 14 }]],
    [
      'a row of a table',
      [
        { ...heading('Revenue'), x: 72 },
        { text: '2023', font: 'F2', step: 0, x: 300 },
      ],
    ],
    ['a line without letters', [heading('12,345', 18)]],
    ['a sentence', [heading('It rose.', 18)]],
    ['a small note', [heading('Unaudited', 8)]],
    ['a quotation of four lines', ['One', 'Two', 'Three', 'Four'].map((text) => ({ ...heading(text, 18), step: 24 }))],
    ['an address', [heading('https://example.com', 18)]],
    ['the first line of a paragraph in another font', [heading(SENTENCE.slice(0, 56))]],
  ])('are not %s', async (_, parts) => {
    expect(await headingsOf({ pages: [page(...paragraph(), ...parts, ...paragraph())] })).toEqual([])
  })

  it('are not lines that no text follows', async () => {
    const rows = ['First', 'Second', 'Third', 'Fourth', 'Fifth'].map((text) => heading(text, 18))
    expect(await headingsOf({ pages: [page(...paragraph(), ...rows), page(...rows)] })).toEqual([])
  })

  it('are not lines that go on in the text', async () => {
    const text = { text: `and ${SENTENCE}`, step: 24 }
    expect(await headingsOf({ pages: [page(...paragraph(), heading('The Board', 18), text)] })).toEqual([])
  })

  it('are not the running titles of left and right pages', async () => {
    const pages = Array.from({ length: 6 }, (_, index) =>
      page(heading(index % 2 === 0 ? `${index + 1} Annual Report` : 'The Company', 18), ...paragraph(6)),
    )
    const headings = await headingsOf({ pages })
    // Their first pages cannot know what the pages after the next one repeat.
    expect(headings.length).toBeLessThanOrEqual(2)
  })

  it('are not lines of a second font for text', async () => {
    const other = { text: SENTENCE, font: 'F2' } as const
    const pages = [page(...paragraph(12), { ...other, step: 30 }, other, other, heading('Summary'), ...paragraph())]
    expect(await headingsOf({ pages })).toEqual([])
  })
})
