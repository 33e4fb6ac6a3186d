import { describe, expect, it } from 'vitest'
import { type DocContent, type DocRun, doc, ole, property } from './word-doc-files.js'
import { docx, extractWord, paragraph, useWordExtractor } from './word-files.js'

useWordExtractor()

async function textOf(content: DocContent): Promise<string> {
  const { text, warnings } = await extractWord('a.doc', doc(content))
  expect(warnings).toEqual([])
  return text
}

const DELETED = property(0x0800, 1)

/** Properties for the first occurrence of a text in the body. */
function run(body: string, text: string, properties: Buffer, style = 0): DocRun {
  const from = body.indexOf(text)
  return { from, to: from + text.length, properties, style }
}

describe('the text of a .doc', () => {
  it('contains body, text boxes, notes, comments, headers and footers', async () => {
    const lines = ['', '', '', '', '', '']
    const text = await textOf({
      body: 'Body.\r',
      footnotes: '\x02 A footnote.\r',
      headers: [...lines, 'Even header.\r', 'Odd header.\r', 'Even footer.\r', 'Odd footer.\r', 'First header.\r', ''],
      comments: '\x05A comment.\r',
      endnotes: '\x02An endnote.\r',
      boxes: 'A box.\r\r',
    })
    expect(text.split(/\n+/).map((line) => line.trim())).toEqual([
      'Body.',
      'A box.',
      'A footnote.',
      'An endnote.',
      'A comment.',
      'Even header.',
      'Odd header.',
      'First header.',
      'Even footer.',
      'Odd footer.',
    ])
  })

  it('omits the separator lines above notes', async () => {
    const lines = ['\x03\r', '\x04\r', 'continued\r', '', '', '']
    expect(await textOf({ body: 'Body.\r', headers: [...lines, '', 'Header.\r', '', '', '', ''] })).toBe(
      'Body.\n\nHeader.',
    )
  })

  it('contains the results of fields instead of their codes, even if fields are nested', async () => {
    const link = '\x13 HYPERLINK "http://example.org" \x14a link\x15'
    expect(await textOf({ body: `See ${link}, page \x13 PAGEREF x \x147\x15.\r` })).toBe('See a link, page 7.')
    expect(await textOf({ body: `\x13 IF \x13 PAGE \x141\x15 = 1 \x14${link}\x15\x13 XE hidden \x15!\r` })).toBe(
      'a link!',
    )
    expect(await textOf({ body: 'An \x13 unended field.\r' })).toBe('An  unended field.')
  })

  it('keeps breaks, hyphens and every character of 8-bit text', async () => {
    expect(await textOf({ body: 'one\vtwo\fe\x1email ex\x1fample\r' })).toBe('one\ntwo\ne-mail example')
    const bytes = Buffer.from('Gr\xfc\xdfe \x80 5 \x93quoted\x94 \x96\r', 'latin1')
    expect(await textOf({ body: 'x'.repeat(bytes.length), bytes })).toBe('Grüße € 5 “quoted” –')
  })

  it('omits deleted text, wherever its pieces are in the file', async () => {
    const body = 'kept gone kept too\r'
    const characters = [run(body, 'gone ', DELETED)]
    for (const pieces of [[body.length], [5, 5, 9], [10, 9]])
      expect(await textOf({ body, characters, pieces })).toBe('kept kept too')
  })

  it('keeps text whose other properties look like a deletion', async () => {
    const body = 'שלום עולם\r'
    // The property is the colour of right-to-left text.
    expect(await textOf({ body, characters: [run(body, 'שלום', property(0x4a60, 1, 0))] })).toBe('שלום עולם')
  })

  it('has an empty line before headings', async () => {
    const body = 'One.\rHead\rTwo.\r'
    const paragraphs = [run(body, 'Head\r', Buffer.alloc(0), 1)]
    expect(await textOf({ body, paragraphs })).toBe('One.\n\nHead\nTwo.')
  })

  it('is read from streams whose names have another case', async () => {
    expect(await textOf({ body: 'Body.\r', streams: { main: 'WORDDOCUMENT', table: '1TABLE' } })).toBe('Body.')
  })
})

