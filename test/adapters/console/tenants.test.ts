import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import type { Principal } from '../../../src/index.js'
import { DATABASES } from '../../src/outbox/database.js'
import { type ConsoleTest, MISSING_BROWSER, openConsoleTest, PASSWORD } from './console-test.js'

/** A user of a company of its own, with a context. */
interface Tenant {
  readonly email: string
  readonly password: string
  readonly userId: number
  readonly contextId: number
}

describe.skipIf(MISSING_BROWSER !== undefined).each(DATABASES)(
  'two tenants in the console at once, on $name',
  ({ name }) => {
    let test: ConsoleTest
    let bakery: Tenant
    let garage: Tenant

    beforeAll(async () => {
      test = await openConsoleTest({ embeddingModels: [new MemoryEmbeddingModel()] }, name)
      bakery = await makeTenant('Bakery', 'Sourdough handbook')
      garage = await makeTenant('Garage', 'Gearbox <img src=x onerror=alert(1)>')
    })

    afterAll(async () => {
      await test.close()
    })

    async function makeTenant(company: string, contextName: string): Promise<Tenant> {
      const { administration, owner } = test.engine
      const { id: companyId } = await administration.companies.create({ name: company, parentId: owner.companyId })
      const email = `ada@${company.toLowerCase()}.example`
      const { user, principal } = await administration.ensureUser({ externalId: email, email, companyId })
      await administration.users.completeSetup(user.id, PASSWORD)
      const context = await makeContext(principal, contextName)
      return { email, password: PASSWORD, userId: user.id, contextId: context }
    }

    async function makeContext(principal: Principal, contextName: string): Promise<number> {
      const input = { name: contextName, description: 'Answer briefly.', caption: contextName, toolsJson: '[]' }
      return (await test.engine.as(principal).contexts.create(input)).id
    }

    it('never see each other, neither in lists nor by addresses', async () => {
      const [one, other] = await Promise.all([test.openPage(), test.openPage()])
      await Promise.all([one.logIn(bakery), other.logIn(garage)])
      await Promise.all([
        one.page.getByText('Sourdough handbook').first().waitFor(),
        other.page.getByText('Gearbox <img src=x onerror=alert(1)>').first().waitFor(),
      ])
      expect(await one.page.locator('body').innerText()).not.toContain('Gearbox')
      expect(await other.page.locator('body').innerText()).not.toContain('Sourdough')
      const foreign = [
        [one, garage, 'Gearbox'],
        [other, bakery, 'Sourdough'],
      ] as const
      for (const [viewer, { contextId }, word] of foreign) {
        for (const part of ['documents', 'documents/1', 'edit', 'settings']) {
          await viewer.open(`/gpts/${contextId}/${part}`)
          await viewer.page.getByRole('heading', { name: 'There is no such GPT' }).first().waitFor()
          expect(await viewer.page.locator('body').innerText()).not.toContain(word)
        }
        const answered = await viewer.context.request.get(`${test.address}/context/${contextId}`)
        expect(answered.status()).toBe(404)
        expect(await answered.text()).not.toContain(word)
      }
      expect([...one.faults, ...other.faults]).toEqual([])
      await Promise.all([one.context.close(), other.context.close()])
    })

    it('lose a right in the middle: the page says so, and shows nothing more', async () => {
      const { page, logIn, faults, context } = await test.openPage()
      const comeBack = async (): Promise<void> => {
        await page.evaluate("window.dispatchEvent(new Event('focus'))")
      }
      await logIn(bakery)
      await page.evaluate('window.isSamePage = true')
      await page.getByText('Sourdough handbook').first().waitFor()
      const { permissions, users } = test.engine.administration
      const permission = (await permissions.list()).find(({ userIdentityId }) => userIdentityId === bakery.userId)
      await permissions.toggle(permission?.id ?? 0)
      // The next request tells.
      await page.getByText('Sourdough handbook').first().click()
      await page.getByText('You have no rights yet').waitFor()
      expect(await page.locator('body').innerText()).not.toContain('Sourdough')
      await permissions.toggle(permission?.id ?? 0)
      await comeBack()
      await page.getByText('Sourdough handbook').first().waitFor()
      await permissions.toggle(permission?.id ?? 0)
      await comeBack()
      await page.getByText('You have no rights yet').waitFor()
      await permissions.toggle(permission?.id ?? 0)
      await comeBack()
      await page.getByText('Sourdough handbook').first().waitFor()
      await users.disable(bakery.userId)
      await page.getByText('Sourdough handbook').first().click()
      await page.getByText('You are signed out').waitFor()
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      expect(await page.locator('body').innerText()).not.toContain('Sourdough')
      await users.enable(bakery.userId)
      await logIn(bakery)
      await page.getByText('Sourdough handbook').first().waitFor()
      expect(await page.evaluate('window.isSamePage')).toBe(true)
      expect(faults).toEqual([])
      await context.close()
    })
  },
)
