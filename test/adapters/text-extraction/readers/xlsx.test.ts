import { utils, write } from 'cfb'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { type Extracted, extracted, sourceOf } from '../../../extracted.js'
import { sized } from '../../../full-form.js'
import { read } from '../hostile/reading.js'
import { bodyOf, deflatedMegabytes, docxOf } from '../hostile/zip-writer.js'
import { marksOf } from '../lines-at-marks.js'
import { office, rowsOf, sheetXml, xlsx } from '../office-files.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function extract(bytes: Buffer): Promise<Extracted> {
  await extractor.identify('a.xlsx', bytes.subarray(0, 4_096))
  return await extracted(extractor, sourceOf('a.xlsx', bytes, 65_536))
}

describe('a workbook', () => {
  it('is read sheet by sheet, a sheet as a page and a heading, each cell with the name of its column', async () => {
    const file = xlsx(
      [
        {
          name: 'Prices &amp; more',
          rows: rowsOf([
            ['Price list'],
            [],
            ['Drink', 'Price', null, 'Since'],
            ['Tea', 2.5, null, 2019],
            ['Coffee', 3, null, null],
          ]),
        },
        { name: 'Empty', rows: '' },
        { name: 'Secret', state: 'hidden', rows: rowsOf([['hidden']]) },
        { name: 'Notes', rows: rowsOf([['Closed on Monday']]) },
      ],
      {},
    )
    const result = await extract(file)
    expect(result.text).toBe(
      [
        'Prices & more',
        '',
        'Price list',
        '',
        'Drink; Price; Since',
        'Drink: Tea; Price: 2.5; Since: 2019',
        'Drink: Coffee; Price: 3',
        '',
        'Notes',
        '',
        'Closed on Monday',
      ].join('\n'),
    )
    expect(marksOf(result)).toEqual([
      ['Prices & more', { page: 1 }],
      ['Prices & more', { heading: 'Prices & more', level: 1 }],
      ['', { page: 2 }],
      ['Notes', { page: 3 }],
      ['Notes', { heading: 'Notes', level: 1 }],
    ])
    expect(result.warnings).toEqual(['1 hidden sheet is left out'])
  })

  const linesOf = async (rows: string, merged: readonly string[] = []): Promise<readonly string[]> =>
    (await extract(xlsx([{ name: 'S', rows, merged }]))).text.split('\n').slice(2)

  it('has a merged cell in each of its rows', async () => {
    const rows = rowsOf([
      ['Region', 'Branch', 'Sales'],
      ['North', 'Alta', 5],
      [null, 'Bodo', 6],
      ['South', 'Moss', 7],
      [null, 'Skien', 8],
      [null, 'Larvik', 9],
    ])
    expect(await linesOf(rows, ['A2:A3', 'A4:A5', 'B1:C1'])).toEqual([
      'Region; Branch; Sales',
      'Region: North; Branch: Alta; Sales: 5',
      'Region: North; Branch: Bodo; Sales: 6',
      'Region: South; Branch: Moss; Sales: 7',
      'Region: South; Branch: Skien; Sales: 8',
      'Branch: Larvik; Sales: 9',
    ])
  })

  it('has no merged names in the rows below them, and finds merged cells far behind the rows', async () => {
    const rows = rowsOf([
      ['Region', 'Sales'],
      [null, 'Q1'],
      ['North', 1],
    ])
    expect(await linesOf(rows, ['A1:A2'])).toEqual(['Region; Sales', 'Sales: Q1', 'Region: North; Sales: 1'])
    const many = Array.from({ length: 3_000 }, (_, at) => `C${at * 2 + 10}:C${at * 2 + 11}`)
    const long = await linesOf(
      rowsOf([
        ['a', 'b'],
        ['x', 1],
        [null, 2],
      ]),
      [...many, 'A2:A3'],
    )
    expect(long).toEqual(['a; b', 'a: x; b: 1', 'a: x; b: 2'])
  })

  it('has the own names of a second table, but no row of the first one as names', async () => {
    const tables = rowsOf([
      ['City', 'People'],
      ['Oslo', 7],
      [],
      ['Team', 'Wins'],
      ['Reds', 3],
      [],
      ['Points of May'],
      ['Player', 'Points'],
      ['Ann', 9],
    ])
    expect(await linesOf(tables)).toEqual([
      'City; People',
      'City: Oslo; People: 7',
      '',
      'Team; Wins',
      'Team: Reds; Wins: 3',
      '',
      'Team: Points of May',
      'Player; Points',
      'Player: Ann; Points: 9',
    ])
    const one = rowsOf([['City', 'People'], ['Oslo', 7], [], ['Rome', 'n/a'], ['Bergen', 3], [], ['Lund', 'few']])
    expect(await linesOf(one)).toEqual([
      'City; People',
      'City: Oslo; People: 7',
      '',
      'City: Rome; People: n/a',
      'City: Bergen; People: 3',
      '',
      'City: Lund; People: few',
    ])
  })

  it('has no row with a year as names', async () => {
    const films = rowsOf([
      ['Title', 'Director', 'Year'],
      ['Alien', 'Scott', 1979],
      [],
      ['Jaws', 'Spielberg', 1975],
      ['Rocky', 'Stone', 1976],
    ])
    expect(await linesOf(films)).toEqual([
      'Title; Director; Year',
      'Title: Alien; Director: Scott; Year: 1979',
      '',
      'Title: Jaws; Director: Spielberg; Year: 1975',
      'Title: Rocky; Director: Stone; Year: 1976',
    ])
  })

  it('knows the names of a second table of texts by their look', async () => {
    const row = (number: number, style: number, ...texts: readonly string[]): string =>
      `<row r="${number}">${texts.map((text) => `<c t="inlineStr" s="${style}"><is><t>${text}</t></is></c>`).join('')}</row>`
    const rows =
      row(1, 1, 'City', 'Country') +
      row(2, 0, 'Oslo', 'Norway') +
      row(4, 1, 'Team', 'Trainer') +
      row(5, 0, 'Reds', 'Ann') +
      row(7, 0, 'Blues', 'Bob')
    expect(await linesOf(rows)).toEqual([
      'City; Country',
      'City: Oslo; Country: Norway',
      '',
      'Team; Trainer',
      'Team: Reds; Trainer: Ann',
      '',
      'Team: Blues; Trainer: Bob',
    ])
  })

  it('of merged cells over all rows does not grow without limit', async () => {
    const label = 'x'.repeat(200)
    const first = `<row r="1">${Array.from({ length: 2_000 }, () => `<c t="inlineStr"><is><t>${label}</t></is></c>`).join('')}</row>`
    const rows = Array.from({ length: 2_000 }, (_, at) => `<row r="${at + 2}"><c r="CVZ1"><v>${at}</v></c></row>`).join(
      '',
    )
    const { text } = await extract(
      xlsx([
        {
          name: 'S',
          rows: first + rows,
          merged: Array.from({ length: 2_000 }, (_, at) => `${letters(at)}1:${letters(at)}5000`),
        },
      ]),
    )
    expect(text).toContain('1999')
    expect(text.length).toBeLessThan(8_000_000)
  })

  it('has numbers, dates and results of formulas as Excel shows them', async () => {
    const styles = [0, 14, 9, 10, 4, 164, 165, 166, 49, 22, 20]
    const formats =
      '<numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/><numFmt numFmtId="165" formatCode="[$-407]d. mmmm yyyy"/><numFmt numFmtId="166" formatCode="#,##0.00\\ &quot;€&quot;"/>'
    const cells: readonly (readonly [xml: string, shown: string])[] = [
      ['<c><v>0.30000000000000004</v></c>', '0.3'],
      ['<c><v>12345678901234567890</v></c>', '12345678901234600000'],
      ['<c s="1"><v>45292</v></c>', '2024-01-01'],
      ['<c s="9"><v>45292.75</v></c>', '2024-01-01 18:00'],
      ['<c s="10"><v>0.5</v></c>', '12:00'],
      ['<c s="5"><v>45292</v></c>', '01.01.2024'],
      ['<c s="6"><v>45292</v></c>', '1. Januar 2024'],
      ['<c s="2"><v>0.125</v></c>', '13%'],
      ['<c s="3"><v>0.125</v></c>', '12.50%'],
      ['<c s="4"><v>1234.5</v></c>', '1,234.50'],
      ['<c s="7"><v>1234.5</v></c>', '1,234.50 €'],
      ['<c s="8"><v>007</v></c>', '7'],
      ['<c t="b"><v>1</v></c>', 'TRUE'],
      ['<c t="e"><v>#N/A</v></c>', '#N/A'],
      ['<c t="d"><v>2024-02-29</v></c>', '2024-02-29'],
      ['<c t="str"><f>A1&amp;"x"</f><v>result</v></c>', 'result'],
      ['<c><f>1+1</f><v>2</v></c>', '2'],
      ['<c s="99"><v>5</v></c>', '5'],
      ['<c s="1"><v>-3.5e300</v></c>', '-3.5E+300'],
    ]
    const rows = cells.map(([xml], at) => `<row r="${at + 1}">${xml}</row>`).join('')
    const { text } = await extract(xlsx([{ name: 'S', rows }], { styles, formats }))
    expect(text.split('\n').slice(2)).toEqual(cells.map(([, shown]) => shown))
  })

  it('of the Mac counts its days from 1904', async () => {
    const rows = '<row r="1"><c s="0"><v>43830</v></c></row>'
    expect((await extract(xlsx([{ name: 'S', rows }], { styles: [14], startsIn1904: true }))).text).toBe(
      'S\n\n2024-01-01',
    )
  })

  it('has shared texts, rich texts without their readings, and cells at their columns', async () => {
    const rows =
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>' +
      '<row r="2"><c r="A2" t="inlineStr"><is><t>two\nlines</t></is></c><c r="C2" t="s"><v>2</v></c></row>' +
      '<row r="3"><c r="C3" t="s"><v>7</v></c><c r="D3"><v>4</v></c></row>'
    const strings = [
      'Name',
      '<r><t>Rea</t></r><r><t xml:space="preserve">ding </t></r><rPh><t>YOMI</t></rPh>',
      '東京 🙂',
    ]
    const { text, warnings } = await extract(xlsx([{ name: 'S', rows }], { strings }))
    expect(text).toBe('S\n\nName; Reading\nName: two lines; Reading: 東京 🙂\n4')
    expect(warnings).toEqual(['the texts of 1 cells of the sheet "S" are missing'])
  })

  it('keeps the names of a wider table below another one', async () => {
    const table = [['A', 'B'], ['a', 'b'], [], ['Town', 'Country', 'People'], ['Oslo', 'Norway', 700_000]]
    const { text } = await extract(xlsx([{ name: 'S', rows: rowsOf(table) }]))
    expect(text).toBe('S\n\nA; B\nA: a; B: b\n\nTown; Country; People\nTown: Oslo; Country: Norway; People: 700000')
  })

  it('that is damaged loses only the damaged sheet', async () => {
    const sheets = ['one', 'two', 'three'].map((name) => ({ name, rows: rowsOf([[`text of ${name}`]]) }))
    const others = { 'xl/worksheets/sheet2.xml': sheetXml(rowsOf([['begins']])).slice(0, -30) }
    const { text, warnings } = await extract(xlsx(sheets, { others }))
    expect(text).toContain('text of one')
    expect(text).toContain('begins')
    expect(text).toContain('text of three')
    expect(warnings).toEqual(['xl/worksheets/sheet2.xml is damaged: some of its text may be missing'])
  })
})

