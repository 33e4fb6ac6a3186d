import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../adapters/text-extraction/index.js'
import { onePage, stream } from './hostile/pdf-writer.js'
import { read } from './hostile/reading.js'
import { bodyOf, docxOf, type ZipEntry, zipOf } from './hostile/zip-writer.js'

const EXAMPLES = join(import.meta.dirname, '../../../examples/documents')
const extractor = new WorkerTextExtractor()

afterAll(async () => {
  await extractor.close()
})

const pdf = onePage(stream('BT /F 12 Tf (hello) Tj ET'))
const docx = docxOf({ data: bodyOf('hello') })
const doc = await readFile(join(EXAMPLES, 'opening-hours.doc'))
const program = Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), Buffer.alloc(8_000)])
const windowsProgram = Buffer.concat([Buffer.from('MZ\x90\x00\x03\x00\x00\x00', 'latin1'), Buffer.alloc(8_000)])
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(100)])
const html = Buffer.from('<!DOCTYPE html><html><body>hello</body></html>')
const rtf = Buffer.from('{\\rtf1\\ansi hello}')
const wordMl = Buffer.from('<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument/>')
const officeOf = (main: string, part: string, before: readonly ZipEntry[] = []): Buffer =>
  zipOf([
    ...before,
    { name: 'docProps/app.xml', data: Buffer.from('<a/>') },
    {
      name: '[Content_Types].xml',
      data: Buffer.from(`<Types><Override PartName="/${part}" ContentType="${main}"/></Types>`),
    },
    { name: part, data: Buffer.from('<a/>') },
  ])
const OFFICE = 'application/vnd.openxmlformats-officedocument'
const xlsx = officeOf(`${OFFICE}.spreadsheetml.sheet.main+xml`, 'xl/workbook.xml')
const pptx = officeOf(`${OFFICE}.presentationml.presentation.main+xml`, 'ppt/presentation.xml')

// U10
describe('a file with the name of another supported format', () => {
  it.each([
    ['a.txt', pdf, 'The content is a PDF, but the name ends with .txt: rename the file to .pdf'],
    ['a.docx', pdf, 'The content is a PDF, but the name ends with .docx: rename the file to .pdf'],
    ['a.pdf', docx, 'The content is a Word document, but the name ends with .pdf: rename the file to .docx'],
    ['a.csv', docx, 'The content is a Word document, but the name ends with .csv: rename the file to .docx'],
    [
      'a.pdf',
      doc,
      'The content is an OLE container, as .doc files are, but the name ends with .pdf: rename the file to .doc',
    ],
    [
      'a.md',
      doc,
      'The content is an OLE container, as .doc files are, but the name ends with .md: rename the file to .doc',
    ],
    [
      'a.docx',
      Buffer.from('just text'),
      'The content is plain text, but the name ends with .docx: rename the file to .txt',
    ],
    [
      'a.DOC',
      Buffer.from('just text, \xe9', 'latin1'),
      'The content is plain text, but the name ends with .doc: rename the file to .txt',
    ],
    ['a.doc', html, 'The content is HTML, but the name ends with .doc: rename the file to .html'],
    ['a.pdf', html, 'The content is HTML, but the name ends with .pdf: rename the file to .html'],
    ['a.eml', html, 'The content is HTML, but the name ends with .eml: rename the file to .html'],
    ['a.html', rtf, 'The content is RTF, but the name ends with .html: rename the file to .rtf'],
    ['a.docx', rtf, 'The content is RTF, but the name ends with .docx: rename the file to .rtf'],
    ['a.html', pdf, 'The content is a PDF, but the name ends with .html: rename the file to .pdf'],
    ['a.docx', xlsx, 'The content is an Excel workbook, but the name ends with .docx: rename the file to .xlsx'],
    ['a.xlsx', docx, 'The content is a Word document, but the name ends with .xlsx: rename the file to .docx'],
    ['a.epub', docx, 'The content is a Word document, but the name ends with .epub: rename the file to .docx'],
    [
      'a.docx',
      pptx,
      'The content is a PowerPoint presentation, but the name ends with .docx: rename the file to .pptx',
    ],
    [
      'a.pdf',
      Buffer.from('\uFEFFjust text', 'utf16le'),
      'The content is plain text, but the name ends with .pdf: rename the file to .txt',
    ],
  ])('is rejected with the name that it should have: %s', async (name, bytes, message) => {
    expect(await read(extractor, name, bytes)).toMatchObject({ code: 'ERR_WRONG_TYPE', message })
  })

  it.each([
    ['a .docx named .doc', 'a.doc', docx, 'hello'],
    ['a .doc named .docx', 'a.docx', doc, undefined],
    ['RTF named .doc', 'a.doc', rtf, 'hello'],
    ['a table named .txt', 'a.txt', Buffer.from('a,b\n1,2\n'), 'a,b\n1,2'],
    ['a web page named .txt', 'a.txt', html, html.toString()],
    [
      'text that begins as a picture does',
      'a.txt',
      Buffer.from('BM is short for benchmark'),
      'BM is short for benchmark',
    ],
    ['text about PDFs', 'a.txt', Buffer.from('Look for "1 0 obj".'), 'Look for "1 0 obj".'],
    ['a PDF behind the lines of a mail', 'a.pdf', Buffer.concat([Buffer.from('X: y\r\n\r\n'), pdf]), 'hello'],
  ])('is read if such names are common: %s', async (_what, name, bytes, text) => {
    const outcome = await read(extractor, name, bytes)
    expect(outcome.code).toBeUndefined()
    if (text !== undefined) expect(outcome.text?.trim()).toBe(text)
  })
})

