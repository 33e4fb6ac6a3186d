import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { utils, write } from 'cfb'
import iconv from 'iconv-lite'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { type Extracted, extracted, sourceOf } from '../../../extracted.js'
import { read } from '../hostile/reading.js'
import { marksOf } from '../lines-at-marks.js'
import { type MsgSpec, msg } from '../msg-files.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function extract(spec: MsgSpec): Promise<Extracted> {
  const bytes = msg(spec)
  await extractor.identify('a.msg', bytes.subarray(0, 4_096))
  return await extracted(extractor, sourceOf('a.msg', bytes))
}

const SENDER = { '0C1A': 'Mira Holt', '5D01': 'mira@example.org' }
const MAIL = { '0037': 'Tide tables', '0039': new Date('2026-05-04T07:00:00Z'), ...SENDER }
const person = (name: string, address: string, type: number): Record<string, string | number> => ({
  '3001': name,
  '39FE': address,
  '0C15': type,
})

/** RTF in the property of a mail, without compression. */
function packed(rtf: string): Buffer {
  const head = Buffer.alloc(16)
  head.writeUInt32LE(rtf.length + 12, 0)
  head.writeUInt32LE(rtf.length, 4)
  head.write('MELA', 8, 'latin1')
  return Buffer.concat([head, Buffer.from(rtf, 'latin1')])
}