// U10
describe('a file that is no workbook', () => {
  const ole = (stream: string): Buffer => {
    const container = utils.cfb_new()
    utils.cfb_add(container, `/${stream}`, Buffer.alloc(5_000, 1))
    return write(container, { type: 'buffer' }) as Buffer
  }
  it.each<[string, Buffer, string, RegExp]>([
    ['a workbook with a password', ole('EncryptedPackage'), 'ERR_ENCRYPTED', /save it without password/],
    [
      'a workbook of 2003',
      ole('Workbook'),
      'ERR_UNSUPPORTED_FORMAT',
      /\(\.xls\), which is not supported: save it as \.xlsx/,
    ],
    ['a .doc', ole('WordDocument'), 'ERR_WRONG_TYPE', /rename the file to \.doc$/],
    ['a .docx', docxOf({ data: bodyOf('x') }), 'ERR_WRONG_TYPE', /a Word document, .* rename the file to \.docx$/],
    ['a zip', office({ 'a.txt': 'x' }), 'ERR_UNSUPPORTED_FORMAT', /a zip archive, not an Excel workbook/],
    ['text', Buffer.from('a;b'), 'ERR_WRONG_TYPE', /plain text/],
    ['a workbook without sheets', xlsx([]), 'ERR_NO_TEXT', /no text/],
    ['a workbook without its main part', office({ 'xl/styles.xml': '<a/>' }), 'ERR_CORRUPT_FILE', /missing/],
  ])('is refused: %s', async (_what, bytes, code, message) => {
    const outcome = await read(extractor, 'a.xlsx', bytes)
    expect(outcome).toMatchObject({ code, message: expect.stringMatching(message) as string })
  })
})

