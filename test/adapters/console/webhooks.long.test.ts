import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DOCUMENT_CATALOG } from '../../../src/index.js'
import { verifyWebhook } from '../../../src/webhooks/index.js'
import { type Receiver, startReceiver } from '../https-transport/receiver.js'
import {
  type ConsolePage,
  type ConsoleTest,
  MISSING_BROWSER,
  openConsoleTest,
  picture,
  seriousViolations,
  sidewaysScrolls,
} from './console-test.js'

const MARKUP = '<img src=x onerror=alert(1)>'
const JOB = '3f2b8c1e-7d4a-4e6b-9a10-5c2d8e7f1a34'

describe.skipIf(MISSING_BROWSER !== undefined)('webhooks in the console', () => {
  let test: ConsoleTest
  let opened: ConsolePage
  let page: Page
  /** It accepts every event. */
  let working: Receiver
  /** It answers 500 with markup. */
  let broken: Receiver

  beforeAll(async () => {
    working = await startReceiver({ respond: (_request, response) => void response.end('thank you') })
    broken = await startReceiver({
      respond: (_request, response) => void response.writeHead(500).end('<script>alert("no database")</script>'),
    })
    test = await openConsoleTest({ webhooks: { allow: ['127.0.0.1'], certificateAuthorities: [working.ca] } })
    opened = await test.openPage()
    page = opened.page
    page.setDefaultTimeout(10_000)
    await opened.logIn()
  })

  afterAll(async () => {
    await test.close()
    await working.close()
    await broken.close()
  })

  async function record(jobKey: string = JOB): Promise<void> {
    const { companyId } = test.engine.owner
    await test.engine.events.record({ type: 'run.completed', data: { jobKey, success: true }, companyId })
  }

  function button(name: string | RegExp) {
    return page.getByRole('button', { name, exact: true })
  }

  function question() {
    return page.getByRole('alertdialog', { name: /^(Leave without saving|Did you copy the secret)\?$/ })
  }

  /** The rows of the log without its head. */
  function rows() {
    return page.getByRole('table', { name: 'Log of deliveries' }).locator('tbody tr')
  }

  /** Puts 429 in place of the server's answers. @param isRefused by the number of the request, from 1 */
  async function throttleResends(isRefused: (count: number) => boolean, retryAfterSeconds: number): Promise<void> {
    let count = 0
    const json = { type: 'about:blank', title: 'Throttled', status: 429, detail: 'too many', code: 'ERR_THROTTLED' }
    await page.route('**/resend', async (route) => {
      count += 1
      const headers = { 'retry-after': String(retryAfterSeconds) }
      await (isRefused(count) ? route.fulfill({ status: 429, headers, json }) : route.continue())
    })
  }

  async function fact(name: string): Promise<string> {
    return await page.locator('dt', { hasText: name }).first().locator('xpath=following-sibling::dd[1]').innerText()
  }

  it('explains what a destination is while there is none', async () => {
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByRole('heading', { name: 'No destination yet' }).waitFor()
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor()
    await page.getByRole('link', { name: 'Destinations' }).click()
  })

  it('says at the URL why an address is refused', async () => {
    await page.getByRole('link', { name: 'Add a destination' }).click()
    const url = page.getByRole('textbox', { name: 'URL' })
    const errorOf = async (text: string): Promise<string> => {
      await url.fill(text)
      await button('Add').click()
      const described = page.locator('.field', { has: url }).locator('.field-error')
      await described.waitFor()
      await expect.poll(async () => await button('Add').isEnabled()).toBe(true)
      return await described.innerText()
    }
    expect(await errorOf('http://hooks.example.com')).toBe('Must begin with https://.')
    await expect
      .poll(async () => await errorOf('https://10.0.0.1/hook'))
      .toMatch(/^Alcove does not contact this address\. Use a public HTTPS address.*10\.0\.0\.1/)
    expect(await page.locator('[name=url]:focus').count()).toBe(1)
  })

  it('adds a destination by keyboard, and shows the secret that signs its events this once', async () => {
    await page.getByRole('textbox', { name: 'URL' }).focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(working.url)
    await page.keyboard.press('Tab')
    await page.keyboard.type(MARKUP)
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('It is not shown again').waitFor()
    await picture(page, 'console-webhooks-secret')
    const secret = await dialog.locator('.hooks-secret').innerText()
    expect(await dialog.getByText('verifyWebhook').innerText()).toContain("from 'alcove/webhooks'")
    expect(await seriousViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.goBack()
    await question().getByRole('button', { name: 'Cancel' }).click()
    await button('I have copied the secret').click()
    await page.getByRole('heading', { name: MARKUP, level: 1 }).waitFor()
    await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor()

    await page.getByText('The test event is always a run.started of no run').waitFor()
    await button('Send a test event').click()
    const sent = page.getByRole('region', { name: 'Test event' })
    await sent.getByText('The receiver has accepted it.').waitFor()
    await sent.getByText('thank you').waitFor()
    await rows().getByText('run.started').waitFor()
    const [request] = working.requests
    expect(await verifyWebhook(request?.body ?? '', request?.headers ?? {}, secret)).toMatchObject({
      type: 'run.started',
    })
  })

  it('shows the answer of a receiver that fails, as text, while the attempts go on', async () => {
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByRole('link', { name: 'Add a destination' }).click()
    await page.getByRole('textbox', { name: 'URL' }).fill(broken.url)
    await page.getByRole('textbox', { name: 'Name' }).fill('Broken receiver')
    await page.getByText('Only chosen events').click()
    await button('Add').click()
    await page.getByText('Choose at least one event.').waitFor()
    const ticked = (): Locator => page.locator('.hooks-types').getByRole('checkbox', { checked: true })
    await button('Choose all: Runs').click()
    expect(await ticked().count()).toBe(3)
    await page.getByText('All events of documents').click()
    await page.getByText('Only chosen events').click()
    expect(await ticked().count()).toBe(3)
    await page.getByText('document.completed').click()
    await page.getByText('document.deleted').click()
    await page.getByText('run.completed').click()
    await picture(page, 'console-webhooks-form')
    await button('Add').click()
    await button('I have copied the secret').click()
    await button('Send a test event').click()
    const sent = page.getByRole('region', { name: 'Test event' })
    await sent.getByRole('heading', { name: 'Attempt 1 error answer' }).waitFor()
    await sent.getByText('The receiver answered with an error, or could not be reached.').waitFor({ timeout: 10_000 })
    expect(await sent.getByText('<script>alert("no database")</script>').count()).toBe(3)
    expect(await sent.getByText('HTTP 500').count()).toBe(3)
    await picture(page, 'console-webhooks-destination')
  })

  it('lists the destinations with their state and their events', async () => {
    await page.getByRole('link', { name: 'All destinations' }).click()
    const list = page.getByRole('table', { name: 'Webhook destinations' })
    expect(await list.getByRole('row', { name: /Broken receiver/ }).innerText()).toMatch(
      /enabled[^]*document.failed[^]*Harbour Works/,
    )
    expect(await list.getByRole('row', { name: /onerror/ }).innerText()).toMatch(/all of runs and agents/)
    await picture(page, 'console-webhooks')
  })

  it('shows new deliveries when the user asks for them, and keeps the filter in the address', async () => {
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await expect.poll(async () => await rows().count()).toBe(2)
    await record()
    await button('2 new').waitFor()
    expect(await rows().count()).toBe(2)
    await button('2 new').click()
    await expect.poll(async () => await rows().count()).toBe(4)
    // The shown rows change their state by themselves.
    await expect.poll(async () => await rows().filter({ hasText: 'failed' }).count(), { timeout: 10_000 }).toBe(2)
    await picture(page, 'console-webhooks-deliveries')

    await page.getByRole('button', { name: /Status/ }).click()
    await page.getByRole('option', { name: 'failed' }).click()
    await expect.poll(async () => await rows().count()).toBe(2)
    await page.getByRole('button', { name: /Event/ }).click()
    await page.getByRole('option', { name: 'run.completed' }).click()
    await expect.poll(async () => await rows().count()).toBe(1)
    expect(new URL(page.url()).search).toBe('?status=failed&type=run.completed')
    await page.reload()
    await expect.poll(async () => await rows().count()).toBe(1)
    await page.getByRole('button', { name: /Event/ }).click()
    await page.getByRole('option', { name: 'agent.deleted' }).click()
    await page.getByRole('heading', { name: 'No delivery matches' }).waitFor()
    await button('Show all').click()
    await expect.poll(async () => await rows().count()).toBe(4)
  })

  it('shows a delivery with its attempts and its body, and sends it again', async () => {
    broken.respond = (_request, response) => void response.end('works now')
    await rows().filter({ hasText: 'run.completed' }).filter({ hasText: 'failed' }).getByRole('link').click()
    await page.getByRole('heading', { name: 'Attempt 3 error answer' }).waitFor()
    expect(await page.getByText(`"jobKey": "${JOB}"`).count()).toBe(1)
    expect(await page.getByText('<script>alert').count()).toBe(3)
    await picture(page, 'console-webhooks-delivery')
    const failed = page.url()
    await button('Send again').click()
    await page.getByText('works now').waitFor()
    expect(page.url()).not.toBe(failed)
    // The page may have read the delivery just before its attempt ended, and reads it again.
    await expect.poll(async () => await fact('Status')).toMatch(/^succeeded/)
    expect(await fact('Repeats')).toMatch(/^Delivery \d+$/)
  })

  it('sends all failed deliveries again but those that were sent again, and keeps the pause of the server', async () => {
    const before = broken.requests.length
    await page.getByRole('link', { name: 'All deliveries' }).click()
    await throttleResends((count) => count === 1, 1)
    await button('Resend all failed').click()
    const dialog = page.getByRole('alertdialog', { name: 'Resend all failed' })
    // Two have failed, and one of them was sent again.
    await dialog.getByText('Send one delivery again?').waitFor()
    await dialog.getByRole('button', { name: 'Send again' }).click()
    await dialog.getByText('It goes on in 1 s.').waitFor()
    await dialog.getByText('Done: 1 sent again.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await broken.whenReceived(before + 1)
    await page.unroute('**/resend')
    await button('Resend all failed').click()
    await dialog.getByText('There is nothing to send again.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('stops in the middle when the user says so', async () => {
    broken.respond = (_request, response) => void response.writeHead(400).end()
    for (const digit of '123') await record(JOB.replace('3', digit))
    await page.goto(`${test.address}/console/webhooks/deliveries?status=failed&type=run.completed`)
    await expect
      .poll(async () => {
        await page.reload()
        await rows().first().waitFor()
        return await rows().count()
      })
      .toBe(4)
    await throttleResends((count) => count >= 3, 60)
    await button('Resend all failed').click()
    const dialog = page.getByRole('alertdialog', { name: 'Resend all failed' })
    await dialog.getByRole('button', { name: 'Send again' }).click()
    await dialog.getByText('It goes on in').waitFor()
    await page.keyboard.press('Escape')
    await dialog.getByText('Stopped: 2 of 3 were sent again.').waitFor()
    await page.unroute('**/resend')
    await dialog.getByRole('button', { name: 'Close' }).click()
  })

  it('replaces the secret, changes, disables and deletes a destination', async () => {
    await page.getByRole('link', { name: 'Destinations' }).click()
    await page.getByRole('link', { name: 'Broken receiver' }).click()
    await button('New secret').click()
    await page.getByText('The old secret stops at once').waitFor()
    await button('Make a new secret').click()
    expect(await page.locator('.hooks-secret').innerText()).toMatch(/^whsec_\w{44}$/)
    await button('I have copied the secret').click()

    await page.getByRole('link', { name: 'Change', exact: true }).click()
    expect(await page.getByRole('textbox', { name: 'URL' }).inputValue()).toBe(broken.url)
    await page.getByRole('textbox', { name: 'Name' }).fill('Mended receiver')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await question().getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Try eleven times in about a day').click()
    await page.getByText('Also events of the companies below').click()
    await button('Save').click()
    await page.getByRole('heading', { name: 'Mended receiver', level: 1 }).waitFor()
    expect(await fact('Attempts')).toBe('eleven in about a day')
    expect(await fact('Company')).toBe('Harbour Works and the companies below it')
    expect(await fact('Events')).toMatch(/document\.failed\s+run\.completed/)

    await button('Disable').click()
    await page.getByText('It gets no events. Enable it to send events again.').waitFor()
    expect(await button('Send a test event').isDisabled()).toBe(true)
    await button('Enable').click()
    await button('Disable').waitFor()

    // Somebody else works on it at the same time.
    const other = await test.openPage()
    await other.logIn()
    await other.page.goto(`${page.url()}/edit`)
    const otherUrl = other.page.getByRole('textbox', { name: 'URL' })
    await otherUrl.fill(`${broken.url}/other`)
    await other.page.getByRole('button', { name: 'Save' }).click()
    await other.page.getByRole('heading', { name: 'Mended receiver', level: 1 }).waitFor()
    expect(await fact('URL')).toBe(broken.url)
    await button('Disable').click()
    // A message stays while somebody points at it.
    await page.getByText('Somebody else has changed this destination meanwhile.').hover()
    await page.getByText('It gets no events. Enable it to send events again.').waitFor()
    expect(await fact('URL')).toBe(`${broken.url}/other`)
    await page.getByRole('button', { name: 'Close', exact: true }).last().click()
    await button('Enable').click()
    await button('Disable').waitFor()

    await page.getByRole('link', { name: 'Change', exact: true }).click()
    await page.getByRole('textbox', { name: 'URL' }).fill(`${broken.url}/mine`)
    await other.page.getByRole('link', { name: 'Change', exact: true }).click()
    await otherUrl.fill(`${broken.url}/theirs`)
    await other.page.getByText('Try three times within seconds').click()
    await other.page.getByRole('button', { name: 'Save' }).click()
    await other.page.getByRole('heading', { name: 'Mended receiver', level: 1 }).waitFor()
    await button('Save').click()
    await page.getByText('somebody else has changed this too since you began: URL.').waitFor()
    expect(await seriousViolations(page)).toEqual([])
    await button('Save').click()
    await page.getByRole('heading', { name: 'Mended receiver', level: 1 }).waitFor()
    expect(await fact('URL')).toBe(`${broken.url}/mine`)
    expect(await fact('Attempts')).toBe('three within seconds')
    expect(other.faults).toEqual([])
    await other.context.close()

    await button('Delete').click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete “Mended receiver”?' })
    await dialog.getByText('Its secret is erased, and it gets no more events.').waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Webhook destinations' }).waitFor()
    await expect.poll(async () => await page.getByRole('link', { name: 'Mended receiver' }).count()).toBe(0)
  })

  it('gives a destination all events of documents by one press', async () => {
    await page.goto(`${test.address}/console/webhooks/destinations/new`)
    await page.getByText('All events of runs and agents, none of documents').waitFor()
    await page.getByRole('textbox', { name: 'URL' }).fill(new URL('/documents', working.url).href)
    await page.getByText('All events of documents').click()
    await button('Add').click()
    await button('I have copied the secret').click()
    for (const { type } of DOCUMENT_CATALOG) await page.getByText(type, { exact: true }).waitFor()
    const { destinations } = test.engine.administration
    const made = (await destinations.list()).find(({ url }) => url.endsWith('/documents'))
    expect([...(made?.eventTypes ?? [])].sort()).toEqual(DOCUMENT_CATALOG.map(({ type }) => type).sort())
    await page.getByRole('link', { name: 'Change', exact: true }).click()
    expect(await page.getByRole('radio', { name: 'All events of documents' }).isChecked()).toBe(true)
    await destinations.delete(made?.id ?? 0)
    await page.goto(`${test.address}/console/webhooks`)
  })

  it('shows a receiver that failed, and one that wants no more events', async () => {
    const { destinations } = test.engine.administration
    broken.respond = (request, response) => void response.writeHead(request.path === '/gone' ? 410 : 503).end()
    const add = async (path: string): Promise<number> => {
      const url = new URL(`/${path}`, broken.url).href
      return (await destinations.create({ url, eventTypes: ['agent.deleted'], retry: 'long' })).id
    }
    await add('gone')
    const awayId = await add('away')
    const { companyId } = test.engine.owner
    await test.engine.events.record({ type: 'agent.deleted', data: { agentId: 7 }, companyId })
    await page.goto(`${test.address}/console/webhooks`)
    const state = async (name: string): Promise<string> => await page.getByRole('row', { name }).innerText()
    await expect
      .poll(async () => {
        await page.reload()
        return `${await state('/gone')} ${await state('/away')}`
      })
      .toMatch(/disabled by its receiver[^]*failing/)
    await page.getByRole('row', { name: '/gone' }).getByRole('link').click()
    await page.getByText('The receiver answered 410').waitFor()
    await page.goto(`${test.address}/console/webhooks/deliveries?type=agent.deleted&status=pending`)
    await rows().getByRole('link').click()
    expect(await fact('Next attempt')).toMatch(/^by itself; \d of at most 11 made/)
    // A shown row stays where it is when it no longer matches the filter.
    await page.goBack()
    await rows().getByText('waiting').waitFor()
    await destinations.delete(awayId)
    await rows().getByText('has another status now').waitFor()
  })

  it('offers the companies whose webhooks the user manages', async () => {
    const { companies } = test.engine.administration
    await companies.create({ name: `Branch ${MARKUP}`, parentId: test.engine.owner.companyId })
    await page.goto(`${test.address}/console/webhooks/destinations/new`)
    await page.getByRole('textbox', { name: 'URL' }).fill(working.url)
    await page.getByRole('button', { name: 'Harbour Works Company' }).click()
    await page.getByRole('option', { name: /Branch/ }).click()
    await button('Add').click()
    await button('I have copied the secret').click()
    await page.getByRole('link', { name: 'All destinations' }).click()
    const shown = page.getByRole('row', { name: new URL(working.url).host })
    await expect.poll(async () => await shown.innerText()).toContain('Harbour Works')
    await page.getByRole('button', { name: /Company/ }).click()
    await page.getByRole('option', { name: /Branch/ }).click()
    await expect.poll(async () => await shown.innerText()).toContain(`Branch ${MARKUP}`)
  })

  it('asks for a waiting delivery more and more seldom, and no more once it is gone', async () => {
    const { page: waiting, logIn, context } = await test.openPage()
    await logIn()
    await waiting.clock.install()
    const delivery = {
      ...{ id: 7, destinationId: 1, eventId: '7', type: 'run.completed', attemptCount: 0, attempts: [], payload: '{}' },
      ...{ status: 'pending', created: '2026-01-01T00:00:00Z', nextAttempt: '2026-01-01T10:00:00Z', resendOf: null },
    }
    const json = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'gone', code: 'ERR_NOT_FOUND' }
    let count = 0
    let isGone = false
    await waiting.route('**/v1/outbound-webhooks/deliveries/7', async (route) => {
      count += 1
      await route.fulfill(isGone ? { status: 404, json } : { json: delivery })
    })
    const passSeconds = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) await waiting.clock.runFor(1_000)
    }
    await waiting.goto(`${test.address}/console/webhooks/deliveries/7`)
    await waiting.getByRole('heading', { name: 'Delivery 7' }).waitFor()
    await passSeconds(60)
    expect(count).toBeGreaterThan(4)
    expect(count).toBeLessThan(14)
    isGone = true
    // Seconds pass quickly here: a request that is under way may need many of them.
    await expect
      .poll(async () => {
        await passSeconds(5)
        return await waiting.getByRole('main').innerText()
      })
      .toContain('Gone.')
    const last = count
    await passSeconds(40)
    expect(count).toBe(last)
    await context.close()
  })

  it('explains each event type with its fields and an example', async () => {
    await test.engine.events.define({
      type: 'order.created',
      description: `An order ${MARKUP}`,
      schema: { orderId: 'integer' },
    })
    await page.goto(`${test.address}/console/webhooks/catalog`)
    await page.getByRole('heading', { name: 'Documents' }).waitFor()
    const entry = page.getByRole('article').filter({ hasText: 'order.created' })
    expect(await entry.innerText()).toContain(`An order ${MARKUP}`)
    await entry.getByText('Example of a request body').click()
    expect(JSON.parse(await entry.locator('pre').innerText())).toMatchObject({
      type: 'order.created',
      event_category: 'order',
      data: { orderId: 7 },
    })
    await picture(page, 'console-webhooks-catalog')
  })

  it('has nothing serious for axe, in both themes, and no sideways scroll at 360 px', async () => {
    const [first] = (await test.engine.administration.deliveries.list({ status: 'succeeded' })).items
    const both = ['light', 'dark'] as const
    const paths = [
      ['', 'Webhook-Ziele', ['dark']],
      ['/destinations/1', MARKUP, both],
      ['/destinations/1/edit', 'Ziel ändern', ['light']],
      ['/deliveries', 'Webhook-Zustellungen', ['light']],
      [`/deliveries/${first?.id ?? 0}`, 'Zustellung', both],
      ['/catalog', 'Webhook-Katalog', ['dark']],
    ] as const
    const narrow = await test.openPage({ language: 'de', width: 360 })
    await narrow.logIn()
    for (const [path, title, themes] of paths) {
      await narrow.open(`/webhooks${path}`)
      await narrow.page.getByRole('heading', { level: 1, name: title }).waitFor()
      await expect.poll(async () => await narrow.page.locator('.loading').count()).toBe(0)
      for (const colorScheme of themes) {
        await narrow.page.emulateMedia({ colorScheme })
        expect(await seriousViolations(narrow.page), path).toEqual([])
        await picture(narrow.page, `console-webhooks-narrow-${colorScheme}${path.replaceAll('/', '-')}`)
      }
      expect(await sidewaysScrolls(narrow.page), path).toEqual([])
    }
    expect(narrow.faults).toEqual([])
    await narrow.context.close()
  })

  it('reads a long log page by page, and new deliveries move nothing', async () => {
    const { companyId } = test.engine.owner
    const recordOne = async (): Promise<void> => {
      await test.engine.events.record({ type: 'agent.created', data: { agentId: 7, name: MARKUP }, companyId })
    }
    for (let count = 0; count < 60; count += 1) await recordOne()
    await page.goto(`${test.address}/console/webhooks/deliveries?destination=1&type=agent.created`)
    await expect.poll(async () => await rows().count()).toBe(50)
    await button('Show older ones').click()
    await expect.poll(async () => await rows().count()).toBe(60)
    const place = await rows().last().boundingBox()
    await recordOne()
    await button('1 new').waitFor()
    expect(await rows().last().boundingBox()).toEqual(place)
    await button('1 new').click()
    await expect.poll(async () => await rows().count()).toBe(50)
    expect(opened.faults).toEqual([])
  })
})
