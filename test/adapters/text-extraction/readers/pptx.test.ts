import { utils, write } from 'cfb'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { type Extracted, extracted, sourceOf } from '../../../extracted.js'
import { read } from '../hostile/reading.js'
import { marksOf } from '../lines-at-marks.js'
import {
  chartXml,
  numbers,
  office,
  pptx,
  relationships,
  series,
  shape,
  slideParagraph,
  slideXml,
  strings,
  xlsx,
} from '../office-files.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function extract(bytes: Buffer): Promise<Extracted> {
  await extractor.identify('a.pptx', bytes.subarray(0, 4_096))
  return await extracted(extractor, sourceOf('a.pptx', bytes, 65_536))
}

const cell = (text: string, attributes = ''): string =>
  `<a:tc ${attributes}><a:txBody>${slideParagraph(text)}</a:txBody></a:tc>`
const table = (...rows: readonly string[]): string =>
  `<p:graphicFrame><a:graphic><a:graphicData><a:tbl>${rows.map((row) => `<a:tr>${row}</a:tr>`).join('')}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`

describe('a presentation', () => {
  it('is read in the order of its slides, a slide as a page with its title as heading', async () => {
    const file = pptx(
      [
        slideXml(
          `${shape('body', 'First point', 'Second point')}${shape('title', 'The', 'plan')}${shape('sldNum', '7')}`,
        ),
        slideXml(shape('ctrTitle', 'Welcome') + shape('subTitle', 'to Oslo')),
        slideXml(shape('', 'No title here')),
        slideXml(shape('title', 'Hidden'), 'sld', ' show="0"'),
        slideXml(''),
      ],
      [2, 1, 3, 4, 5],
    )
    const result = await extract(file)
    expect(result.text).toBe(
      ['Welcome', '', 'to Oslo', '', 'The plan', '', 'First point', 'Second point', '', 'No title here'].join('\n'),
    )
    expect(marksOf(result)).toEqual([
      ['Welcome', { page: 1 }],
      ['Welcome', { heading: 'Welcome', level: 1 }],
      ['The plan', { page: 2 }],
      ['The plan', { heading: 'The plan', level: 1 }],
      ['No title here', { page: 3 }],
      ['No title here', { heading: 'Slide 3', level: 1 }],
      ['', { page: 5 }],
      ['', { heading: 'Slide 5', level: 1 }],
    ])
    expect(result.warnings).toEqual(['1 hidden slide is left out'])
  })

  it('has tables as rows, line breaks, groups, and the first alternative of a content', async () => {
    const rows = [
      cell('City') + cell('Country'),
      cell('Oslo') + cell('Norway', 'rowSpan="2"'),
      cell('Bergen') + cell('', 'vMerge="1"'),
      cell('Rome, Italy', 'gridSpan="2"') + cell('', 'hMerge="1"'),
    ]
    const content =
      `<p:grpSp>${shape('', 'in a group')}</p:grpSp>` +
      '<p:sp><p:txBody><a:p><a:r><a:t>one</a:t></a:r><a:br/><a:r><a:t>two &amp; three</a:t></a:r></a:p></p:txBody></p:sp>' +
      `<mc:AlternateContent><mc:Choice>${shape('', 'new')}</mc:Choice><mc:Fallback>${shape('', 'old')}</mc:Fallback></mc:AlternateContent>`
    const { text } = await extract(pptx([slideXml(shape('title', 'T') + table(...rows) + content)]))
    expect(text.split('\n').slice(2)).toEqual([
      'City; Country',
      'City: Oslo; Country: Norway',
      'City: Bergen; Country: Norway',
      'Rome, Italy',
      'in a group',
      'one',
      'two & three',
      'new',
    ])
  })

  it('has its notes, diagrams and charts after the slide', async () => {
    const file = pptx([slideXml(shape('title', 'Sales'))], [1], {
      'ppt/slides/_rels/slide1.xml.rels': relationships(
        ['notesSlide', '../notesSlides/notesSlide1.xml'],
        ['chart', '../charts/chart1.xml'],
        ['diagramData', '../diagrams/data1.xml'],
      ),
      'ppt/notesSlides/notesSlide1.xml': slideXml(
        `${shape('sldImg')}${shape('body', 'Say hello.', 'Smile.')}${shape('sldNum', '1')}`,
        'notes',
      ),
      'ppt/charts/chart1.xml': chartXml(
        series('Visitors', strings('c:cat', ['North', 'South']) + numbers('c:val', [7, 9])),
      ),
      'ppt/diagrams/data1.xml': `<dgm:dataModel xmlns:dgm="d" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:pt><dgm:t>${slideParagraph('Step one')}</dgm:t></dgm:pt></dgm:dataModel>`,
    })
    expect((await extract(file)).text).toBe(
      'Sales\n\nStep one\nVisitors\nNorth; Visitors: 7\nSouth; Visitors: 9\n\nNotes: Say hello.\nSmile.',
    )
  })

  const chartOf = async (content: string, type = 'chart', wrap = chartXml): Promise<readonly string[]> => {
    const file = pptx([slideXml(shape('title', 'T'))], [1], {
      'ppt/slides/_rels/slide1.xml.rels': relationships([type, '../charts/c.xml']),
      'ppt/charts/c.xml': wrap(content),
    })
    return (await extract(file)).text.split('\n').slice(2)
  }

  it('has charts as tables of their values, with titles', async () => {
    const title = `<c:title><c:tx><c:rich>${slideParagraph('Visitors')}</c:rich></c:tx></c:title>`
    const years = strings('c:cat', ['2024', '2025'])
    const content =
      title +
      series('Museum', years + numbers('c:val', [4310, 0.30000000000000004])) +
      series('Park', years + numbers('c:val', [null, 12])) +
      `<c:valAx><c:title>${strings('c:tx', ['in thousands'])}</c:title></c:valAx>`
    expect(await chartOf(content)).toEqual([
      'Visitors',
      'in thousands',
      'Museum; Park',
      '2024; Museum: 4310',
      '2025; Museum: 0.3; Park: 12',
    ])
  })

  it('has the outer labels of a chart in each row, dates, and both axes of points', async () => {
    const level = (...texts: readonly (readonly [index: number, text: string])[]): string =>
      `<c:lvl>${texts.map(([index, text]) => `<c:pt idx="${index}"><c:v>${text}</c:v></c:pt>`).join('')}</c:lvl>`
    const levels = `<c:cat><c:multiLvlStrRef><c:multiLvlStrCache>${level([0, 'Oslo'], [1, 'Bergen'], [2, 'Lund'])}${level([0, 'Norway'], [2, 'Sweden'])}</c:multiLvlStrCache></c:multiLvlStrRef></c:cat>`
    expect(await chartOf(series('Rain', levels + numbers('c:val', [1, null, 3])))).toEqual([
      'Rain',
      'Norway; Oslo; Rain: 1',
      'Norway; Bergen',
      'Sweden; Lund; Rain: 3',
    ])
    expect(await chartOf(series('', numbers('c:cat', [45_292], 'yyyy-mm-dd') + numbers('c:val', [5])))).toEqual([
      '2024-01-01; 5',
    ])
    const points = numbers('c:xVal', [1, 2]) + numbers('c:yVal', [3, 4]) + numbers('c:bubbleSize', [8, 9])
    expect(await chartOf(series('Trees', points))).toEqual([
      'Trees',
      'x: 1; Trees: 3; size: 8',
      'x: 2; Trees: 4; size: 9',
    ])
  })

  it('has the newer kinds of charts', async () => {
    const content =
      '<cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:lvl><cx:pt idx="0">Seen</cx:pt><cx:pt idx="1">Bought</cx:pt></cx:lvl></cx:strDim><cx:numDim type="val"><cx:lvl formatCode="General"><cx:pt idx="0">90</cx:pt><cx:pt idx="1">7</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData>' +
      '<cx:chart><cx:title><cx:tx><cx:txData><cx:v>Funnel</cx:v></cx:txData></cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion><cx:series><cx:tx><cx:txData><cx:v>People</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart>'
    const wrap = (inner: string): string =>
      `<cx:chartSpace xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex">${inner}</cx:chartSpace>`
    expect(await chartOf(content, 'chartEx', wrap)).toEqual([
      'Funnel',
      'People',
      'Seen; People: 90',
      'Bought; People: 7',
    ])
  })

  it('has equations in one line', async () => {
    const math =
      '<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:r><m:t>E=m</m:t></m:r><m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>'
    const content = `<mc:AlternateContent><mc:Choice Requires="a14"><a14:m xmlns:a14="x">${math}</a14:m></mc:Choice><mc:Fallback><a:r><a:t>picture</a:t></a:r></mc:Fallback></mc:AlternateContent>`
    const slide = slideXml(`<p:sp><p:txBody><a:p><a:r><a:t>Energy: </a:t></a:r>${content}</a:p></p:txBody></p:sp>`)
    expect((await extract(pptx([slide]))).text).toBe('Energy: E=mc^2')
  })

  it('has the line below all slides once, without dates and numbers that the program writes', async () => {
    const today =
      '<p:sp><p:nvSpPr><p:nvPr><p:ph type="dt"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:fld type="datetime1"><a:t>1 May</a:t></a:fld></a:p></p:txBody></p:sp>'
    const slides = ['one', 'two'].map((title) =>
      slideXml(shape('title', title) + shape('ftr', 'Draft of May') + today + shape('sldNum', '7')),
    )
    expect((await extract(pptx(slides))).text).toBe('one\n\nDraft of May\n\ntwo')
  })

  it('is read if bytes follow its end', async () => {
    const file = pptx([slideXml(shape('title', 'whole'))])
    for (const tail of [Buffer.from('\n'), Buffer.alloc(70_000), Buffer.from('PK\u0005\u0006'.repeat(9))]) {
      const bytes = Buffer.concat([file, tail])
      expect((await extract(bytes)).text).toBe('whole')
    }
  })

  it('that is damaged loses only the damaged slide', async () => {
    const slides = ['one', 'two', 'three'].map((title) => slideXml(shape('title', title)))
    const damaged = pptx([slides[0] ?? '', (slides[1] ?? '').slice(0, -40), slides[2] ?? ''])
    const { text, warnings } = await extract(damaged)
    expect(text).toBe('one\n\ntwo\n\nthree')
    expect(warnings).toEqual(['ppt/slides/slide2.xml is damaged: some of its text may be missing'])
  })
})