// U11
describe('a hostile workbook', () => {
  it('of many rows is read in little memory', async () => {
    const count = sized(150_000, 1_000_000)
    const small = new WorkerTextExtractor({ maxMemoryMb: 256 })
    const rows = Array.from(
      { length: count },
      (_, at) =>
        `<row r="${at + 1}"><c r="A${at + 1}"><v>${at}</v></c><c r="B${at + 1}" t="str"><v>city ${at}</v></c></row>`,
    ).join('')
    try {
      let text = ''
      for await (const piece of small.extract(sourceOf('a.xlsx', xlsx([{ name: 'S', rows }])))) text += piece.text
      expect(text.split('\n').at(-1)).toBe(`${count - 1}; city ${count - 1}`)
    } finally {
      await small.close()
    }
  }, 240_000)

  const one = (rows: string, others: Readonly<Record<string, string>> = {}): Buffer =>
    xlsx([{ name: 'S', rows }], { others })
  const declared =
    '<!DOCTYPE worksheet [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><worksheet><sheetData><row><c t="str"><v>&b;</v></c></row></sheetData></worksheet>'
  it.each<[string, () => Buffer, string]>([
    ['entities that multiply', () => one('', { 'xl/worksheets/sheet1.xml': declared }), 'ERR_CORRUPT_FILE'],
    ['a cell of 5 MB', () => one(rowsOf([['x'.repeat(5_000_000)]])), 'ERR_EXTRACTION_LIMIT'],
    [
      'a text that a million cells share',
      () =>
        xlsx([{ name: 'S', rows: '<row><c t="s"><v>0</v></c></row>'.repeat(100_000) }], {
          strings: ['x'.repeat(30_000)],
        }),
      'ERR_EXTRACTION_LIMIT',
    ],
    [
      'a bomb',
      () => {
        const data = deflatedMegabytes(64, '<worksheet>', '</worksheet>')
        return office({
          ...{ 'xl/workbook.xml': '<workbook/>' },
          'xl/a.xml': { name: 'xl/a.xml', data, isDeflated: true, statedSize: 1 },
        })
      },
      'ERR_EXTRACTION_LIMIT',
    ],
  ])(
    'is refused: %s',
    async (_what, make, code) => {
      const outcome = await read(extractor, 'a.xlsx', make())
      expect(outcome.code).toBe(code)
      expect(outcome.ms).toBeLessThan(60_000)
    },
    120_000,
  )

  it('with cells far apart, deep elements and references in circles is read', async () => {
    const far = Array.from(
      { length: 20_000 },
      (_, at) => `<row r="${at * 50 + 1}"><c r="XFD1"><v>${at}</v></c><c r="A1"><v>1</v></c></row>`,
    )
    expect((await extract(one(far.join('')))).text).toContain('19999')
    const deep = one(`${rowsOf([['before']])}${'<a>'.repeat(100_000)}`)
    expect((await extract(deep)).text).toContain('before')
    const circle = one(rowsOf([['text']]), {
      'xl/worksheets/_rels/sheet1.xml.rels':
        '<Relationships><Relationship Id="r1" Target="sheet1.xml"/></Relationships>',
    })
    expect((await extract(circle)).text).toBe('S\n\ntext')
  })

  it('with a strange format of numbers is read', async () => {
    const formats = ['[[[[', ';;;', '"', '0'.repeat(10_000), '[$-FFFFFFFF]d', '[>=1e999]0;;', 'General;General']
      .map(
        (code, at) =>
          `<numFmt numFmtId="${200 + at}" formatCode="${code.replaceAll('"', '&quot;').replaceAll('>', '&gt;')}"/>`,
      )
      .join('')
    const styles = Array.from({ length: 7 }, (_, at) => 200 + at)
    const rows = styles.map((_, at) => `<row><c s="${at}"><v>7</v></c></row>`).join('')
    expect(
      (await extract(xlsx([{ name: 'S', rows }], { formats, styles }))).text.match(/7/g)?.length,
    ).toBeGreaterThanOrEqual(5)
  })
})

/** The name of a column. */
function letters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26))
  return column < 26 ? last : letters(Math.floor(column / 26) - 1) + last
}
