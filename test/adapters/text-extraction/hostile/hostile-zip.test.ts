import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { sized } from '../../../full-form.js'
import { read } from './reading.js'
import { AFTER_TEXT, BEFORE_TEXT, bodyOf, deflatedMegabytes, docxOf, type ZipEntry, zipOf } from './zip-writer.js'

const MB = 1_048_576
const extractor = new WorkerTextExtractor()

afterAll(async () => {
  await extractor.close()
})

/** A bomb must be detected, not unpacked. The allowed size takes two seconds to unpack on an idle machine. */
const SOON_MS = 30_000

function bombOf(megabytes: number): Buffer {
  const text = deflatedMegabytes(megabytes, BEFORE_TEXT, AFTER_TEXT)
  const statedSize = BEFORE_TEXT.length + megabytes * MB + AFTER_TEXT.length
  return docxOf({ data: text, isDeflated: true, statedSize })
}

function entities(root: string): Buffer {
  const laughs = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('')
  return Buffer.from(
    `<?xml version="1.0"?><!DOCTYPE ${root} [<!ENTITY l0 "ha">${laughs}]>${BEFORE_TEXT.slice(21)}&l9;${AFTER_TEXT}`,
  )
}

// U7
describe('a .docx with a possible zip bomb', () => {
  it.each<[string, () => Buffer, string, RegExp]>([
    ['64 kB that become 64 MiB', () => bombOf(64), 'ERR_EXTRACTION_LIMIT', /more than|times its packed size/],
    [
      '1 MB that becomes 1 GB',
      () => bombOf(1_024),
      'ERR_EXTRACTION_LIMIT',
      /^The unpacked file has more than .*: split it/,
    ],
    [
      'a part that is not read, of 1 GB',
      () => docxOf({ data: bodyOf('x') }, [{ name: 'media/a.bin', data: deflatedMegabytes(1_024), isDeflated: true }]),
      'ERR_EXTRACTION_LIMIT',
      /^The unpacked file has more than/,
    ],
    [
      '40 parts of 15 MB, each within bounds',
      () => {
        const data = deflatedMegabytes(15)
        const part = (_: unknown, at: number): ZipEntry => ({
          name: `p/${at}`,
          data,
          isDeflated: true,
          statedSize: 15 * MB,
        })
        return docxOf({ data: bodyOf('x') }, Array.from({ length: 40 }, part))
      },
      'ERR_EXTRACTION_LIMIT',
      /200 times its packed size/,
    ],
    [
      'a text node of 101 MB, not packed at all',
      () =>
        docxOf({
          data: Buffer.concat([Buffer.from(BEFORE_TEXT), Buffer.alloc(101 * MB, 'a'), Buffer.from(AFTER_TEXT)]),
          isStored: true,
        }),
      'ERR_EXTRACTION_LIMIT',
      /more than 100 MB of XML in one part/,
    ],
    [
      'a size that is a lie: 100 bytes, which are 64 MiB',
      () => docxOf({ data: deflatedMegabytes(64, BEFORE_TEXT, AFTER_TEXT), isDeflated: true, statedSize: 100 }),
      'ERR_EXTRACTION_LIMIT',
      /^The unpacked file has more than/,
    ],
    [
      'a size that is a lie by one byte',
      () => docxOf({ data: bodyOf('x'), statedSize: bodyOf('x').length - 1 }),
      'ERR_CORRUPT_FILE',
      /another size than its directory says/,
    ],
    [
      'a packed size beyond the end of the file',
      () => docxOf({ data: bodyOf('x'), statedPackedSize: 10 * MB }),
      'ERR_CORRUPT_FILE',
      /damaged/,
    ],
    [
      'a packed size that is too short',
      () => docxOf({ data: bodyOf('x'), statedPackedSize: 5 }),
      'ERR_CORRUPT_FILE',
      /damaged/,
    ],
    [
      '100,000 entries',
      () => {
        const data = Buffer.from('<a/>')
        return docxOf(
          { data: bodyOf('x') },
          Array.from({ length: 100_000 }, (_, at) => ({ name: `p/${at}.xml`, data, isStored: true })),
        )
      },
      'ERR_EXTRACTION_LIMIT',
      /more than 10000 parts/,
    ],
    [
      'entries that share their bytes',
      () =>
        zipOf([{ name: 'word/document.xml', data: deflatedMegabytes(10), isDeflated: true, statedSize: 10 * MB }], {
          copiesOfFirst: 5_000,
        }),
      'ERR_CORRUPT_FILE',
      /overlap/,
    ],
    ['entities that multiply', () => docxOf({ data: entities('w:document') }), 'ERR_CORRUPT_FILE', /DOCTYPE/],
    [
      'entities behind a byte-order mark and a comment',
      () => docxOf({ data: Buffer.from(`\uFEFF<!-- <w:document> -->\n${entities('w:document').toString()}`) }),
      'ERR_CORRUPT_FILE',
      /DOCTYPE/,
    ],
    [
      'entities in UTF-16',
      () => docxOf({ data: Buffer.from(`\uFEFF${entities('w:document').toString()}`, 'utf16le') }),
      'ERR_CORRUPT_FILE',
      /DOCTYPE/,
    ],
    [
      'entities in a part beside',
      () => docxOf({ data: bodyOf('x') }, [{ name: 'word/footnotes.xml', data: entities('w:footnotes') }]),
      'ERR_CORRUPT_FILE',
      /word\/footnotes\.xml has a document type/,
    ],
    [
      'an external entity',
      () =>
        docxOf({
          data: Buffer.from(`<!DOCTYPE w:document SYSTEM "file:///etc/passwd">${BEFORE_TEXT.slice(21)}x${AFTER_TEXT}`),
        }),
      'ERR_CORRUPT_FILE',
      /DOCTYPE/,
    ],
    [
      'entries that are encrypted',
      () => docxOf({ data: bodyOf('x'), isEncrypted: true }),
      'ERR_ENCRYPTED',
      /save it without/,
    ],
  ])('is rejected by its real unpacked content: %s', async (_what, make, code, sentence) => {
    const outcome = await read(extractor, 'a.docx', make())
    expect(outcome).toMatchObject({ code, message: expect.stringMatching(sentence) as string })
    expect(outcome.ms).toBeLessThan(SOON_MS)
    const next = await read(extractor, 'b.docx', docxOf({ data: bodyOf('the next one') }))
    expect(next.text?.trim()).toBe('the next one')
  })

  it('is read if it is large and honest: XML that compresses a hundredfold, and pictures that do not compress', async () => {
    const rows = Array.from(
      { length: 60_000 },
      (_, at) => `<w:p><w:r><w:t>row ${at % 97} of a long table</w:t></w:r></w:p>`,
    )
    const body = Buffer.from(`${BEFORE_TEXT}</w:t></w:r></w:p>${rows.join('')}<w:p><w:r><w:t>the end${AFTER_TEXT}`)
    const picture = { name: 'word/media/image1.png', data: Buffer.alloc(20 * MB, 'p'), isStored: true }
    const outcome = await read(extractor, 'a.docx', docxOf({ data: body }, [picture]))
    expect(outcome.code).toBeUndefined()
    expect(outcome.text).toMatch(/row 96 of a long table\s[^]*the end/)
  })
})

