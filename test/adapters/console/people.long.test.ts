import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ConsolePage,
  type ConsoleTest,
  MISSING_BROWSER,
  openConsoleTest,
  picture,
  seriousViolations,
  sidewaysScrolls,
} from './console-test.js'
import { addCompany, addHelper, HELPER, type LowerCompany, MANAGER, MARKUP } from './people-company.js'
import { runCurl } from './run-code.js'

const CONTEXT = { description: '', caption: '', toolsJson: '[]' }

describe.skipIf(MISSING_BROWSER !== undefined)('people in the console', () => {
  let test: ConsoleTest
  let shown: ConsolePage
  let page: Page
  let dock: LowerCompany

  beforeAll(async () => {
    test = await openConsoleTest()
    dock = await addCompany(test.engine)
    await test.engine.administration.apiKeys.create({ companyId: 1 })
    shown = await test.openPage()
    page = shown.page
    await shown.logIn()
  })

  afterAll(async () => {
    await test.close()
  })

  const button = (name: string | RegExp): Locator => page.getByRole('button', { name })
  const choose = async (label: string, option: string | RegExp): Promise<void> => {
    await page.getByRole('button', { name: new RegExp(`${label}$`) }).click()
    await page.getByRole('option', { name: option }).click()
  }
  const question = (): Locator =>
    page.getByRole('alertdialog', { name: /^(Leave without saving|Did you copy the secret)\?$/ })
  const rows = (): Locator => page.getByRole('table', { name: 'Permissions' }).locator('tbody tr')

  it('shows the users of each company that opens, and API key users apart', async () => {
    await page.getByRole('link', { name: 'People' }).click()
    await page.getByRole('heading', { level: 1, name: 'People: Users' }).waitFor()
    const users = page.getByRole('list', { name: 'Users of Harbour Works' })
    await users.getByRole('link', { name: 'Owner' }).waitFor()
    expect(await users.innerText()).not.toContain('alcove.invalid')
    expect(await page.getByText('Mara Dock').count()).toBe(0)
    // By keyboard: the company below opens.
    await button(`Dock ${MARKUP}`).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Mara Dock' }).waitFor()
    expect(await page.getByRole('link', { name: 'hand50@dock.example' }).count()).toBe(0)
    await button('Load more').click()
    await page.getByRole('link', { name: 'hand50@dock.example' }).waitFor()
    await button('1 API key user').click()
    await page.getByRole('link', { name: 'API key user' }).waitFor()
    await page.evaluate('scrollTo(0, 0)')
    await picture(page, 'console-people')
    await page.getByRole('searchbox', { name: /^Search by name or address/ }).fill('mara')
    await page.getByText('1 loaded user matches.').waitFor()
    expect(await page.getByRole('link', { name: 'Owner' }).count()).toBe(0)
    expect(shown.faults).toEqual([])
  })

  it('finds an address in companies that are not open', async () => {
    await shown.open('/people')
    const search = page.getByRole('searchbox', { name: /^Search by name or address/ })
    await search.fill('MARA@dock.example')
    await page.getByText('Nothing matches').waitFor()
    await button('Look for exactly this address in all companies').click()
    await page.getByRole('status').getByRole('link', { name: 'Mara Dock' }).waitFor()
    await search.fill('nobody@dock.example')
    await button('Look for exactly this address in all companies').click()
    await page.getByText('No company that you manage has a user with the address nobody@dock.example.').waitFor()
    expect(shown.faults).toEqual([])
  })

  it('invites a user, gives, changes, suspends and revokes permissions, and deletes the user', async () => {
    await shown.open('/people/invite')
    await page.getByRole('textbox', { name: /^E-mail address/ }).fill('Nora@Example.com')
    await page.getByRole('textbox', { name: 'First name' }).fill('Nora')
    await page.getByRole('textbox', { name: 'Last name' }).fill('<b>Quay')
    await choose('First permission: the role on the account for GPTs', /^Reader/)
    await button('Invite').click()
    await page.getByText('Must not contain < or >.').waitFor()
    await page.getByRole('textbox', { name: 'Last name' }).fill('Quay')
    await picture(page, 'console-people-invite')
    await button('Invite').click()
    await page.getByRole('heading', { level: 1, name: 'Nora Quay' }).waitFor()
    // The engine of the test writes its mails to a folder, as a server without --smtp-url does.
    const told = page.getByRole('main').getByRole('status')
    await told.getByText('Nobody gets a mail: this server has no mail server.').waitFor()
    expect(await told.innerText()).toMatch(/The user is added\.[^]*opens it and gives the link to Nora@Example\.com/)
    expect(await told.getByRole('link').allInnerTexts()).toEqual(['Invite another user', 'All users'])
    await picture(page, 'console-people-invited')
    // A reload has nothing new to tell.
    await page.reload()
    await page.getByText('not set: the user has not accepted the invitation yet').waitFor()
    expect(await page.getByText('The user is added.').count()).toBe(0)
    expect(page.url()).not.toContain('added')
    await page.getByText('not set: the user has not accepted the invitation yet').waitFor()
    await expect.poll(async () => await rows().allInnerTexts()).toEqual([expect.stringContaining('Reader')])
    await button('Send the invitation again').click()
    await told.getByText('Links of earlier invitations no longer work.').waitFor()

    await button('Add a permission').click()
    const dialog = page.getByRole('dialog', { name: 'Add a permission' })
    await dialog.getByRole('button', { name: /Application$/ }).waitFor()
    expect(await dialog.getByRole('button', { name: /Region$/ }).count()).toBe(0)
    await choose('Application', 'Users and webhooks Tenant')
    await page.keyboard.press('Escape')
    await question().getByRole('button', { name: 'Cancel' }).click()
    await choose('Region', 'local')
    expect(await dialog.getByRole('button', { name: /Role$/ }).count()).toBe(0)
    await choose('Account', 'Harbour Works')
    await choose('Role', /^Member/)
    await picture(page, 'console-people-permission')
    await button('Give this permission').click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(async () => await rows().count()).toBe(2)

    await button('Change role: Member on Harbour Works (Tenant)').click()
    await choose('New role', /^Administrator/)
    await button('Save the role').click()
    await button('Suspend: Administrator on Harbour Works (Tenant)').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Suspend' }).click()
    await button('Resume: Administrator on Harbour Works (Tenant)').waitFor()
    expect(await rows().last().innerText()).toContain('suspended')
    await picture(page, 'console-people-user')
    await button('Resume: Administrator on Harbour Works (Tenant)').click()
    await expect.poll(async () => await rows().last().innerText()).toContain('active')
    await button('Revoke: Administrator on Harbour Works (Tenant)').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await expect.poll(async () => await rows().count(), { timeout: 10_000 }).toBe(1)
    await expect.poll(async () => await page.evaluate('document.activeElement.textContent')).toBe('Permissions')

    await button('Delete the user').click()
    await page.getByText(/^Lost for good: name and address/).waitFor()
    await button('Delete for good').click()
    await page.getByRole('heading', { level: 1, name: 'Hand GPTs over' }).waitFor()
    await page.getByRole('option', { name: 'Owner' }).click()
    await picture(page, 'console-people-hand-over')
    await button('Hand over').click()
    await page.getByText('There was nothing to hand over').waitFor()
    await page.getByRole('link', { name: 'All users' }).click()
    await page.getByRole('link', { name: 'Owner' }).waitFor()
    expect(await page.getByRole('link', { name: 'Nora Quay' }).count()).toBe(0)
    expect(shown.faults).toEqual([])
  })

  it('hands over the GPTs of a deleted user', async () => {
    const { engine } = test
    const email = 'leaver@example.com'
    const { id } = await engine.administration.users.add({ email, companyId: 1, invite: false })
    const [principal] = await engine.administration.users.principals(id)
    if (principal === undefined) throw new Error('the user has no account')
    const { id: contextId } = await engine.as(principal.principal).contexts.create({ ...CONTEXT, name: 'Left behind' })
    await shown.open(`/people/users/${id}`)
    await button('Delete the user').click()
    await button('Delete for good').click()
    await page.getByRole('option', { name: 'Owner' }).click()
    await button('Hand over').click()
    await page.getByText('1 GPT has the new user now.').waitFor()
    expect((await engine.as(engine.owner).contexts.get(contextId)).userId).toBe(engine.owner.userId)
  })

  it('keeps an invitation back until its roles are known, and asks before it is lost', async () => {
    const detail = 'no right'
    const json = { type: 'about:blank', title: 'Forbidden', status: 403, detail, code: 'ERR_FORBIDDEN' }
    await page.route('**/permission/options/**', async (route) => await route.fulfill({ status: 403, json }))
    await shown.open('/people/invite')
    const address = page.getByRole('textbox', { name: /^E-mail address/ })
    await address.fill('lost@example.com')
    await page.getByRole('alert').getByText('You may not do this.').waitFor()
    expect(await button('Invite').isDisabled()).toBe(true)
    await page.unroute('**/permission/options/**')
    await button('Try again').click()
    await expect.poll(async () => await button('Invite').isEnabled()).toBe(true)
    await page.getByRole('link', { name: 'Cancel' }).click()
    await question().getByRole('button', { name: 'Cancel' }).click()
    expect(await address.inputValue()).toBe('lost@example.com')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await question().getByRole('button', { name: 'Leave and lose the changes' }).click()
    await page.getByRole('heading', { level: 1, name: 'People: Users' }).waitFor()
  })

  it('adds a user without a mail', async () => {
    await shown.open('/people/invite')
    await page.getByRole('textbox', { name: /^E-mail address/ }).fill('quiet@example.com')
    await page.getByText('Send an invitation by mail').click()
    await page.getByText(/^No mail is sent\./).waitFor()
    await button('Add without a mail').click()
    await page.getByRole('heading', { level: 1, name: 'quiet@example.com' }).waitFor()
    await page.getByText('No mail is sent. When the person is to sign in with a password').waitFor()
  })

  it('makes an API key that gets a token by the shown command, and revokes it', async () => {
    await shown.open('/people/keys')
    await page.getByRole('link', { name: 'Create an API key' }).click()
    await page.getByText('Which GPTs the key sees').waitFor({ state: 'detached' })
    await page.getByText('The key sees the GPTs of its user, and shared ones.').waitFor()
    await page.getByText('let the key act as “Me”').waitFor()
    await page.getByText('Another user', { exact: true }).click()
    await page.getByRole('option', { name: 'quiet@example.com' }).click()
    await page.getByText('Not possible: it would show you the private GPTs of this person.').waitFor()
    expect(await page.getByRole('checkbox', { name: 'GPTs and searches' }).isDisabled()).toBe(true)
    await page.getByText('Me', { exact: true }).click()
    expect(await page.getByText('let the key act as “Me”').count()).toBe(0)
    await page.getByLabel('Ends on').fill('2001-01-01')
    await button('Create the key').click()
    await page.getByText('Must lie in the future.').waitFor()
    await page.getByLabel('Ends on').fill('2999-01-31')
    await picture(page, 'console-people-new-key')
    await button('Create the key').click()
    await page.getByText('Copy the secret now. It is not shown again, and nobody can read it later.').waitFor()
    await page.goBack()
    await question().getByRole('button', { name: 'Cancel' }).click()
    const clientId = await page.getByText(/^ak_/).innerText()
    const command = await page.locator('pre').innerText()
    await picture(page, 'console-people-secret')
    expect(await runCurl(command)).toMatchObject({ token_type: 'Bearer' })

    const asked: string[] = []
    page.on('request', (request) => asked.push(...(/\/tenant\/user\/\d+$/.exec(request.url()) ?? [])))
    await button('I have the secret').click()
    const row = page.getByRole('row').filter({ hasText: clientId })
    await row.getByText('works', { exact: true }).waitFor()
    expect(await row.innerText()).toContain('own and shared GPTs')
    await picture(page, 'console-people-keys')
    await row.getByRole('button').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await row.getByText('revoked').waitFor()
    // Once per user, however many keys the user has.
    expect(asked).toHaveLength(new Set(asked).size)
    expect(await runCurl(command)).toMatchObject({ error: 'invalid_client' })
    expect(shown.faults).toEqual([])
  })

  it('says as a sentence that a company keeps its last manager', async () => {
    await shown.open(`/people/users/${dock.managerId}`)
    await page.getByRole('definition').getByText(MARKUP, { exact: true }).waitFor()
    await button(/^Revoke: Administrator on Dock/).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await dialog
      .getByRole('alert')
      .getByText(/^The company would have nobody left who can manage it\./)
      .waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await rows().count()).toBe(2)
    expect(shown.faults).toEqual([])
  })

  it('shows a manager of the lower company nothing of the upper one', async () => {
    const lower = await test.openPage()
    await lower.open('/people')
    await lower.logIn(MANAGER)
    await lower.page.getByRole('link', { name: 'Mara Dock' }).waitFor()
    expect(await lower.page.getByRole('main').innerText()).not.toContain('Harbour Works')
    await lower.page.getByRole('link', { name: 'Roles' }).click()
    const role = lower.page.getByRole('row').filter({ hasText: MARKUP })
    await role.getByText('see GPTs and their documents').waitFor()
    await lower.page.getByRole('link', { name: 'API keys' }).click()
    await lower.page.getByText('No API key yet').waitFor()
    await lower.open(`/people/users/${test.engine.owner.userId}`)
    await lower.page.getByRole('alert').waitFor()
    expect(await lower.page.getByRole('main').innerText()).not.toContain(test.owner.email)
    expect(lower.faults).toEqual([])
    await lower.context.close()
  })

  it('offers somebody with few rights only keys that the server makes, and says why it refuses another', async () => {
    await addHelper(test.engine, dock)
    const helper = await test.openPage()
    await helper.open('/people/keys/new')
    await helper.logIn(HELPER)
    const make = helper.page.getByRole('button', { name: 'Create the key' })
    await helper.page.getByText('You need all rights of an Administrator for this.').waitFor()
    expect(await helper.page.getByRole('radio', { name: 'A new API key user' }).count()).toBe(0)
    await make.click()
    const alert = helper.page.getByRole('alert')
    await alert.getByText('You may not do this. Ask somebody who manages users to give you the right.').waitFor()
    await alert.getByText(/^The role \d+ has rights that you do not have \(see GPTs and their documents/).waitFor()
    await helper.page.getByText('GPTs and searches').click()
    await make.click()
    await helper.page.getByText('Choose at least one.').waitFor()
    await helper.page.getByText('Users and webhooks').click()
    await make.click()
    await helper.page.getByText(/^Copy the secret now\./).waitFor()
    expect(helper.faults).toEqual([])
    await helper.context.close()
  })

  it('offers the whole account to a key that sees it, also for keys of other people', async () => {
    const byKey = await test.openPage()
    await byKey.open('/people/keys/new')
    await byKey.page.getByRole('tab', { name: 'API key' }).click()
    await byKey.page.getByLabel('Client id').fill(test.key.clientId)
    await byKey.page.getByLabel('Client secret').fill(test.key.clientSecret)
    await byKey.page.getByRole('button', { name: 'Sign in' }).click()
    const whole = byKey.page.getByRole('radio', { name: /^All GPTs of the account/ })
    await whole.waitFor()
    // The narrow choice comes first.
    expect(await whole.isChecked()).toBe(false)
    await byKey.page.getByText('Another user', { exact: true }).click()
    await byKey.page.getByRole('option', { name: 'quiet@example.com' }).click()
    expect(await whole.isChecked()).toBe(false)
    expect(await byKey.page.getByRole('checkbox', { name: 'GPTs and searches' }).isChecked()).toBe(true)
    await byKey.page.getByRole('button', { name: 'Create the key' }).click()
    await byKey.page.getByText(/^Copy the secret now\./).waitFor()
    expect(byKey.faults).toEqual([])
    await byKey.context.close()
  })

  it('speaks German, has nothing serious for axe in both themes, and fits 360 px', async () => {
    const small = await test.openPage({ language: 'de', width: 360 })
    await small.logIn()
    const contents = {
      '': { role: 'button', name: `Dock ${MARKUP}` },
      '/invite': { role: 'button', name: /Erstes Recht: Rolle auf dem Konto für GPTs$/ },
      [`/users/${dock.managerId}`]: { role: 'table' },
      '/roles': { role: 'table' },
      '/keys': { role: 'table' },
      '/keys/new': { role: 'radio', name: /^Ein anderer Benutzer/ },
    } as const
    for (const [path, { role, ...options }] of Object.entries(contents)) {
      await small.open(`/people${path}`)
      const content = small.page.getByRole(role, options)
      await content.waitFor()
      if (path === '') {
        await content.click()
        await small.page.getByRole('link', { name: 'Mara Dock' }).waitFor()
      }
      for (const colorScheme of ['light', 'dark'] as const) {
        await small.page.emulateMedia({ colorScheme })
        await picture(small.page, `console-people-${colorScheme}${path.replaceAll('/', '-')}`)
        expect(await seriousViolations(small.page)).toEqual([])
      }
      expect(await sidewaysScrolls(small.page)).toEqual([])
    }
    expect(small.faults).toEqual([])
    await small.context.close()
  })
})
