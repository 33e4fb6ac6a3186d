import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { type Extracted, extracted, sourceOf } from '../../../extracted.js'
import { read } from '../hostile/reading.js'
import { bodyOf, docxOf } from '../hostile/zip-writer.js'
import { marksOf } from '../lines-at-marks.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

const HEAD = String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fnil\fcharset2 Symbol;}{\f2\fnil\fcharset204 Times Cyr;}{\f3\fnil\fcharset128 MS Mincho;}}{\colortbl;\red0\green0\blue0;}{\stylesheet{\ql Normal;}{\s1\outlinelevel0 heading 1;}{\s2\sbasedon1 heading 2;}{\*\cs10 Default;}{\s15 Title;}}{\*\generator Test;}`
const rtf = (body: string): Buffer => Buffer.from(`${HEAD}${body}}`, 'latin1')

async function extract(body: string, bytesPerPull = 65_536): Promise<Extracted> {
  const bytes = rtf(body)
  await extractor.identify('a.rtf', bytes.subarray(0, 4_096))
  return await extracted(extractor, sourceOf('a.rtf', bytes, bytesPerPull))
}

const linesOf = async (body: string): Promise<string[]> => (await extract(body)).text.split('\n')
const row = (definition: string, ...cells: readonly string[]): string =>
  String.raw`\trowd${definition}\pard\intbl ${cells.join(String.raw`\cell `)}\cell\row `
const columns = String.raw`\cellx1000\cellx2000\cellx3000`

describe('an RTF document', () => {
  it('has its paragraphs, its headings as marks, and the title of its properties above them', async () => {
    const body = String.raw`{\info{\title Tides of the north}{\author Mira}}\pard\s15 The tide book\par\pard\s1 Harbours\par\pard Text
 one.\par\pard\s2 {\b Oslo}\par\pard\outlinelevel2 Quays\par\pard Text\line two.\par`
    const result = await extract(body, 7)
    expect(result.text).toBe('The tide book\n\nHarbours\nText one.\n\nOslo\n\nQuays\nText\ntwo.')
    expect(marksOf(result)).toEqual([
      ['The tide book', { heading: 'Tides of the north', level: 0 }],
      ['The tide book', { heading: 'The tide book', level: 1 }],
      ['Harbours', { heading: 'Harbours', level: 1 }],
      ['Oslo', { heading: 'Oslo', level: 2 }],
      ['Quays', { heading: 'Quays', level: 3 }],
    ])
    expect(result.warnings).toEqual([])
  })

  it('is decoded by the encodings of its fonts, and as Unicode', async () => {
    const body = String.raw`caf\'e9 {\f2 \'cf\'f0\'e8\'e2\'e5\'f2} {\f3 \'93\'fa\'96\'7b} {\f1 ab\'b7} \u8364?\u-10179?\u-8704? {\uc2\u233\'e9\'e9t\uc0\u233} \ldblquote x\rdblquote\emdash\~y\_z \{\}\\\par`
    expect(await linesOf(body)).toEqual(['café Привет 日本 αβ• €😀 été “x”—\u00A0y-z {}\\'])
  })

  it('is decoded by the encodings of the Mac and by code pages, with a warning where none is known', async () => {
    const fonts = String.raw`{\fonttbl{\f4\fcharset89 A;}{\f5\fcharset85 B;}{\f6\fnil\cpg54936 C;}{\f7\fcharset83 \'e0;}}`
    const known = await extract(String.raw`${fonts}{\f4 \'8f\'f0} {\f5 \'e1} {\f6 \'d6\'d0} {\f7 plain}\par`)
    expect(known).toMatchObject({ text: 'Пр α 中 plain', warnings: [] })
    const { warnings } = await extract(String.raw`${fonts}{\f7 \'e0\'e1} {\f7 \'e2}\par`)
    expect(warnings).toEqual([
      'the encoding is not certain: the text was read as windows-1252; if that is wrong, save it as UTF-8',
    ])
  })

  it('has no text before its first group', async () => {
    const bytes = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), rtf('Text.')])
    expect((await read(extractor, 'a.rtf', bytes)).text).toBe('Text.')
  })

  it('has tables as rows with the names of their columns, merged cells in each of their rows, and nested tables', async () => {
    const merged = (down: string): string => String.raw`\clvm${down}\cellx1000\cellx2000\cellx3000`
    const nested = String.raw`{\pard\intbl\itap2 inner a\nestcell inner b\nestcell{\*\nesttableprops\trowd\cellx1\cellx2\nestrow}{\nonesttables\par}}\pard\intbl `
    const body = [
      String.raw`\pard Before.\par `,
      row(columns, 'Region', 'City', 'Visitors'),
      row(merged('gf'), 'East', 'Oslo', '4310'),
      row(merged('rg'), '', 'Moss', '80'),
      row(columns, 'West', '', String.raw`12\par in May`),
      String.raw`\pard After.\par `,
      row(columns, 'x', nested, 'z'),
      row(columns, 'p', 'q', 'r'),
      String.raw`\pard End.\par `,
    ].join('')
    expect(await linesOf(body)).toEqual([
      'Before.',
      'Region; City; Visitors',
      'Region: East; City: Oslo; Visitors: 4310',
      'Region: East; City: Moss; Visitors: 80',
      'Region: West; Visitors: 12 in May',
      'After.',
      'x; inner a inner b; z',
      'x: p; inner a inner b: q; z: r',
      'End.',
    ])
  })

  it('has the numbers of its lists and no bullets', async () => {
    const item = (label: string, text: string): string => String.raw`\pard{\listtext\f0 ${label}\tab}\ls1 ${text}\par `
    const body = `${item('1.', 'one')}${item(String.raw`2.1)`, 'two')}${item(String.raw`\'b7`, 'point')}${item('o', 'inner point')}${String.raw`\pard{\pntext\f0 IV.\tab}{\*\pn\pnlvlbody}four\par `}`
    expect(await linesOf(body)).toEqual(['1. one', '2.1) two', 'point', 'inner point', 'IV. four'])
  })

  it('has boxes, notes, comments, headers and footers behind its body', async () => {
    const body = String.raw`{\header\pard A header.\par}{\footer A footer.\par}Body{\super\chftn}{\footnote\pard{\super\chftn} A note.}{\*\atnid M}{\*\atnauthor Mira}\chatn{\*\annotation{\*\atndate 1}A comment.} goes{\shp{\*\shpinst{\sp{\sn name}{\sv value}}{\shptxt\pard A box.\par}}{\shprslt{\*\do{\dptxbxtext A box.}}}} on.\par`
    expect(await linesOf(body)).toEqual([
      'Body goes on.',
      '',
      'A box.',
      '',
      'A note.',
      '',
      'A comment.',
      '',
      'A header.',
      '',
      'A footer.',
    ])
  })

  it('has the results of fields, and nothing that is hidden, deleted, or no text', async () => {
    const body = String.raw`{\field{\*\fldinst HYPERLINK "https://example.org"}{\fldrslt a link}} {\v hidden}{\deleted gone}kept{\xe index}{\*\unknown lost}{\pict\pngblip 89504e47
0d0a1a0a}{\object{\*\objdata 0105}{\result shown}}{\upr{old}{\*\ud new}}{\*\bkmkstart a}.\par`
    expect(await linesOf(body)).toEqual(['a link keptshownnew.'])
  })

  it('with megabytes of pictures in lines is read in a moment', async () => {
    const picture = String.raw`{\pict\pngblip ${`${'89504e470d0a1a0a'.repeat(8)}\r\n`.repeat(60_000)}}`
    const { text, ms } = await read(extractor, 'a.rtf', rtf(`${picture}Behind it.`))
    expect(text).toBe('Behind it.')
    expect(ms).toBeLessThan(5_000)
  })

  it('keeps the text before its torn end, with a warning, and nothing behind its end', async () => {
    const whole = rtf(String.raw`First.\par Second.\par`)
    const torn = await read(extractor, 'a.rtf', whole.subarray(0, -9))
    expect(torn).toMatchObject({
      text: 'First.\nSec',
      warnings: ['the document is incomplete: some of its text is missing'],
    })
    expect(await read(extractor, 'a.rtf', Buffer.concat([whole, Buffer.from('behind')]))).toMatchObject({
      text: 'First.\nSecond.',
      warnings: [],
    })
  })

  it.each([
    ['text', Buffer.from('Hello.'), 'ERR_WRONG_TYPE', 'rename the file to .txt'],
    ['a Word document', docxOf({ data: bodyOf('hello') }), 'ERR_WRONG_TYPE', 'rename the file to .docx'],
    ['groups without end', Buffer.from(`{\\rtf1 ${'{'.repeat(5_000)}`), 'ERR_CORRUPT_FILE', 'nested too deeply'],
    ['no text', rtf(String.raw`{\pict 8950}`), 'ERR_NO_TEXT', 'no text'],
    ['nothing', Buffer.alloc(0), 'ERR_EMPTY_FILE', 'empty'],
  ])('is refused with its reason: %s', async (_what, bytes, code, sentence) => {
    expect(await read(extractor, 'a.rtf', bytes)).toMatchObject({
      code,
      message: expect.stringContaining(sentence) as string,
    })
  })

  it('is read under the name .doc, as Word reads it, and unchanged as .txt', async () => {
    const bytes = rtf(String.raw`caf\'e9`)
    expect((await read(extractor, 'a.doc', bytes)).text).toBe('café')
    expect((await read(extractor, 'a.txt', bytes)).text).toBe(bytes.toString('latin1'))
  })
})