// U10, U11
describe('a file that is no presentation, or a hostile one', () => {
  const ole = (stream: string): Buffer => {
    const container = utils.cfb_new()
    utils.cfb_add(container, `/${stream}`, Buffer.alloc(5_000, 1))
    return write(container, { type: 'buffer' }) as Buffer
  }
  const entities = slideXml(shape('', 'x')).replace('?>', '?><!DOCTYPE sld [<!ENTITY a "ha">]>')
  it.each<[string, () => Buffer, string]>([
    ['a presentation with a password', () => ole('EncryptedPackage'), 'ERR_ENCRYPTED'],
    ['a presentation of 2003', () => ole('PowerPoint Document'), 'ERR_UNSUPPORTED_FORMAT'],
    ['a workbook', () => xlsx([]), 'ERR_WRONG_TYPE'],
    ['a presentation without slides', () => pptx([]), 'ERR_NO_TEXT'],
    ['a presentation without its main part', () => office({ 'ppt/slides/slide1.xml': '<a/>' }), 'ERR_CORRUPT_FILE'],
    ['a slide with a document type', () => pptx([entities]), 'ERR_CORRUPT_FILE'],
    ['a slide of 101 MB', () => pptx([slideXml(shape('', 'a'.repeat(101 * 1_048_576)))]), 'ERR_EXTRACTION_LIMIT'],
  ])(
    'is refused: %s',
    async (_what, make, code) => {
      const outcome = await read(extractor, 'a.pptx', make())
      expect(outcome.code).toBe(code)
      expect(outcome.ms).toBeLessThan(60_000)
    },
    60_000,
  )

  it('is read in seconds if a chart has any number of levels, series and points', async () => {
    const ones = numbers(
      'c:val',
      Array.from({ length: 50_000 }, () => 1),
    )
    const levels = `<c:cat><c:multiLvlStrCache>${'<c:lvl/>'.repeat(50_000)}</c:multiLvlStrCache></c:cat>`
    const single = (at: number): string =>
      `<c:ser><c:val><c:numLit><c:pt idx="${at}"><c:v>7</c:v></c:pt></c:numLit></c:val></c:ser>`
    const many = Array.from({ length: 50_000 }, (_, at) => single(at)).join('')
    const chart = chartXml(series('Ones', levels + ones) + many)
    const file = pptx([slideXml(shape('title', 'T'))], [1], {
      'ppt/slides/_rels/slide1.xml.rels': relationships(['chart', '../charts/c.xml']),
      'ppt/charts/c.xml': chart,
    })
    const { text } = await extract(file)
    expect(text.match(/Ones: 1\n/g)).toHaveLength(50_000)
    expect(text.match(/^7$/gm)).toHaveLength(50_000)
  }, 30_000)

  it('is read once if it names a slide ten thousand times, or is nested deeply', async () => {
    const again = pptx(
      [slideXml(shape('title', 'once'))],
      Array.from({ length: 10_000 }, () => 1),
    )
    expect((await extract(again)).text).toBe('once')
    const deep = pptx([slideXml(`${shape('title', 'before')}${'<p:grpSp>'.repeat(100_000)}`)])
    expect((await extract(deep)).text).toBe('before')
  })
})
