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
    const { text, warnings } = await extract(
      Buffer.from(
        'Subject: x\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nL\xc3\xb6we, \xc3\x84rger, k\xf6nig',
        'latin1',
      ),
    )
    expect(text).toContain('Löwe, Ärger, k\uFFFDnig')
    expect(warnings).toEqual(['some characters of the mail could not be decoded and became U+FFFD'])
  })

  const russian = 'Заседание совета переносится на следующую пятницу.'
  it.each([
    ['as they are', (text: Buffer) => ['8bit', text] as const],
    ['in base64', (text: Buffer) => ['base64', Buffer.from(text.toString('base64'))] as const],
    [
      'in quoted-printable',
      (text: Buffer) => {
        const codes = Array.from(text, (byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`)
        return ['quoted-printable', Buffer.from(codes.join(''))] as const
      },
    ],
  ])('without a charset is detected as a text file, with its bytes %s', async (_how, encode) => {
    for (const type of ['', 'Content-Type: text/plain\r\n', 'Content-Type: text/html; charset=us-ascii\r\n']) {
      const [encoding, body] = encode(iconv.encode(russian, 'windows-1251'))
      const head = `Subject: x\r\n${type}Content-Transfer-Encoding: ${encoding}\r\n\r\n`
      expect((await extract(Buffer.concat([Buffer.from(head), body]))).text).toBe(`Subject: x\n\n${russian}`)
    }
  })

  it('keeps parts in UTF-8 without a charset, beside a part in another encoding', async () => {
    const part = (type: string, body: Buffer): Buffer =>
      Buffer.concat([Buffer.from(`--x\r\nContent-Type: ${type}\r\n\r\n`), body, Buffer.from('\r\n')])
    const { text } = await extract(
      Buffer.concat([
        Buffer.from('Subject: x\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n'),
        part('text/plain', Buffer.from('Łódź')),
        part('text/plain', iconv.encode(russian, 'koi8-r')),
        part('text/plain; charset=iso-8859-2', iconv.encode('Gdańsk', 'iso-8859-2')),
        Buffer.from('--x--\r\n'),
      ]),
    )
    for (const one of ['Łódź', russian, 'Gdańsk']) expect(text).toContain(one)
  })

  it('keeps the parts after one without a charset that has no line feed at its end', async () => {
    const german = iconv.encode('Grüße aus Köln, schöne Tage', 'windows-1252')
    const mail = mailOf(
      'Subject: x',
      'Content-Type: multipart/mixed; boundary=m',
      '',
      '--m',
      'Content-Type: multipart/alternative; boundary=b',
      '',
      '--b',
      'Content-Transfer-Encoding: base64',
      '',
      german.toString('base64'),
      '--b',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p>Gr&uuml;&szlig;e aus K&ouml;ln, sch&ouml;ne Tage. The warehouse opens on 3 June.</p>',
      '--b--',
      '--m',
      'Content-Type: text/plain',
      'Content-Disposition: attachment; filename=a.txt',
      'Content-Transfer-Encoding: base64',
      '',
      iconv.encode(russian, 'koi8-r').toString('base64'),
      '--m--',
    )
    const { text, warnings } = await extract(mail)
    for (const part of ['Grüße aus Köln, schöne Tage', 'The warehouse opens', 'Attachments: a.txt'])
      expect(text).toContain(part)
    expect(text).not.toContain('<p>')
    expect(warnings.join(' ')).not.toContain('koi8')
  })

  it.each([
    ['iso-8859-1', 'Prüfung für Bäcker', 'Müller'],
    ['windows-1251', 'Отчёт за май', 'Иван'],
    ['shift_jis', '会議の資料について', 'たなか'],
  ])('has headers in raw bytes, decoded as its text: %s', async (charset, subject, name) => {
    const head = `From: ${name} <a@example.com>\r\nSubject: ${subject}\r\nContent-Type: text/plain; charset=${charset}`
    const { text, warnings } = await extract(iconv.encode(`${head}\r\n\r\n${subject}.\r\n`, charset))
    expect(text).toBe(`Subject: ${subject}\nFrom: ${name} <a@example.com>\n\n${subject}.`)
    expect(warnings).toEqual([])
  })

  it.each([
    [
      'a stub',
      'This mail needs a reader that shows HTML.',
      '<p>The warehouse opens on 3 June.</p>',
      ['needs a reader', 'The warehouse opens'],
    ],
    [
      'a beginning',
      'The warehouse opens',
      '<p>The warehouse in Gdansk opens on 3 June. Bring your badge.</p>',
      ['The warehouse in Gdansk opens on 3 June. Bring your badge.'],
    ],
    [
      'the same text',
      'See our offers: https://a.example/b?c=d\r\nBye',
      '<p>See our <b>offers:</b> <a href="https://a.example/b?c=d">here</a></p>Bye',
      ['See our offers: https://a.example/b?c=d\nBye'],
    ],
  ])('has the page if the plain text is less: %s', async (_what, plain, html, shown) => {
    const { text } = await extract(
      mailOf(
        'Subject: News',
        'Content-Type: multipart/alternative; boundary=x',
        '',
        '--x',
        'Content-Type: text/plain',
        '',
        plain,
        '--x',
        'Content-Type: text/html',
        '',
        html,
        '--x--',
      ),
    )
    const body = text.replace('Subject: News\n\n', '')
    for (const part of shown) expect(body).toContain(part)
    if (shown.length === 1) expect(body).toBe(shown[0])
  })

  const invitation = mailOf(
    'BEGIN:VCALENDAR',
    'BEGIN:VTIMEZONE',
    'TZID:Oslo',
    'END:VTIMEZONE',
    'BEGIN:VEVENT',
    'SUMMARY:Budget',
    '  review',
    'DTSTART;TZID=Europe/Oslo:20260504T090000',
    'DTEND:20260504T080000Z',
    'LOCATION:Room Linden\\, 2nd floor',
    'ORGANIZER;CN="Rio, Ana":mailto:ana@rio.example',
    'ATTENDEE;ROLE=REQ-PARTICIPANT:MAILTO:b@example.com',
    'ATTENDEE;CN=Bo:mailto:bo@example.com',
    'DESCRIPTION:Bring the figures.\\nAnd a pen.',
    'BEGIN:VALARM',
    'DESCRIPTION:Reminder',
    'END:VALARM',
    'END:VEVENT',
    'BEGIN:VEVENT',
    'SUMMARY:Holiday',
    'DTSTART;VALUE=DATE:20260505',
    'DURATION:P1DT12H30M',
    'RRULE:FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20261231T000000Z',
    'END:VEVENT',
    'END:VCALENDAR',
  )
  const events = [
    'Summary: Budget review',
    'Start: 2026-05-04 09:00 Europe/Oslo',
    'End: 2026-05-04 08:00 UTC',
    'Location: Room Linden, 2nd floor',
    'Organizer: Rio, Ana <ana@rio.example>',
    'Attendees: b@example.com; Bo <bo@example.com>',
    'Description: Bring the figures.\nAnd a pen.',
    '',
    'Summary: Holiday',
    'Start: 2026-05-05',
    'Duration: 1 day 12 h 30 min',
    'Repeats: weekly; by day MO,WE; until 2026-12-31 00:00 UTC',
  ].join('\n')

  it('has the events of an invitation, once', async () => {
    const alone = mailOf('Subject: Budget', 'Content-Type: text/calendar; method=REQUEST', '', invitation)
    expect(await extract(alone)).toMatchObject({ text: `Subject: Budget\n\n${events}`, warnings: [] })
    const twice = mailOf(
      'Subject: Budget',
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      '',
      'You are invited.',
      '--x',
      'Content-Type: text/calendar',
      '',
      invitation,
      '--x',
      'Content-Type: application/ics; name=invite.ics',
      'Content-Disposition: attachment; filename=invite.ics',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(invitation).toString('base64'),
      '--x--',
    )
    expect((await extract(twice)).text).toBe(`Subject: Budget\n\nYou are invited.\n\n${events}`)
  })

  it('that reports about a mail has that mail', async () => {
    const report = (...original: readonly string[]): string =>
      mailOf(
        'Subject: Undelivered',
        'Content-Type: multipart/report; report-type=delivery-status; boundary=x',
        '',
        '--x',
        '',
        'Your message could not be delivered.',
        '--x',
        'Content-Type: message/delivery-status',
        '',
        'Status: 5.2.2',
        '--x',
        ...original,
        '--x--',
      )
    const headers = ['From: a@example.com', 'Subject: Offer', '']
    const whole = await extract(report('Content-Type: message/rfc822', '', ...headers, 'The offer ends on Friday.'))
    expect(whole.text).toContain(
      'could not be delivered.\n\nSubject: Offer\nFrom: a@example.com\n\nThe offer ends on Friday.',
    )
    expect(marksOf(whole).at(-1)).toEqual(['Subject: Offer', { heading: 'Offer', level: 2 }])
    expect((await extract(report('Content-Type: text/rfc822-headers', '', ...headers))).text).toContain(
      'Subject: Offer',
    )
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
    [
      '20,000 parts in raw bytes',
      `Subject: x\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n${'--a\r\n\r\n\uD55C\u00E9\u0439 part\r\n'.repeat(20_000)}\0`,
    ],
    [
      '2,000 mails in a report',
      `Subject: x\r\nContent-Type: multipart/report; boundary=a\r\n\r\n--a\r\nContent-Type: message/delivery-status\r\n\r\nx\r\n${'--a\r\nContent-Type: message/rfc822\r\n\r\nSubject: y\r\n\r\nz\r\n'.repeat(2_000)}`,
    ],
    [
      'a calendar of 100,000 events',
      `Subject: x\r\nContent-Type: text/calendar\r\n\r\n${'BEGIN:VEVENT\r\nSUMMARY:a\r\nEND:VEVENT\r\n'.repeat(100_000)}`,
    ],
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
