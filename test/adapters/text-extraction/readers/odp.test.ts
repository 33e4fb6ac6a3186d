import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { type Extracted, extracted, sourceOf } from '../../../extracted.js'
import { read } from '../hostile/reading.js'
import { marksOf } from '../lines-at-marks.js'
import { cell, EMBEDDED_CHART, FORMULA, object, odf, p, row, table } from '../odf-files.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function extract(body: string, spec: Parameters<typeof odf>[2] = {}): Promise<Extracted> {
  const bytes = odf('presentation', body, spec)
  await extractor.identify('a.odp', bytes.subarray(0, 4_096))
  return await extracted(extractor, sourceOf('a.odp', bytes))
}

const frame = (kind: string, ...paragraphs: readonly string[]): string =>
  `<draw:frame${kind === '' ? '' : ` presentation:class="${kind}"`}><draw:text-box>${paragraphs.map((text) => p(text)).join('')}</draw:text-box></draw:frame>`
const slide = (shapes: string, attributes = ''): string =>
  `<draw:page draw:name="page" ${attributes}>${shapes}</draw:page>`
const notes = (text: string): string =>
  `<presentation:notes><draw:page-thumbnail/>${frame('notes', text)}${frame('page-number', '7')}</presentation:notes>`

describe('an OpenDocument presentation', () => {
  it('is read slide by slide, a slide as a page with its title as heading, and notes behind', async () => {
    const body = [
      '<presentation:footer-decl presentation:name="f1">Harbour board</presentation:footer-decl>',
      slide(
        frame('outline', 'First point', 'Second point') + frame('title', 'The', 'plan') + notes('Speak slowly.'),
        'presentation:use-footer-name="f1"',
      ),
      slide(
        `${frame('', 'No title here')}<draw:g><draw:custom-shape>${p('In a group')}</draw:custom-shape></draw:g>`,
        'presentation:use-footer-name="f1"',
      ),
      slide(frame('title', 'Hidden'), 'draw:style-name="dp2"'),
      slide(frame('title', 'Last') + frame('date-time', '4 May')),
    ].join('')
    const automatic =
      '<style:style style:name="dp2" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    const result = await extract(body, { automatic })
    expect(result.text).toBe(
      [
        'The plan',
        '',
        'Harbour board',
        'First point',
        'Second point',
        '',
        'Notes: Speak slowly.',
        '',
        'No title here',
        'In a group',
        '',
        'Last',
      ].join('\n'),
    )
    expect(marksOf(result)).toEqual([
      ['The plan', { page: 1 }],
      ['The plan', { heading: 'The plan', level: 1 }],
      ['No title here', { page: 2 }],
      ['No title here', { heading: 'Slide 2', level: 1 }],
      ['Last', { page: 4 }],
      ['Last', { heading: 'Last', level: 1 }],
    ])
    expect(result.warnings).toEqual(['1 hidden slide is left out'])
  })

  it('has tables as rows, lists, charts and formulas', async () => {
    const grid = table('T', row(cell('City'), cell('Country')), row(cell('Oslo'), cell('Norway')))
    const list = `<draw:frame presentation:class="outline"><draw:text-box><text:list><text:list-item>${p('A point')}<text:list><text:list-item>${p('below it')}</text:list-item></text:list></text:list-item></text:list></draw:text-box></draw:frame>`
    const body = slide(`<draw:frame>${grid}</draw:frame>${list}${object('Object 1')}${object('Object 2')}`)
    const others = { 'Object 1/content.xml': EMBEDDED_CHART, 'Object 2/content.xml': FORMULA }
    expect((await extract(body, { others })).text.split('\n')).toEqual([
      'City; Country',
      'City: Oslo; Country: Norway',
      'A point',
      'below it',
      'Visitors by city',
      'Visitors',
      'Oslo; Visitors: 4310',
      'Bergen; Visitors: 2975',
      'E=(m+1)/(c^2)',
    ])
  })

  it('is refused with its reason if it is another file, damaged, or has no text', async () => {
    expect(await read(extractor, 'a.odp', odf('text', p('x')))).toMatchObject({ code: 'ERR_WRONG_TYPE' })
    expect(await read(extractor, 'a.odp', odf('presentation', '', { others: { 'content.xml': '' } }))).toMatchObject({
      code: 'ERR_CORRUPT_FILE',
    })
    expect(await read(extractor, 'a.odp', odf('presentation', slide('')))).toMatchObject({ code: 'ERR_NO_TEXT' })
  })
})
