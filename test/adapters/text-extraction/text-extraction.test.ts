import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { find, read, utils, write } from 'cfb'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../adapters/text-extraction/index.js'
import type { ExtractedPiece } from '../../../src/ports/index.js'
import { extracted, sourceOf } from '../../extracted.js'

const EXAMPLES = join(import.meta.dirname, '../../../examples/documents')

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function extract(
  fileName: string,
  bytes: Buffer,
  bytesPerPull: number = bytes.length,
): Promise<readonly ExtractedPiece[]> {
  return (await extracted(extractor, sourceOf(fileName, bytes, bytesPerPull))).pieces
}

/** The warnings of pieces, each sentence beside its reason. */
function warningsOf(pieces: readonly ExtractedPiece[]): unknown {
  return pieces.flatMap(({ warnings = [], warningReasons = [] }) =>
    warnings.map((message, at) => ({ message, reason: warningReasons[at] ?? null })),
  )
}

/** The .docx of the examples with another body. */
async function docxOf(text: string): Promise<Buffer> {
  const container = read(await readFile(join(EXAMPLES, 'espresso-machine.docx')), { type: 'buffer' })
  const body = `<w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body>`
  const xml = `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${body}</w:document>`
  utils.cfb_add(container, '/word/document.xml', Buffer.from(xml))
  return write(container, { type: 'buffer', fileType: 'zip' }) as Buffer
}

/** The .doc of the examples with another body: one piece of UTF-16 after the existing content. */
async function docOf(text: string): Promise<Buffer> {
  const container = read(await readFile(join(EXAMPLES, 'opening-hours.doc')), { type: 'buffer' })
  const old = Buffer.from(find(container, '/WordDocument')?.content as Uint8Array)
  const offset = Math.ceil(old.length / 512) * 512
  const main = Buffer.concat([old, Buffer.alloc(offset - old.length), Buffer.from(text, 'utf16le')])
  const table = Buffer.from(find(container, '/1Table')?.content as Uint8Array)
  // The piece table, as [MS-DOC] 2.8.35 has it: marker, length, two character positions, one piece.
  const pieceTable = main.readUInt32LE(0x1a2)
  main.writeInt32LE(text.length, 0x4c)
  table.writeUInt32LE(text.length, pieceTable + 9)
  table.writeUInt32LE(offset, pieceTable + 15)
  utils.cfb_add(container, '/WordDocument', main)
  utils.cfb_add(container, '/1Table', table)
  return write(container, { type: 'buffer' }) as Buffer
}

describe('a Word document of more than one piece', () => {
  // Pieces have at most 65,536 units, so the border is inside an emoji.
  const text = `${'a'.repeat(65_535)}${'😀'.repeat(40_000)}.`

  it.each([
    ['a.docx', docxOf],
    ['a.doc', docOf],
  ] as const)('keeps every character: %s', async (fileName, make) => {
    const pieces = await extract(fileName, await make(text))
    expect(pieces.length).toBeGreaterThan(2)
    expect(pieces.every((piece) => piece.text.isWellFormed())).toBe(true)
    expect(
      pieces
        .map((piece) => piece.text)
        .join('')
        .trim() === text,
    ).toBe(true)
  })
})

describe('a .docx', () => {
  it.each(['é', '漢', '😀'])('keeps letters outside ASCII, wherever they are in the file: %s', async (letter) => {
    const text = `a${letter.repeat(30_000)}.`
    for (const shifted of [text, `a${text}`, `aa${text}`]) {
      const pieces = await extract('a.docx', await docxOf(shifted))
      expect(
        pieces
          .map((piece) => piece.text)
          .join('')
          .trim() === shifted,
      ).toBe(true)
    }
  })
})

