import type { BrowserContext, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import { type ConsoleTest, MISSING_BROWSER, openConsoleTest, PASSWORD, seriousViolations } from './console-test.js'

const BEN = { email: 'ben@example.com', password: PASSWORD }
const LOGIN = '**/auth/login'
const CONTEXTS = /\/context(\?|$)/

describe.skipIf(MISSING_BROWSER !== undefined)('the frame of the console', () => {
  let test: ConsoleTest

  beforeAll(async () => {
    test = await openConsoleTest({ embeddingModels: [new MemoryEmbeddingModel()] })
    const { administration, owner } = test.engine
    const ensured = { externalId: BEN.email, email: BEN.email, companyId: owner.companyId }
    const { user, principal } = await administration.ensureUser(ensured)
    await administration.users.completeSetup(user.id, PASSWORD)
    await test.engine.as(owner).contexts.create(contextOf('Harbour rules'))
    await test.engine.as(principal).contexts.create(contextOf('Notes of Ben'))
  })

  afterAll(async () => {
    await test.close()
  })

  it('shows the error of a later answer above the content, and nothing of it after a refusal', async () => {
    const { page, logIn, faults, context } = await test.openPage()
    await logIn()
    await page.getByText('Harbour rules').first().waitFor()
    await page.route(CONTEXTS, async (route) => await answer(route, 409, 'ERR_CONFLICT', 'the list is locked'))
    await returnAfter(page, 2_100)
    await page.getByText('The list is locked.').waitFor()
    expect(await page.getByText('Harbour rules').first().isVisible()).toBe(true)
    await page.unroute(CONTEXTS)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('The list is locked.').waitFor({ state: 'hidden' })
    await page.route(CONTEXTS, async (route) => await answer(route, 403, 'ERR_FORBIDDEN', 'no right'))
    await returnAfter(page, 2_100)
    await page.getByText('You may not do this.').waitFor()
    expect(await page.locator('main').innerText()).not.toContain('Harbour rules')
    expect(faults).toEqual([])
    await context.close()
  })

  it('goes on where the browser takes itself for offline, for a server may be on the same machine', async () => {
    const { page, logIn, faults, context } = await test.openPage()
    await page.goto(`${test.address}/console/`)
    await page.evaluate('window.dispatchEvent(new Event("offline"))')
    await logIn()
    await page.getByText('Harbour rules').first().waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('ends with the sign-out in another tab, and follows the user who signs in there', async () => {
    const { page, open, logIn, faults, context } = await test.openPage()
    await logIn()
    await open('/gpts/1/documents')
    await page.getByRole('heading', { name: 'Harbour rules' }).waitFor()
    const other = await context.newPage()
    await other.goto(`${test.address}/console/`)
    await other.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out').waitFor()
    expect(await page.locator('body').innerText()).not.toContain('Harbour rules')
    await other.getByLabel('E-mail address').fill(BEN.email)
    await other.getByRole('textbox', { name: 'Password' }).fill(BEN.password)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Notes of Ben').first().waitFor()
    expect(await page.locator('body').innerText()).not.toContain('Harbour rules')
    expect(page.url()).toBe(`${test.address}/console/gpts`)
    expect(faults).toEqual([])
    await context.close()
  })

  it('compares the login when somebody returns to it, and leaves the data of the user before', async () => {
    const { page, logIn, faults, context } = await test.openPage()
    await logIn()
    await page.getByText('Harbour rules').first().waitFor()
    const answered = await context.request.post(`${test.address}/auth/login`, { data: BEN })
    expect(answered.status()).toBe(200)
    await returnAfter(page)
    await page.getByText('Notes of Ben').first().waitFor()
    expect(await page.locator('body').innerText()).not.toContain('Harbour rules')
    expect(await page.locator('.frame-name').innerText()).toContain('ben@example.com')
    expect(faults).toEqual([])
    await context.close()
  })

  it('says why a sign-out failed, and signs out by another try', async () => {
    const { page, logIn, context } = await test.openPage()
    await logIn()
    await page.route(LOGIN, async (route) => {
      await (route.request().method() === 'DELETE' ? route.abort() : route.continue())
    })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('The server does not answer.').waitFor()
    expect(await seriousViolations(page)).toEqual([])
    await page.unroute(LOGIN)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await context.cookies()).toEqual([])
    await context.close()
  })

  it('offers a sign-out when the login cannot be used', async () => {
    const { page, logIn, faults, context } = await test.openPage()
    await logIn()
    await page.route(LOGIN, async (route) => {
      const isQuestion = route.request().method() === 'GET'
      await (isQuestion ? answer(route, 403, 'ERR_FORBIDDEN', 'this API key has no account now') : route.continue())
    })
    await page.reload()
    await page.getByText('You may not do this.').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await context.cookies()).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })

  it('ends the login when an upload or a confirmed action is refused', async () => {
    for (const act of [upload, deleteGpt]) {
      const { page, open, logIn, faults, context } = await test.openPage()
      await logIn()
      await act(page, open, context)
      await page.getByText('You are signed out').waitFor()
      expect(faults).toEqual([])
      await context.close()
    }
  })

  it('keeps a question open until its action has ended', async () => {
    const { page, open, logIn, faults, context } = await test.openPage()
    await logIn()
    await open('/gpts/1/settings')
    let go: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    await page.route('**/context/1', async (route) => {
      if (route.request().method() === 'DELETE') {
        await held
        await answer(route, 409, 'ERR_CONFLICT', 'the context is busy')
      } else await route.continue()
    })
    await page.getByRole('button', { name: 'Delete this GPT …' }).click()
    const question = page.getByRole('alertdialog')
    await question.getByRole('button', { name: 'Delete for good' }).click()
    await page.keyboard.press('Escape')
    expect(await question.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true)
    go()
    await question.getByText('The context is busy.').waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'hidden' })
    expect(faults).toEqual([])
    await context.close()
  })

  it('lets a manager of two companies choose the one to manage', async () => {
    const { administration, owner } = test.engine
    const managers = []
    for (const name of ['Bakery', 'Garage']) {
      const company = await administration.companies.create({ name, parentId: owner.companyId })
      const user = await administration.users.add({
        email: `staff@${name}.example`,
        companyId: company.id,
        invite: false,
      })
      managers.push({ companyId: company.id, user })
    }
    const cleo = { email: 'cleo@bakery.example', password: PASSWORD }
    const { id } = await administration.users.add({
      email: cleo.email,
      companyId: managers[0]?.companyId ?? 0,
      invite: false,
    })
    await administration.users.completeSetup(id, PASSWORD)
    const role = (await administration.roles.list()).find(({ name }) => name === 'Administrator')
    for (const { companyId } of managers) {
      const account = (await administration.accounts.list()).find(
        ({ customerId, application }) => customerId === companyId && application === 'tenant',
      )
      const right = { userIdentityId: id, appAccountId: account?.id ?? 0, appRoleId: role?.id ?? 0 }
      await administration.permissions.grant(right)
    }
    const { page, open, logIn, faults, context } = await test.openPage()
    await logIn(cleo)
    await open('/people')
    await page.getByText('staff@bakery.example').first().waitFor()
    expect(await page.locator('main').innerText()).not.toContain('staff@garage.example')
    await page.getByRole('button', { name: /Managed company$/ }).click()
    await page.getByRole('option', { name: 'Garage' }).click()
    await page.getByText('staff@garage.example').first().waitFor()
    expect(await page.locator('main').innerText()).not.toContain('staff@bakery.example')
    await page.reload()
    await page.getByText('staff@garage.example').first().waitFor()

    await open('/people/invite')
    const email = page.getByRole('textbox', { name: 'E-mail address' })
    await email.fill('new@garage.example')
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    const chooseBakery = async (): Promise<void> => {
      await page.getByRole('button', { name: /Managed company$/ }).click()
      await page.getByRole('option', { name: 'Bakery' }).click()
      await question.waitFor()
    }
    await chooseBakery()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'hidden' })
    expect(await email.inputValue()).toBe('new@garage.example')
    expect(await page.getByRole('button', { name: /Managed company$/ }).innerText()).toContain('Garage')
    await chooseBakery()
    await question.getByRole('button', { name: 'Leave and lose the changes' }).click()
    await expect
      .poll(async () => await page.getByRole('button', { name: /Managed company$/ }).innerText())
      .toContain('Bakery')
    await expect.poll(async () => await email.inputValue()).toBe('')
    expect(faults).toEqual([])
    await context.close()
  })

  it('asks before a change of the account loses a form', async () => {
    const { administration, owner } = test.engine
    const account = { companyId: owner.companyId, application: 'assistant', region: 'Europe', name: 'Second' } as const
    const { id: appAccountId } = await administration.accounts.create(account)
    const ben = (await administration.users.list()).find(({ email }) => email === BEN.email)
    const role = (await administration.roles.list()).find(({ name }) => name === 'Administrator')
    await administration.permissions.grant({
      userIdentityId: ben?.id ?? 0,
      appAccountId,
      appRoleId: role?.id ?? 0,
    })
    const { page, open, logIn, faults, context } = await test.openPage()
    await logIn(BEN)
    await open('/gpts/new')
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Tide tables')
    const choice = page.getByRole('button', { name: /Account$/ })
    const before = await choice.innerText()
    const chooseSecond = async (): Promise<void> => {
      await choice.click()
      await page.getByRole('option', { name: 'Second' }).click()
    }
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await chooseSecond()
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await name.inputValue()).toBe('Tide tables')
    expect(await choice.innerText()).toBe(before)
    await chooseSecond()
    await question.getByRole('button', { name: 'Leave and lose the changes' }).click()
    await expect.poll(async () => await choice.innerText()).toContain('Second')
    await expect.poll(async () => await name.inputValue()).toBe('')
    // The address keeps no GPT of the other account.
    const chooseFirst = async (): Promise<void> => {
      await choice.click()
      await page.getByRole('option').filter({ hasNotText: 'Second' }).click()
      await expect.poll(async () => await choice.innerText()).toBe(before)
    }
    await open('/gpts')
    await chooseFirst()
    await page.getByRole('link', { name: 'Notes of Ben' }).click()
    await page.getByRole('heading', { name: 'Notes of Ben' }).waitFor()
    const path = new URL(page.url()).pathname
    await chooseSecond()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/console/gpts')
    await chooseFirst()
    await open(`/search?context=${path.split('/').at(-1) ?? ''}&prompt=tide`)
    await chooseSecond()
    await expect.poll(() => page.url()).toBe(`${test.address}/console/search`)
    expect(faults).toEqual([])
    await context.close()
  })

  it('shows a text to copy by hand where the browser has no clipboard', async () => {
    const { page, open, logIn, faults, context } = await test.openPage()
    await context.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await logIn()
    await open('/webhooks/catalog')
    await page.locator('summary').first().click()
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByText('The text is selected').waitFor()
    const selected = await page.evaluate<string>(
      'document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)',
    )
    expect(selected).toContain('"')
    expect(selected).toBe(await page.getByRole('textbox', { name: 'Text to copy' }).inputValue())
    expect(faults).toEqual([])
    await context.close()
  })

  it('leaves the focus in the field that a new page begins with, and else puts it into the content', async () => {
    const { page, open, logIn, faults, context } = await test.openPage()
    await logIn()
    await open('/people')
    await page.locator('a[href="/console/people/invite"]').first().click()
    await page.getByRole('textbox', { name: 'E-mail address' }).waitFor()
    expect(await page.evaluate('document.activeElement.type')).toBe('email')
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await expect.poll(async () => await page.evaluate('document.activeElement.id')).toBe('content')
    expect(page.url()).toContain('/console/webhooks')
    expect(faults).toEqual([])
    await context.close()
  })

  it('has no sign-out for a login of the host', async () => {
    const { page, logIn, context } = await test.openPage()
    await logIn()
    await page.route(LOGIN, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...((await response.json()) as object), kind: 'host' } })
    })
    await page.reload()
    await page.getByText('Harbour rules').first().waitFor()
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0)
    await context.close()
  })

  it('lets no script turn strings into markup, nor make a policy that would', async () => {
    const { page, open, context } = await test.openPage()
    await open('/')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    const failureOf = async (script: string): Promise<unknown> =>
      await page.evaluate(`(() => { try { ${script} } catch (error) { return error.name } })()`)
    expect(await failureOf("document.body.innerHTML = '<b>no</b>'")).toBe('TypeError')
    expect(await failureOf("trustedTypes.createPolicy('other', { createHTML: (text) => text })")).toBe('TypeError')
    expect(await failureOf("trustedTypes.createPolicy('default', { createHTML: (text) => text })")).toBe('TypeError')
    await context.close()
  })

  it('works where the browser blocks the storage of the page', async () => {
    const { page, logIn, faults, context } = await test.openPage()
    await context.addInitScript(
      "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('blocked', 'SecurityError') } })",
    )
    await logIn()
    await page.getByRole('button', { name: 'Deutsch' }).click()
    await page.getByRole('button', { name: 'Abmelden' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})

function contextOf(name: string) {
  return { name, description: 'Answer briefly.', caption: name, toolsJson: '[]' }
}

async function answer(route: Route, status: number, code: string, detail: string): Promise<void> {
  const body = JSON.stringify({ type: 'about:blank', title: code, status, code, detail })
  await route.fulfill({ status, contentType: 'application/problem+json', body })
}

/** Somebody comes back to the page. Data is asked for again only if it is older than two seconds. */
async function returnAfter(page: Page, ms = 0): Promise<void> {
  await page.waitForTimeout(ms)
  await page.evaluate("window.dispatchEvent(new Event('focus')), window.dispatchEvent(new Event('visibilitychange'))")
}

type Act = (page: Page, open: (path: string) => Promise<void>, context: BrowserContext) => Promise<void>

const upload: Act = async (page, open, context) => {
  await open('/gpts/1/documents')
  const dialog = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose files' }).press('Enter')
  const chooser = await dialog
  await context.clearCookies()
  await chooser.setFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('Moor the boat.') })
}

const deleteGpt: Act = async (page, open, context) => {
  await open('/gpts/1/settings')
  await page.getByRole('button', { name: 'Delete this GPT …' }).click()
  await context.clearCookies()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete for good' }).click()
}
