import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { type Extracted, extracted, sourceOf } from '../../../extracted.js'
import { read } from '../hostile/reading.js'
import { marksOf } from '../lines-at-marks.js'
import { cell, EMBEDDED_CHART, FORMULA, h, number, object, odf, odfPart, p, row, table } from '../odf-files.js'
import { office, xlsx } from '../office-files.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function extract(bytes: Buffer): Promise<Extracted> {
  await extractor.identify('a.odt', bytes.subarray(0, 4_096))
  return await extracted(extractor, sourceOf('a.odt', bytes))
}

async function linesOf(body: string, spec: Parameters<typeof odf>[2] = {}): Promise<string[]> {
  return (await extract(odf('text', body, spec))).text.split('\n')
}

const level = (at: number, attributes: string): string =>
  `<text:list-level-style-number text:level="${at}" ${attributes}/>`
const NUMBERED = `<text:list-style style:name="L1">${level(1, 'style:num-format="1" style:num-suffix="."')}${level(2, 'style:num-format="1" text:display-levels="2"')}${level(3, 'style:num-format="a" style:num-prefix="(" style:num-suffix=")"')}</text:list-style><text:list-style style:name="L2"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/></text:list-style>`
const list = (items: string, attributes = ''): string =>
  `<text:list text:style-name="L1" ${attributes}>${items}</text:list>`
const item = (content: string, attributes = ''): string => `<text:list-item ${attributes}>${content}</text:list-item>`

