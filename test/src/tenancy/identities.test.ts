import { afterEach, describe, expect, it } from 'vitest'
import { MemoryPasswordHasher } from '../../../adapters/memory/index.js'
import type { EngineOptions } from '../../../src/index.js'
import { type MemoryEngine, memoryEngine } from '../engine/memory-engine.js'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'
const engines: MemoryEngine[] = []

/** An engine with companies beside its root company. */
async function start(companies: number, overrides: Partial<EngineOptions> = {}): Promise<MemoryEngine> {
  const memory = await memoryEngine(overrides)
  engines.push(memory)
  for (let at = 0; at < companies; at += 1) {
    await memory.engine.administration.companies.create({ name: `Company ${at + 2}`, parentId: 1 })
  }
  return memory
}

afterEach(async () => {
  await Promise.all(engines.splice(0).map(({ engine }) => engine.close()))
})

/** Adds a user; with a password, the setup is complete. */
async function add({ engine }: MemoryEngine, companyId: number, password?: string, email = EMAIL): Promise<number> {
  const { users } = engine.administration
  const { id } = await users.add({ email, companyId })
  if (password !== undefined) await users.completeSetup(id, password)
  return id
}

/** The id of the authenticated user, `undefined`, or the code of an error. */
async function logIn(
  { engine }: MemoryEngine,
  password: string,
  options: { readonly companyId?: number; readonly email?: string; readonly remoteAddress?: string } = {},
): Promise<number | string | undefined> {
  const { email = EMAIL, ...rest } = options
  return await engine.administration.verifyPassword(email, password, rest).then(
    (user) => user?.id,
    (error: unknown) => (error as { code: string }).code,
  )
}

async function failures(memory: MemoryEngine, count: number, companyId?: number): Promise<unknown[]> {
  const outcomes: unknown[] = []
  for (let at = 0; at < count; at += 1) {
    outcomes.push(await logIn(memory, `wrong guess ${at}`, companyId === undefined ? {} : { companyId }))
  }
  return outcomes
}

const linkOf = (text = ''): string => /token=([\w-]+)/.exec(text)?.[1] ?? ''

describe('a login', () => {
  // A55
  it('applies to the named company only', async () => {
    const memory = await start(2)
    const one = await add(memory, 1, 'password of the first')
    const other = await add(memory, 2, 'password of the second')
    await add(memory, 3)
    expect(await logIn(memory, 'password of the first', { companyId: 1 })).toBe(one)
    expect(await logIn(memory, 'password of the second', { companyId: 1 })).toBeUndefined()
    expect(await logIn(memory, 'password of the second', { companyId: 2 })).toBe(other)
    for (const companyId of [3, 99]) {
      expect(await logIn(memory, 'password of the first', { companyId })).toBeUndefined()
    }
    for (const companyId of [0, -1, 1.5, Number.NaN]) {
      expect(await logIn(memory, 'password of the first', { companyId })).toBe('ERR_INVALID_INPUT')
    }
  })

  // A55
  it('without a company finds the user by password, and asks for the company when two users match', async () => {
    const memory = await start(3)
    const one = await add(memory, 1, 'password of the first')
    const other = await add(memory, 2, PASSWORD)
    expect(await logIn(memory, 'password of the first')).toBe(one)
    expect(await logIn(memory, PASSWORD)).toBe(other)
    expect(await logIn(memory, 'another password')).toBeUndefined()
    await add(memory, 3, PASSWORD)
    expect(await logIn(memory, 'password of the first')).toBe(one)
    await expect(memory.engine.administration.verifyPassword(EMAIL, PASSWORD)).rejects.toMatchObject({
      code: 'ERR_COMPANY_REQUIRED',
      message: 'several companies have a user with this address and password: name the company',
    })
    expect(await logIn(memory, PASSWORD, { companyId: 2 })).toBe(other)
  })

  // A55
  it('does not change when another company adds the address, and compares at most eight users', async () => {
    const memory = await start(12)
    for (let companyId = 1; companyId <= 6; companyId += 1) await add(memory, companyId)
    const user = await add(memory, 7, PASSWORD)
    for (let companyId = 8; companyId <= 12; companyId += 1) await add(memory, companyId)
    expect(await logIn(memory, PASSWORD)).toBe(user)
    const { users } = memory.engine.administration
    for (const { id, email, customerId } of await users.list()) {
      if (email === EMAIL && customerId !== 7) await users.completeSetup(id, `password of user ${id}`)
    }
    let hashes = 0
    class CountingHasher extends MemoryPasswordHasher {
      override async verify(hash: string, password: string): Promise<boolean> {
        hashes += 1
        return await super.verify(hash, password)
      }
    }
    const countingEngine = await memoryEngine({ storage: memory.storage, passwordHasher: new CountingHasher() })
    engines.push(countingEngine)
    expect(await logIn(countingEngine, PASSWORD)).toBe(user)
    expect(hashes).toBe(8)
    hashes = 0
    expect(await logIn(countingEngine, PASSWORD, { companyId: 7 })).toBe(user)
    expect(await logIn(countingEngine, 'wrong password', { companyId: 99 })).toBeUndefined()
    expect(await logIn(countingEngine, 'wrong password', { email: 'nobody@example.com' })).toBeUndefined()
    expect(hashes).toBe(3)
  })

  // A55
  it('is not locked out by guesses at another company, and unknown companies allow no more guesses', async () => {
    const memory = await start(1)
    const one = await add(memory, 1, PASSWORD)
    await add(memory, 2, 'password of the second')
    const guesses = [...Array<undefined>(10).fill(undefined), 'ERR_THROTTLED']
    expect(await failures(memory, 11, 2)).toEqual(guesses)
    expect(await logIn(memory, PASSWORD, { companyId: 1 })).toBe(one)
    // A company without such a user and an unknown company count like a company with that user.
    expect(await failures(memory, 11, 99)).toEqual(guesses)
    expect(await failures(memory, 11, 1)).toEqual(guesses)
    expect(await logIn(memory, PASSWORD, { companyId: 1 })).toBe('ERR_THROTTLED')
    expect(await failures(memory, 11)).toEqual(guesses)
    memory.clock.advance(60_000)
    expect(await logIn(memory, PASSWORD, { companyId: 1 })).toBe(one)
  })
})

