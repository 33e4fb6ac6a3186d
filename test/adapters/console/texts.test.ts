import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { ERROR_CODE_TEXTS } from '../../../adapters/console/app/api/error-code-texts.js'
import { FIELD_SENTENCES } from '../../../adapters/console/app/api/field-sentences.js'
import { inGerman } from '../../../adapters/console/app/api/german-sentences.js'
import { WARNING_SENTENCES } from '../../../adapters/console/app/documents/detail/warning-sentences.js'
import { GERMAN_PROBLEMS } from '../../../adapters/console/app/operate/doctor/german-problems.js'
import { plural } from '../../../adapters/console/app/texts/phrases.js'
import { DOCUMENT_TYPES } from '../../../adapters/console/app/webhooks/destinations/document-types.js'
import { WEBHOOK_SENTENCES } from '../../../adapters/console/app/webhooks/webhook-sentences.js'
import { HttpsTransport } from '../../../adapters/https-transport/index.js'
import { DOCUMENT_EVENT_TYPES } from '../../../src/webhooks/index.js'

/** Codes that only the pages of documents and the sign-in meet, which have sentences of their own. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set([
  'ERR_UNSUPPORTED_FORMAT',
  'ERR_WRONG_TYPE',
  'ERR_EMPTY_FILE',
  'ERR_OTP_REQUIRED',
  // The console requests no tokens, and a browser that has left reads no answer.
  'ERR_TOKEN_REQUEST',
  'ERR_REQUEST_ABORTED',
])

async function source(path: string): Promise<string> {
  return await readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')
}

describe('texts of the console', () => {
  it('have a sentence for each code of a refusal, in each language', async () => {
    const page = await source('docs/reference/errors.md')
    const codes = [...page.matchAll(/^\| \[`(ERR_\w+)`\].*\| (4\d\d|503)\b/gm)].map(([, code = '']) => code)
    expect(codes.length).toBeGreaterThan(30)
    for (const { codes: sentences, things } of Object.values(ERROR_CODE_TEXTS)) {
      const said = new Set([...Object.keys(sentences), ...Object.keys(things)])
      expect(codes.filter((code) => !said.has(code) && !SAID_ELSEWHERE.has(code))).toEqual([])
    }
  })

  it.each(['en', 'de'] as const)('in %s have one form for one, and another for all other counts', (language) => {
    const formOf = (count: number | string) => plural[language](count, 'one', 'other')
    expect([1, '1'].map(formOf)).toEqual(['one', 'one'])
    expect([0, 2, 11, 21, 101, '0', '1,000', '1.000', '1.001'].map(formOf)).toEqual(Array(9).fill('other'))
  })

  it('name all types of events of documents', () => {
    expect(DOCUMENT_TYPES).toEqual(DOCUMENT_EVENT_TYPES)
  })

  it('say each problem of the doctor in German', async () => {
    const [, union = ''] = /export type ProblemCode =\n([^]*?)\n\n/.exec(await source('src/doctor/finding.ts')) ?? []
    const codes = [...union.matchAll(/'([\w-]+)'/g)].map(([, code = '']) => code)
    expect(Object.keys(GERMAN_PROBLEMS).sort()).toEqual(codes.sort())
  })

  it('say in German why a destination is refused', async () => {
    const transport = new HttpsTransport({
      deny: ['203.0.113.0/24'],
      ownEndpoints: () => [{ address: '192.0.2.7', port: 443 }],
      resolver: async (name) => (name === 'gone.example.com' ? [] : ['10.0.0.1']),
    })
    const urls = [
      'http://hooks.example.com',
      'https:///path',
      'https://a b.example.com',
      'https://user@example.com',
      'https://example.com/#part',
      'https://example.com:99999',
      'https://-.example.com',
      `https://example.com/${'x'.repeat(2_048)}`,
      'https://example.com:25',
      'https://localhost',
      'https://printer.local',
      'https://10.0.0.1',
      'https://203.0.113.1',
      'https://192.0.2.7',
      'https://inside.example.com',
      'https://gone.example.com',
    ]
    const unsaid: string[] = []
    for (const url of urls) {
      const error: unknown = await transport.vetDestination(url).catch((thrown: unknown) => thrown)
      const message = (error as Error).message.replace(/^url: /, '')
      if (inGerman(WEBHOOK_SENTENCES, message) === undefined) unsaid.push(message)
    }
    await transport.close()
    expect(unsaid).toEqual([])
  })

  it('say in German why an attempt failed', async () => {
    const [, table = ''] = /const MEANINGS[^=]*= \[([^]*?)\n\]/.exec(
      await source('adapters/https-transport/https-transport.ts'),
    ) ?? ['', '']
    const meanings = [...table.matchAll(/, '([^']+)'\]/g)].map(([, meaning = '']) => meaning)
    expect(meanings.length).toBeGreaterThan(10)
    const unsaid = meanings.filter((meaning) => inGerman(WEBHOOK_SENTENCES, `${meaning} (ECODE)`) === undefined)
    expect(unsaid).toEqual([])
    expect(inGerman(WEBHOOK_SENTENCES, 'the connection was refused (ECONNREFUSED)')).toBe(
      'Die Verbindung wurde abgelehnt (ECONNREFUSED).',
    )
    expect(inGerman(WEBHOOK_SENTENCES, 'the destination answered 301; redirects are not followed')).toBe(
      'Der Empfänger hat mit 301 geantwortet. Weiterleitungen folgt Alcove nicht.',
    )
  })

  it('keep the numbers and names of a sentence, and leave an unknown one as it is', () => {
    expect(inGerman(FIELD_SENTENCES, 'must have at most 255 characters')).toBe('Darf höchstens 255 Zeichen haben.')
    expect(inGerman(FIELD_SENTENCES, 'must be an integer from 1 to 100')).toBe(
      'Muss eine ganze Zahl von 1 bis 100 sein.',
    )
    expect(inGerman(WARNING_SENTENCES, 'the texts of 3 cells of the sheet "A (b)" are missing')).toBe(
      'Im Tabellenblatt „A (b)“ fehlen die Texte von 3 Zellen.',
    )
    expect(inGerman(FIELD_SENTENCES, 'must be something new')).toBeUndefined()
  })

  it('say in German which models there are', () => {
    expect(inGerman(FIELD_SENTENCES, 'no model named old; known: e5-small, bge')).toBe(
      'Ein Modell mit dem Namen old gibt es nicht. Bekannt sind: e5-small, bge.',
    )
  })
})
