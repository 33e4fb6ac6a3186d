import { describe, expect, it } from 'vitest'
import { chartXml, numbers, series, strings } from '../office-files.js'
import { docx, extractWord, paragraph, part, table, useWordExtractor, zip } from './word-files.js'

useWordExtractor()

async function textOf(body: string, others: Readonly<Record<string, string | Buffer>> = {}): Promise<string> {
  const { text, warnings } = await extractWord('a.docx', docx(body, others))
  expect(warnings).toEqual([])
  return text
}

const run = (content: string): string => `<w:r>${content}</w:r>`
const word = (text: string): string => run(`<w:t>${text}</w:t>`)
const box = (text: string): string => `<w:txbxContent>${paragraph(text)}</w:txbxContent>`

const RELATED = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

describe('the text of a .docx', () => {
  it.each([
    ['breaks', run('<w:t>one</w:t><w:br/><w:t>two</w:t><w:cr/><w:t>three</w:t>'), 'one\ntwo\nthree'],
    ['tabs', run('<w:t>one</w:t><w:tab/><w:t>two</w:t><w:ptab/><w:t>three</w:t>'), 'one\ttwo\tthree'],
    [
      'hyphens',
      run('<w:t>e</w:t><w:noBreakHyphen/><w:t>mail ex</w:t><w:softHyphen/><w:t>ample</w:t>'),
      'e-mail example',
    ],
    ['simple fields', `<w:fldSimple w:instr="DATE">${word('today')}</w:fldSimple>`, 'today'],
    [
      'fields without their codes',
      `${run('<w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText>')}${word('7')}`,
      '7',
    ],
    ['links', `<w:hyperlink>${word('a link')}</w:hyperlink>`, 'a link'],
    ['smart tags', `<w:smartTag><w:smartTag>${word('Oslo')}</w:smartTag></w:smartTag>`, 'Oslo'],
    ['controls', `<w:sdt><w:sdtContent>${word('chosen')}</w:sdtContent></w:sdt>`, 'chosen'],
    ['insertions', `${word('a')}<w:ins>${word('b')}</w:ins><w:moveTo>${word('c')}</w:moveTo>`, 'abc'],
    [
      'no deletions',
      `${word('a')}<w:del>${run('<w:delText>b</w:delText>')}</w:del><w:moveFrom>${word('c')}</w:moveFrom>`,
      'a',
    ],
    [
      'how characters are read',
      run(`<w:ruby><w:rt>${word('とうきょう')}</w:rt><w:rubyBase>${word('東京')}</w:rubyBase></w:ruby>`),
      '東京(とうきょう)',
    ],
    ['symbols', run('<w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FC"/>'), 'α✓'],
    ['symbols in runs', run('<w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr><w:t>\uF062</w:t>'), 'β'],
    [
      'formulas',
      `<m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>
       <m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>
       <m:rad><m:deg/><m:e><m:r><m:t>y</m:t></m:r></m:e></m:rad>
       <m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e><m:r><m:t>z</m:t></m:r></m:e></m:d></m:oMath>`,
      '(a+b)/2x^2√(y)[z]',
    ],
    ['entities and CDATA', run('<w:t>a &amp; b &#233; <![CDATA[<c>]]></w:t>'), 'a & b é <c>'],
  ])('keeps %s', async (_what, content, expected) => {
    expect(await textOf(`<w:p>${content}</w:p>`)).toBe(expected)
  })

  it('has each paragraph on its own line and an empty line before headings', async () => {
    const styles = part('styles', '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>')
    const body = [
      paragraph('One.'),
      paragraph('Two.'),
      paragraph('Head', '<w:pStyle w:val="berschrift1"/>'),
      paragraph('Three.'),
    ]
    expect(await textOf(body.join(''), { 'styles.xml': styles })).toBe('One.\nTwo.\n\nHead\nThree.')
  })

  it('joins a drop cap to its word', async () => {
    expect(await textOf(paragraph('O', '<w:framePr w:dropCap="drop"/>') + paragraph('nce upon a time'))).toBe(
      'Once upon a time',
    )
  })

  it('contains text boxes once, after the text, however they are drawn', async () => {
    const choice = `<mc:Choice Requires="wps"><wps:txbx>${box('in a box')}</wps:txbx></mc:Choice>`
    const fallback = `<mc:Fallback><v:textbox>${box('in a box')}</v:textbox></mc:Fallback>`
    const drawn = run(`<mc:AlternateContent>${choice}${fallback}</mc:AlternateContent>`)
    expect(await textOf(`<w:p>${word('wo')}${drawn}${word('rd')}</w:p>${paragraph('next')}`)).toBe(
      'word\nnext\n\nin a box',
    )
    const onlyOld = run(`<mc:AlternateContent><mc:Choice Requires="x"/>${fallback}</mc:AlternateContent>`)
    expect(await textOf(`<w:p>${onlyOld}</w:p>`)).toBe('in a box')
  })

  it('contains notes, comments, headers and footers, each part once', async () => {
    const note = (kind: string, text: string): string =>
      part(
        `${kind}s`,
        `<w:${kind} w:type="separator">${paragraph('----')}</w:${kind}><w:${kind}>${paragraph(text)}</w:${kind}>`,
      )
    const section = '<w:p><w:pPr><w:sectPr><w:headerReference/></w:sectPr></w:pPr></w:p>'
    const text = await textOf(`${paragraph('Body.')}${section}${section}`, {
      'header1.xml': part('hdr', paragraph('A header.')),
      'header2.xml': part('hdr', `<w:p>${run(box('A box in a header.'))}</w:p>`),
      'footer1.xml': part('ftr', paragraph('A footer.')),
      'comments.xml': part('comments', `<w:comment>${paragraph('A comment.')}</w:comment>`),
      'footnotes.xml': note('footnote', 'A footnote.'),
      'endnotes.xml': note('endnote', 'An endnote.'),
    })
    expect(text.split('\n\n')).toEqual([
      'Body.',
      'A footnote.',
      'An endnote.',
      'A comment.',
      'A header.',
      'A box in a header.',
      'A footer.',
    ])
  })

  it('is read with any namespace prefix, in the strict form and in UTF-16', async () => {
    const strict =
      '<x:document xmlns:x="http://purl.oclc.org/ooxml/wordprocessingml/main"><x:body><x:p><x:r><x:t>Grüße</x:t></x:r></x:p></x:body></x:document>'
    const utf16 = Buffer.from(`\uFEFF<?xml version="1.0" encoding="UTF-16"?>${strict}`, 'utf16le')
    for (const content of [strict, utf16])
      expect((await extractWord('a.docx', zip({ 'word/document.xml': content }))).text).toBe('Grüße')
  })
})