describe('a table of a .doc', () => {
  const IN_TABLE = property(0x2416, 1)
  const ROW_END = Buffer.concat([IN_TABLE, property(0x2417, 1)])

  it('is read as rows whose cells have their headers, wherever its pieces are in the file', async () => {
    const rows = ['City\x07Country\x07\x07', 'Oslo\x07Norway\x07\x07', 'Rome\x07Italy\x07\x07']
    const body = `Before.\r${rows.join('')}After.\r`
    const paragraphs: DocRun[] = []
    let at = 8
    for (const row of rows) {
      paragraphs.push({ from: at, to: at + row.length - 1, properties: IN_TABLE })
      paragraphs.push({ from: at + row.length - 1, to: at + row.length, properties: ROW_END })
      at += row.length
    }
    const lines = ['Before.', 'City; Country', 'City: Oslo; Country: Norway', 'City: Rome; Country: Italy', 'After.']
    for (const pieces of [[body.length], [8, 14, body.length - 22]])
      expect(await textOf({ body, paragraphs, pieces })).toBe(lines.join('\n'))
  })
})

describe('a .doc', () => {
  const encrypted = (): Buffer => {
    const main = Buffer.alloc(0x800)
    main.writeUInt16LE(0xa5ec, 0)
    main.writeUInt16LE(0x0100, 0x0a)
    return main
  }
  const olderWord = Buffer.concat([Buffer.from([0xdc, 0xa5]), Buffer.alloc(0x800)])

  it.each([
    ['with a password', ole({ WordDocument: encrypted() }), 'ERR_ENCRYPTED', /password/],
    ['that is an encrypted .docx', ole({ EncryptedPackage: Buffer.alloc(64) }), 'ERR_ENCRYPTED', /password/],
    ['of Word 6', ole({ WordDocument: olderWord }), 'ERR_UNSUPPORTED_FORMAT', /Word 6 or 95/],
    ['that is a workbook', ole({ Workbook: Buffer.alloc(64) }), 'ERR_UNSUPPORTED_FORMAT', /not a Word document/],
    ['that is WordPerfect', Buffer.from('\xffWPC\x10\0\0\0', 'latin1'), 'ERR_UNSUPPORTED_FORMAT', /WordPerfect/],
    [
      'that is WordML',
      Buffer.from('<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument/>'),
      'ERR_UNSUPPORTED_FORMAT',
      /WordML/,
    ],
    ['that is HTML', Buffer.from('<html><body>text</body></html>'), 'ERR_UNSUPPORTED_FORMAT', /HTML/],
    ['that is cut off', doc({ body: 'Body.\r' }).subarray(0, 600), 'ERR_CORRUPT_FILE', /damaged/],
    ['without text', doc({ body: '\r' }), 'ERR_NO_TEXT', /no text/],
  ])('%s is rejected with the reason', async (_what, bytes, code, message) => {
    await expect(extractWord('a.doc', bytes)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    })
  })

  it('is read as .docx if its content is one', async () => {
    expect((await extractWord('a.doc', docx(paragraph('Body.')))).text).toBe('Body.')
  })

  it('keeps its text and warns if its properties are damaged', async () => {
    const bytes = doc({ body: 'kept\r' })
    // The length of the table of the characters' properties, in the main stream.
    const main = bytes.indexOf(Buffer.from([0xec, 0xa5]))
    bytes.writeUInt32LE(0x00ff_ffff, main + 0xfe)
    const { text, warnings } = await extractWord('a.doc', bytes)
    expect(text).toBe('kept')
    expect(warnings).toEqual([expect.stringMatching(/^the formatting of the document is damaged/)])
  })
})
