import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import { type ConsoleTest, MISSING_BROWSER, openConsoleTest } from './console-test.js'

/** A slow 3G connection. */
const THROTTLED = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }
/** Much more than a fast machine needs: other tests run at the same time. */
const PAINT_MS = 5_000
const USABLE_MS = 25_000

describe.skipIf(MISSING_BROWSER !== undefined)('the console on a slow network', () => {
  let test: ConsoleTest

  beforeAll(async () => {
    test = await openConsoleTest({ embeddingModels: [new MemoryEmbeddingModel()] })
    const context = { name: 'Harbour rules', description: 'Answer briefly.', caption: 'Rules', toolsJson: '[]' }
    await test.engine.as(test.engine.owner).contexts.create(context)
  })

  afterAll(async () => {
    await test.close()
  })

  it('paints soon, shows that sections load, and fails nowhere by a limit of time', async () => {
    const { page, open, logIn, faults, context } = await test.openPage()
    page.setDefaultTimeout(USABLE_MS)
    const browser = await context.newCDPSession(page)
    await browser.send('Network.enable')
    await browser.send('Network.emulateNetworkConditions', THROTTLED)
    const begin = performance.now()
    await page.goto(`${test.address}/console/`, { waitUntil: 'commit' })
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    const signInMs = Math.round(performance.now() - begin)
    const paintMs = await firstPaintOf(page)

    await logIn()
    const sectionMs: Record<string, number> = {}
    for (const link of ['My GPTs', 'Try a search', 'People', 'Webhooks', 'Operate']) {
      const asked = performance.now()
      await page.getByRole('link', { name: link, exact: true }).click()
      const main = page.getByRole('main')
      if (link !== 'My GPTs') await main.getByText('Loading…').first().waitFor()
      await main.getByRole('heading', { level: 1 }).waitFor()
      await expect.poll(async () => await main.getByText('Loading…').count(), { timeout: USABLE_MS }).toBe(0)
      sectionMs[link] = Math.round(performance.now() - asked)
      expect(await page.getByRole('alert').count()).toBe(0)
    }
    await open('/gpts/1/documents')
    await page.getByRole('heading', { name: 'No documents yet' }).waitFor()
    const reloaded = performance.now()
    await page.reload({ waitUntil: 'commit' })
    await page.getByRole('heading', { name: 'No documents yet' }).waitFor()
    const reloadMs = Math.round(performance.now() - reloaded)
    console.info(`400 ms, 400 kbit/s: ${JSON.stringify({ paintMs, signInMs, sectionMs, reloadMs })}`)
    expect(paintMs).toBeLessThan(PAINT_MS)
    expect(signInMs).toBeLessThan(USABLE_MS)
    expect(faults).toEqual([])
    await context.close()
  })
})

/** The time from the request of the page until it shows something. */
async function firstPaintOf(page: Page): Promise<number> {
  const ms = await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime")
  return Math.round(ms)
}