describe('documents and fields in a .docx', () => {
  it('has the state of old form fields', async () => {
    const field = (data: string): string =>
      run(`<w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar>`) +
      run('<w:fldChar w:fldCharType="end"/>')
    const box = (state: string): string => field(`<w:checkBox><w:sizeAuto/>${state}</w:checkBox>`)
    const list = field(
      '<w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList>',
    )
    const body = [
      box('<w:default w:val="0"/><w:checked/>') + word(' paid'),
      box('<w:default w:val="1"/><w:checked w:val="0"/>') + word(' sent'),
      box('<w:default w:val="1"/>') + word(' packed'),
      word('Color: ') + list,
    ]
    expect(await textOf(body.map((content) => `<w:p>${content}</w:p>`).join(''))).toBe(
      '☒ paid\n☐ sent\n☒ packed\nColor: blue',
    )
  })

  it('has charts as tables after the text', async () => {
    const chart = chartXml(series('Rain', strings('c:cat', ['Oslo', 'Bergen']) + numbers('c:val', [3, 9])))
    expect(await textOf(paragraph('text'), { 'chart1.xml': chart })).toBe(
      'text\n\nRain\nOslo; Rain: 3\nBergen; Rain: 9',
    )
  })

  it('has embedded pages, texts and documents at their place', async () => {
    const embed = (name: string): string =>
      `<w:altChunk xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="${name}"/>`
    const parts = {
      'aFChunk1.html': Buffer.from('<html><meta charset="latin1"><p>caf\xe9</p><p>two', 'latin1'),
      'aFChunk2.txt': 'plain\r\ntext',
      'aFChunk3.docx': docx(paragraph('inner')),
      'aFChunk4.mht': 'MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<p>archived</p>',
    }
    const body =
      paragraph('before') +
      embed('aFChunk1.html') +
      paragraph('between') +
      embed('aFChunk2.txt') +
      embed('aFChunk3.docx') +
      table([
        ['Name', 'Text'],
        ['a', embed('aFChunk4.mht')],
      ]) +
      paragraph('after')
    expect((await textOf(body, parts)).split(/\n+/)).toEqual([
      'before',
      'café',
      'two',
      'between',
      'plain',
      'text',
      'inner',
      'Name; Text',
      'Name: a; Text: archived',
      'after',
    ])
    const rich = await extractWord(
      'a.docx',
      docx(paragraph('x') + embed('aFChunk1.rtf'), { 'aFChunk1.rtf': '{\\rtf1 y}' }),
    )
    expect(rich.text).toBe('x\ny')
    expect(rich.warnings).toEqual([])
  })

  const LEFT_OUT = 'text of another format that is embedded in the document is left out'
  const missing = (problem: string): string => `${problem}: some of its text may be missing`
  const lists = (count: number): Record<string, Buffer> =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`aFChunk${at}.docx`, docx(paragraph(`inner ${at}`))]))

  it.each<[string, Record<string, string | Buffer>, string, readonly string[]]>([
    ['a flat package', { 'aFChunk1.xml': '<?xml version="1.0"?>\n<pkg:package><pkg:part>QUJD' }, '', [LEFT_OUT]],
    ['a document of Word 2003', { 'aFChunk1.xml': '<?xml version="1.0"?><w:wordDocument>PAGE' }, '', [LEFT_OUT]],
    ['a text that begins as a zip', { 'aFChunk1.txt': 'PK is a sign' }, 'PK is a sign', []],
    [
      'a damaged document',
      { 'aFChunk1.docx': docx(paragraph('inner')).subarray(0, 300) },
      '',
      [missing('word/aFChunk1.docx is damaged')],
    ],
    [
      'a document with a damaged part',
      { 'aFChunk1.docx': docx(paragraph('inner'), { 'footnotes.xml': '<w:footnotes' }) },
      'inner',
      [missing('word/footnotes.xml is damaged')],
    ],
    [
      'more documents than are read',
      lists(52),
      Array.from({ length: 50 }, (_, at) => `inner ${at}`).join('\n'),
      [missing('the embedded documents are too many or too large')],
    ],
  ])('says what is missing of %s', async (_what, parts, text, warnings) => {
    const body = Object.keys(parts).map((name) => `<w:altChunk xmlns:r="${RELATED}" r:id="${name}"/>`)
    const read = await extractWord('a.docx', docx(body.join('') + paragraph('after'), parts))
    expect(read.text.split(/\n+/).join('\n')).toBe(text === '' ? 'after' : `${text}\nafter`)
    expect(read.warnings).toEqual(warnings)
  })

  it('has an embedded text once, however many references it has', async () => {
    const embed = `<w:altChunk xmlns:r="${RELATED}" r:id="aFChunk1.txt"/>`
    const read = await extractWord('a.docx', docx(embed + paragraph('after') + embed, { 'aFChunk1.txt': 'once' }))
    expect(read.text.split(/\n+/)).toEqual(['once', 'after'])
    expect(read.warnings).toEqual([])
  })

  it('has no more characters of embedded texts than a budget', async () => {
    const line = `${'x'.repeat(99_999)}\n`
    const parts = { 'aFChunk1.txt': line.repeat(90), 'aFChunk2.txt': line.repeat(90) }
    const body = Object.keys(parts).map((name) => `<w:altChunk xmlns:r="${RELATED}" r:id="${name}"/>`)
    const read = await extractWord('a.docx', docx(body.join(''), parts))
    expect(read.text.length).toBeGreaterThan(16_000_000)
    expect(read.text.length).toBeLessThan(17_000_000)
    expect(read.warnings).toEqual([missing('the embedded documents are too many or too large')])
  })
})

