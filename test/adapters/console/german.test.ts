import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { VerifyReport } from '../../../src/index.js'
import {
  type ConsolePage,
  type ConsoleTest,
  MISSING_BROWSER,
  openConsoleTest,
  picture,
  seriousViolations,
} from './console-test.js'

describe.skipIf(MISSING_BROWSER !== undefined)('the console in German', () => {
  let test: ConsoleTest
  let shown: ConsolePage
  let page: Page

  beforeAll(async () => {
    test = await openConsoleTest()
    shown = await test.openPage({ language: 'de', width: 360 })
    page = shown.page
    await shown.logIn()
  })

  afterAll(async () => {
    await test.close()
  })

  const button = (name: string): Locator => page.getByRole('button', { name, exact: true })

  it('names roles, applications and permissions for people, with the technical names beside them', async () => {
    await shown.open('/people/roles')
    const member = page.getByRole('row').filter({ hasText: 'Mitglied' })
    await member.getByText('Arbeitet mit GPTs und ihren Dokumenten und sucht darin.').waitFor()
    const technical = await member.locator('small').allInnerTexts()
    expect(technical).toEqual([
      'Member',
      'assistant',
      'tenant',
      'builder',
      'context:read',
      'context:write',
      'document:write',
      'search',
    ])
    await picture(page, 'console-german-roles')
  })

  it('says at a field what is wrong with it', async () => {
    await shown.open('/people/invite')
    await page.getByRole('textbox', { name: /^E-Mail-Adresse/ }).fill('jo@example.com')
    await page.getByRole('textbox', { name: 'Nachname' }).fill('<i>')
    await button('Einladen').click()
    await page.getByText('Darf weder < noch > enthalten.').waitFor()
    await page.getByRole('textbox', { name: 'Nachname' }).fill('Quay')
    await button('Einladen').click()
    await page.getByText('Niemand bekommt eine E-Mail: Dieser Server hat keinen Mailserver.').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    expect(await seriousViolations(page)).toEqual([])
    await picture(page, 'console-german-invited')
  })

  it('says the reason of a refusal in German', async () => {
    await shown.open('/people/invite')
    await page.getByRole('textbox', { name: /^E-Mail-Adresse/ }).fill('kim@example.com')
    const reason = { code: 'limit-of-users', parameters: { company: 1, held: 1_000, max: 1_000 } }
    const json = {
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      detail: 'no',
      code: 'ERR_LIMIT_REACHED',
      reason,
    }
    await page.route('**/tenant/user', async (route) => await route.fulfill({ status: 409, json }))
    await button('Einladen').click()
    const alert = page.getByRole('alert')
    await alert.getByText('Anzahl der Benutzer der Firma 1: 1.000. Die Grenze ist 1.000.').waitFor()
    expect(await alert.getByText('Was der Server sagt (englisch)').count()).toBe(0)
    await page.unroute('**/tenant/user')
    await page.getByRole('textbox', { name: /^E-Mail-Adresse/ }).fill('')
  })

  it('says a refusal of another server in German, and unfolds what the server says', async () => {
    await shown.open('/people/invite')
    await page.getByRole('textbox', { name: /^E-Mail-Adresse/ }).fill('kim@example.com')
    const detail = 'company 1 has 100 users, and the limit is 100: delete one'
    const json = { type: 'about:blank', title: 'Conflict', status: 409, detail, code: 'ERR_LIMIT_REACHED' }
    await page.route('**/tenant/user', async (route) => await route.fulfill({ status: 409, json }))
    await button('Einladen').click()
    const alert = page.getByRole('alert')
    await alert.getByText('Mehr davon sind nicht möglich.').waitFor()
    const said = alert.getByText('Company 1 has 100 users')
    expect([await said.isVisible(), await said.getAttribute('lang')]).toEqual([false, 'en'])
    await alert.getByText('Was der Server sagt (englisch)').click()
    expect(await said.isVisible()).toBe(true)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await seriousViolations(page)).toEqual([])
    }
    await page.unroute('**/tenant/user')
    await page.getByRole('textbox', { name: /^E-Mail-Adresse/ }).fill('')
  })

  it('says why a destination is refused, and which events it gets', async () => {
    await shown.open('/webhooks/destinations/new')
    await page.getByText('Alle Ereignisse von Läufen und Agenten, keine von Dokumenten').waitFor()
    const url = page.getByRole('textbox', { name: 'URL' })
    for (const [text, reason] of [
      ['http://hooks.example.com', 'Muss mit https:// beginnen.'],
      ['https://10.0.0.1/hook', '10.0.0.1 ist keine öffentliche Adresse.'],
    ] as const) {
      await url.fill(text)
      await button('Hinzufügen').click()
      await page.getByText(reason).waitFor()
    }
    await url.fill('')
  })

  it('says what the doctor found, with the sentences of the server to unfold', async () => {
    const problem = {
      code: 'file-without-document',
      subject: { file: 'abc' },
      message: 'File abc belongs to no document.',
      repair: 'Repairing removes orphans, and resumes unfinished work.',
      isRepairable: true,
      isRepaired: false,
    }
    await page.route('**/operator/verify', async (route) => {
      const report = (await (await route.fetch()).json()) as VerifyReport
      await route.fulfill({ json: { ...report, isHealthy: false, problems: [problem] } })
    })
    await shown.open('/operate/doctor')
    await button('Alles prüfen').click()
    const item = page.getByRole('listitem').filter({ hasText: 'Eine Datei gehört zu keinem Dokument.' })
    await item.getByText('Die Reparatur entfernt herrenlose Daten').waitFor()
    expect(await item.getByText(problem.message).isVisible()).toBe(false)
    await item.getByText('Was der Server sagt (englisch)').click()
    expect(await item.getByText(problem.message).isVisible()).toBe(true)
    expect(await seriousViolations(page)).toEqual([])
    await page.unrouteAll({ behavior: 'wait' })
    expect(shown.faults).toEqual([])
  })
})
