import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { type Extracted, extracted, sourceOf } from '../../../extracted.js'
import { line, lines, type PageOptions, type PdfOptions, pdfOf } from '../../../fixtures/pdf-builder.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function extract(pdf: Buffer): Promise<Extracted> {
  const { text, ...others } = await extracted(extractor, sourceOf('a.pdf', pdf))
  return { text: text.trim(), ...others }
}

async function textOf(content: string, options: Omit<PageOptions, 'content'> & Omit<PdfOptions, 'pages'> = {}) {
  const { annotations = [], ...others } = options
  return (await extract(pdfOf({ pages: [{ content, annotations }], ...others }))).text
}

describe('the text of a PDF', () => {
  it('has a blank between separate words and none between touching parts', async () => {
    expect(await textOf(line(72, 700, 'left') + line(120, 700, 'right'))).toBe('left right')
    // In "Alcove", the width up to the c is 6.67 + 2.66 points.
    expect(await textOf(line(72, 700, 'Al') + line(72 + 10.67, 700, 'cove'))).toBe('Alcove')
  })

  it('keeps raised and lowered digits', async () => {
    const raised = line(72, 700, 'CO') + line(72 + 18, 697, '2', 'F1', 7)
    expect(await textOf(raised)).toBe('CO2')
  })

  it('contains words once that are printed twice in one place, for bold or for a shadow', async () => {
    const shadow = line(72, 700, 'Summary') + line(72.3, 699.8, 'Summary') + line(72, 680, 'Summary')
    expect(await textOf(shadow)).toBe('Summary\nSummary')
  })

  it('separates words that overlap other words', async () => {
    expect(await textOf(line(72, 700, 'confidential') + line(72, 700, 'report'))).toBe('confidential report')
  })

  it('follows each line, however it is turned', async () => {
    const turned = 'BT /F1 12 Tf 0 1 -1 0 300 100 Tm (up the) Tj ET\nBT /F1 12 Tf 0 1 -1 0 300 138 Tm (margin) Tj ET\n'
    expect(await textOf(turned)).toBe('up the margin')
  })
})

describe('a hyphen at the end of a line', () => {
  it.each([
    [['an exam-', 'ple of it'], 'an example of it'],
    [['INTRO-', 'DUCTION'], 'INTRODUCTION'],
    [['in Anglo-', 'Saxon times'], 'in Anglo-\nSaxon times'],
    [['a dash -', 'not a hyphen'], 'a dash -\nnot a hyphen'],
    [['pre-', 'and post-war'], 'pre- and post-war'],
    [['a mixed-', 'mode program; mixed-mode it is'], 'a mixed-mode program; mixed-mode it is'],
    [['the rule-', 'making of rulemaking'], 'the rulemaking of rulemaking'],
    [['pages 12-', '14'], 'pages 12-\n14'],
  ])('is handled by its context: %j', async (texts, expected) => {
    expect(await textOf(lines(72, 700, texts))).toBe(expected)
  })

  it('is kept in compounds that an earlier page contains', async () => {
    const pages = [
      { content: lines(72, 700, ['a trade-off']) },
      { content: lines(72, 700, ['the trade-', 'off of it']) },
    ]
    expect((await extract(pdfOf({ pages }))).text).toBe('a trade-off\n\nthe trade-off of it')
  })

  it('joins the parts of a word across columns', async () => {
    const columns = lines(72, 700, ['left col-', 'umn: an ex-']) + lines(320, 700, ['ample of', 'reading'])
    expect(await textOf(columns)).toBe('left column: an example of\nreading')
  })
})

