import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { type Extracted, extracted, sourceOf } from '../../../extracted.js'
import { read } from '../hostile/reading.js'
import { deflatedMegabytes, type ZipEntry } from '../hostile/zip-writer.js'
import { marksOf } from '../lines-at-marks.js'
import { office } from '../office-files.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function extract(bytes: Buffer): Promise<Extracted> {
  await extractor.identify('a.epub', bytes.subarray(0, 4_096))
  return await extracted(extractor, sourceOf('a.epub', bytes))
}

const container =
  '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'

/** A chapter as publishers write it: with a document type and entities of HTML. */
function chapter(body: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${body}</body></html>`
}

function epub(
  chapters: Readonly<Record<string, string>>,
  order: readonly string[] = Object.keys(chapters),
  others: Readonly<Record<string, string | ZipEntry>> = {},
): Buffer {
  const names = Object.keys(chapters)
  const items = names.map((name) => {
    const properties = name.includes('nav') ? ' properties="nav"' : ''
    return `<item id="${name}" href="text/${encodeURIComponent(name)}" media-type="application/xhtml+xml"${properties}/>`
  })
  const parts: Record<string, string | ZipEntry> = {
    mimetype: { name: 'mimetype', data: Buffer.from('application/epub+zip'), isStored: true },
    'META-INF/container.xml': container,
    'OEBPS/book.opf': `<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The Book</dc:title><dc:creator>Ana Rio</dc:creator><dc:creator>B. Sea</dc:creator></metadata><manifest>${items.join('')}<item id="pic" href="a.svg" media-type="image/svg+xml"/></manifest><spine><itemref idref="pic"/>${order.map((name) => `<itemref idref="${name}"/>`).join('')}</spine></package>`,
  }
  for (const [name, text] of Object.entries(chapters)) parts[`OEBPS/text/${name}`] = text
  return office({ ...parts, ...others })
}

describe('an e-book', () => {
  it('is read in the order of its chapters, with headings as marks', async () => {
    const chapters = {
      'two ü.xhtml': chapter('<h1>Two</h1><p>It&nbsp;ends&#8212;here.</p>'),
      'one.xhtml': chapter('<h1>One<a id="x"/></h1><p>It begins.</p><h2>Later</h2><ul><li>a</li><li>b</li></ul>'),
      'nav.xhtml': chapter('<nav><ol><li>One</li><li>Two</li></ol></nav>'),
    }
    const result = await extract(epub(chapters, ['nav.xhtml', 'one.xhtml', 'two ü.xhtml', 'one.xhtml']))
    expect(result.text).toBe(
      [
        'The Book',
        '',
        'Ana Rio, B. Sea',
        '',
        'One',
        '',
        'It begins.',
        '',
        'Later',
        '',
        '- a',
        '- b',
        '',
        'Two',
        '',
        'It ends—here.',
      ].join('\n'),
    )
    expect(marksOf(result).map(([, mark]) => mark)).toEqual([
      { heading: 'The Book', level: 1 },
      { heading: 'One', level: 1 },
      { heading: 'Later', level: 2 },
      { heading: 'Two', level: 1 },
    ])
    expect(result.warnings).toEqual([])
  })

  it('that is damaged loses only the damaged chapter', async () => {
    const chapters = { 'one.xhtml': chapter('<p>first</p>'), 'two.xhtml': chapter('<p>second</p>') }
    const { text, warnings } = await extract(
      epub({ ...chapters, 'three.xhtml': chapter('<p>third</p>') }, undefined, {
        'OEBPS/text/two.xhtml': { name: 'OEBPS/other.xhtml', data: Buffer.from('x') },
      }),
    )
    expect(text).toContain('first')
    expect(text).toContain('third')
    expect(warnings).toEqual([expect.stringContaining('OEBPS/text/two.xhtml is missing') as string])
  })

  const book = (manifest: string, spine: string, parts: Readonly<Record<string, string>>, before = ''): Buffer =>
    epub({}, [], {
      'OEBPS/book.opf': `${before}<package><metadata><title>Maps</title><creator>Ana Rio</creator></metadata><manifest>${manifest}</manifest><spine>${spine}</spine></package>`,
      ...parts,
    })

  it('with a description that declares a document type is read', async () => {
    const type =
      '<?xml version="1.0"?><!DOCTYPE package PUBLIC "+//ISBN 0-9673008-1-9//DTD OEB 1.2 Package//EN" "a.dtd">'
    const item = '<item id="a" href="a.html" media-type="text/x-oeb1-document"/>'
    const { text } = await extract(book(item, '<itemref idref="a"/>', { 'OEBPS/a.html': '<p>Old text</p>' }, type))
    expect(text).toBe('Maps\n\nAna Rio\n\nOld text')
  })

  it('has the text of drawings, and of the pages that stand for other parts', async () => {
    const items = [
      '<item id="map" href="map.svg" media-type="image/svg+xml"/>',
      '<item id="quiz" href="quiz.xml" media-type="application/x-quiz" fallback="pdf"/>',
      '<item id="pdf" href="quiz.pdf" media-type="application/pdf" fallback="page"/>',
      '<item id="page" href="quiz.xhtml" media-type="application/xhtml+xml"/>',
      '<item id="round" href="a.bin" media-type="application/x-a" fallback="round"/>',
    ]
    const order = ['map', 'quiz', 'round'].map((id) => `<itemref idref="${id}"/>`)
    const { text, warnings } = await extract(
      book(items.join(''), order.join(''), {
        'OEBPS/map.svg':
          '<svg xmlns="http://www.w3.org/2000/svg"><desc>The bay</desc><text x="1">Lighthouse</text></svg>',
        'OEBPS/quiz.xhtml': chapter('<p>Answers</p>'),
      }),
    )
    expect(text).toBe('Maps\n\nAna Rio\n\nThe bay\nLighthouse\n\nAnswers')
    expect(warnings).toEqual([])
  })

  it('without the files of its chapters is refused as damaged', async () => {
    const item = '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
    const outcome = await read(extractor, 'a.epub', book(item, '<itemref idref="a"/>', {}))
    expect(outcome).toMatchObject({ code: 'ERR_CORRUPT_FILE', message: expect.stringContaining('chapters') as string })
  })

  it('of pictures is refused as a scan', async () => {
    const spine = '<itemref idref="a"/>'
    const pages = book('<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>', spine, {
      'OEBPS/a.xhtml': chapter('<img src="1.jpg" alt=""/>'),
    })
    const pictures = book('<item id="a" href="1.jpg" media-type="image/jpeg"/>', spine, { 'OEBPS/1.jpg': 'x' })
    for (const scan of [pages, pictures]) {
      expect(await read(extractor, 'a.epub', scan)).toMatchObject({
        code: 'ERR_NO_TEXT',
        message: expect.stringContaining('text recognition') as string,
      })
    }
  })

  const encryption = (method: string, part: string): Record<string, string> => ({
    'META-INF/encryption.xml': `<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><enc:EncryptedData xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptionMethod Algorithm="${method}"/><enc:CipherData><enc:CipherReference URI="${part}"/></enc:CipherData></enc:EncryptedData></encryption>`,
  })

  it('with encrypted chapters is refused, and one with changed fonts is read', async () => {
    const chapters = { 'one.xhtml': chapter('<p>first</p>') }
    const aes = epub(
      chapters,
      undefined,
      encryption('http://www.w3.org/2001/04/xmlenc#aes128-cbc', 'OEBPS/text/one.xhtml'),
    )
    expect(await read(extractor, 'a.epub', aes)).toMatchObject({
      code: 'ERR_ENCRYPTED',
      message: expect.stringContaining('DRM') as string,
    })
    const fonts = epub(chapters, undefined, encryption('http://www.idpf.org/2008/embedding', 'OEBPS/font.otf'))
    expect((await extract(fonts)).text).toContain('first')
  })
})

// U10, U11
describe('a file that is no e-book, or a hostile one', () => {
  const laughs = chapter('<p>x &b;</p>').replace(
    /<!DOCTYPE[^>]*>/,
    '<!DOCTYPE html [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>',
  )
  it.each<[string, () => Buffer, string]>([
    ['a zip', () => office({ 'a.txt': 'x' }), 'ERR_UNSUPPORTED_FORMAT'],
    ['a book without chapters', () => epub({}), 'ERR_CORRUPT_FILE'],
    ['a book without its description', () => office({ 'META-INF/container.xml': container }), 'ERR_CORRUPT_FILE'],
    [
      'a book of pictures',
      () =>
        epub({ 'a.xhtml': chapter('<svg/>') }, undefined, {
          'OEBPS/book.opf':
            '<package><manifest><item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
        }),
      'ERR_NO_TEXT',
    ],
    [
      'a bomb',
      () =>
        epub({ 'a.xhtml': chapter('x') }, undefined, {
          'OEBPS/b.xhtml': {
            name: 'OEBPS/b.xhtml',
            data: deflatedMegabytes(600),
            isDeflated: true,
            statedSize: 600 * 1_048_576,
          },
        }),
      'ERR_EXTRACTION_LIMIT',
    ],
    [
      'entities in the description',
      () => epub({}, [], { 'OEBPS/book.opf': `<!DOCTYPE a [<!ENTITY a "b">]><package/>` }),
      'ERR_CORRUPT_FILE',
    ],
  ])(
    'is refused: %s',
    async (_what, make, code) => {
      const outcome = await read(extractor, 'a.epub', make())
      expect(outcome.code).toBe(code)
      expect(outcome.ms).toBeLessThan(60_000)
    },
    60_000,
  )

  it('expands no entities, leaves no folder, and reads a chapter once', async () => {
    const chapters = { 'a.xhtml': laughs, 'b.xhtml': chapter(`<p>end</p>${'<div>'.repeat(200_000)}`) }
    const again = Array.from({ length: 5_000 }, () => 'a.xhtml')
    expect((await extract(epub(chapters, [...again, 'b.xhtml']))).text).toMatch(/x &b;\s+end$/)
    const outside = epub({ 'a.xhtml': chapter('inside') }, undefined, {
      'OEBPS/book.opf': `<package><manifest><item id="a" href="../../../../etc/passwd" media-type="text/html"/><item id="b" href="text/a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>`,
    })
    expect((await extract(outside)).text).toBe('inside')
  })
})