// U7
describe('zips inside a zip', () => {
  const inner = (depth: number): Buffer =>
    depth === 0
      ? deflatedMegabytes(1_024)
      : zipOf(Array.from({ length: 4 }, (_, at) => ({ name: `${at}.zip`, data: inner(depth - 1), isStored: true })))

  it('are not opened', async () => {
    const outcome = await read(
      extractor,
      'a.docx',
      docxOf({ data: bodyOf('outside') }, [{ name: 'word/embeddings/a.zip', data: inner(2) }]),
    )
    expect(outcome.text?.trim()).toBe('outside')
  })

  it('are rejected without a Word document', async () => {
    const outcome = await read(extractor, 'a.docx', inner(2))
    expect(outcome).toMatchObject({
      code: 'ERR_UNSUPPORTED_FORMAT',
      message: expect.stringContaining('a zip archive') as string,
    })
  })
})

describe('a .docx with bytes that were changed, lost or added', () => {
  const whole = docxOf({ data: bodyOf('hello') }, [{ name: 'word/media/a.png', data: Buffer.alloc(100, 'p') }])
  const CODE = /^ERR_(?:CORRUPT_FILE|UNSUPPORTED_FORMAT|WRONG_TYPE|EXTRACTION_LIMIT|ENCRYPTED|NO_TEXT|EMPTY_FILE)$/
  /** Damaged deflated bytes that unpack to more than the directory states before the damage shows. */
  const LARGER_THAN_STATED = [
    { at: 618, byte: 216 },
    { at: 819, byte: 32 },
    { at: 354, byte: 27 },
  ]
  const change = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) })

  it('is read or rejected with a code and ends no process', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 8 }),
        fc.nat(whole.length),
        fc.uint8Array({ maxLength: 40 }),
        async (changes, end, more) => {
          const bytes = Buffer.from(whole)
          for (const { at, byte } of changes) bytes.writeUInt8(byte, at)
          const cut = changes.length === 0 ? bytes.subarray(0, end) : bytes
          const outcome = await read(extractor, 'a.docx', Buffer.concat([cut, more]))
          if (outcome.code !== undefined) expect(outcome.code).toMatch(CODE)
          expect(outcome.ms).toBeLessThan(SOON_MS)
        },
      ),
      { numRuns: sized(50, 150), examples: [[[...LARGER_THAN_STATED], 0, new Uint8Array()]] },
    )
  })
})