describe('a PDF', () => {
  /** The PDF of the examples with zeros in place of the objects of a type, as a torn copy has them. */
  async function withHoles(type: RegExp): Promise<Buffer> {
    const whole = (await readFile(join(EXAMPLES, 'leave-policy.pdf'))).toString('latin1')
    const objects = /\d+ 0 obj[^]*?endobj/g
    return Buffer.from(
      whole.replaceAll(objects, (object) => (type.test(object) ? '\0'.repeat(object.length) : object)),
      'latin1',
    )
  }

  it('yields the text of its remaining pages, with a warning, if its page tree is lost', async () => {
    const text = (await extract('a.pdf', await withHoles(/nothing at all/))).map((piece) => piece.text).join('')
    expect(text).toContain('eighteen weeks')
    const pieces = await extract('a.pdf', await withHoles(/\/Type\s*\/Pages/))
    expect(pieces.map((piece) => piece.text).join('')).toBe(text)
    expect(warningsOf(pieces)).toEqual([
      {
        message: 'the file is damaged: 1 page was found, others may be lost',
        reason: { code: 'pages-may-be-lost', parameters: { count: 1 } },
      },
    ])
  })

  it('is reported as damaged if no page remains', async () => {
    await expect(extract('a.pdf', await withHoles(/\/Type\s*\/Page/))).rejects.toMatchObject({
      code: 'ERR_CORRUPT_FILE',
    })
  })
})

describe('characters outside the basic plane', () => {
  const text = 'name,sign\n1,👍🏽\n2,𝄞\n'
  const utf16be = Buffer.from(text, 'utf16le').swap16()

  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-16LE', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])],
    ['UTF-16BE', Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be])],
  ])('are kept, whatever the size of the pieces of bytes: %s', async (_encoding, bytes) => {
    for (const bytesPerPull of [1, 2, 3, 5]) {
      const [txt, csv] = await Promise.all([
        extract('a.txt', bytes, bytesPerPull),
        extract('a.csv', bytes, bytesPerPull),
      ])
      expect(txt.map((piece) => piece.text).join('')).toBe(text)
      expect(csv.map((piece) => piece.text).join('')).toBe('name; sign\nname: 1; sign: 👍🏽\nname: 2; sign: 𝄞\n')
    }
  })
})

describe('characters that cannot be decoded', () => {
  const utf16 = Buffer.from('\uFEFFa\uFFFDb\uD800c', 'utf16le')
  it.each([
    ['U+FFFD itself', Buffer.from('a\uFFFDb é'), []],
    ['one of them, beside U+FFFD itself', Buffer.concat([Buffer.from('\uFEFFa\uFFFDb'), Buffer.from([0xff])]), [1]],
    ['one of them in UTF-16', utf16, [1]],
    ['one of them in UTF-16, the bytes the other way round', Buffer.from(utf16).swap16(), [1]],
  ])('are only those that decoding replaced: %s', async (_what, bytes, counts) => {
    const warnings = counts.map((count) => ({
      message: `${count} character could not be decoded and became U+FFFD`,
      reason: { code: 'characters-undecodable', parameters: { count } },
    }))
    for (const bytesPerPull of [4, 5, 7])
      for (const name of ['a.txt', 'a.csv']) {
        const pieces = await extract(name, bytes, bytesPerPull)
        expect(warningsOf(pieces)).toEqual(warnings)
      }
  })

  it.each(['a.txt', 'a.md', 'a.csv'])('are counted in a warning: %s', async (fileName) => {
    const head = Buffer.from([0xef, 0xbb, 0xbf])
    const bytes = Buffer.concat([
      head,
      Buffer.from('city,country\nOslo,Nor'),
      Buffer.from([0xff]),
      Buffer.from('way\n\xe9,', 'latin1'),
    ])
    const pieces = await extract(fileName, bytes)
    expect(warningsOf(pieces)).toEqual([
      {
        message: '2 characters could not be decoded and became U+FFFD',
        reason: { code: 'characters-undecodable', parameters: { count: 2 } },
      },
    ])
  })
})
