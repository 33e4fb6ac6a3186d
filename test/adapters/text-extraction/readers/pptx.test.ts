import { utils, write } from 'cfb'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { type Extracted, extracted, sourceOf } from '../../../extracted.js'
import { read } from '../hostile/reading.js'
import { marksOf } from '../lines-at-marks.js'
import { office, pptx, relationships, shape, slideParagraph, slideXml, xlsx } from '../office-files.js'

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

  it('has its notes, diagrams and labels of charts after the slide', async () => {
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
      'ppt/charts/chart1.xml':
        '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:cat><c:strRef><c:strCache><c:pt><c:v>North</c:v></c:pt><c:pt><c:v>North</c:v></c:pt></c:strCache></c:strRef></c:cat></c:chartSpace>',
      'ppt/diagrams/data1.xml': `<dgm:dataModel xmlns:dgm="d" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:pt><dgm:t>${slideParagraph('Step one')}</dgm:t></dgm:pt></dgm:dataModel>`,
    })
    expect((await extract(file)).text).toBe('Sales\n\nStep one\nNorth\n\nNotes: Say hello.\nSmile.')
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
