import { once } from 'node:events'
import { readdir, rename } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { components } from '../../../adapters/client/index.js'
import { VERSION } from '../../../adapters/node-kit/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import {
  type ConsolePage,
  type ConsoleTest,
  MISSING_BROWSER,
  openConsoleTest,
  PASSWORD,
  picture,
  seriousViolations,
  sidewaysScrolls,
} from './console-test.js'

const MARKUP = '<img src=x onerror=alert(1)>'
/** The page asks again after this time. */
const POLL_MS = 5_000
type DiskPart = components['schemas']['DiskPart']
const MANAGER = { email: 'grace@example.com', password: PASSWORD }

describe.skipIf(MISSING_BROWSER !== undefined)('operation in the console', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let test: ConsoleTest
  let owner: ConsolePage
  let page: Page
  let documentUuid: string
  let managerId: number

  beforeAll(async () => {
    folder = await temporaryFolder()
    test = await openConsoleTest({ dataDir: folder.path, webhooks: { allow: ['127.0.0.1'] } })
    const { engine } = test
    const { administration } = engine
    const company = await administration.companies.create({ name: `Quay ${MARKUP}`, parentId: engine.owner.companyId })
    const roles = [{ role: 'Administrator', application: 'tenant' }]
    const manager = { externalId: 'grace', companyId: company.id, email: MANAGER.email, name: 'Grace Hopper', roles }
    managerId = (await administration.ensureUser(manager)).user.id
    await administration.users.completeSetup(managerId, PASSWORD)
    const session = engine.as(engine.owner)
    const { id } = await session.contexts.create({
      name: `Leave ${MARKUP}`,
      description: 'Answers about leave.',
      caption: 'Leave',
      toolsJson: '[]',
    })
    const file = { fileName: 'leave.txt', content: Buffer.from('Parental leave lasts sixteen weeks.') }
    documentUuid = await session.documents.upload(id, file)
    await session.documents.whenProcessed(documentUuid)
    owner = await test.openPage()
    page = owner.page
    page.setDefaultTimeout(10_000)
    await page.clock.install()
    await owner.logIn()
    await page.getByRole('link', { name: 'Operate' }).click()
  })

  afterAll(async () => {
    await test.close()
    await folder.remove()
  })

  async function openTab(name: string, on: Page = page): Promise<void> {
    await on
      .getByRole('navigation', { name: /^(Pages of operation|Seiten des Betriebs)$/ })
      .getByRole('link', { name })
      .click()
  }

  function panel(heading: string, on: Page = page): Locator {
    return on.locator('section', { has: on.getByRole('heading', { name: heading, exact: true }) })
  }

  async function factOf(within: Locator, name: string): Promise<string> {
    return await within.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd[1]').innerText()
  }

  /** Waits for what the page shows once it has asked again. */
  async function seesAfterPolls(wanted: Locator): Promise<void> {
    const ask = async (): Promise<boolean> => {
      await page.clock.fastForward(POLL_MS)
      return await wanted.isVisible()
    }
    await expect.poll(ask, { timeout: 10_000, interval: 200 }).toBe(true)
  }

  it('shows an owner the health, the version, the disk, the models and the stored data', async () => {
    await page.getByText('Everything works').waitFor()
    const running = panel('The process that answers')
    expect(await factOf(running, 'Version')).toBe(VERSION)
    expect(await factOf(running, 'Work in the background')).toContain('processes documents')
    expect(await factOf(panel('Stored data'), 'Documents')).toBe('1')
    const files = page.getByRole('row', { name: /^Files as they were uploaded/ })
    expect(await files.innerText()).toMatch(/35 bytes/)
    expect(await panel('Embedding models').innerText()).toContain('default of new GPTs')
    await panel('Check after the start').getByText('found nothing wrong').waitFor()
    expect(await panel('Queues').getByRole('status').innerText()).toBe('No queue needs your attention.')
    expect(await panel('Stored data').innerText()).toContain('counted at most once a minute')
    await picture(page, 'console-operate')
  })

  it('shows the job of a webhook that failed in its queue, and says what to do, without a reload', async () => {
    const { destinations } = test.engine.administration
    const { id } = await destinations.create({ url: await unusedUrl(), eventTypes: null, name: `Hook ${MARKUP}` })
    await destinations.test(id)
    const attention = panel('Queues').getByRole('status')
    await seesAfterPolls(attention.getByText('Deliver webhooks: a job has failed and is tried again.'))
    const [waiting, running, delayed, retrying] = await page
      .getByRole('row', { name: /^Deliver webhooks/ })
      .getByRole('cell')
      .allInnerTexts()
    expect([Number(waiting) + Number(running) + Number(delayed), retrying]).toEqual([1, '1'])
  })

  it('leads to the deliveries that failed for good, which are in no queue', async () => {
    await page.getByRole('link', { name: 'Failed deliveries of webhooks' }).click()
    await page.getByRole('button', { name: /^failed/ }).waitFor()
    expect(page.url()).toMatch(/\/console\/webhooks\/deliveries\?status=failed$/)
    await page.goBack()
    await page.getByText('Everything works').waitFor()
  })

  it('says which part of the server does not work, and what to do', async () => {
    await page.route('**/health', async (route) => {
      const ports = { storage: 'ok', fileStore: 'ERR_TIMEOUT', embeddingModels: 'ERR_MODEL_UNAVAILABLE' }
      await route.fulfill({ status: 503, json: { status: 'unavailable', ports } })
    })
    await page.clock.fastForward(POLL_MS)
    const health = panel('Health').getByRole('status')
    await health.getByText('The store of files did not answer within 2 seconds. Check the disk').waitFor()
    expect(await health.innerText()).toContain('An embedding model answers with an error (ERR_MODEL_UNAVAILABLE).')
    expect(await health.innerText()).not.toContain('The database')
    await page.unrouteAll({ behavior: 'wait' })
    await page.clock.fastForward(POLL_MS)
    await page.getByText('Everything works').waitFor()
  })

  it('says what needs attention in queues, disks and models, and who checks already', async () => {
    let diskOf = (parts: readonly DiskPart[]): readonly DiskPart[] =>
      parts.map((part) => ({ ...part, freeBytes: part.part === 'files' ? 5_000_000 : null }))
    await page.route('**/operator/state', async (route) => {
      const response = await route.fetch()
      const state = (await response.json()) as components['schemas']['InstallationState']
      const changed = {
        queues: state.queues.map((queue) =>
          queue.kind === 'ingest-document' ? { ...queue, waiting: 3, oldestWaitingSeconds: 7_200, crashing: 2 } : queue,
        ),
        disk: diskOf(state.disk),
        models: state.models.map((model) => ({ ...model, isAvailable: false, isLoaded: null })),
        verification: { started: new Date().toISOString(), documents: 17 },
      }
      await route.fulfill({ response, json: { ...state, ...changed } })
    })
    const attention = panel('Queues').getByRole('status')
    await seesAfterPolls(attention.getByText('Process documents: 2 jobs were taken three times without progress'))
    await attention.getByText('Process documents: the oldest job has waited for 2 hours.').waitFor()
    await panel('Disk').getByText('Only 5 MB are free on a disk.').waitFor()
    const free = panel('Disk')
    expect(await factOf(free, 'Free on the disk')).toBe('5 MB, measured for: Files as they were uploaded')
    // Only some databases and indexes tell their sizes, so this is about the free bytes alone.
    expect(await free.locator('dd', { hasText: 'unknown' }).count()).toBe(0)
    diskOf = (parts) => parts.map((part) => ({ ...part, freeBytes: null }))
    await seesAfterPolls(free.locator('dd', { hasText: 'unknown' }))
    await panel('Embedding models').getByText('The server of this model does not answer.').waitFor()
    await openTab('Doctor')
    await page.getByText(/A check that somebody else began .* runs now: 17 documents so far/).waitFor()
    expect(await page.getByRole('button', { name: 'Check everything' }).isDisabled()).toBe(true)
    await page.unrouteAll({ behavior: 'wait' })
    await seesAfterPolls(page.getByRole('heading', { name: 'No check yet' }))
  })

  it('shows what each company uses beside its limits, and leads to the settings of a large GPT', async () => {
    await openTab('Quotas')
    const own = page.getByRole('region', { name: 'Harbour Works' })
    await own.getByText('1 of 10,000').first().waitFor()
    expect(await own.locator('meter').first().getAttribute('value')).toBe('1')
    const below = page.getByRole('region', { name: `Quay ${MARKUP}` })
    await below.getByText('This company has no GPTs yet.').waitFor()
    const row = own.getByRole('row', { name: /^Leave/ })
    expect(await row.innerText()).toContain('35 bytes of')
    await picture(page, 'console-operate-quotas')
    await row.getByRole('link', { name: `Settings of Leave ${MARKUP}` }).click()
    expect(page.url()).toMatch(/\/console\/gpts\/\d+\/settings$/)
    await page.goBack()
  })

  it('checks a healthy folder by keyboard, and says what was checked', async () => {
    await openTab('Doctor')
    await page.getByRole('heading', { name: 'No check yet' }).waitFor()
    await page.getByRole('button', { name: 'Check everything' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Everything is in order').waitFor()
    expect(await page.locator('h2:focus').innerText()).toBe('Report')
    expect(await factOf(panel('What was checked'), 'Documents')).toBe('1')
  })

  it('cancels a check, and tells somebody who comes second to wait', async () => {
    const answers: (() => Promise<void>)[] = []
    await page.route('**/operator/verify', async (route) => {
      const problem = { status: 429, code: 'ERR_THROTTLED', title: 'Too many', detail: 'a verification runs already' }
      answers.push(async () => await route.fulfill({ status: 429, json: problem }))
      await Promise.resolve()
    })
    await page.getByRole('button', { name: 'Check everything' }).click()
    await page.getByRole('progressbar', { name: /^The check runs: 0 documents so far/ }).waitFor()
    await page.getByRole('button', { name: 'Cancel the check' }).click()
    await page.getByText('You cancelled the check').waitFor()
    await page.getByRole('button', { name: 'Check everything' }).click()
    await expect.poll(() => answers.length).toBe(2)
    await page.getByRole('progressbar').waitFor()
    await answers[1]?.()
    await page.getByText('Somebody else runs a check right now').waitFor()
    await page.unroute('**/operator/verify')
  })

  it('names what is wrong with a file under another name, and how to repair it', async () => {
    // Its beginning names its folder.
    await renameFile(folder.path, documentUuid, `${documentUuid.slice(0, 24)}${'5'.repeat(12)}`)
    await page.getByRole('button', { name: 'Check everything' }).click()
    await page.getByText('The check found 2 problems.').waitFor()
    expect(await page.getByText('To mend what can be repaired').innerText()).toContain('alcove doctor --repair')
    const problems = page.getByRole('listitem')
    expect(await problems.filter({ hasText: 'has no readable file' }).innerText()).toMatch(
      /mend by hand\s+GPT 1, document 1/,
    )
    expect(await problems.filter({ hasText: 'belongs to no document' }).innerText()).toMatch(
      /can be repaired[^]*Repairing removes orphans/,
    )
    await picture(page, 'console-operate-doctor')
  })

  it('shows a refused login with its origin and the reason', async () => {
    await openTab('Audit trail')
    await page.getByText('Owner created the GPT').waitFor()
    const body = JSON.stringify({ email: MANAGER.email, password: 'wrong horse' })
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(`${test.address}/auth/login`, { method: 'POST', headers, body })).status).toBe(401)
    await page.getByRole('button', { name: 'Look again' }).click()
    const entry = page.getByRole('listitem').filter({ hasText: 'tried to sign in as the user Grace Hopper.' })
    await entry.waitFor()
    expect(await entry.innerText()).toMatch(/^Somebody who was not signed in[^]*from 127\.0\.0\.1[^]*refused/)
    await entry.getByText('Details').click()
    expect(await factOf(entry, 'Reason')).toBe('the password was wrong')
    expect(await factOf(entry, 'Company')).toContain(MARKUP)
    expect(await factOf(entry, 'What')).toBe(`User ${managerId}`)
  })

  it('says that successful sign-ins are not there, and names the key of a refused one', async () => {
    await page.getByText('Refused sign-ins are recorded, successful ones are not').waitFor()
    const body = JSON.stringify({ clientId: test.key.clientId, clientSecret: 'wrong' })
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(`${test.address}/auth/login`, { method: 'POST', headers, body })).status).toBe(401)
    await page.getByRole('button', { name: 'Look again' }).click()
    await page.getByText(/tried to sign in with, or to get a token for, the API key \d+\.$/).waitFor()
  })

  it('says who did what, with its details, and finds it by action', async () => {
    await openTab('Audit trail')
    const entries = page.getByRole('list', { name: 'Entries' }).getByRole('listitem')
    await entries.filter({ hasText: `created the GPT Leave ${MARKUP}.` }).waitFor()
    await entries.filter({ hasText: `The host created the company Quay ${MARKUP}.` }).waitFor()
    await entries.filter({ hasText: `added the user Grace Hopper.` }).waitFor()
    await entries
      .filter({ hasText: /The host created the account \d+ of the company Quay/ })
      .first()
      .waitFor()
    await picture(page, 'console-operate-audit')
    await page.getByRole('button', { name: /^All actions/ }).click()
    await page.getByRole('option', { name: 'Create the permission' }).click()
    await expect.poll(() => page.url()).toContain('action=permission.created')
    const permission = entries.filter({
      hasText:
        /The host created the permission of the user Grace Hopper with the role Administrator on the account [^\d]/,
    })
    await permission.getByText('Details').click()
    await permission.getByText(/^Administrator \(\d+\)$/).waitFor()
    expect(await factOf(permission, 'User')).toContain(`Grace Hopper (${managerId})`)
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    const created = entries.filter({ hasText: 'created the GPT' })
    await created.getByText('Details').click()
    await created.getByRole('button', { name: 'Only actions of this user' }).click()
    expect(await page.locator('h2:focus').innerText()).toBe('Entries')
    await expect.poll(() => page.url()).toMatch(/[?]user=\d+$/)
    await page.getByRole('button', { name: /^Owner \(\d+\)/ }).waitFor()
    await created.waitFor()
    expect(await entries.filter({ hasText: 'The host' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByRole('button', { name: /^Everybody/ }).click()
    await page.getByRole('option', { name: 'Another user, by number' }).click()
    await page.getByLabel('Number of the user').fill(String(managerId))
    await page.getByRole('heading', { name: 'No entry has all of this' }).waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByRole('button', { name: /^Everybody/ }).waitFor()
    await created.waitFor()
    await page.getByLabel('From').fill('2001-01-01')
    await page.getByLabel('Until').fill('2001-01-02')
    await page.getByRole('heading', { name: 'No entry has all of this' }).waitFor()
  })

  it('shows a manager of a company below no installation, and why', async () => {
    const manager = await test.openPage({ language: 'de' })
    const { page: below } = manager
    below.setDefaultTimeout(10_000)
    await manager.open('/operate')
    await manager.logIn(MANAGER)
    await below.getByText('nur Verwalter der obersten Firma').waitFor()
    await below.getByText('Alles funktioniert').waitFor()
    expect(await below.getByRole('heading', { name: 'Warteschlangen' }).count()).toBe(0)
    expect(await below.getByRole('link', { name: 'Prüfung' }).count()).toBe(0)
    await openTab('Kontingente', below)
    await below
      .getByRole('region', { name: `Quay ${MARKUP}` })
      .getByText('1 von 10.000')
      .waitFor()
    expect(await below.getByRole('region', { name: 'Harbour Works' }).count()).toBe(0)
    await openTab('Protokoll', below)
    await below.getByText(`hat den Benutzer Grace Hopper hinzugefügt.`).waitFor()
    expect(await below.getByText('das GPT Leave').count()).toBe(0)
    await manager.open('/operate/doctor')
    await below.getByText('Deshalb dürfen das nur Verwalter').waitFor()
    expect(await below.getByRole('button', { name: 'Alles prüfen' }).count()).toBe(0)
    expect(manager.faults).toEqual([])
    await manager.context.close()
  })

  it('has nothing serious for axe in both themes, and nothing sideways at 360 px', async () => {
    await page.setViewportSize({ width: 360, height: 800 })
    for (const tab of ['State', 'Quotas', 'Doctor', 'Audit trail']) {
      await openTab(tab)
      await page.waitForLoadState('networkidle')
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await seriousViolations(page), `${tab}, ${colorScheme}`).toEqual([])
      }
      expect(await sidewaysScrolls(page), tab).toEqual([])
      await picture(page, `console-operate-narrow-${tab.slice(0, 5).toLowerCase()}`)
    }
    expect(owner.faults).toEqual([])
  })
})

/** An address at which nobody listens. */
async function unusedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return `https://127.0.0.1:${port}/`
}

async function renameFile(folder: string, name: string, newName: string): Promise<void> {
  const paths = await readdir(join(folder, 'files'), { recursive: true })
  for (const path of paths.filter((each) => each.includes(name))) {
    await rename(join(folder, 'files', path), join(folder, 'files', path.replaceAll(name, newName)))
  }
}