describe('a table of a .docx', () => {
  it('is read as rows whose cells have their headers', async () => {
    const rows = [
      ['City', 'Country'],
      ['Oslo', 'Norway'],
      ['Rome', ''],
    ]
    expect(await textOf(paragraph('Before.') + table(rows) + paragraph('After.'))).toBe(
      'Before.\nCity; Country\nCity: Oslo; Country: Norway\nCity: Rome\nAfter.',
    )
  })

  it('has no headers if the first row is not a header', async () => {
    expect(
      await textOf(
        table([
          ['1', '2'],
          ['3', '4'],
        ]),
      ),
    ).toBe('1; 2\n3; 4')
    expect(
      await textOf(
        table([
          ['a', 'a'],
          ['3', '4'],
        ]),
      ),
    ).toBe('a; a\n3; 4')
    expect(
      await textOf(
        table([
          ['Name:', 'Ann'],
          ['Town:', 'Oslo'],
        ]),
      ),
    ).toBe('Name:; Ann\nTown:; Oslo')
  })

  it('uses the marked headers, whatever they look like', async () => {
    const header = (...cells: string[]): string =>
      `<w:tr><w:trPr><w:tblHeader/></w:trPr>${cells.map((cell) => `<w:tc>${cell}</w:tc>`).join('')}</w:tr>`
    const wide = `<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>${paragraph('2020')}`
    const rows = `<w:tr><w:tc>${paragraph('Oslo')}</w:tc><w:tc>${paragraph('1')}</w:tc><w:tc>${paragraph('2')}</w:tc></w:tr>`
    const body = header(paragraph('City'), wide) + header(paragraph(''), paragraph('Q1'), paragraph('Q2')) + rows
    expect(await textOf(`<w:tbl>${body}</w:tbl>`)).toBe('City; 2020\nQ1; Q2\nCity: Oslo; 2020 Q1: 1; 2020 Q2: 2')
  })

  it('repeats a merged cell in each of its rows and columns', async () => {
    const merged = (how: string, text: string): string => `<w:tcPr><w:vMerge${how}/></w:tcPr>${paragraph(text)}`
    const wide = `<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>${paragraph('closed')}`
    const rows = [
      ['Region', 'Summer', 'Winter'],
      [merged(' w:val="restart"', 'North'), 'warm', 'cold'],
      [merged('', ''), wide],
    ]
    expect(await textOf(table(rows))).toBe(
      'Region; Summer; Winter\nRegion: North; Summer: warm; Winter: cold\nRegion: North; Summer, Winter: closed',
    )
  })

  it('is read as paragraphs if it has one row or one column', async () => {
    expect(await textOf(table([[paragraph('One.') + paragraph('Two.'), 'Three.']]))).toBe('One.\nTwo.\nThree.')
    expect(await textOf(table([['One.'], ['Two.']]))).toBe('One.\nTwo.')
  })

  it('keeps its own rows inside another table', async () => {
    const inner = table([
      ['City', 'Country'],
      ['Oslo', 'Norway'],
    ])
    expect(await textOf(table([['Left.', inner]]))).toBe('Left.\nCity; Country\nCity: Oslo; Country: Norway')
    expect(
      await textOf(
        table([
          ['Kind', 'Places'],
          ['Towns', inner],
        ]),
      ),
    ).toBe('Kind; Places\nKind: Towns; Places: City; Country City: Oslo; Country: Norway')
  })

  it('loses no text if its end is missing', async () => {
    const torn = part(
      'document',
      '<w:body><w:tbl><w:tr><w:tc><w:p><w:r><w:t>one</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>two</w:t>',
    )
    const { text, warnings } = await extractWord(
      'a.docx',
      zip({ 'word/document.xml': torn.replaceAll(/<\/w:document>/g, '') }),
    )
    expect(text).toBe('one\ntwo')
    expect(warnings).toEqual(['word/document.xml is damaged: some of its text may be missing'])
  })
})

