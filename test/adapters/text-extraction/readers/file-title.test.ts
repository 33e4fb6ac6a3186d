import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { extracted, sourceOf } from '../../../extracted.js'
import { lines, pdfOf } from '../../../fixtures/pdf-builder.js'
import { pptx, relationships, rowsOf, shape, slideXml, xlsx } from '../office-files.js'
import { paragraph, part, zip } from './word-files.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

/** The headings of a file, each with its level, and the text. */
async function read(fileName: string, bytes: Buffer): Promise<{ text: string; headings: string[] }> {
  const { text, pieces } = await extracted(extractor, sourceOf(fileName, bytes))
  const marks = pieces.flatMap((piece) => piece.marks ?? [])
  return { text, headings: marks.flatMap((mark) => ('heading' in mark ? [`${mark.level} ${mark.heading}`] : [])) }
}

function properties(title: string): string {
  return `<?xml version="1.0"?><cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Ada</dc:creator><dc:title>${title}</dc:title></cp:coreProperties>`
}

function pdf(title: string): Buffer {
  return pdfOf({ pages: [{ content: lines(72, 700, ['Leave begins in May.']) }], trailer: `/Info<</Title(${title})>>` })
}

function word(title: string, others: Readonly<Record<string, string>> = {}): Buffer {
  const body = `<w:body>${paragraph('Leave begins in May.')}</w:body>`
  return zip({ 'word/document.xml': part('document', body), 'docProps/core.xml': properties(title), ...others })
}

describe('the title in the metadata of a file', () => {
  it('is the outermost heading of a PDF, a document, a presentation and a workbook, and no text', async () => {
    expect(await read('1.pdf', pdf('Parental leave'))).toEqual({
      text: 'Leave begins in May.\n\n',
      headings: ['0 Parental leave'],
    })
    expect(await read('1.docx', word('Parental &amp; other\n leave'))).toEqual({
      text: 'Leave begins in May.',
      headings: ['0 Parental & other leave'],
    })
    const others = { 'docProps/core.xml': properties('Parental leave') }
    const slides = pptx([slideXml(shape('title', 'Begin') + shape('', 'In May'))], [1], others)
    expect(await read('1.pptx', slides)).toEqual({ text: 'Begin\n\nIn May', headings: ['0 Parental leave', '1 Begin'] })
    const sheets = xlsx([{ name: 'May', rows: rowsOf([['a'], [1]]) }], { others })
    expect((await read('1.xlsx', sheets)).headings.slice(0, 2)).toEqual(['0 Parental leave', '1 May'])
  })

  it('is that of the part which the file names', async () => {
    const rels = relationships(['metadata/core-properties', 'props.xml'])
    const bytes = word('Old', { '_rels/.rels': rels, 'props.xml': properties('New') })
    expect((await read('1.docx', bytes)).headings).toEqual(['0 New'])
  })

  it('is that of the front matter of Markdown, which stays in the text', async () => {
    const withTitle = (title: string): Buffer => Buffer.from(`---\ntags: [a]\ntitle: ${title}\n---\n\n# One\n\nText\n`)
    const { text, headings } = await read('1.md', withTitle('"Leave: parents"'))
    expect(text).toContain('title: "Leave: parents"')
    expect(headings).toEqual(['0 Leave: parents', '1 One'])
    expect((await read('1.md', withTitle("'Parental leave'"))).headings).toEqual(['0 Parental leave', '1 One'])
    expect((await read('1.md', withTitle('Parental leave  # draft'))).headings).toEqual(['0 Parental leave', '1 One'])
    expect((await read('1.md', withTitle('C# and F#'))).headings).toEqual(['0 C# and F#', '1 One'])
    expect((await read('1.md', withTitle('"a \\"b\\" c"  # "draft"'))).headings[0]).toContain('0 a ')
    expect((await read('1.md', withTitle(`'C# # 1' # it's a draft`))).headings).toEqual(['0 C# # 1', '1 One'])
    expect((await read('1.md', withTitle('>-'))).headings).toEqual(['1 One'])
    expect((await read('1.md', Buffer.from('# One\n\ntitle: no front matter\n'))).headings).toEqual(['1 One'])
  })

  it('is left out if it is the name of a file, or what a program writes for none', async () => {
    for (const title of [
      'Slide 1',
      'PowerPoint Presentation',
      'untitled',
      'Microsoft Word - Document3',
      'report_v2',
      'a.docx',
      '2024',
      ' ',
    ])
      expect((await read('1.pdf', pdf(title))).headings, title).toEqual([])
    for (const title of ['Blue Book', 'Handbook', 'Vacation 2024', 'Version 11.0'])
      expect((await read('1.pdf', pdf(title))).headings).toEqual([`0 ${title}`])
    for (const title of ['Datenschutz-Grundverordnung', 'Introduction to ASP.NET', '2024年度事業報告書', '第3章'])
      expect((await read('1.docx', word(title))).headings).toEqual([`0 ${title}`])
    expect((await read('1.pdf', pdf('Microsoft Word - Leave of parents'))).headings).toEqual(['0 Leave of parents'])
  })

  it('costs nothing if its part is damaged', async () => {
    const bytes = word('x', { 'docProps/core.xml': '<cp:coreProperties><dc:title>Leave' })
    expect((await read('1.docx', bytes)).text).toBe('Leave begins in May.')
  })
})
