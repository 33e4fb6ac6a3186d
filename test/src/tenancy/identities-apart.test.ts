import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Session } from '../../../src/index.js'
import { sized } from '../../full-form.js'
import { type MemoryEngine, memoryEngine } from '../engine/memory-engine.js'

const ADDRESSES = ['ada@example.com', 'ADA@Example.com', 'grace@example.com', 'linus@example.com'] as const

/** An action on an address: by one of two companies, or by a stranger who names no company. */
interface Step {
  readonly by: 'observed' | 'other' | 'stranger'
  readonly what: 'add' | 'reinitiate' | 'complete' | 'reset' | 'log in' | 'log in wrongly' | 'revoke' | 'list'
  readonly address: number
}

const STEP: fc.Arbitrary<Step> = fc.record({
  by: fc.constantFrom('observed', 'other', 'stranger'),
  what: fc.constantFrom('add', 'add', 'reinitiate', 'complete', 'reset', 'log in', 'log in wrongly', 'revoke', 'list'),
  address: fc.nat({ max: ADDRESSES.length - 1 }),
})

interface Company {
  readonly id: number
  readonly session: Session
  readonly password: string
}

async function company({ engine }: MemoryEngine, name: string): Promise<Company> {
  const { companies, apiKeys, accounts } = engine.administration
  const { id } = await companies.create({ name, parentId: 1 })
  const { userId } = await apiKeys.create({ companyId: id })
  const own = (await accounts.list()).filter(({ customerId }) => customerId === id)
  const accountId = own.find(({ application }) => application === 'tenant')?.id ?? 0
  return { id, session: engine.as({ companyId: id, userId, accountId }), password: `password of ${name}` }
}

/**
 * Does the steps; those of the other company only if it exists.
 * @returns all that the observed company sees
 */
async function observe(steps: readonly Step[], isOtherThere: boolean): Promise<unknown[]> {
  const memory = await memoryEngine()
  const { administration, authentication } = memory.engine
  const observed = await company(memory, 'Observed')
  const other = await company(memory, 'Other')
  const seen: unknown[] = []

  async function doStep({ by, what, address }: Step): Promise<unknown> {
    const email = ADDRESSES[address] ?? ''
    const { id: companyId, session, password } = by === 'other' ? other : observed
    const named = by === 'stranger' ? {} : { companyId }
    const key = email.toLowerCase()
    const user = (await administration.users.list()).find((one) => {
      return one.customerId === companyId && one.email.toLowerCase() === key
    })
    if (what === 'reset') {
      await authentication.requestPasswordReset({ email, ...(by !== 'stranger' && { customerId: companyId }) })
      return undefined
    }
    if (what === 'log in') return await administration.verifyPassword(email, password, named)
    if (what === 'log in wrongly') return await administration.verifyPassword(email, 'a wrong password', named)
    if (by === 'stranger') return undefined
    if (what === 'add') return await session.users.add({ email, name: 'Ada' })
    if (what === 'list') return await session.users.list()
    if (what === 'reinitiate') {
      await session.users.reinitiate(user?.id ?? 0)
      return undefined
    }
    if (what === 'complete') return user && (await administration.users.completeSetup(user.id, password))
    const [permission] = (await session.users.list()).find(({ id }) => id === user?.id)?.permissions ?? []
    if (permission !== undefined) await session.permissions.delete(permission.id)
    return undefined
  }

  for (const step of steps) {
    if (step.by === 'other' && !isOtherThere) continue
    const answer = await doStep(step).catch((error: unknown) => {
      const { code, message } = error as { code: string; message: string }
      return `${code} ${message}`
    })
    if (step.by !== 'other') seen.push([step.what, answer ?? null])
  }
  const mails = memory.mailer.sent.filter(({ text }) => !text.includes('at Other'))
  seen.push(mails.map(({ to, subject, text }) => [to, subject, text.replace(/token=[\w-]+/, 'token')]))
  seen.push(await observed.session.users.list(), (await observed.session.audit.list({ limit: 1_000 })).items)
  await memory.engine.close()
  return withoutIds(seen)
}

/** Ids, and the names of service users, come from sequences and chance. */
function withoutIds(seen: readonly unknown[]): unknown[] {
  const text = JSON.stringify(seen)
    .replaceAll(/service-[\w-]+@alcove\.invalid/g, 'service')
    .replaceAll(/("\w*[iI]d"):\d+/g, '$1:"#"')
    .replaceAll(/(\\"id\\"):\d+/g, '$1:0')
    .replaceAll(/with the id \d+|the user \d+/g, 'one')
  return JSON.parse(text) as unknown[]
}

// A59
it('a company and a stranger see the same, whatever another company does with addresses', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 4, maxLength: 14 }), async (steps) => {
      expect(await observe(steps, true)).toEqual(await observe(steps, false))
    }),
    { numRuns: sized(10, 30) },
  )
})