describe('a password reset', () => {
  async function reset({ engine, mailer }: MemoryEngine, customerId?: number): Promise<string[]> {
    const before = mailer.sent.length
    await engine.authentication.requestPasswordReset({ email: EMAIL, ...(customerId !== undefined && { customerId }) })
    return mailer.sent.slice(before).map(({ text }) => text)
  }

  // A56
  it('uses the named company; without one, each company sends a link that sets its own password', async () => {
    const memory = await start(2)
    const one = await add(memory, 1, 'password of the first')
    const other = await add(memory, 2, 'password of the second')
    const [text = '', ...more] = await reset(memory, 2)
    expect([text.includes('ada@example.com at Company 2.'), more]).toEqual([true, []])
    for (const customerId of [3, 99]) expect(await reset(memory, customerId)).toEqual([])
    const [ofOne = '', ofOther = '', ...others] = await reset(memory)
    expect([ofOne.includes(' at Root company.'), ofOther.includes(' at Company 2.'), others]).toEqual([true, true, []])
    const { authentication } = memory.engine
    await authentication.setPassword({ token: linkOf(ofOther), password: 'a new password' })
    expect(await logIn(memory, 'a new password')).toBe(other)
    expect(await logIn(memory, 'password of the second', { companyId: 2 })).toBeUndefined()
    expect(await logIn(memory, 'password of the first')).toBe(one)
    await authentication.setPassword({ token: linkOf(ofOne), password: 'a new password for one' })
    expect(await logIn(memory, 'a new password for one')).toBe(one)
    await expect(memory.engine.authentication.requestPasswordReset({ email: EMAIL, customerId: 0 })).rejects.toThrow(
      'customerId',
    )
  })

  // A56
  it('sends at most five mails, first for users with a password, and skips users at their limit', async () => {
    const memory = await start(8)
    for (let companyId = 1; companyId <= 6; companyId += 1) await add(memory, companyId)
    await add(memory, 7, PASSWORD)
    await add(memory, 8, 'password of the eighth')
    const [first = '', second = '', ...rest] = await reset(memory)
    expect([first.includes('Company 7'), second.includes('Company 8'), rest.length]).toEqual([true, true, 3])
    for (let at = 0; at < 3; at += 1) expect(await reset(memory, 7)).toHaveLength(at < 3 ? 1 : 0)
    expect(await reset(memory, 7)).toHaveLength(0)
    expect((await reset(memory)).map((text) => text.includes('Company 7'))).toEqual([false, false, false, false])
  })
})

describe('the audit trail', () => {
  // A58
  it('reports refused logins to the company of the user, even if other companies have the address', async () => {
    const memory = await start(2)
    const ofOthers = await add(memory, 2, PASSWORD)
    const ofThird = await add(memory, 3)
    const { audit } = memory.engine.administration
    const refused = async (): Promise<unknown[]> => {
      const { items } = await audit.list({ action: 'login.refused' })
      return items.map(({ companyId, targetId, details }) => [companyId, targetId, details['reason']]).reverse()
    }
    await logIn(memory, 'wrong password', { remoteAddress: '192.0.2.1' })
    // The third company has added the address, and does not learn at which companies its owner logs in.
    const ofSecond = [[2, ofOthers, 'wrong-password']]
    expect(await refused()).toEqual(ofSecond)
    await logIn(memory, 'wrong password', { companyId: 3 })
    await logIn(memory, 'wrong password', { companyId: 99 })
    expect(await refused()).toEqual([...ofSecond, [3, ofThird, 'wrong-password'], [null, null, 'wrong-password']])
    await memory.engine.administration.users.completeSetup(ofThird, PASSWORD)
    expect(await logIn(memory, PASSWORD)).toBe('ERR_COMPANY_REQUIRED')
    expect((await refused()).at(-1)).toEqual([null, null, 'company-required'])
    await logIn(memory, 'wrong password')
    expect((await refused()).slice(-2)).toEqual([
      [2, ofOthers, 'wrong-password'],
      [3, ofThird, 'wrong-password'],
    ])
    const [entry] = (await audit.list({ action: 'login.refused' })).items
    expect(JSON.stringify(entry)).not.toContain('@')
  })
  // A58
  it('reports refused logins of invited users to the root company, with the same answer', async () => {
    const memory = await start(1)
    const invited = await add(memory, 1)
    const { audit } = memory.engine.administration
    const refused = async (): Promise<unknown[]> => {
      const { items } = await audit.list({ action: 'login.refused' })
      return items.map(({ companyId, targetId, details }) => [companyId, targetId, details['reason']]).reverse()
    }
    const ofInvited = [1, invited, 'wrong-password']
    expect(await logIn(memory, 'wrong password')).toBeUndefined()
    expect(await refused()).toEqual([ofInvited])
    // The root company sees the entries of the other one too, so it learns nothing that it does not know.
    const joined = await add(memory, 2, PASSWORD)
    expect(await logIn(memory, 'wrong password')).toBeUndefined()
    expect(await refused()).toEqual([ofInvited, [2, joined, 'wrong-password'], ofInvited])
  })
})
