import { deflateSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { CATALOG, objectStreamBomb, onePage, pdfOf, stream, zlibMegabytes } from './pdf-writer.js'
import { read } from './reading.js'

/** Less memory than the defaults, so that the tests finish sooner. */
const MEMORY = { maxHeapMb: 256, maxMemoryMb: 400 }
/** This extractor waits long enough for a file to reach its memory limit on a busy machine. */
const patient = new WorkerTextExtractor({ ...MEMORY, pieceTimeoutMs: 80_000 })
const impatient = new WorkerTextExtractor({ ...MEMORY, pieceTimeoutMs: 6_000, fileTimeoutMs: 10_000 })
/** The time limit, plus the time that a busy machine needs to start and stop processes. */
const SOON_MS = 90_000

afterAll(async () => {
  await Promise.all([patient.close(), impatient.close()])
})

const BOMB = /^ERR_EXTRACTION_LIMIT$/
const ENDLESS = /^ERR_EXTRACTION_(?:LIMIT|TIMEOUT)$/
/** All codes of a file that yields no text. */
const DAMAGED = /^ERR_(?:CORRUPT_FILE|NO_TEXT|EXTRACTION_LIMIT|EXTRACTION_TIMEOUT)$/

const HELLO = stream('BT /F 12 Tf 100 700 Td (hello) Tj ET')

function manyPages(count: number): Buffer {
  return pdfOf({
    1: CATALOG,
    2: `<</Type/Pages/Count ${count}/Kids[${'3 0 R '.repeat(count)}]>>`,
    3: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]>>',
  })
}

/** Forms that each draw the next form ten times. The last form has the text. */
function laughingForms(depth: number): Buffer {
  const forms = Object.fromEntries(
    Array.from({ length: depth }, (_, at) => {
      const isLast = at === depth - 1
      const content = isLast ? 'BT /F 12 Tf (ha) Tj ET ' : '/X Do '
      const next = isLast ? '/Font<</F 5 0 R>>' : `/XObject<</X ${at + 11} 0 R>>`
      const dictionary = `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<${next}>>`
      return [at + 10, stream(content.repeat(10), dictionary)]
    }),
  )
  return onePage(stream('/X Do'), forms, '/XObject<</X 10 0 R>>')
}

// U8
describe('a PDF that attacks its reader', () => {
  it.each<[string, () => Buffer, RegExp]>([
    ['a stream of objects of 3 GB', () => objectStreamBomb(3_000), BOMB],
    ['a content of 3 GB', () => onePage(stream(zlibMegabytes(3_000), '/Filter/FlateDecode')), BOMB],
    [
      'a content of 3 GB of text',
      () => onePage(stream(zlibMegabytes(3_000, 'BT /F 12 Tf (', ') Tj ET'), '/Filter/FlateDecode')),
      BOMB,
    ],
    [
      'a content packed twice, of 10 GB',
      () => onePage(stream(deflateSync(zlibMegabytes(10_000)), '/Filter[/FlateDecode/FlateDecode]')),
      BOMB,
    ],
    ['a million pages', () => manyPages(1_000_000), ENDLESS],
    [
      'a page tree that leads back to itself',
      () => pdfOf({ 1: CATALOG, 2: '<</Type/Pages/Count 9/Kids[2 0 R 2 0 R]>>' }),
      DAMAGED,
    ],
    [
      'a page tree that leads back to itself by another',
      () =>
        pdfOf({
          1: CATALOG,
          2: '<</Type/Pages/Count 999999/Kids[3 0 R]>>',
          3: '<</Type/Pages/Parent 2 0 R/Count 999998/Kids[2 0 R]>>',
        }),
      DAMAGED,
    ],
    [
      'a thousand million pages that are not there',
      () => pdfOf({ 1: CATALOG, 2: '<</Type/Pages/Count 1000000000/Kids[]>>' }),
      DAMAGED,
    ],
    [
      'lists in lists, a million deep',
      () => onePage(HELLO, { 10: '['.repeat(1_000_000) }, '/XObject 10 0 R'),
      /^hello$/,
    ],
    [
      'dictionaries in dictionaries, a million deep',
      () => onePage(stream(`/P ${'<</A'.repeat(1_000_000)} BDC`)),
      DAMAGED,
    ],
    ['forms that draw forms ten times each', () => laughingForms(12), ENDLESS],
    [
      'a form that draws itself',
      () =>
        onePage(
          stream('/X Do'),
          { 10: stream('/X Do /X Do', '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 10 0 R>>>>') },
          '/XObject<</X 10 0 R>>',
        ),
      DAMAGED,
    ],
    [
      'a length that refers to itself',
      () => onePage(Buffer.from('<</Length 4 0 R>>\nstream\nBT ET\nendstream')),
      DAMAGED,
    ],
  ])(
    'is rejected in time with a code: %s',
    async (_what, make, code) => {
      const extractor = code === BOMB ? patient : impatient
      const outcome = await read(extractor, 'a.pdf', make())
      expect(outcome.code ?? outcome.text?.trim()).toMatch(code)
      expect(outcome.ms).toBeLessThan(SOON_MS)
      expect((await read(extractor, 'b.pdf', onePage(HELLO))).text?.trim()).toBe('hello')
    },
    120_000,
  )
})
