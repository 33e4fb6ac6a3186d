import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { extracted, sourceOf } from '../../../extracted.js'
import { office, relationships, rowsOf, shape, sheetXml, slideXml } from '../office-files.js'

/** Times that a file names one part; each time in another spelling, which names the same part. */
const TIMES = 500
/** Each file is read in seconds. A part that is read each time takes minutes. */
const extractor = new WorkerTextExtractor({ fileTimeoutMs: 30_000 })

afterAll(async () => {
  await extractor.close()
})

const CONTENT_TYPES = {
  pptx: 'presentationml.presentation.main+xml',
  xlsx: 'spreadsheetml.sheet.main+xml',
  docx: 'wordprocessingml.document.main+xml',
}
const MAIN = { pptx: 'ppt/presentation.xml', xlsx: 'xl/workbook.xml', docx: 'word/document.xml' }

function fileOf(kind: keyof typeof MAIN, parts: Readonly<Record<string, string>>): Buffer {
  const type = `application/vnd.openxmlformats-officedocument.${CONTENT_TYPES[kind]}`
  return office({
    '[Content_Types].xml': `<Types><Override PartName="/${MAIN[kind]}" ContentType="${type}"/></Types>`,
    '_rels/.rels': relationships(['officeDocument', MAIN[kind]]),
    ...parts,
  })
}

/** The same name in as many spellings as wanted: names of parts do not differ by case. */
function spellings(name: string): string[] {
  return Array.from({ length: TIMES }, (_, number) =>
    Array.from(name)
      .map((letter, at) => ((number >> at) & 1 ? letter.toUpperCase() : letter))
      .join(''),
  )
}

const series = Array.from(
  { length: 100_000 },
  (_, at) => `<c:ser><c:strCache><c:pt><c:v>Region ${at % 9}</c:v></c:pt></c:strCache></c:ser>`,
)
const CHART = `<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart">${series.join('')}</c:chart>`
const REGIONS = Array.from({ length: 9 }, (_, at) => `Region ${at}`)
const R = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const P = 'http://schemas.openxmlformats.org/presentationml/2006/main'
const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'