// U10
describe('a file of an unsupported format', () => {
  it.each([
    ['a.pdf', program, /a program/],
    ['a.docx', windowsProgram, /a program/],
    ['a.txt', program, /a program/],
    ['a.pdf', png, /an image/],
    ['a.json', program, /a program/],
    ['a.doc', wordMl, /WordML \(XML of Word 2003\)/],
    ['a.doc', Buffer.from('\xffWPC\x10\x00\x00\x00\x01\x0a', 'latin1'), /WordPerfect/],
    ['a.doc', Buffer.from([0xdb, 0xa5, 0x2d, 0, 0, 0, 9]), /Word 2 or earlier/],
    ['a.docx', zipOf([{ name: 'a.txt', data: Buffer.from('hello') }]), /a zip archive/],
    ['a.docx', zipOf([{ name: 'META-INF/MANIFEST.MF', data: Buffer.from('x') }]), /a Java archive/],
    ['a.pdf', zipOf([{ name: 'a.txt', data: Buffer.from('hello') }]), /a zip archive/],
  ])('is rejected with the name of its format: %s', async (name, bytes, sentence) => {
    const outcome = await read(extractor, name, bytes)
    expect(outcome).toMatchObject({
      code: 'ERR_UNSUPPORTED_FORMAT',
      message: expect.stringMatching(sentence) as string,
    })
  })

  it('is identified by all entries of a zip instead of the first ones', async () => {
    const pictures = Array.from(
      { length: 50 },
      (_, at): ZipEntry => ({ name: `media/image${at}.png`, data: Buffer.alloc(2_000, at), isStored: true }),
    )
    const late = docxOf({ data: bodyOf('at the end') }, [], { before: pictures })
    expect((await read(extractor, 'a.docx', late)).text?.trim()).toBe('at the end')
    const table = await read(
      extractor,
      'a.docx',
      officeOf(`${OFFICE}.spreadsheetml.sheet.main+xml`, 'xl/workbook.xml', pictures),
    )
    expect(table).toMatchObject({
      code: 'ERR_WRONG_TYPE',
      message: 'The content is an Excel workbook, but the name ends with .docx: rename the file to .xlsx',
    })
  })

  it('is reported as damaged if it is a Word document without its text part', async () => {
    const hollow = officeOf(`${OFFICE}.wordprocessingml.document.main+xml`, 'word/styles.xml')
    expect(await read(extractor, 'a.docx', hollow)).toMatchObject({
      code: 'ERR_CORRUPT_FILE',
      message: 'The file is damaged: the part with its text is missing',
    })
  })

  it('is reported as empty if it has no bytes', async () => {
    for (const name of ['a.pdf', 'a.docx', 'a.txt']) {
      expect(await read(extractor, name, Buffer.alloc(0))).toMatchObject({ code: 'ERR_EMPTY_FILE' })
    }
  })
})
