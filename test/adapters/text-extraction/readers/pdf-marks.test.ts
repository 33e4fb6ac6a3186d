import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import type { StructureMark } from '../../../../src/ports/index.js'
import { extracted, sourceOf } from '../../../extracted.js'
import { lines, type PdfOptions, pdfOf } from '../../../fixtures/pdf-builder.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

/** The text of a PDF, and its marks with offsets in that text. */
async function read(options: PdfOptions): Promise<{ text: string; marks: StructureMark[] }> {
  const { pieces } = await extracted(extractor, sourceOf('a.pdf', pdfOf(options)))
  let text = ''
  const marks: StructureMark[] = []
  for (const piece of pieces) {
    for (const mark of piece.marks ?? []) marks.push({ ...mark, at: mark.at + text.length })
    text += piece.text
  }
  return { text, marks }
}

const page = (...texts: string[]): { content: string } => ({ content: lines(72, 700, texts) })

describe('the marks of a PDF', () => {
  it('are the beginnings of its pages, also of those without text', async () => {
    const { text, marks } = await read({ pages: [page('one', 'two'), page(), page('three')] })
    expect(text).toBe('one\ntwo\n\nthree\n\n')
    expect(marks).toEqual([
      { at: 0, page: 1 },
      { at: 9, page: 2 },
      { at: 9, page: 3 },
    ])
  })

  it('are the entries of its outline, at the lines with their titles', async () => {
    const { text, marks } = await read({
      pages: [page('Contents', 'See the Summary below', '2. Summary', 'text'), page('Notes on', 'Accounts', 'text')],
      outline: [
        ['SUMMARY', 1],
        ['Notes on Accounts', 2],
        ['Not in the text', 2],
      ],
    })
    expect(marks.filter((mark) => 'heading' in mark)).toEqual([
      { at: text.indexOf('2. Summary'), heading: 'SUMMARY', level: 1 },
      { at: text.indexOf('Notes'), heading: 'Notes on Accounts', level: 1 },
      { at: text.indexOf('Notes'), heading: 'Not in the text', level: 1 },
    ])
  })

  it('leave out an outline that leads to no page', async () => {
    const { marks } = await read({ pages: [page('one')], outline: [['Lost', 40]] })
    expect(marks).toEqual([{ at: 0, page: 1 }])
  })
})