describe('columns of a PDF', () => {
  const left = Array.from({ length: 8 }, (_, index) => `the left column, line ${index + 1}`)
  const right = Array.from({ length: 8 }, (_, index) => `the right column, line ${index + 1}`)
  const across = (texts: readonly string[], others: readonly string[]): string =>
    texts.map((text, row) => line(72, 700 - row * 14, text) + line(320, 700 - row * 14, others[row] ?? '')).join('')

  it('are read one after the other if the file stores them line by line', async () => {
    const title = line(72, 730, 'A title over both of the columns, as wide as the page is, and a little more')
    const below = line(72, 500, 'A line below both of the columns')
    const text = await textOf(title + across(left, right) + below)
    expect(text.split('\n').slice(1, -1)).toEqual([...left, ...right])
    expect(text).toMatch(/^A title .*\n[^]*\nA line below both of the columns$/)
  })

  it('keep the order of the file if it is already right', async () => {
    expect((await textOf(lines(72, 700, left) + lines(320, 700, right))).split('\n')).toEqual([...left, ...right])
  })

  it('are read as rows if they form a table', async () => {
    const names = left.map((_, index) => `part ${index + 1}`)
    const text = await textOf(across(names, right))
    expect(text.split('\n')).toEqual(names.map((name, index) => `${name} ${right[index] ?? ''}`))
  })
})

describe('characters of special fonts', () => {
  it.each([
    ['ligatures', '\uFB01nd', 'find'],
    ['Arabic forms', '\uFEE1\uFEFC\uFEB3', 'سلام'],
    ['radicals that stand for ideographs', '\u2F47\u672C', '日本'],
    ['small capitals and old-style figures', '\uF761\uF731\uF738', 'a18'],
    ['bullets of Symbol', '\uF0B7', '•'],
    ['accents drawn before their letter', 'M\u00A8uller caf\u00B4e', 'Müller café'],
    ['accents that are apostrophes', 'l\u00B4ami don\u00B4t', 'l´ami don´t'],
  ])('become ordinary characters: %s', async (_what, drawn, expected) => {
    const characters = Array.from(drawn)
    const unicode = Object.fromEntries(characters.map((character, index) => [index + 65, character]))
    const codes = characters.map((_, index) => (index + 65).toString(16)).join('')
    expect(await textOf(line(72, 700, `<${codes}>`, 'F2'), { unicode })).toBe(expected)
  })

  it('are read for Japanese fonts outside the file, including vertical text', async () => {
    const hexadecimal = (text: string): string => `<${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`
    const columns = line(300, 700, hexadecimal('日本語'), 'F3') + line(270, 700, hexadecimal('テスト'), 'F3')
    expect(await textOf(columns)).toBe('日本語\nテスト')
  })
})

describe('a form in a PDF', () => {
  const widget = (members: string, rect = '[150 695 300 710]'): string =>
    `/Type/Annot/Subtype/Widget/Rect${rect}/F 4 ${members}`

  it('has its values behind their labels', async () => {
    const page = {
      content: lines(72, 700, ['Name:', 'the end']),
      annotations: [widget('/FT/Tx/T(name)/V(Ada Lovelace)')],
    }
    expect((await extract(pdfOf({ pages: [page] }))).text).toBe('Name: Ada Lovelace\nthe end')
  })

  it('shows selected and available choices, but no states of boxes', async () => {
    const options = '/Opt[[(gb)(Britain)][(no)(Norway)]]'
    const annotations = [
      widget(`/FT/Ch/Ff 131072/T(a)/V(no)${options}`),
      widget(`/FT/Ch/T(b)${options}`, '[150 600 300 640]'),
      widget('/FT/Btn/T(c)/V/Off/AS/Off/AP<</N<</Yes 3 0 R/Off 3 0 R>>>>', '[150 500 160 510]'),
    ]
    const page = { content: line(72, 700, 'Country:'), annotations }
    expect((await extract(pdfOf({ pages: [page] }))).text).toBe('Country: Norway\nBritain\nNorway')
  })

  it('hides passwords', async () => {
    const page = { content: line(72, 700, 'PIN:'), annotations: [widget('/FT/Tx/Ff 8192/T(pin)/V(secret)')] }
    expect((await extract(pdfOf({ pages: [page] }))).text).toBe('PIN:')
  })

  it('is read even if it has only values and notes', async () => {
    const annotations = [
      widget('/FT/Tx/T(name)/V(only a value)'),
      '/Type/Annot/Subtype/FreeText/Rect[100 100 200 120]/Contents(on the page)/DA(/Helv 0 Tf)',
      '/Type/Annot/Subtype/Text/Rect[100 100 120 120]/Contents(a remark)',
      '/Type/Annot/Subtype/Text/F 2/Rect[100 100 120 120]/Contents(hidden)',
    ]
    const { text } = await extract(pdfOf({ pages: [{ content: '', annotations }] }))
    expect(text).toBe('only a value\non the page\na remark')
  })
})

