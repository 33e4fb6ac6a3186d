import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import {
  type ConsolePage,
  type ConsoleTest,
  MISSING_BROWSER,
  openConsoleTest,
  seriousViolations,
} from './console-test.js'

const MISSING = 'Fülle dieses Feld aus.'
const NOT_CHOSEN = 'Wähle etwas aus.'
const NO_EMAIL = 'Gib eine E-Mail-Adresse an, zum Beispiel ada@example.com.'

describe.skipIf(MISSING_BROWSER !== undefined)('forms of the console', () => {
  let test: ConsoleTest
  let opened: ConsolePage
  let page: Page

  beforeAll(async () => {
    test = await openConsoleTest({ embeddingModels: [new MemoryEmbeddingModel()] })
    const { owner, administration } = test.engine
    const session = test.engine.as(owner)
    const { id } = await session.contexts.create({ name: 'Quay', description: '', caption: '', toolsJson: '[]' })
    const file = { fileName: 'boat.txt', content: Buffer.from('Moor the boat at the quay.') }
    await session.documents.whenProcessed(await session.documents.upload(id, file))
    await administration.users.add({ email: 'ben@example.com', companyId: owner.companyId, invite: false })
    // A browser in English: its own messages would be in that language.
    opened = await test.openPage()
    page = opened.page
    page.setDefaultTimeout(20_000)
    page.on('dialog', (dialog) => void dialog.accept())
    await opened.open('/')
    await page.getByRole('button', { name: 'Deutsch' }).click()
  })

  afterAll(async () => {
    await test.close()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })

  /** Presses a button, and expects the sentences of the form below its fields, and the focus in the first of those. */
  async function expectErrors(press: string, expected: Readonly<Record<string, string>>): Promise<void> {
    // A form waits for its choices.
    for (const name of Object.keys(expected)) {
      await page.locator('.field, fieldset').filter({ hasText: name }).first().waitFor()
    }
    await expect.poll(async () => await page.locator('main .loading').count()).toBe(0)
    await button(press).click()
    await expect.poll(readErrors, { timeout: 20_000 }).toEqual(expected)
    const [first = ''] = Object.keys(expected)
    const readFocused = async (): Promise<unknown> =>
      await page.evaluate(
        "document.activeElement.closest('.field, fieldset')?.querySelector('label, legend, span').textContent",
      )
    await expect.poll(readFocused, { timeout: 20_000 }).toBe(first)
    expect(await page.evaluate("document.querySelectorAll('form:not([novalidate])').length")).toBe(0)
    expect(await seriousViolations(page)).toEqual([])
  }

  /** The sentences below fields, by the names of the fields. */
  async function readErrors(): Promise<Readonly<Record<string, string>>> {
    const found = await page.evaluate<readonly (readonly [string, string])[]>(`
      [...document.querySelectorAll('.field-error:not(:empty)')].map((error) => {
        const name = error.closest('.field, fieldset')?.querySelector('label, legend, span')
        return [name?.textContent ?? '', error.textContent]
      })`)
    return Object.fromEntries(found)
  }

  it('says at the sign-in what is missing, and takes the sentence away with the mistake', async () => {
    await expectErrors('Anmelden', { 'E-Mail-Adresse': MISSING, Passwort: MISSING })
    await page.getByRole('textbox', { name: 'E-Mail-Adresse' }).fill('ada')
    await expectErrors('Anmelden', { 'E-Mail-Adresse': NO_EMAIL, Passwort: MISSING })
    await page.getByRole('textbox', { name: 'E-Mail-Adresse' }).fill('ada@example.com')
    await expectErrors('Anmelden', { Passwort: MISSING })
    await page.getByRole('tab', { name: 'API-Schlüssel' }).click()
    await expectErrors('Anmelden', { 'Client-ID': MISSING, 'Client-Secret': MISSING })
  })

  it('sends only the form of the forgotten password, without the sign-in behind it', async () => {
    await page.getByRole('tab', { name: 'E-Mail und Passwort' }).click()
    await page.getByRole('textbox', { name: 'E-Mail-Adresse' }).fill('')
    await button('Passwort vergessen?').click()
    await expectErrors('E-Mail senden', { 'Deine E-Mail-Adresse': MISSING })
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`))
    await page.getByRole('textbox', { name: 'Deine E-Mail-Adresse' }).fill('nobody@example.com')
    await button('E-Mail senden').click()
    await page.getByText('Wenn der Server diese Adresse kennt').waitFor()
    expect(sent).toEqual(['POST /auth/reset'])
    await page.keyboard.press('Escape')
    expect(await page.locator('.field-error:not(:empty)').count()).toBe(0)
    await opened.logIn()
  })

  it('says it at every field of the forms behind the sign-in', async () => {
    await opened.open('/gpts/new')
    await button('Werkzeug hinzufügen').click()
    await expectErrors('GPT erstellen', {
      Name: MISSING,
      Funktionsname: MISSING,
      'Nummer des Agenten': 'Gib eine ganze Zahl ein.',
    })
    await leaveTo('/gpts/1/settings')
    await page.getByRole('textbox', { name: 'Treffer einer Suche' }).fill('')
    const wrong = 'Dieser Wert ist nicht erlaubt. Der Hinweis am Feld nennt die erlaubten Werte.'
    await expectErrors('Einstellungen speichern', { 'Treffer einer Suche': wrong })
    await leaveTo('/gpts/1/settings')
    await expectErrors('Übergeben …', { 'E-Mail-Adresse des Benutzers': MISSING })
    await leaveTo('/people/invite')
    await page.getByRole('textbox', { name: 'E-Mail-Adresse' }).fill('ben')
    await page.getByText('Ein zweites Recht geben').click()
    await expectErrors('Einladen', { 'E-Mail-Adresse': NO_EMAIL, Anwendung: NOT_CHOSEN })
    await leaveTo('/people/users/2')
    await button('Recht geben').click()
    await expectErrors('Dieses Recht geben', { Anwendung: NOT_CHOSEN })
    await leaveTo('/people/keys/new')
    await page.getByText('Ein anderer Benutzer', { exact: true }).click()
    await page.getByRole('checkbox', { name: 'GPTs und Suchen' }).press('Space')
    await expectErrors('Schlüssel erstellen', {
      'Benutzer finden': NOT_CHOSEN,
      'Wofür der Schlüssel ist': 'Wähle mindestens eines.',
    })
    await leaveTo('/people/users/2/hand-over?company=1')
    await expectErrors('Übergeben', { 'Benutzer finden': NOT_CHOSEN })
    await leaveTo('/webhooks/destinations/new')
    await expectErrors('Hinzufügen', { URL: MISSING })
    expect(opened.faults).toEqual([])
  })

  it('gives the focus to a field that the server refuses', async () => {
    await page.getByRole('textbox', { name: 'URL' }).fill('http://hooks.example.com')
    await expectErrors('Hinzufügen', { URL: 'Muss mit https:// beginnen.' })
  })

  it('says the bounds of a number, and changes nothing that is typed', async () => {
    await leaveTo('/gpts/1/documents/1')
    const chunk = page.getByRole('textbox', { name: /^Gehe zu Abschnitt/ })
    const sentence = 'Gib eine ganze Zahl von 1 bis 1 ein.'
    for (const wrong of ['7', '0', '1.5', 'x']) {
      await chunk.fill(wrong)
      await expectErrors('Los', { 'Gehe zu Abschnitt (1 bis 1)': sentence })
      await chunk.press('Enter')
      await chunk.blur()
      expect(await chunk.inputValue()).toBe(wrong)
    }
    await chunk.fill('1')
    await button('Los').click()
    expect(await readErrors()).toEqual({})
    // Outside of a form, a number beyond its bounds is no filter.
    await leaveTo('/operate/audit')
    await page.getByRole('button', { name: /Wer$/ }).click()
    await page.getByRole('option', { name: /Nummer/ }).click()
    const user = page.getByRole('textbox', { name: /Nummer/ })
    await user.fill('0')
    await page.getByText('Gib eine ganze Zahl ab 1 ein oder lass das Feld leer.').waitFor()
    expect(page.url()).not.toContain('user=')
    await user.fill('2')
    await expect.poll(() => page.url()).toContain('user=2')
  })

  it('takes no incomplete date for none', async () => {
    await leaveTo('/people/keys/new')
    const date = page.getByLabel('Läuft ab am')
    await date.focus()
    await page.keyboard.type('12')
    await expectErrors('Schlüssel erstellen', { 'Läuft ab am': 'Vervollständige das Datum oder leere das Feld.' })
    await date.fill('2099-12-31')
    expect(await page.locator('.field-error:not(:empty)').count()).toBe(0)
  })

  it('says what a search, a condition of its filter and a value of the metadata lack', async () => {
    await leaveTo('/search')
    await expectErrors('Suchen', { Frage: 'Schreibe zuerst eine Frage.' })
    await leaveTo('/search?context=1&prompt=boat')
    await page.getByText('Nur manche Dokumente (Filter)').click()
    await expectErrors('Bedingung hinzufügen', {
      Feld: 'Gib das Feld an, das geprüft wird.',
      Wert: 'Gib den Wert an, mit dem verglichen wird.',
    })
    await leaveTo('/gpts/1/documents/1')
    await button('Bearbeiten').click()
    await button('Wert hinzufügen').click()
    await page.getByRole('textbox', { name: 'Wert' }).fill('2026')
    await expectErrors('Speichern', { Feld: 'Gib dem Wert ein Feld oder entferne ihn.' })
    expect(opened.faults).toEqual([])
  })

  /** Opens another page, also if that gives up changes. */
  async function leaveTo(path: string): Promise<void> {
    await opened.open(path)
  }
})
