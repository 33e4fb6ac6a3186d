import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ConsoleTest,
  MISSING_BROWSER,
  openConsoleTest,
  PASSWORD,
  picture,
  seriousViolations,
  sidewaysScrolls,
} from './console-test.js'

describe.skipIf(MISSING_BROWSER !== undefined)('signing in to the console', () => {
  let test: ConsoleTest

  beforeAll(async () => {
    test = await openConsoleTest()
  })

  afterAll(async () => {
    await test.close()
  })

  it('signs in with e-mail and password, keeps the login over a reload, and signs out', async () => {
    const { page, open, logIn, faults, context } = await test.openPage()
    await open('/')
    await picture(page, 'console-login')
    await logIn()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(page.url()).toBe(`${test.address}/console/gpts`)
    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({ name: 'alcove_login', httpOnly: true, sameSite: 'Strict', expires: -1 })
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await context.cookies()).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })

  it('signs in with an API key', async () => {
    const { page, open, faults, context } = await test.openPage()
    await open('/')
    await page.getByRole('tab', { name: 'API key' }).click()
    await page.getByLabel('Client id').fill(test.key.clientId)
    await page.getByLabel('Client secret').fill(test.key.clientSecret)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('shows the sign-in with the reason once another client has revoked the API key', async () => {
    const { owner } = test.engine
    const { apiKeys } = test.engine.as(owner)
    const { page, open, faults, context } = await test.openPage()
    const signIn = async ({ clientId, clientSecret }: typeof test.key): Promise<void> => {
      await page.getByRole('tab', { name: 'API key' }).click()
      await page.getByLabel('Client id').fill(clientId)
      await page.getByLabel('Client secret').fill(clientSecret)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('button', { name: 'Sign out' }).waitFor()
    }
    const key = await apiKeys.create({ userId: owner.userId, targets: ['assistant', 'tenant'], sight: 'account' })
    await open('/')
    await signIn(key)
    await page.getByRole('heading', { name: 'My GPTs' }).waitFor()
    await apiKeys.revoke(key.id)
    await page.getByRole('link', { name: 'People' }).click()
    await page.getByText('You are signed out: your session has ended, or the API key was revoked').waitFor()
    expect(await page.getByRole('link', { name: 'My GPTs' }).count()).toBe(0)
    expect(await seriousViolations(page)).toEqual([])
    await signIn(test.key)
    expect(await page.getByText('You are signed out').count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  it('shows the sign-in with the reason once the password is changed or the user disabled', async () => {
    const { administration, owner } = test.engine
    const given = { externalId: 'dan', email: 'dan@example.com', companyId: owner.companyId }
    const { user } = await administration.ensureUser(given)
    await administration.users.completeSetup(user.id, PASSWORD)
    const { page, logIn, faults, context } = await test.openPage()
    const dan = { email: given.email, password: PASSWORD }
    // A request that the page has just begun may show the sign-in before the click. Then the page stays the same.
    const openAnotherPage = async (): Promise<void> => {
      await page
        .getByRole('link', { name: /^(My GPTs|Try a search)$/ })
        .and(page.locator(':not([aria-current])'))
        .click({ timeout: 5_000 })
        .catch(() => undefined)
    }
    await logIn(dan)
    await administration.users.completeSetup(user.id, `${PASSWORD} 2`)
    await openAnotherPage()
    await page.getByText('You are signed out: your session has ended, your password was changed').waitFor()
    await logIn({ ...dan, password: `${PASSWORD} 2` })
    await administration.users.disable(user.id)
    await openAnotherPage()
    await page.getByText('or your user was disabled').waitFor()
    await page.getByLabel('E-mail address').fill(dan.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(`${PASSWORD} 2`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The e-mail address or the password is wrong, or the user is disabled.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('says that a password is wrong, without a code or a stack', async () => {
    const { page, open, faults, context } = await test.openPage()
    await open('/')
    await page.getByLabel('E-mail address').fill(test.owner.email)
    await page.getByRole('textbox', { name: 'Password' }).fill('wrong horse')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toBe(
      'The e-mail address or the password is wrong, or the user is disabled.',
    )
    expect(faults).toEqual([])
    await context.close()
  })

  it('asks for a one-time code and the number of the company, and says what is wrong with them', async () => {
    const { page, open, faults, context } = await test.openPage()
    const codes = ['ERR_OTP_REQUIRED', 'ERR_UNAUTHENTICATED', 'ERR_COMPANY_REQUIRED']
    const sent: unknown[] = []
    await page.route('**/auth/login', async (route) => {
      if (route.request().method() !== 'POST') {
        await route.continue()
        return
      }
      sent.push(route.request().postDataJSON())
      const body = JSON.stringify({ status: 401, code: codes.shift() ?? 'ERR_UNAUTHENTICATED', detail: 'say more' })
      await route.fulfill({ status: 401, contentType: 'application/problem+json', body })
    })
    await open('/')
    await page.getByLabel('E-mail address').fill(test.owner.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(test.owner.password)
    const signIn = page.getByRole('button', { name: 'Sign in' })
    await signIn.click()
    await page.getByLabel('One-time code').fill('123456')
    await signIn.click()
    await page.getByText('The one-time code is wrong').waitFor()
    await signIn.click()
    const company = page.getByLabel('Number of your company')
    await company.fill('Harbour Works')
    await page.getByText('Give the number of the company in digits').waitFor()
    await signIn.click()
    expect(sent).toHaveLength(3)
    await company.fill(' 12 ')
    await signIn.click()
    await expect.poll(() => sent.at(-1)).toMatchObject({ customerId: 12, otp: '123456' })
    expect(faults).toEqual([])
    await context.close()
  })

  it('says that the browser did not keep the login', async () => {
    const { page, open, faults, context } = await test.openPage()
    await page.route('**/auth/login', async (route) => {
      if (route.request().method() !== 'POST') {
        await route.continue()
        return
      }
      const response = await route.fetch()
      await context.clearCookies()
      await route.fulfill({ status: 200, contentType: 'application/json', body: await response.text() })
    })
    await open('/')
    await page.getByLabel('E-mail address').fill(test.owner.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(test.owner.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('the browser did not keep the login').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('has nothing serious for axe, in both themes and languages, at 360 px', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const language of ['en', 'de'] as const) {
        const { page, open, context } = await test.openPage({ colorScheme, language, width: 360 })
        await open('/')
        const [signIn, password, used] =
          language === 'en'
            ? ['Sign in', 'New password', 'This link is not valid: it was used, or has expired']
            : ['Anmelden', 'Neues Passwort', 'Dieser Link gilt nicht mehr']
        await page.getByRole('button', { name: signIn }).waitFor()
        expect(await seriousViolations(page)).toEqual([])
        expect(await sidewaysScrolls(page)).toEqual([])
        await page.goto(`${test.address}/auth/setup?token=x`)
        await page.getByRole('textbox', { name: password }).fill('quay')
        expect(await seriousViolations(page)).toEqual([])
        expect(await sidewaysScrolls(page)).toEqual([])
        await page.getByRole('textbox', { name: password }).fill(PASSWORD)
        await page.keyboard.press('Enter')
        await page.getByRole('alert').getByText(used).waitFor()
        expect(await seriousViolations(page)).toEqual([])
        await picture(page, `console-password-${language}-${colorScheme}`)
        await context.close()
      }
    }
  })
})
