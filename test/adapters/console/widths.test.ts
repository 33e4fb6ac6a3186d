import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import {
  type ConsolePage,
  type ConsoleTest,
  MISSING_BROWSER,
  openConsoleTest,
  picture,
  seriousViolations,
  sidewaysScrolls,
} from './console-test.js'

const LONG = 'a-name-without-any-space-'.repeat(4)
const WIDTHS = [1_280, 1_000, 760, 560, 360]

describe.skipIf(MISSING_BROWSER !== undefined)('pages of the console at any width', () => {
  let test: ConsoleTest
  let opened: ConsolePage
  let page: Page

  beforeAll(async () => {
    test = await openConsoleTest({ embeddingModels: [new MemoryEmbeddingModel()], webhooks: { allow: ['127.0.0.1'] } })
    const { owner, administration, events } = test.engine
    const { companyId } = owner
    const session = test.engine.as(owner)
    const { id } = await session.contexts.create({ name: LONG, description: '', caption: '', toolsJson: '[]' })
    const file = { fileName: `${LONG}.txt`, content: Buffer.from('Moor the boat at the quay.') }
    await session.documents.whenProcessed(await session.documents.upload(id, file))
    const url = `https://127.0.0.1:9443/${LONG}`
    await administration.destinations.create({ customerId: companyId, url, name: LONG, eventTypes: null })
    await events.record({ type: 'agent.created', data: { agentId: 7, name: LONG }, companyId })
    opened = await test.openPage({ language: 'de' })
    page = opened.page
    await opened.logIn()
  })

  afterAll(async () => {
    await test.close()
  })

  it('shows every table without a sideways scroll', async () => {
    const tables = {
      '/gpts/1/documents': LONG,
      '/gpts/1/documents/1': 'Gesamt',
      '/search?context=1&prompt=boat+quay': 'boat',
      '/people/users/1': 'Administrator',
      '/people/roles': 'Administrator',
      '/people/keys': 'ak_',
      '/webhooks': LONG,
      '/webhooks/deliveries': 'agent.created',
      '/operate': 'Webhooks zustellen',
      '/operate/quotas': LONG,
    }
    for (const [path, text] of Object.entries(tables)) {
      await opened.open(path)
      if (path.startsWith('/search')) await page.getByText('Wie die Frage gelesen wurde').first().click()
      await page.getByRole('row').filter({ hasText: text }).first().waitFor()
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 })
        expect.soft(await sidewaysScrolls(page), `${path} at ${width} px`).toEqual([])
        await picture(page, `widths${path.replaceAll(/\W/g, '-')}-${width}`)
      }
      await page.setViewportSize({ width: 1_280, height: 800 })
    }
    expect(opened.faults).toEqual([])
  })

  it('keeps tabs in one line that scrolls, with the current one in sight', async () => {
    await page.setViewportSize({ width: 360, height: 800 })
    for (const path of ['/gpts/1/settings', '/people/roles', '/webhooks/catalog', '/operate/audit']) {
      await opened.open(path)
      const tabs = page.getByRole('main').getByRole('navigation').getByRole('link')
      const current = page.getByRole('main').locator('[aria-current=page]')
      await current.waitFor()
      // The content moves and the line scrolls once the page has its data.
      const linesOfTabs = async () =>
        new Set(await Promise.all((await tabs.all()).map(async (tab) => (await tab.boundingBox())?.y))).size
      await expect.poll(linesOfTabs, { message: path }).toBe(1)
      const isInSight = async () => {
        const { x = -1, width = 0 } = (await current.boundingBox()) ?? {}
        return x >= 0 && x + width <= 360
      }
      await expect.poll(isInSight, { message: path }).toBe(true)
      // The keyboard reaches the others.
      await tabs.first().focus()
      await expect.poll(async () => (await tabs.first().boundingBox())?.x, { message: path }).toBeGreaterThanOrEqual(0)
      expect(await sidewaysScrolls(page)).toEqual([])
      expect(await seriousViolations(page)).toEqual([])
      await picture(page, `tabs${path.replaceAll('/', '-')}`)
    }
    await page.setViewportSize({ width: 1_280, height: 800 })
  })

  it('leaves the tab that has the focus in sight when a tab comes late', async () => {
    await page.setViewportSize({ width: 360, height: 800 })
    let answerState: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      answerState = resolve
    })
    await page.route('**/operator/state', async (route) => {
      await held
      await route.continue()
    })
    // A page that is loaded again does not know yet that its user is an operator.
    await opened.open('/operate/audit')
    await page.reload()
    const tabs = page.getByRole('main').getByRole('navigation').getByRole('link')
    await page.getByRole('main').locator('[aria-current=page]').waitFor()
    await tabs.first().focus()
    expect(await tabs.count()).toBe(3)
    answerState()
    await expect.poll(async () => await tabs.count()).toBe(4)
    expect((await tabs.first().boundingBox())?.x).toBeGreaterThanOrEqual(0)
    await page.unroute('**/operator/state')
    await page.setViewportSize({ width: 1_280, height: 800 })
  })

  it('names the values of each row in a narrow place, and keeps the table for screen readers', async () => {
    await opened.open('/people/keys')
    await page.setViewportSize({ width: 360, height: 800 })
    const table = page.getByRole('table', { name: 'API-Schlüssel' })
    const cell = table.getByRole('row').nth(1).getByRole('cell').last()
    await expect.poll(async () => await cell.innerText(), { timeout: 10_000 }).toMatch(/^Firma\s+Harbour Works$/)
    // The tree of Chromium itself, not what the roles of the page promise.
    const session = await page.context().newCDPSession(page)
    const { nodes } = await session.send('Accessibility.getFullAXTree')
    const roles = nodes.filter(({ ignored }) => !ignored).map(({ role }) => String(role?.value))
    for (const role of ['table', 'row', 'columnheader', 'rowheader', 'cell']) expect(roles).toContain(role)
    expect(roles.filter((role) => role === 'columnheader')).toHaveLength(9)
    expect(nodes.filter(({ role, name }) => role?.value === 'cell' && name?.value === 'Harbour Works')).toHaveLength(1)
    expect(await seriousViolations(page)).toEqual([])
    await page.setViewportSize({ width: 1_280, height: 800 })
    expect(await cell.innerText()).toBe('Harbour Works')
  })

  it('has the way back at the same place on each page of one thing', async () => {
    const pages = {
      '/gpts/new': 'Alle GPTs',
      '/gpts/1/edit': 'Alle GPTs',
      '/people/users/1': 'Alle Benutzer',
      '/people/invite': 'Alle Benutzer',
      '/people/keys/new': 'Alle API-Schlüssel',
      '/webhooks/destinations/1': 'Alle Ziele',
      '/webhooks/destinations/1/edit': LONG,
      '/webhooks/destinations/new': 'Alle Ziele',
      '/webhooks/deliveries/1': 'Alle Zustellungen',
    }
    const places = []
    for (const [path, name] of Object.entries(pages)) {
      await opened.open(path)
      const back = page.getByRole('main').getByRole('link', { name, exact: true })
      await back.waitFor()
      expect(await page.getByRole('main').getByRole('link').first().innerText()).toContain(name)
      const box = await back.boundingBox()
      places.push(`${box?.x} ${box?.y}`)
    }
    expect(new Set(places).size, places.join()).toBe(1)
  })

  it('covers by a message neither the button that led to it nor the end of the page, and no dialog', async () => {
    await page.setViewportSize({ width: 360, height: 800 })
    await opened.open('/gpts/1/edit')
    await page.getByRole('textbox', { name: 'Untertitel' }).fill('Am Kai')
    await page.getByRole('button', { name: 'Speichern' }).click()
    await page.getByText('Die Änderungen sind gespeichert.').waitFor()
    expect(await coveredByToasts(page, 'main :is(a, button):focus')).toEqual([])
    await page.getByText('Die Änderungen sind gespeichert.').hover()
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    expect(await coveredByToasts(page, 'main :is(a, button, input, textarea)')).toEqual([])
    await page.setViewportSize({ width: 360, height: 420 })
    await page.evaluate("document.querySelector('a[href$=settings]').click()")
    await page.getByRole('button', { name: 'Dieses GPT löschen …' }).click()
    const question = page.getByRole('alertdialog')
    await question.getByRole('button', { name: 'Abbrechen' }).scrollIntoViewIfNeeded()
    expect(await page.getByText('Die Änderungen sind gespeichert.').isVisible()).toBe(true)
    expect(await coveredByToasts(page, '.modal')).toEqual([])
    await page.keyboard.press('Escape')
    await page.mouse.move(0, 0)
    await page.getByText('Die Änderungen sind gespeichert.').waitFor({ state: 'hidden' })
    expect(await page.evaluate("document.documentElement.style.getPropertyValue('--toasts')")).toBe('')
    expect(opened.faults).toEqual([])
  })
})

/** @returns the elements that a message lies over. @param selector of at least one element */
async function coveredByToasts(page: Page, selector: string): Promise<readonly string[]> {
  return await page.evaluate<readonly string[]>(`(() => {
    const toasts = document.querySelector('.toasts').getBoundingClientRect()
    const elements = [...document.querySelectorAll(${JSON.stringify(selector)})]
    if (elements.length === 0) return ['no element: ' + ${JSON.stringify(selector)}]
    return elements.filter((element) => {
      const { top, bottom, left, right } = element.getBoundingClientRect()
      return bottom > toasts.top && top < toasts.bottom && right > toasts.left && left < toasts.right
    }).map((element) => element.outerHTML.slice(0, 200))
  })()`)
}
