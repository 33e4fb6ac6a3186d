import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { type Extracted, extracted, sourceOf } from '../../../extracted.js'
import { read } from '../hostile/reading.js'
import { marksOf } from '../lines-at-marks.js'
import { cell, number, odf, p, row, table } from '../odf-files.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function extract(body: string, automatic = ''): Promise<Extracted> {
  const bytes = odf('spreadsheet', body, { automatic })
  await extractor.identify('a.ods', bytes.subarray(0, 4_096))
  return await extracted(extractor, sourceOf('a.ods', bytes))
}

const EMPTY_CELLS = '<table:table-cell table:number-columns-repeated="16381"/>'
const EMPTY_ROWS = `<table:table-row table:number-rows-repeated="1048570">${cell('', 'table:number-columns-repeated="16384"')}</table:table-row>`

describe('an OpenDocument spreadsheet', () => {
  it('is read sheet by sheet, with the names of the columns in each row and the sheets as pages', async () => {
    const cities = table(
      'Cities',
      row(cell('City'), cell('Country'), cell('Share'), EMPTY_CELLS),
      row(cell('Oslo'), cell('Norway'), cell('12.5%', 'office:value-type="percentage" office:value="0.125"')),
      EMPTY_ROWS,
    )
    const result = await extract(cities + table('Notes', row(cell('Checked in May.'))))
    expect(result.text).toBe(
      'Cities\n\nCity; Country; Share\nCity: Oslo; Country: Norway; Share: 12.5%\n\nNotes\n\nChecked in May.',
    )
    expect(marksOf(result)).toEqual([
      ['Cities', { page: 1 }],
      ['Cities', { heading: 'Cities', level: 1 }],
      ['Notes', { page: 2 }],
      ['Notes', { heading: 'Notes', level: 1 }],
    ])
    expect(result.warnings).toEqual([])
  })

  it('leaves out hidden sheets with a warning, and comments, shapes and changes without one', async () => {
    const automatic =
      '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>'
    const hidden = `<table:table table:name="H" table:style-name="ta2">${row(cell('secret'))}</table:table>`
    const changes = `<table:tracked-changes><table:cell-content-change><table:previous>${cell('before')}</table:previous></table:cell-content-change></table:tracked-changes>`
    const shown = table(
      'S',
      `<table:shapes><draw:frame><draw:text-box>${p('shape')}</draw:text-box></draw:frame></table:shapes>`,
      row(cell(`<office:annotation>${p('comment')}</office:annotation>${p('kept')}`)),
    )
    expect(await extract(changes + hidden + shown, automatic)).toMatchObject({
      text: 'S\n\nkept',
      warnings: ['1 hidden sheet is left out'],
    })
  })

  it('has merged cells in each of their rows, and repeated cells and rows as often as they are there', async () => {
    const sheet = table(
      'S',
      row(cell('Region'), cell('Branch'), cell('Jan'), cell('Feb')),
      row(cell('North', 'table:number-rows-spanned="2"'), cell('Bodo'), number(1), number(2)),
      row(
        '<table:covered-table-cell/>',
        cell('Alta'),
        cell('5', 'table:number-columns-repeated="2" office:value-type="float" office:value="5"'),
      ),
      `<table:table-row table:number-rows-repeated="2">${cell('South')}${cell('Moss')}${number(7)}</table:table-row>`,
    )
    expect((await extract(sheet)).text.split('\n').slice(3)).toEqual([
      'Region: North; Branch: Bodo; Jan: 1; Feb: 2',
      'Region: North; Branch: Alta; Jan: 5; Feb: 5',
      'Region: South; Branch: Moss; Jan: 7',
      'Region: South; Branch: Moss; Jan: 7',
    ])
  })

  it('has the values of cells that have no text', async () => {
    const value = (type: string, attributes: string): string => cell('', `office:value-type="${type}" ${attributes}`)
    const sheet = table(
      'S',
      row(
        value('float', 'office:value="0.30000000000000004"'),
        value('percentage', 'office:value="0.07"'),
        value('date', 'office:date-value="2026-05-04T00:00:00"'),
        value('time', 'office:time-value="PT09H30M00S"'),
        value('boolean', 'office:boolean-value="true"'),
        value('string', 'office:string-value="text"'),
      ),
    )
    expect((await extract(sheet)).text).toBe('S\n\n0.3; 7%; 2026-05-04; 09:30:00; TRUE; text')
  })

  it('that repeats a long cell millions of times stays within its limits', async () => {
    const long = cell('x'.repeat(10_000), 'table:number-columns-repeated="16384"')
    const bomb = table('S', `<table:table-row table:number-rows-repeated="1048576">${long}</table:table-row>`)
    const { text, code, warnings } = await read(extractor, 'a.ods', odf('spreadsheet', bomb))
    expect(code).toBeUndefined()
    expect(warnings).toEqual([
      expect.stringMatching(
        /^1,0\d\d,\d{3} repetitions of cells and rows are left out: some of its text may be missing$/,
      ),
    ])
    expect(text?.length).toBeLessThan(20_000_000)
    expect(text).toContain('x'.repeat(10_000))
  })

  it('is refused with its reason if it is another file, or damaged', async () => {
    expect(await read(extractor, 'a.ods', odf('text', p('x')))).toMatchObject({
      code: 'ERR_WRONG_TYPE',
      message: expect.stringContaining('rename the file to .odt') as string,
    })
    const damaged = odf('spreadsheet', '', { others: { 'content.xml': 'no XML' } })
    expect(await read(extractor, 'a.ods', damaged)).toMatchObject({ code: 'ERR_CORRUPT_FILE' })
    expect(await read(extractor, 'a.ods', odf('spreadsheet', table('Only a name')))).toMatchObject({
      code: 'ERR_NO_TEXT',
    })
  })
})
