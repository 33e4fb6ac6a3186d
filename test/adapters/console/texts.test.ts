import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { ERROR_CODE_TEXTS } from '../../../adapters/console/app/api/error-texts.js'
import { REASON_TEXTS } from '../../../adapters/console/app/api/reason-texts.js'
import { reasonText, withNames } from '../../../adapters/console/app/api/use-reason.js'
import { GERMAN_PROBLEMS } from '../../../adapters/console/app/operate/doctor/german-problems.js'
import { type Language, plural } from '../../../adapters/console/app/texts/phrases.js'
import { DOCUMENT_TYPES } from '../../../adapters/console/app/webhooks/destinations/document-types.js'
import { HttpsTransport } from '../../../adapters/https-transport/index.js'
import { ERROR_REASON_CODES } from '../../../src/index.js'
import { ERROR_REASONS } from '../../../src/kernel/errors/error-reasons.js'
import { AlcoveError, type ErrorReason } from '../../../src/ports/index.js'
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
      "https://a'b.example.com",
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
    const reasons: (ErrorReason | undefined)[] = []
    for (const url of urls) {
      const error: unknown = await transport.vetDestination(url).catch((thrown: unknown) => thrown)
      reasons.push(error instanceof AlcoveError ? error.reason : undefined)
    }
    await transport.close()
    expect(reasons.map((reason) => reason && said(reason))).toEqual([
      'Muss mit https:// beginnen.',
      'Muss einen Rechner nennen.',
      'Darf keine Leerzeichen, Steuerzeichen und umgekehrten Schrägstriche haben.',
      'Darf weder Benutzernamen noch Passwort haben.',
      'Darf keinen Teil mit # haben.',
      'Rechner oder Port sind nicht gültig.',
      'Der Name des Rechners ist nicht gültig.',
      'Darf höchstens 2.048 Zeichen haben.',
      'Den Port 25 spricht Alcove nicht an.',
      'localhost ist ein Name in einem lokalen Netz, das Alcove nicht anspricht.',
      'printer.local ist ein Name in einem lokalen Netz, das Alcove nicht anspricht.',
      '10.0.0.1 ist keine öffentliche Adresse.',
      '203.0.113.1 ist eine Adresse, die der Betreiber sperrt.',
      '192.0.2.7 ist eine Adresse von Alcove selbst.',
      'Der Name inside.example.com führt zu einer Adresse, die nicht öffentlich ist.',
      'Der Name gone.example.com lässt sich nicht auflösen.',
    ])
  })

  it.each(['en', 'de'] as const)('in %s have a sentence for each reason of the server', (language) => {
    expect(Object.keys(REASON_TEXTS[language]).sort()).toEqual([...ERROR_REASON_CODES].sort())
  })

  it('keep the numbers and names of a reason', () => {
    expect(said({ code: 'too-long', parameters: { max: 255 } })).toBe('Darf höchstens 255 Zeichen haben.')
    expect(said({ code: 'integer-out-of-range', parameters: { min: 1, max: 100 } })).toBe(
      'Muss eine ganze Zahl von 1 bis 100 sein.',
    )
    expect(said({ code: 'cells-missing', parameters: { count: 3, sheet: 'A (b)' } })).toBe(
      'Im Tabellenblatt „A (b)“ fehlen die Texte von 3 Zellen.',
    )
    expect(said({ code: 'hidden-sheets', parameters: { count: 1 } })).toBe('Ein verborgenes Tabellenblatt fehlt.')
    expect(said({ code: 'connection-refused', parameters: { system: 'ECONNREFUSED' } })).toBe(
      'Die Verbindung wurde abgelehnt (ECONNREFUSED).',
    )
    expect(said({ code: 'answered-redirect', parameters: { status: 301 } })).toBe(
      'Der Empfänger hat mit 301 geantwortet. Weiterleitungen folgt Alcove nicht.',
    )
    expect(said({ code: 'unknown-model', parameters: { model: 'old', models: 'e5-small, bge' } })).toBe(
      'Ein Modell mit dem Namen old gibt es nicht. Bekannt sind: e5-small, bge.',
    )
    expect(said({ code: 'language-unknown-to-model', parameters: { language: 'fi', model: 'mini' } })).toBe(
      'Der Text ist Finnisch. Das kennt das Modell mini nicht: Er wird nur über Wörter gefunden.',
    )
  })

  it.each(['en', 'de'] as const)('in %s say each reason with all its parameters', (language) => {
    const silent = ERROR_REASON_CODES.flatMap((code) => {
      const names = ERROR_REASONS[code].map((name) => name.replace('?', ''))
      const parameters = Object.fromEntries(names.map((name, at) => [name, name === 'count' ? 7 : `<${at}>`]))
      const sentence = reasonText(REASON_TEXTS[language][code], parameters)
      const isSaid = Object.values(parameters).every((value) => sentence.includes(String(value)))
      return isSaid && !/[{}]/.test(sentence) ? [] : [code]
    })
    expect(silent).toEqual([])
  })

  it('say in singular and plural how many use something', () => {
    const used = (count: number): string => said({ code: 'role-in-use', parameters: { role: 5, count } })
    expect(used(1)).toBe(
      'Die Rolle 5 ist noch in einem Recht vergeben. Gib ihm zuerst eine andere Rolle, oder entziehe es.',
    )
    expect(used(3_000)).toBe(
      'Die Rolle 5 ist noch in 3.000 Rechten vergeben. Gib ihnen zuerst eine andere Rolle, oder entziehe sie.',
    )
  })

  it('write counts as the language does, and ids and ports as they are', () => {
    const parameters = { company: 1_234, held: 12_000, max: 10_000 }
    expect(said({ code: 'limit-of-users', parameters })).toBe(
      'Anzahl der Benutzer der Firma 1234: 12.000. Die Grenze ist 10.000.',
    )
    expect(said({ code: 'limit-of-users', parameters }, 'en')).toBe(
      'Number of users of the company 1234: 12,000. The limit is 10,000.',
    )
    expect(said({ code: 'refused-port', parameters: { port: 8_080 } })).toBe('Den Port 8080 spricht Alcove nicht an.')
    expect(said({ code: 'number-out-of-range', parameters: { min: 0, max: 0.95 } })).toBe(
      'Muss eine Zahl von 0 bis 0,95 sein.',
    )
  })

  it('name rights and applications for people', () => {
    expect(said({ code: 'role-without-capability', parameters: { capability: 'tenant:manage' } })).toBe(
      'Deine Rolle erlaubt das nicht: Benutzer, Rechte und API-Schlüssel verwalten.',
    )
    const role = { role: 5, capabilities: 'search, webhook:manage' }
    expect(said({ code: 'role-with-more-rights', parameters: role }, 'en')).toBe(
      'The role 5 has rights that you do not have (search in documents; manage webhooks). A user who has them must do this.',
    )
    const account = { account: 7, application: 'tenant', wanted: 'assistant' }
    expect(said({ code: 'account-of-other-application', parameters: account })).toBe(
      'Das Konto 7 ist für „Benutzer und Webhooks“ da, nicht für „GPTs und Suchen“.',
    )
    const applications = 'assistant, tomorrow'
    expect(said({ code: 'key-of-other-application', parameters: { applications } }, 'en')).toContain(
      'not for this: GPTs and searches, tomorrow.',
    )
  })
})

function said({ code, parameters }: ErrorReason, language: Language = 'de'): string {
  return reasonText(REASON_TEXTS[language][code], withNames(parameters, language))
}
