import iconv from 'iconv-lite'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { type Extracted, extracted, sourceOf } from '../../../extracted.js'
import { read } from '../hostile/reading.js'
import { marksOf } from '../lines-at-marks.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function extract(mail: string | Buffer): Promise<Extracted> {
  const bytes = Buffer.from(mail)
  await extractor.identify('a.eml', bytes.subarray(0, 4_096))
  return await extracted(extractor, sourceOf('a.eml', bytes))
}

/** Lines of a mail, with the line ends of mails. */
function mailOf(...lines: readonly string[]): string {
  return lines.join('\r\n')
}

describe('a mail', () => {
  it('is read with its subject as heading, its headers and its plain text', async () => {
    const mail = mailOf(
      'Received: from a by b',
      'MIME-Version: 1.0',
      'Subject: =?utf-8?Q?Caf=C3=A9?= =?iso-8859-1?B?IE/IZmZuZXQ=?=',
      'From: "Rio, Ana" <ana@rio.example>',
      'To: b@example.com,',
      ' =?windows-1251?B?yOLg7Q==?= <c@example.com>',
      'Date: Tue, 26 Nov 2024 10:00:00 +0100',
      'Content-Type: multipart/mixed; boundary="outer"',
      '',
      'Not shown.',
      '--outer',
      'Content-Type: multipart/alternative; boundary=inner',
      '',
      '--inner',
      'Content-Type: text/plain; charset=iso-8859-2',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Dear =A3ukasz,',
      '',
      'a long line that is =',
      'continued.',
      '--inner',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p>Dear <b>other</b></p>',
      '--inner--',
      '--outer',
      'Content-Type: application/pdf; name="=?utf-8?Q?price_list_=E2=82=AC.pdf?="',
      'Content-Disposition: attachment',
      'Content-Transfer-Encoding: base64',
      '',
      'JVBERi0xLjQK',
      '--outer--',
      '',
    )
    const result = await extract(mail)
    expect(result.text).toBe(
      [
        'Subject: Café OÈffnet',
        'From: "Rio, Ana" <ana@rio.example>',
        'To: b@example.com, Иван <c@example.com>',
        'Date: Tue, 26 Nov 2024 10:00:00 +0100',
        '',
        'Dear Łukasz,\n\na long line that is continued.',
        '',
        'Attachments: price list €.pdf',
      ].join('\n'),
    )
    expect(marksOf(result)).toEqual([['Subject: Café OÈffnet', { heading: 'Café OÈffnet', level: 1 }]])
    expect(result.warnings).toEqual(['1 attachment is not read'])
  })

  it('without plain text is read as the page that it is', async () => {
    const html = '<html><body><h2>News</h2><table><tr><th>City<th>Rain<tr><td>Oslo<td>much</table></body></html>'
    const result = await extract(
      mailOf(
        'From: a@example.com',
        'Content-Type: text/html; charset=utf-16le',
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from(html, 'utf16le').toString('base64'),
      ),
    )
    expect(result.text).toBe('From: a@example.com\n\nNews\n\nCity; Rain\nCity: Oslo; Rain: much')
    expect(marksOf(result)).toEqual([['News', { heading: 'News', level: 2 }]])
  })

  it('has the text of the mail that it forwards', async () => {
    const { text } = await extract(
      mailOf(
        'From: a@example.com',
        'Content-Type: multipart/mixed; boundary=x',
        '',
        '--x',
        '',
        'See below.',
        '--x',
        'Content-Type: message/rfc822',
        '',
        'From: b@example.com',
        'Subject: The first one',
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from('Hello from inside.').toString('base64'),
        '--x--',
      ),
    )
    for (const part of ['See below.', 'b@example.com', 'The first one', 'Hello from inside.'])
      expect(text).toContain(part)
  })

  it.each([
    ['shift_jis', '日本語'],
    ['koi8-r', 'Привет'],
    ['gb2312', '中文'],
  ])('is decoded by its charset: %s', async (charset, word) => {
    const head = Buffer.from(`Subject: x\r\nContent-Type: text/plain; charset=${charset}\r\n\r\n`)
    expect((await extract(Buffer.concat([head, iconv.encode(word, charset)]))).text).toContain(word)
  })

  it('with bytes that its charset does not have says so', async () => {
    const { warnings } = await extract(
      Buffer.from('Subject: x\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nk\xf6nig', 'latin1'),
    )
    expect(warnings).toEqual(['some characters of the mail could not be decoded and became U+FFFD'])
  })
})

// U10, U11
describe('a file that is no mail, or a hostile one', () => {
  const nested = (depth: number): string =>
    `Subject: deep\r\n${Array.from({ length: depth }, (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`).join('')}\r\nend`
  it.each<[string, string, string]>([
    ['a text', 'just text\n\nand more', 'ERR_CORRUPT_FILE'],
    ['a page', '<!DOCTYPE html><p>x', 'ERR_WRONG_TYPE'],
    ['a million parts in parts', nested(20_000), 'ERR_EXTRACTION_LIMIT'],
    ['headers of 5 MB', `Subject: x\r\n${'X-A: b\r\n'.repeat(700_000)}\r\ntext`, 'ERR_EXTRACTION_LIMIT'],
  ])('is refused: %s', async (_what, mail, code) => {
    const outcome = await read(extractor, 'a.eml', Buffer.from(mail))
    expect(outcome.code).toBe(code)
    expect(outcome.ms).toBeLessThan(60_000)
  })

  it.each<[string, string]>([
    ['forwarded mails in forwarded mails', `Subject: x\r\n${'Content-Type: message/rfc822\r\n\r\n'.repeat(1_000)}text`],
    [
      '100,000 parts',
      `Subject: x\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n${'--a\r\n\r\npart\r\n'.repeat(100_000)}`,
    ],
    ['a header of one long line', `Subject: ${'=?utf-8?Q?a?= '.repeat(50_000)}\r\n\r\ntext`],
    ['a body of 10 MB in one line', `Subject: x\r\n\r\n${'word '.repeat(2_000_000)}`],
    ['no body', 'Subject: x'],
    ['a boundary that never comes', 'Subject: x\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\ntext'],
  ])(
    'is read in time: %s',
    async (_what, mail) => {
      const outcome = await read(extractor, 'a.eml', Buffer.from(mail))
      expect(outcome.code).toBeUndefined()
      expect(outcome.text).toMatch(/^Subject: /)
      expect(outcome.ms).toBeLessThan(60_000)
    },
    60_000,
  )
})
