import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryMailer } from '../../../adapters/memory/index.js'
import { type MemoryEngine, memoryEngine } from '../engine/memory-engine.js'

const DAY_MS = 86_400_000
const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'
const OTHER_PASSWORD = 'another horse battery'

let memory: MemoryEngine
let mailer: MemoryMailer

const links = (): string[] => mailer.sent.flatMap(({ text }) => /token=([\w-]+)/.exec(text)?.[1] ?? [])
const requestReset = async (): Promise<void> =>
  await memory.engine.authentication.requestPasswordReset({ email: EMAIL })

beforeEach(async () => {
  mailer = new MemoryMailer()
  memory = await memoryEngine({ mailer, limits: { mailsPerAddressPerHour: 100 } })
  const { users } = memory.engine.administration
  const { id } = await users.add({ email: EMAIL, companyId: 1, name: 'Ada' })
  await users.completeSetup(id, PASSWORD)
  mailer.sent.length = 0
})
afterEach(async () => await memory.engine.close())

describe('after the clock was set back by 30 days', () => {
  it('a login from before has ended, and a new one holds', async () => {
    const { authentication } = memory.engine
    const input = { email: EMAIL, password: PASSWORD }
    const login = await authentication.logIn(input)
    // Clocks of two processes differ a little.
    memory.clock.advance(-60_000)
    expect(await authentication.getLogin(login)).toMatchObject({ kind: 'password' })
    memory.clock.advance(-30 * DAY_MS)
    await expect(authentication.getLogin(login)).rejects.toMatchObject({ code: 'ERR_UNAUTHENTICATED' })
    expect(await authentication.getLogin(await authentication.logIn(input))).toMatchObject({ kind: 'password' })
  })

  it('links from before set no password, and prevent no new link', async () => {
    for (let count = 0; count < 5; count += 1) await requestReset()
    expect(links()).toHaveLength(5)
    await requestReset()
    expect(links()).toHaveLength(5)
    memory.clock.advance(-30 * DAY_MS)
    const { authentication } = memory.engine
    const [before = ''] = links()
    await expect(authentication.setPassword({ token: before, password: OTHER_PASSWORD })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      field: 'token',
    })
    await requestReset()
    expect(links()).toHaveLength(6)
    await authentication.setPassword({ token: links().at(-1) ?? '', password: OTHER_PASSWORD })
  })
})