function presentation(slides: number, ids: string, others: Readonly<Record<string, string>>): Buffer {
  const targets = Array.from({ length: slides }, (_, at) => ['slide', `slides/slide${at + 1}.xml`] as const)
  const parts: Record<string, string> = {
    'ppt/presentation.xml': `<p:presentation xmlns:p="${P}" xmlns:r="${R}"><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relationships(...targets),
  }
  for (let at = 1; at <= slides; at += 1) parts[`ppt/slides/slide${at}.xml`] = slideXml(shape('title', `Title ${at}`))
  return fileOf('pptx', { ...parts, ...others })
}

const idsOf = (count: number): string =>
  Array.from({ length: count }, (_, at) => `<p:sldId r:id="r${at + 1}"/>`).join('')

describe('a small file that names one part again and again', () => {
  it('is read in seconds if one slide names one chart 500 times', async () => {
    const rels = relationships(...spellings('charts/chart.xml').map((name) => ['chart', `../${name}`] as const))
    const file = presentation(1, idsOf(1), { 'ppt/slides/_rels/slide1.xml.rels': rels, 'ppt/charts/chart.xml': CHART })
    expect(file.length).toBeLessThan(524_288)
    const { text } = await extracted(extractor, sourceOf('chart.pptx', file))
    expect(text).toBe(`Title 1\n\n${REGIONS.join('\n')}`)
  })

  it('is read in seconds if 500 slides name one chart and one page of notes', async () => {
    const notes = slideXml(shape('body', 'Speak slowly.'), 'notes')
    const others: Record<string, string> = { 'ppt/charts/chart.xml': CHART, 'ppt/notes/n.xml': notes }
    for (let at = 1; at <= TIMES; at += 1) {
      others[`ppt/slides/_rels/slide${at}.xml.rels`] = relationships(
        ['chart', '../charts/chart.xml'],
        ['notesSlide', '../notes/n.xml'],
      )
    }
    const { text } = await extracted(extractor, sourceOf('slides.pptx', presentation(TIMES, idsOf(TIMES), others)))
    expect(text).toContain(`Title 1\n\n${REGIONS.join('\n')}\n\nNotes: Speak slowly.`)
    expect(text.match(/Region 0|Notes/g)).toEqual(['Region 0', 'Notes'])
    expect(text).toContain('Title 500')
  })

  it('is read in seconds with 200,000 slides that name no reference of 60,000', async () => {
    const unknown = Array.from({ length: 200_000 }, (_, at) => `<p:sldId r:id="x${at}"/>`).join('')
    const many = relationships(...Array.from({ length: 60_000 }, () => ['image', 'media/i.png'] as const), [
      'slide',
      'slides/slide1.xml',
    ])
    const file = presentation(1, `${unknown}<p:sldId r:id="r60001"/>`, { 'ppt/_rels/presentation.xml.rels': many })
    expect((await extracted(extractor, sourceOf('ids.pptx', file))).text).toBe('Title 1')
  })

  it('is read in seconds if 500 sheets of a workbook are one part', async () => {
    const sheets = spellings('sheets/sheet.xml')
    const rows = rowsOf(Array.from({ length: 20_000 }, (_, row) => [`row ${row}`, row]))
    const main = sheets.map((_, at) => `<sheet name="S${at}" sheetId="${at + 1}" r:id="r${at + 1}"/>`).join('')
    const file = fileOf('xlsx', {
      'xl/workbook.xml': `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${R}"><sheets>${main}</sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': relationships(...sheets.map((name) => ['worksheet', name] as const)),
      'xl/sheets/sheet.xml': sheetXml(rows),
    })
    const { text } = await extracted(extractor, sourceOf('sheets.xlsx', file))
    expect(text.match(/row 19999/g)).toHaveLength(1)
  })

  it('is read in seconds if a Word document names one header 500 times, and its own text as another', async () => {
    const names = spellings('headers/header.xml')
    const words = '<w:p><w:r><w:t>Words of the header.</w:t></w:r></w:p>'.repeat(40_000)
    const file = fileOf('docx', {
      'word/document.xml': `<w:document xmlns:w="${W}"><w:body><w:p><w:r><w:t>The body.</w:t></w:r></w:p></w:body></w:document>`,
      'word/_rels/document.xml.rels': relationships(...names.map((name) => ['header', name] as const), [
        'footer',
        'Document.xml',
      ]),
      'word/headers/header.xml': `<w:hdr xmlns:w="${W}">${words}</w:hdr>`,
    })
    const { text } = await extracted(extractor, sourceOf('headers.docx', file))
    expect(text.match(/The body|Words of the header/g)).toHaveLength(40_001)
  })

  it('is read in seconds if a book names one chapter 500 times', async () => {
    const names = spellings('text/chapter.xhtml')
    const items = names
      .map((name, at) => `<item id="i${at}" href="${name}" media-type="application/xhtml+xml"/>`)
      .join('')
    const spine = names.map((_, at) => `<itemref idref="i${at}"/>`).join('')
    const file = office({
      mimetype: 'application/epub+zip',
      'META-INF/container.xml': '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
      'book.opf': `<package><manifest>${items}</manifest><spine>${spine}</spine></package>`,
      'text/chapter.xhtml': `<html><body>${'<p>Words of the chapter.</p>'.repeat(40_000)}</body></html>`,
    })
    const { text } = await extracted(extractor, sourceOf('book.epub', file))
    expect(text.match(/Words of the chapter/g)).toHaveLength(40_000)
  })
})

describe('a file that takes longer than its size allows', () => {
  it('is refused with the time that it had', async () => {
    const impatient = new WorkerTextExtractor({ fileTimeoutMs: 400 })
    try {
      const slow = sourceOf('slow.csv', Buffer.from('a,b\n'.repeat(3_000_000)))
      await expect(extracted(impatient, slow)).rejects.toMatchObject({
        code: 'ERR_EXTRACTION_TIMEOUT',
        message: expect.stringContaining('the limit for a file of this size is 1 seconds') as string,
      })
    } finally {
      await impatient.close()
    }
  })
})