describe('a damaged .docx', () => {
  it('loses only its damaged part, with a warning', async () => {
    const header = part('hdr', paragraph('A header.'))
    const { text, warnings } = await extractWord(
      'a.docx',
      docx(paragraph('Body.'), {
        'header1.xml': header.slice(0, -20),
        'header2.xml': '\0\0',
        'footer1.xml': part('ftr', paragraph('A footer.')),
      }),
    )
    expect(text).toBe('Body.\n\nA header.\n\nA footer.')
    expect(warnings).toEqual([
      'word/header1.xml is damaged: some of its text may be missing',
      'word/header2.xml is damaged: some of its text may be missing',
    ])
  })

  it('is reported as damaged if a checksum does not match', async () => {
    const bytes = docx(paragraph('Body.'), { 'header1.xml': part('hdr', paragraph('unchanged')) })
    const broken = Buffer.from(bytes)
    // The checksum of the part in the archive's directory, 30 bytes before its name.
    broken.writeUInt32LE(1, broken.lastIndexOf('word/header1.xml') - 30)
    const { warnings } = await extractWord('a.docx', broken)
    expect(warnings).toEqual(['word/header1.xml is damaged: some of its text may be missing'])
  })

  it('loses only the part with damaged compressed bytes', async () => {
    const broken = Buffer.from(docx(paragraph('Body.'), { 'header1.xml': part('hdr', paragraph('A header.')) }))
    const name = 'word/header1.xml'
    // No deflate block starts with 0xff.
    broken[broken.indexOf(name) + name.length] = 0xff
    const { text, warnings } = await extractWord('a.docx', broken)
    expect(text).toBe('Body.')
    expect(warnings).toEqual(['word/header1.xml is damaged: some of its text may be missing'])
  })

  it('is read even if its part names have backslashes', async () => {
    const bytes = docx(paragraph('Body.'), { 'header1.xml': part('hdr', paragraph('A header.')) })
    const names = bytes.toString('latin1').replaceAll(/(?<=word|_rels)\/(?=\w+\.xml)/g, '\\')
    expect(await extractWord('a.docx', Buffer.from(names, 'latin1'))).toMatchObject({
      text: 'Body.\n\nA header.',
      warnings: [],
    })
  })

  it.each([
    ['is cut off', docx(paragraph('Body.')).subarray(0, -100), 'ERR_CORRUPT_FILE'],
    ['has no body', zip({ 'word/document.xml': ' ' }), 'ERR_CORRUPT_FILE'],
    ['is another archive', zip({ 'a.txt': 'text' }), 'ERR_UNSUPPORTED_FORMAT'],
    ['is a workbook', zip({ 'xl/workbook.xml': '<workbook/>' }), 'ERR_WRONG_TYPE'],
    ['has no text', docx('<w:p/>'), 'ERR_NO_TEXT'],
  ])('is rejected if it %s', async (_what, bytes, code) => {
    await expect(extractWord('a.docx', bytes)).rejects.toMatchObject({ code })
  })

  // U7
  it('is rejected if it has a document type, and no entity is expanded', async () => {
    const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('')
    const xml = part('document', paragraph('&l9;')).replace('?>', `?><!DOCTYPE w [<!ENTITY l0 "ha">${laughs}]>`)
    await expect(extractWord('a.docx', zip({ 'word/document.xml': xml }))).rejects.toMatchObject({
      code: 'ERR_CORRUPT_FILE',
      message: expect.stringContaining('document type') as string,
    })
  })

  // U7
  it('is rejected if its XML is nested too deeply', async () => {
    await expect(extractWord('a.docx', docx('<w:sdt>'.repeat(1_000_000)))).rejects.toMatchObject({
      code: 'ERR_CORRUPT_FILE',
    })
  })
})
