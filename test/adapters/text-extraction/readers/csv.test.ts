import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { type Extracted, extracted, sourceOf } from '../../../extracted.js'
import { sized } from '../../../full-form.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function extract(table: string | Buffer, bytesPerPull = 65_536): Promise<Extracted> {
  const read = await extracted(extractor, sourceOf('a.csv', Buffer.from(table), bytesPerPull))
  for (const { text } of read.pieces) expect(text.length).toBeLessThanOrEqual(200_000)
  return read
}

const MEGABYTE = 1024 * 1024
const OSLO = 'City; Country\nCity: Oslo; Country: Norway\nCity: Rome; Country: Italy\n'

describe('a table', () => {
  it.each([
    ['commas', 'City,Country\nOslo,Norway\nRome,Italy\n'],
    ['semicolons', 'City;Country\nOslo;Norway\nRome;Italy\n'],
    ['tabs', 'City\tCountry\nOslo\tNorway\nRome\tItaly\n'],
    ['bars', 'City|Country\nOslo|Norway\nRome|Italy\n'],
    ['a declared delimiter', 'sep=^\r\nCity^Country\r\nOslo^Norway\r\nRome^Italy\r\n'],
    ['a byte-order mark', '\uFEFFCity,Country\nOslo,Norway\nRome,Italy\n'],
    ['carriage returns alone', 'City,Country\rOslo,Norway\rRome,Italy\r'],
    ['line ends of all kinds, and none at the end', 'City,Country\r\nOslo,Norway\rRome,Italy'],
    ['empty lines and cells', '\nCity,Country\n\nOslo,Norway\n,\n\nRome,Italy\n\n'],
    ['quotes', '"City","Country"\n"Oslo","Norway"\n"Rome","Italy"\n'],
  ])('keeps the header with every cell: %s', async (_what, table) => {
    for (const bytesPerPull of [1, 5, 65_536]) expect((await extract(table, bytesPerPull)).text).toBe(OSLO)
  })

  it.each([
    ['line breaks and quotes in cells', 'a,b\n"one\ntwo","say ""hi"", x"\n', 'a; b\na: one\ntwo; b: say "hi", x\n'],
    ['quotes inside a cell', 'a,b\n5" pipe,6" pipe\n', 'a; b\na: 5" pipe; b: 6" pipe\n'],
    ['more cells and fewer than there are columns', 'a,b\n1,2,3\n4\n', 'a; b\na: 1; b: 2; 3\na: 4\n'],
    ['two columns of one name', 'score,score\n1,2\n', 'score; score\nscore: 1; score: 2\n'],
    ['years as names', 'Country,2023,2024\nNorway,1,2\n', 'Country; 2023; 2024\nCountry: Norway; 2023: 1; 2024: 2\n'],
    ['no header', '1,2\n3,4\n', '1; 2\n3; 4\n'],
    ['a line that looks like a comment', 'a,b\n# not gone,1\n', 'a; b\na: # not gone; b: 1\n'],
    ['a zero character', 'a,b\nx\0y,1\n', 'a; b\na: x\uFFFDy; b: 1\n'],
  ])('keeps %s', async (_what, table, text) => {
    expect((await extract(table)).text).toBe(text)
  })

  it.each([
    ['a title', 'Tides 2026\n\nDay,High\n1 May,04:10\n', 'Tides 2026\nDay; High\nDay: 1 May; High: 04:10\n'],
    [
      'a padded title and lines about the table',
      'Tides 2026,,,,\nBay:,north,,,\nDay,High,Low,Wind,Sun\n1 May,4,10,2,5\n2 May,5,11,3,6\n',
      'Tides 2026\nBay:; north\nDay; High; Low; Wind; Sun\nDay: 1 May; High: 4; Low: 10; Wind: 2; Sun: 5\nDay: 2 May; High: 5; Low: 11; Wind: 3; Sun: 6\n',
    ],
    ['a title and no names', 'Tides\n1 May,4\n2 May,5\n', 'Tides\nTides: 1 May; 4\nTides: 2 May; 5\n'],
    ['one column', 'City\nOslo\nRome\n', 'City\nCity: Oslo\nCity: Rome\n'],
  ])('has the names of its columns below %s', async (_what, table, text) => {
    expect((await extract(table)).text).toBe(text)
  })

  it.each(['', '\n\n', ',,\n,,\n', '\uFEFF'])(
    'without content is rejected as a file without text: %j',
    async (table) => {
      await expect(extract(table)).rejects.toMatchObject({ code: 'ERR_NO_TEXT' })
    },
  )

  it('never loses a cell, and each cell gets the header of its column', async () => {
    const cell = fc.oneof(
      fc.constant(''),
      fc.string({ maxLength: 12 }),
      fc.string({ maxLength: 12, unit: 'grapheme' }),
      fc.constantFrom('a,b', 'a;b', 'line\nbreak', 'said "so"', '1,5', '"', 'Zürich', '東京', '👍🏽'),
    )
    const tables = fc.integer({ min: 1, max: 6 }).chain((columns) =>
      fc.record({
        delimiter: fc.constantFrom(',', ';', '\t', '|'),
        lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
        rows: fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 30 }),
        bytesPerPull: fc.integer({ min: 1, max: 300 }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(tables, async ({ delimiter, lineEnd, rows, bytesPerPull }) => {
        const header = (rows[0] ?? []).map((_, column) => `column ${'ABCDEF'.charAt(column)}`)
        const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`
        const lines = [header, ...rows].map((row) => row.map(quoted).join(delimiter))
        // The delimiter is declared, because a table of one column does not show it.
        const { text, warnings } = await extract(`sep=${delimiter}${lineEnd}${lines.join(lineEnd)}`, bytesPerPull)
        expect(warnings).toEqual([])
        let at = text.indexOf('\n') + 1
        for (const row of rows) {
          for (const [column, value] of row.entries()) {
            if (value.trim() === '') continue
            const found = text.indexOf(`${header[column]}: ${value.replaceAll('\0', '\uFFFD').toWellFormed()}`, at)
            expect(found).toBeGreaterThanOrEqual(at)
            at = found + 1
          }
        }
      }),
      { numRuns: sized(40, 200) },
    )
  })
})

const ROWS = sized(100_000, 400_000)

// U11
describe('a hostile table', () => {
  it('keeps the rows after a quote that is never closed', async () => {
    for (const open of [3, ROWS - 10]) {
      const rows = Array.from({ length: ROWS }, (_, row) => `name ${row},${row === open ? '"' : ''}city ${row}`)
      const { text, warnings } = await extract(`name,city\n${rows.join('\n')}\n`, MEGABYTE)
      expect(text).toContain(`name ${open},"city ${open}\n`)
      expect(text.endsWith(`name: name ${ROWS - 1}; city: city ${ROWS - 1}\n`)).toBe(true)
      expect(warnings).toEqual([expect.stringMatching(/^1 line is not a row of the table/)])
    }
  })

  it('has the names of the columns below a title with an open quote', async () => {
    const { text } = await extract('"Sales 2024\ncity,people\nOslo,7\n')
    expect(text).toBe('"Sales 2024\ncity; people\ncity: Oslo; people: 7\n')
  })

  it('keeps the rows behind an open quote with the memory of a small machine', async () => {
    const small = new WorkerTextExtractor({ maxMemoryMb: 256 })
    try {
      for (const delimiter of [',', '\t']) {
        const rows = Array.from({ length: 200_000 }, (_, row) =>
          [row, `name ${row}`, `Oslo ${row % 97}`].join(delimiter),
        )
        const table = [['id', 'name', 'city'].join(delimiter), ['1', '"open', 'x'].join(delimiter), ...rows].join('\n')
        const { text, warnings } = await extracted(small, sourceOf('open.csv', Buffer.from(table)))
        expect(text.endsWith('id: 199999; name: name 199999; city: Oslo 82\n')).toBe(true)
        expect(warnings).toEqual([expect.stringMatching(/^1 line is not a row of the table/)])
      }
    } finally {
      await small.close()
    }
  }, 120_000)

  it('is read in time even if every line has a quote that is never closed', async () => {
    const { text } = await extract(`name,city\n${'"b,x\n'.repeat(300_001)}`, MEGABYTE)
    expect(text.match(/b/g)).toHaveLength(300_001)
  })

  it.each(['"', ''])(
    'is read in pieces if a cell has 50 MB (quote: %j)',
    async (quote) => {
      const cell = 'word '.repeat(10_000_000)
      const { text, warnings } = await extract(`name,text\nfirst,${quote}${cell}${quote}\nlast,end\n`, MEGABYTE)
      expect(text.length).toBeGreaterThan(50_000_000)
      expect(text.endsWith('name: last; text: end\n')).toBe(true)
      expect(warnings).toEqual([expect.stringMatching(/^1 line is not a row of the table/)])
    },
    120_000,
  )

  it.each(['', 'last,end\n'])(
    'keeps a line of 8 MB with an open quote as text, and the rows behind it: %j',
    async (rest) => {
      const line = `first,"${'word '.repeat(1_677_721)}`
      const { text, warnings } = await extract(
        `name,text\nbefore,it\n${line}${rest === '' ? '' : `\n${rest}`}`,
        MEGABYTE,
      )
      expect(text).toContain('name: before; text: it\n')
      expect(text.match(/word/g)).toHaveLength(1_677_721)
      if (rest !== '') expect(text.endsWith('name: last; text: end\n')).toBe(true)
      expect(warnings).toEqual([expect.stringMatching(/^1 line is not a row of the table/)])
    },
  )

  it('keeps the values of 100,000 columns, with the header only once', async () => {
    const columns = Array.from({ length: 100_000 }, (_, column) => column)
    const line = (prefix: string): string => columns.map((column) => `${prefix}${column}`).join(',')
    const { text, warnings } = await extract(`${line('c')}\n${line('x')}\n${line('y')}\n`, MEGABYTE)
    expect(text).toContain('x99998; x99999\n')
    expect(text.endsWith('y99998; y99999\n')).toBe(true)
    expect(warnings).toEqual(['the column names are too long to repeat them in every row'])
  })
})
