import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { extracted, sourceOf } from '../../../extracted.js'
import { read } from '../hostile/reading.js'
import { bodyOf, docxOf } from '../hostile/zip-writer.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

const TEXT = 'level: warn # Größe\n\n  nested:\t"1"\n'
const CODE = 'def total(rows):\n    return sum(rows)  # Größe\n'
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(100)])

describe('a text under another name than .txt', () => {
  it.each(['a.log', 'a.yaml', 'a.YML', 'a.toml', 'a.xml', 'a.ini', 'a.srt', 'a.vtt'])(
    'is read unchanged: %s',
    async (name) => {
      expect(await read(extractor, name, Buffer.from(TEXT))).toMatchObject({ text: TEXT })
      expect(extractor.formats.find(({ extension }) => name.toLowerCase().endsWith(extension))?.isCode).toBeUndefined()
    },
  )

  it.each(['a.py', 'a.ts', 'a.d.ts', 'a.java', 'a.h', 'a.SQL', 'a.css', 'a.sh'])(
    'is read as source code: %s',
    async (name) => {
      expect(await read(extractor, name, Buffer.from(CODE))).toMatchObject({ text: CODE })
      expect(extractor.formats.find(({ extension }) => name.toLowerCase().endsWith(extension))?.isCode).toBe(true)
    },
  )

  it('is named on the page of formats', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../../docs/reference/formats-and-limits.md'), 'utf8')
    const missing = extractor.formats.filter(({ extension }) => !page.includes(`\`${extension}\``))
    expect(missing).toEqual([])
  })

  it('is decoded as a .txt, and as its XML declaration says', async () => {
    const sentence = 'Œuvre d’été à Évian'
    const french = 'Les élèves sont allés à la forêt près du château, où ils ont mangé des gâteaux.'
    expect((await read(extractor, 'a.log', Buffer.from(french, 'latin1'))).text).toBe(french)
    const declared = Buffer.from('<?xml version="1.0" encoding="ISO-8859-15"?><a>\xbcuvre</a>', 'latin1')
    expect((await read(extractor, 'a.xml', declared)).text).toContain('Œuvre')
    expect((await read(extractor, 'a.srt', Buffer.from(`\uFEFF${sentence}`, 'utf16le'))).text).toBe(sentence)
  })

  it.each([
    ['a.log', docxOf({ data: bodyOf('hello') }), 'ERR_WRONG_TYPE', 'rename the file to .docx'],
    ['a.py', Buffer.from('%PDF-1.7\n'), 'ERR_WRONG_TYPE', 'rename the file to .pdf'],
    ['a.yaml', png, 'ERR_UNSUPPORTED_FORMAT', 'an image'],
    [
      'a.ts',
      Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), Buffer.alloc(8_000)]),
      'ERR_UNSUPPORTED_FORMAT',
      'a program',
    ],
    ['a.ini', Buffer.alloc(0), 'ERR_EMPTY_FILE', 'empty'],
    ['a.toml', Buffer.from(' \n\t\n'), 'ERR_NO_TEXT', 'no text'],
    ['a.log', Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 37) % 32)), 'ERR_UNDECODABLE_TEXT', 'binary'],
  ])('is refused if it is something else: %s', async (name, bytes, code, sentence) => {
    expect(await read(extractor, name, bytes)).toMatchObject({
      code,
      message: expect.stringContaining(sentence) as string,
    })
  })
})

describe('a file that the upload calls a text', () => {
  const said = { contentType: 'text/plain' }

  it('is read under any name', async () => {
    const head = Buffer.from(TEXT)
    for (const name of ['Makefile', 'build.out', 'a.unknown']) {
      expect(await extractor.identify(name, head, said.contentType)).toEqual({
        extension: '',
        contentType: 'text/plain',
      })
      expect((await extracted(extractor, { ...sourceOf(name, head), ...said })).text).toBe(TEXT)
    }
  })

  it('is refused if it is no text', async () => {
    const pdf = Buffer.from('%PDF-1.7\n')
    await expect(extractor.identify('a.out', pdf, said.contentType)).rejects.toMatchObject({
      code: 'ERR_WRONG_TYPE',
      message: 'The content is a PDF, but the upload says that it is plain text: rename the file to .pdf',
    })
    await expect(extractor.identify('a.out', png, said.contentType)).rejects.toMatchObject({
      code: 'ERR_UNSUPPORTED_FORMAT',
      message: expect.stringContaining('an image, which is not supported, although the upload says') as string,
    })
    await expect(extractor.identify('a.out', Buffer.from(TEXT))).rejects.toMatchObject({
      code: 'ERR_UNSUPPORTED_FORMAT',
    })
  })
})