describe('an OpenDocument text', () => {
  it('has its headings as marks, below the title of its properties, and its title as a heading', async () => {
    const body = p('The tide book', 'P1') + h(1, 'Harbours') + p('Text one.') + h(2, 'Oslo') + p('Text two.')
    const automatic = '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>'
    const result = await extract(odf('text', body, { automatic, title: 'Tides of the north' }))
    expect(result.text).toBe('The tide book\n\nHarbours\nText one.\n\nOslo\nText two.')
    expect(marksOf(result)).toEqual([
      ['The tide book', { heading: 'Tides of the north', level: 0 }],
      ['The tide book', { heading: 'The tide book', level: 1 }],
      ['Harbours', { heading: 'Harbours', level: 1 }],
      ['Oslo', { heading: 'Oslo', level: 2 }],
    ])
  })

  it('has white space as its XML means it, and the readings of words', async () => {
    const body = [
      p('  one\n   two<text:s text:c="3"/>three <text:span> four</text:span><text:tab/>five<text:line-break/>six '),
      p('<text:ruby><text:ruby-base>京都</text:ruby-base><text:ruby-text>きょうと</text:ruby-text></text:ruby>へ'),
    ].join('\n')
    expect(await linesOf(body)).toEqual(['one two   three four\tfive', 'six', '京都(きょうと)へ'])
  })

  it('has the automatic numbers of lists, which go on after a break, and no bullets', async () => {
    const body = [
      list(
        item(p('one') + list(item(p('one one')) + item(p('one two') + list(item(p('deep'))))) + p('more of one')),
        'xml:id="a"',
      ),
      p('between'),
      list(item(p('two')) + item(list(item(p('two one')))), 'text:continue-numbering="true"'),
      list(item(p('five'), 'text:start-value="5"') + item(p('six'))),
      list(item(p('three')), 'text:continue-list="a"'),
      `<text:list text:style-name="L2">${item(p('a point'))}</text:list>`,
    ].join('')
    expect(await linesOf(body, { automatic: NUMBERED })).toEqual([
      '1. one',
      '1.1 one one',
      '1.2 one two',
      '(a) deep',
      'more of one',
      'between',
      '2. two',
      '2.1 two one',
      '5. five',
      '6. six',
      '3. three',
      'a point',
    ])
  })

  it('has the automatic numbers of headings', async () => {
    const styles = `<office:styles><text:outline-style style:name="Outline"><text:outline-level-style text:level="1" style:num-format="I" style:num-suffix="."/><text:outline-level-style text:level="2" style:num-format="1"/></text:outline-style></office:styles>`
    expect(
      (await linesOf(h(1, 'A') + h(2, 'B') + h(2, 'C') + h(1, 'D') + h(2, 'E'), { styles })).filter(
        (line) => line !== '',
      ),
    ).toEqual(['I. A', '1 B', '2 C', 'II. D', '1 E'])
  })

  it('has tables as rows with the names of their columns, and merged cells in each of their rows', async () => {
    const covered = '<table:covered-table-cell/>'
    const body = table(
      'T',
      `<table:table-header-rows>${row(cell('Region'), cell('City'), cell('Visitors', 'table:number-columns-spanned="2"'), covered)}</table:table-header-rows>`,
      row(cell('East', 'table:number-rows-spanned="2"'), cell('Oslo'), number(4310), number(12)),
      row(covered, cell('Moss'), number(80), number(7)),
    )
    expect(await linesOf(p('Before.') + body + p('After.'))).toEqual([
      'Before.',
      'Region; City; Visitors',
      'Region: East; City: Oslo; Visitors: 4310; Visitors: 12',
      'Region: East; City: Moss; Visitors: 80; Visitors: 7',
      'After.',
    ])
  })

  it('has boxes, charts, notes, comments, headers and footers behind its body', async () => {
    const note = (text: string): string =>
      `<text:note><text:note-citation>1</text:note-citation><text:note-body>${p(text)}</text:note-body></text:note>`
    const body = p(
      `Body${note('A note.')} goes on<office:annotation><dc:creator>Mira</dc:creator><dc:date>2026-05-04</dc:date>${p('A comment.')}</office:annotation>.<draw:frame><draw:text-box>${p('A box.')}</draw:text-box></draw:frame><draw:custom-shape>${p('A shape.')}</draw:custom-shape>${object('Object 1')}`,
    )
    const styles = `<office:master-styles><style:master-page><style:header>${p('A header.')}</style:header><style:header-left style:display="false">${p('Hidden.')}</style:header-left><style:footer>${p('A footer.')}</style:footer></style:master-page></office:master-styles>`
    expect(await linesOf(body, { styles, others: { 'Object 1/content.xml': EMBEDDED_CHART } })).toEqual([
      'Body goes on.',
      '',
      'A box.',
      'A shape.',
      '',
      'Visitors by city',
      'Visitors',
      'Oslo; Visitors: 4310',
      'Bergen; Visitors: 2975',
      '',
      'A note.',
      '',
      'A comment.',
      '',
      'A header.',
      'A footer.',
    ])
  })

  it('has formulas in one line at their place', async () => {
    const others = { 'Object 2/content.xml': FORMULA }
    expect(await linesOf(p(`Let ${object('Object 2')} be.`), { others })).toEqual(['Let E=(m+1)/(c^2) be.'])
  })

  it('has nothing that is deleted or hidden', async () => {
    const deleted = `<text:tracked-changes><text:changed-region><text:deletion>${p('Deleted.')}</text:deletion></text:changed-region></text:tracked-changes>`
    const hidden = '<text:hidden-text text:is-hidden="true">secret</text:hidden-text>'
    expect(await linesOf(`${deleted}${p(`Kept${hidden}.`)}<office:forms>${p('Form.')}</office:forms>`)).toEqual([
      'Kept.',
    ])
  })

  it.each([
    [
      'a document with a password',
      () =>
        odf('text', p('x'), {
          others: {
            'META-INF/manifest.xml':
              '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>',
          },
        }),
      'ERR_ENCRYPTED',
      'password',
    ],
    [
      'a document without its text',
      () => office({ mimetype: 'application/vnd.oasis.opendocument.text', 'styles.xml': '<a/>' }),
      'ERR_CORRUPT_FILE',
      'the part with its text is missing',
    ],
    [
      'a document whose text is damaged',
      () => odf('text', '', { others: { 'content.xml': '<office:document' } }),
      'ERR_CORRUPT_FILE',
      'content.xml is damaged',
    ],
    [
      'a spreadsheet',
      () => odf('spreadsheet', ''),
      'ERR_WRONG_TYPE',
      'The content is an OpenDocument spreadsheet, but the name ends with .odt: rename the file to .ods',
    ],
    ['a drawing', () => odf('graphics', ''), 'ERR_UNSUPPORTED_FORMAT', 'an OpenDocument file of another kind'],
    ['a workbook of Excel', () => xlsx([]), 'ERR_WRONG_TYPE', 'rename the file to .xlsx'],
    ['plain text', () => Buffer.from('Hello.'), 'ERR_WRONG_TYPE', 'rename the file to .txt'],
    ['a document without text', () => odf('text', p(' ')), 'ERR_NO_TEXT', 'no text'],
  ])('is refused with its reason: %s', async (_what, file, code, sentence) => {
    expect(await read(extractor, 'a.odt', file())).toMatchObject({
      code,
      message: expect.stringContaining(sentence) as string,
    })
  })

  it('named .docx is refused with the name that it should have', async () => {
    expect(await read(extractor, 'a.docx', odf('text', p('x')))).toMatchObject({
      code: 'ERR_WRONG_TYPE',
      message: 'The content is an OpenDocument text, but the name ends with .docx: rename the file to .odt',
    })
  })

  it('keeps the text before a damage, with a warning, and needs no label', async () => {
    const torn = odf('text', '', {
      others: {
        'content.xml': odfPart('content', `<office:body><office:text>${p('First.')}`).replace(
          '</office:document-content>',
          '',
        ),
      },
    })
    expect(await extract(torn)).toMatchObject({
      text: 'First.',
      warnings: ['content.xml is damaged: some of its text may be missing'],
    })
    const bare = office({
      'content.xml': odfPart('content', `<office:body><office:text>${p('Bare.')}</office:text></office:body>`),
      'META-INF/manifest.xml': '<a/>',
    })
    expect((await extract(bare)).text).toBe('Bare.')
  })

  it('has a formula once that it names again and again', async () => {
    const others = { 'Object 2/content.xml': FORMULA }
    const body = p(`Let ${object('Object 2').repeat(1_000)}${object('OBJECT 2')} be.`)
    expect(await linesOf(body, { others })).toEqual(['Let E=(m+1)/(c^2) be.'])
  })

  it('has the references to its notes', async () => {
    const note = `<text:note text:id="n1"><text:note-citation>4</text:note-citation><text:note-body>${p('A note.')}</text:note-body></text:note>`
    const reference = '<text:note-ref text:note-class="footnote" text:ref-name="n1">4</text:note-ref>'
    expect(await linesOf(p(`Body${note}, see note ${reference}.`))).toEqual(['Body, see note 4.', '', 'A note.'])
  })

  it('is read in seconds if it names one chart again and again', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => row(cell(`City ${at}`), number(at))).join('')
    const chart = odfPart(
      'content',
      `<office:body><office:chart><table:table>${rows}</table:table></office:chart></office:body>`,
    )
    const body = p(object('Object 1').repeat(2_000)) + p(object('OBJECT 1').repeat(2_000)) + p('End.')
    const { text, ms } = await read(
      extractor,
      'a.odt',
      odf('text', body, { others: { 'Object 1/content.xml': chart } }),
    )
    expect(text?.match(/City 19999/g)).toHaveLength(1)
    expect(ms).toBeLessThan(20_000)
  })
})