describe('a mail of Outlook', () => {
  it('has subject, people, date and plain text, and its attachments by name', async () => {
    const result = await extract({
      properties: { ...MAIL, '1000': 'The tables are ready.\r\nSee you in Oslo.' },
      recipients: [
        person('Nina', 'nina@example.org', 1),
        person('Board', '/o=org/cn=board', 1),
        person('', 'copy@example.org', 2),
      ],
      attachments: [{ '3707': 'tables 2026.pdf', '3701': Buffer.from('x') }],
    })
    expect(result.text.split('\n')).toEqual([
      'Subject: Tide tables',
      'From: Mira Holt <mira@example.org>',
      'To: Nina <nina@example.org>, Board',
      'Cc: copy@example.org',
      'Date: Mon, 04 May 2026 07:00:00 GMT',
      '',
      'The tables are ready.',
      'See you in Oslo.',
      '',
      'Attachments: tables 2026.pdf',
    ])
    expect(marksOf(result)).toEqual([['Subject: Tide tables', { heading: 'Tide tables', level: 1 }]])
    expect(result.warnings).toEqual(['1 attachment is not read'])
  })

  it('has the page in the place of a stub, without its pictures among the attachments', async () => {
    const page =
      '<html><body><h1>Rates</h1><table><tr><td>City</td><td>Rate</td></tr><tr><td>Oslo</td><td>12</td></tr></table><img src="cid:logo@1"></body></html>'
    const { text, warnings } = await extract({
      properties: { ...MAIL, '1000': 'Please use a viewer for web pages.', '1013': Buffer.from(page) },
      attachments: [{ '3707': 'logo.png', '3712': 'logo@1' }],
    })
    expect(text).toContain('Rates\n\nCity; Rate\nCity: Oslo; Rate: 12')
    expect(text).not.toContain('Attachments')
    expect(warnings).toEqual([])
  })

  it('has the page that is packed into RTF, and RTF in the place of a missing text', async () => {
    const page = String.raw`{\rtf1\ansi\ansicpg1252\fromhtml1 \deff0{\fonttbl{\f0\fswiss Arial;}}{\*\htmltag64 <p>}Caf\'e9 at {\*\htmltag84 <b>}Moss{\*\htmltag92 </b>}\htmlrtf\par\htmlrtf0{\*\htmltag72 </p>}}`
    expect((await extract({ properties: { ...MAIL, '1009': packed(page) } })).text).toContain('\n\nCafé at Moss')
    const plain = String.raw`{\rtf1\ansi First\par Second\par}`
    expect((await extract({ properties: { ...MAIL, '1009': packed(plain) } })).text).toContain('\n\nFirst\nSecond')
  })

  it('has the text of RTF without its page, and says if it is lost', async () => {
    const lost = 'the RTF of the mail is damaged: some of its text may be missing'
    // The page is named and is not there.
    const noPage = packed(String.raw`{\rtf1\ansi\deff0 {\*\x \fromhtml1}First\par Second\par}`)
    expect(await extract({ properties: { ...MAIL, '1009': noPage } })).toMatchObject({
      text: expect.stringContaining('\n\nFirst\nSecond') as string,
      warnings: [],
    })
    const torn = noPage.subarray(0, -20)
    const [long, unlike] = [Buffer.from(noPage), packed('This is no RTF at all.')]
    long.writeUInt32LE(64 * 1_048_576, 4)
    for (const damaged of [torn, long, unlike, Buffer.alloc(9)]) {
      expect((await extract({ properties: { ...MAIL, '1009': damaged } })).warnings).toEqual([lost])
    }
    expect(await extract({ properties: { ...MAIL, '1000': 'The plain text.', '1009': torn } })).toMatchObject({
      text: expect.stringContaining('\n\nThe plain text.') as string,
      warnings: [lost],
    })
  })

  it('has its plain text if its page or its other texts cannot be decoded', async () => {
    const binary = Buffer.from(Array.from({ length: 400 }, (_, at) => 1 + (at % 8)))
    const properties = { ...MAIL, '1000': 'The plain text.' }
    expect(await extract({ properties: { ...properties, '1013': binary } })).toMatchObject({
      text: expect.stringContaining('\n\nThe plain text.') as string,
      warnings: ['the page of the mail cannot be decoded: some of its text may be missing'],
    })
    const { text, warnings } = await extract({ properties: { '0037': { ansi: binary }, '1000': 'The plain text.' } })
    expect(text).toContain('The plain text.')
    expect(warnings).toMatchObject([expect.stringContaining('the encoding is not certain')])
  })

  it('has a page without a declaration in the code page of the mail', async () => {
    const page = iconv.encode('<p>Kavárna Ůsť: út–čt</p>', 'windows-1250')
    const textIn = async (codePage: number): Promise<string> =>
      (await extract({ properties: { '1013': page, '3FDE': codePage } })).text
    expect(await textIn(1250)).toBe('Kavárna Ůsť: út–čt')
    expect(await textIn(1251)).toBe('Kavбrna Щsќ: ъt–иt')
  })

  it('has the mails inside it, and the time and place of an appointment', async () => {
    const inner: MsgSpec = {
      properties: { '0037': 'The question', '1000': 'When is high water?', ...SENDER },
      attachments: [{ '3707': 'map.png' }],
    }
    const { text, pieces, warnings } = await extract({
      properties: { ...MAIL, '1000': 'See below.' },
      attachments: [{ mail: inner }],
    })
    expect(text).toContain(
      'See below.\n\nSubject: The question\nFrom: Mira Holt <mira@example.org>\n\nWhen is high water?\n\nAttachments: map.png',
    )
    expect(pieces.flatMap(({ marks = [] }) => marks)).toMatchObject([
      { heading: 'Tide tables', level: 1 },
      { heading: 'The question', level: 2 },
    ])
    expect(warnings).toEqual(['1 attachment is not read'])
  })

  it('is decoded by its code page, or by the encoding that its texts show', async () => {
    const ansi = { ansi: Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]) }
    const { text } = await extract({ properties: { '0037': ansi, '1000': ansi, '3FFD': 1251 } })
    expect(text).toBe('Subject: Привет\n\nПривет')
    const french = 'Les élèves sont allés à la forêt près du château, où ils ont mangé des gâteaux.'
    const detected = await extract({ properties: { '0037': 'Été', '1000': { ansi: Buffer.from(french, 'latin1') } } })
    expect(detected.text).toBe(`Subject: Été\n\n${french}`)
    const utf8 = await extract({ properties: { '1000': { ansi: Buffer.from('日本語の本文です。') }, '3FDE': 932 } })
    expect(utf8.text).toBe('日本語の本文です。')
  })

  it.each([
    ['plain text', () => Buffer.from('Hello.'), 'ERR_WRONG_TYPE', 'rename the file to .txt'],
    [
      'a Word document',
      async () => await readFile(join(import.meta.dirname, '../../../../examples/documents/opening-hours.doc')),
      'ERR_WRONG_TYPE',
      'rename the file to .doc',
    ],
    [
      'another OLE container',
      () => write(utils.cfb_new(), { type: 'buffer', fileType: 'cfb' }) as Buffer,
      'ERR_UNSUPPORTED_FORMAT',
      'not a mail of Outlook',
    ],
    [
      'a torn mail',
      () => msg({ properties: { ...MAIL, '1000': 'x'.repeat(50_000) } }).subarray(0, 3_000),
      'ERR_CORRUPT_FILE',
      'damaged',
    ],
    ['a mail with nothing', () => msg({ properties: {} }), 'ERR_NO_TEXT', 'no text'],
  ])('is refused with its reason: %s', async (_what, file, code, sentence) => {
    expect(await read(extractor, 'a.msg', await file())).toMatchObject({
      code,
      message: expect.stringContaining(sentence) as string,
    })
  })

  it.each(['a.doc', 'a.docx', 'a.xlsx'])('named %s is refused with the name that it should have', async (name) => {
    expect(await read(extractor, name, msg({ properties: MAIL }))).toMatchObject({
      code: 'ERR_WRONG_TYPE',
      message: expect.stringContaining('rename the file to .msg') as string,
    })
  })
})