describe('a PDF that is partly or entirely unreadable', () => {
  const readable = { content: lines(72, 700, ['a page with text']) }
  const unicode = Object.fromEntries(
    Array.from({ length: 26 }, (_, index) => [index + 97, String.fromCharCode(0xe100 + index)]),
  )
  const garbled = { content: line(72, 700, 'nothing but shapes', 'F2') }

  it('causes a warning for each page without text or with meaningless characters', async () => {
    const { text, warnings, pieces } = await extract(pdfOf({ pages: [readable, { content: '' }, garbled], unicode }))
    expect(text).toContain('a page with text')
    expect(warnings).toEqual([
      'page 2 has no text',
      'page 3 has characters without meaning: its fonts have no Unicode map',
    ])
    expect(pieces.at(-1)?.pages).toBe(3)
  })

  it('is rejected if all pages have no text or only meaningless characters', async () => {
    await expect(extract(pdfOf({ pages: [garbled, garbled], unicode }))).rejects.toMatchObject({
      code: 'ERR_NO_TEXT',
      message: expect.stringContaining('Unicode map') as string,
    })
    await expect(extract(pdfOf({ pages: [{ content: '' }] }))).rejects.toMatchObject({
      code: 'ERR_NO_TEXT',
      message: expect.stringContaining('scan') as string,
    })
  })

  it('is read with a warning if a few letters of its only page with text have no meaning', async () => {
    const bullets = line(72, 640, 'abcd', 'F2')
    const page = {
      content: lines(72, 700, ['The committee reviewed the annual budget', 'and agreed on it.']) + bullets,
    }
    const { text, warnings } = await extract(pdfOf({ pages: [{ content: '' }, page, { content: '' }], unicode }))
    expect(text).toContain('The committee reviewed the annual budget')
    expect(warnings).toEqual([
      'page 1 has no text',
      'page 2 has characters without meaning: its fonts have no Unicode map',
      'page 3 has no text',
    ])
  })

  it('has U+FFFD for the letters that a font only numbers, with a warning', async () => {
    const letters = Object.fromEntries(Array.from('cestouvr', (letter) => [letter.charCodeAt(0), letter]))
    const numbered = { ...letters, 117: '\u056C', 118: '\u0851' }
    const page = { content: line(72, 700, 'tout cet oeuvre ouvre sur une seve courte et sert tous cette vertu', 'F2') }
    const { text, warnings } = await extract(pdfOf({ pages: [page], unicode: numbered }))
    expect(text).toMatch(/to\uFFFDt cet oe\uFFFD\uFFFDre/)
    expect(warnings).toEqual(['page 1 has characters without meaning: its fonts have no Unicode map'])
  })

  it('keeps words of another script beside Latin words, without a warning', async () => {
    const page = { content: line(72, 700, 'tu', 'F2') + lines(72, 680, Array<string>(9).fill('the Armenian word')) }
    const { text, warnings } = await extract(pdfOf({ pages: [page], unicode: { 116: '\u056C', 117: '\u0561' } }))
    expect(text).toContain('\u056C\u0561\nthe Armenian word')
    expect(warnings).toEqual([])
  })

  it('keeps names in Latin letters that are joined to words in Thai or Hindi', async () => {
    const thai = { 116: '\u0E17', 117: '\u0E18', 118: '\u0E19' }
    const hindi = { 116: '\u0915', 117: '\u0916', 118: '\u0917' }
    const latin = { 97: 'a', 98: 'b' }
    for (const script of [thai, hindi]) {
      const page = { content: line(72, 700, 'tuvab tuvtba abtuv tuv abtuv tuvab tuvab tuvab', 'F2') }
      const { text, warnings } = await extract(pdfOf({ pages: [page], unicode: { ...latin, ...script } }))
      expect(text).not.toContain('\uFFFD')
      expect(warnings).toEqual([])
    }
  })

  it('causes a warning for a scan that has only a stamp, and none for a picture beside text', async () => {
    const stamp = line(20, 10, 'Scanned with PaperCam', 'F1', 8)
    // The cover of the page, whole or in strips, is drawn as a square of one unit.
    const whole = { content: `q 612 0 0 792 0 0 cm /I Do Q ${stamp}` }
    const strips = {
      content: `q 0.5 0 0 0.5 0 0 cm q 1224 0 0 792 0 0 cm /I Do Q q 1224 0 0 792 0 792 cm /I Do Q Q ${stamp}`,
    }
    const logo = { content: `q 200 0 0 80 72 700 cm /I Do Q ${stamp}` }
    const text = { content: `q 612 0 0 792 0 0 cm /I Do Q ${lines(72, 700, Array<string>(12).fill('a line of text'))}` }
    // The groups of a drawing have matrices too, with paths under them.
    const group = 'q 300 0 0 400 0 0 cm 0 0 1 rg 0 0 m 1 0 l 1 1 l f Q '
    const drawing = { content: `${group.repeat(5)}${stamp}` }
    const { warnings } = await extract(pdfOf({ pages: [whole, strips, logo, text, drawing] }))
    expect(warnings).toEqual([
      'page 1 is a picture with a few letters: text in pictures is not read',
      'page 2 is a picture with a few letters: text in pictures is not read',
    ])
  })

  it('is read behind a byte-order mark', async () => {
    const pdf = Buffer.concat([Buffer.from('\uFEFF'), pdfOf({ pages: [readable] })])
    expect(await extractor.identify('a.pdf', pdf.subarray(0, 4_096))).toMatchObject({ extension: '.pdf' })
    expect((await extract(pdf)).text).toBe('a page with text')
  })

  it('causes no warning for single symbols between words', async () => {
    const page = { content: line(72, 700, 'a', 'F2') + line(90, 700, 'telephone') }
    const { text, warnings } = await extract(pdfOf({ pages: [page], unicode }))
    expect(text).toBe('\uE100 telephone')
    expect(warnings).toEqual([])
  })

  it('keeps the pages after an invalid entry of the page tree, with a warning', async () => {
    const whole = pdfOf({ pages: [readable, { content: line(72, 700, 'lost') }, readable] }).toString('latin1')
    const broken = whole.replace('11 0 obj\n<<', '11 0 obj\n[ ')
    const { text, warnings } = await extract(Buffer.from(broken, 'latin1'))
    expect(text).toBe('a page with text\n\na page with text')
    expect(warnings).toEqual(['the file is damaged: 2 pages were found, others may be lost'])
  })

  it('is rejected as encrypted if it requires a password', async () => {
    const key = `<${'41'.repeat(32)}>`
    const trailer = `/ID[<41><41>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O ${key}/U ${key}>>`
    await expect(extract(pdfOf({ pages: [readable], trailer }))).rejects.toMatchObject({ code: 'ERR_ENCRYPTED' })
  })

  // U8
  it('is read page by page if it has many pages', async () => {
    const pages = Array.from({ length: 1_000 }, (_, index) => ({ content: line(72, 700, `page ${index + 1}`) }))
    const { pieces } = await extract(pdfOf({ pages }))
    expect(pieces.length).toBe(1_000)
    expect(pieces.map(({ text }) => text.trim())).toEqual(pages.map((_, index) => `page ${index + 1}`))
  })
})

it('the PDF of the examples is read without broken words', async () => {
  const { text } = await extract(
    await readFile(join(import.meta.dirname, '../../../../examples/documents/leave-policy.pdf')),
  )
  expect(text).toContain('eighteen weeks')
  expect(text).not.toMatch(/[a-z]-\n[a-z]/)
})
