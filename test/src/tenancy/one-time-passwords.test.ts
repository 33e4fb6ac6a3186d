import { afterEach, describe, expect, it } from 'vitest'
import { MemoryStorage } from '../../../adapters/memory/index.js'
import type { AuditEntry, Engine, EngineOptions, PasswordCheck, User } from '../../../src/index.js'
import type { Storage } from '../../../src/ports/index.js'
import { otpCode } from '../../otp-code.js'
import { type MemoryEngine, memoryEngine } from '../engine/memory-engine.js'
import { DATABASES } from '../outbox/database.js'

const PASSWORD = 'correct horse battery'
const EMAIL = 'ann@example.com'
const STEP_MS = 30_000
const MINUTE_MS = 60_000

const engines: Engine[] = []

async function start(overrides: Partial<EngineOptions> = {}): Promise<MemoryEngine> {
  const memory = await memoryEngine(overrides)
  engines.push(memory.engine)
  return memory
}

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})

async function addUser({ engine }: MemoryEngine, email = EMAIL): Promise<User> {
  const { users } = engine.administration
  const { id } = await users.add({ email, companyId: 1, name: 'Ann Lovelace' })
  return await users.completeSetup(id, PASSWORD)
}

interface Enrolled {
  readonly id: number
  readonly secret: string
  readonly recoveryCodes: readonly string[]
  /** The code that the app shows after so many steps. */
  readonly code: (steps?: number) => string
}

/** A user with one-time passwords; a login accepted the code that confirmed them. */
async function enrol(memory: MemoryEngine, email = EMAIL): Promise<Enrolled> {
  const { id } = await addUser(memory, email)
  const { oneTimePassword } = memory.engine.administration.users
  const { secret } = await oneTimePassword.begin(id)
  const code = (steps = 0): string => otpCode(secret, new Date(memory.clock.now().getTime() + steps * STEP_MS))
  const { recoveryCodes } = await oneTimePassword.confirm(id, code())
  memory.clock.advance(STEP_MS)
  return { id, secret, recoveryCodes, code }
}

/** The method of a login, `wrong`, or the code of the error. */
async function logIn({ engine }: MemoryEngine, check?: PasswordCheck, password = PASSWORD, email = EMAIL) {
  return await engine.administration.verifyPassword(email, password, check).then(
    (user) => user?.otpMethod ?? 'wrong',
    (error: unknown) => (error as { readonly code: string }).code,
  )
}

/** A code that is wrong for the current step and the steps beside it. */
function wrongCode({ code }: Enrolled, which = 0): string {
  const right = [-1, 0, 1].map(code)
  const others = Array.from({ length: which + 4 }, (_, at) => String(100_000 + at))
  return others.filter((other) => !right.includes(other))[which] ?? ''
}

async function refusals({ engine }: MemoryEngine): Promise<AuditEntry[]> {
  return [...(await engine.administration.audit.list({ action: 'login.refused' })).items]
}

describe('one-time passwords', () => {
  // A96
  it('are required after they are confirmed, and not before', async () => {
    const memory = await start()
    const { id } = await addUser(memory)
    const { users } = memory.engine.administration
    const listed = async () => {
      const ofHost = (await users.list()).find((user) => user.id === id)?.otpMethod
      const ofTenant = (await memory.session.users.list()).find((user) => user.id === id)?.otpMethod
      return [ofHost, ofTenant, (await users.completeSetup(id)).otpMethod]
    }
    const { secret, uri } = await users.oneTimePassword.begin(id)
    expect(uri).toContain(`secret=${secret}`)
    expect(decodeURIComponent(uri)).toMatch(/^otpauth:\/\/totp\/[^:]+:ann@example\.com\?/)
    expect(await logIn(memory)).toBe('none')
    expect(await listed()).toEqual(['none', 'none', 'none'])
    const code = (): string => otpCode(secret, memory.clock.now())
    const wrong = code() === '123456' ? '123457' : '123456'
    await expect(users.oneTimePassword.confirm(id, wrong)).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      field: 'code',
    })
    expect(await logIn(memory)).toBe('none')
    const { recoveryCodes } = await users.oneTimePassword.confirm(id, ` ${code().slice(0, 3)} ${code().slice(3)}`)
    expect(new Set(recoveryCodes).size).toBe(10)
    for (const one of recoveryCodes) expect(one).toMatch(/^([A-HJ-NP-Z2-9]{4}-){3}[A-HJ-NP-Z2-9]{4}$/)
    expect(await listed()).toEqual(['totp', 'totp', 'totp'])
    expect(await logIn(memory)).toBe('ERR_OTP_REQUIRED')
    expect(await logIn(memory, { otp: '' })).toBe('ERR_OTP_REQUIRED')
    expect(await logIn(memory, { otp: 287_082 as unknown as string })).toBe('ERR_INVALID_INPUT')
    // The code that confirmed the secret does not also work for a login.
    expect(await logIn(memory, { otp: code() })).toBe('wrong')
    memory.clock.advance(STEP_MS)
    expect(await logIn(memory, { otp: code() })).toBe('totp')
    await expect(users.oneTimePassword.confirm(id, code())).rejects.toMatchObject({ field: 'id' })
  })

  // A96
  it('are accepted one step early or late, and no more', async () => {
    const memory = await start()
    const user = await enrol(memory)
    memory.clock.advance(10 * STEP_MS)
    const outcomes: string[] = []
    for (const steps of [-2, 2, -1, 0, 1]) outcomes.push(await logIn(memory, { otp: user.code(steps) }))
    expect(outcomes).toEqual(['wrong', 'wrong', 'totp', 'totp', 'totp'])
  })

  // A96
  it('reveal nothing without the password, and count as a login only together with it', async () => {
    const memory = await start()
    const user = await enrol(memory)
    await addUser(memory, 'bob@example.com')
    for (const email of [EMAIL, 'bob@example.com', 'nobody@example.com']) {
      for (const check of [{}, { otp: user.code() }, { otp: '1' }]) {
        expect(await logIn(memory, check, 'wrong password', email)).toBe('wrong')
      }
    }
    expect(await logIn(memory)).toBe('ERR_OTP_REQUIRED')
    expect(await logIn(memory, { otp: wrongCode(user) })).toBe('wrong')
    const lastAccess = async () =>
      (await memory.engine.administration.users.list()).find(({ id }) => id === user.id)?.lastAccess
    expect(await lastAccess()).toBeNull()
    expect(await logIn(memory, { otp: user.code() })).toBe('totp')
    expect(await lastAccess()).toBe(memory.clock.now().toISOString())
  })

  // A96
  it('survive a reset of the password, and end when the host disables them', async () => {
    const memory = await start()
    const user = await enrol(memory)
    const { administration, authentication } = memory.engine
    await authentication.requestPasswordReset({ email: EMAIL })
    const token = /token=([\w-]+)/.exec(JSON.stringify(memory.mailer.sent.at(-1)))?.[1] ?? ''
    await authentication.setPassword({ token, password: 'another horse battery' })
    expect(await logIn(memory, {}, 'another horse battery')).toBe('ERR_OTP_REQUIRED')
    const { oneTimePassword } = administration.users
    expect(await oneTimePassword.disable(user.id)).toMatchObject({ id: user.id, otpMethod: 'none' })
    expect(await logIn(memory, {}, 'another horse battery')).toBe('none')
    const before = await administration.audit.list()
    await oneTimePassword.disable(user.id)
    expect(await administration.audit.list()).toEqual(before)
    await expect(oneTimePassword.renewRecoveryCodes(user.id)).rejects.toMatchObject({ field: 'id' })
  })

  // A96
  it('use the old secret until a new one is confirmed', async () => {
    const memory = await start()
    const user = await enrol(memory)
    const { oneTimePassword } = memory.engine.administration.users
    const { secret } = await oneTimePassword.begin(user.id, { issuer: 'Alcove' })
    expect(await logIn(memory, { otp: otpCode(secret, memory.clock.now()) })).toBe('wrong')
    expect(await logIn(memory, { otp: user.code() })).toBe('totp')
    await oneTimePassword.confirm(user.id, otpCode(secret, memory.clock.now()))
    memory.clock.advance(STEP_MS)
    expect(await logIn(memory, { otp: user.code() })).toBe('wrong')
    expect(await logIn(memory, { otp: otpCode(secret, memory.clock.now()) })).toBe('totp')
    expect(await logIn(memory, { otp: user.recoveryCodes[0] })).toBe('wrong')
  })

  // A96
  it('refuse unknown users', async () => {
    const { oneTimePassword } = (await start()).engine.administration.users
    for (const call of [
      () => oneTimePassword.begin(99),
      () => oneTimePassword.confirm(99, '123456'),
      () => oneTimePassword.renewRecoveryCodes(99),
      () => oneTimePassword.disable(99),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'ERR_USER_NOT_FOUND' })
    }
    await expect(oneTimePassword.begin(1, { issuer: 'a\nb' })).rejects.toMatchObject({ field: 'label.issuer' })
  })
})

describe.each([
  {
    name: 'memory',
    open: async () => {
      const storage = new MemoryStorage()
      return { storage: (): Storage => storage, dispose: async () => undefined }
    },
  },
  ...DATABASES,
])('on $name, by two engines at the same time,', ({ open }) => {
  /** The same attempt by each engine in turn. */
  async function attempts(
    count: number,
    overrides: Partial<EngineOptions>,
    otpOf: (user: Enrolled, at: number) => string,
  ) {
    const database = await open()
    try {
      const one = await start({ storage: database.storage(), ...overrides })
      const user = await enrol(one)
      const other = await start({ storage: database.storage(), clock: one.clock, ...overrides })
      const outcomes = await Promise.all(
        Array.from({ length: count }, async (_, at) => {
          return await logIn(at % 2 === 0 ? one : other, { otp: otpOf(user, at), remoteAddress: `192.0.2.${at}` })
        }),
      )
      await Promise.all(engines.splice(0).map((engine) => engine.close()))
      return outcomes.sort()
    } finally {
      await database.dispose()
    }
  }
  const limits = { failuresPerNamePerMinute: 1_000 }

  // A97
  it('a code is accepted once', async () => {
    expect(await attempts(4, {}, (user) => user.code())).toEqual(['totp', 'wrong', 'wrong', 'wrong'])
  })

  // A98
  it('a recovery code is accepted once', async () => {
    const outcomes = await attempts(4, {}, ({ recoveryCodes }) => recoveryCodes[3] ?? '')
    expect(outcomes).toEqual(['totp', 'wrong', 'wrong', 'wrong'])
  })

  // A99
  it('at most five wrong codes are checked', async () => {
    const outcomes = await attempts(12, { limits }, (user, at) => wrongCode(user, at))
    expect(outcomes).toEqual([...Array<string>(7).fill('ERR_THROTTLED'), ...Array<string>(5).fill('wrong')])
  })
})

describe('a code', () => {
  // A97
  it('is not accepted twice, nor is an earlier one, even after a restart', async () => {
    const storage = new MemoryStorage()
    const memory = await start({ storage })
    const user = await enrol(memory)
    expect(await logIn(memory, { otp: user.code(1) })).toBe('totp')
    expect(await logIn(memory, { otp: user.code(1) })).toBe('wrong')
    expect(await logIn(memory, { otp: user.code(0) })).toBe('wrong')
    const restarted = await start({ storage, clock: memory.clock })
    expect(await logIn(restarted, { otp: user.code(1) })).toBe('wrong')
    memory.clock.advance(2 * STEP_MS)
    expect(await logIn(restarted, { otp: user.code() })).toBe('totp')
  })
})

describe('a recovery code', () => {
  // A98
  it('works for one login, in any spelling, of its user alone', async () => {
    const memory = await start()
    const ann = await enrol(memory)
    const bob = await enrol(memory, 'bob@example.com')
    const [first = '', second = '', third = ''] = ann.recoveryCodes
    expect(await logIn(memory, { otp: first }, PASSWORD, 'bob@example.com')).toBe('wrong')
    expect(await logIn(memory, { otp: first, remoteAddress: '192.0.2.7' })).toBe('totp')
    expect(await logIn(memory, { otp: first })).toBe('wrong')
    const spaced = ` ${second.toLowerCase().replaceAll('-', ' – ')}\t`
    expect(await logIn(memory, { otp: spaced })).toBe('totp')
    const [latest, before] = (await memory.engine.administration.audit.list({ action: 'otp.recovery-code-used' })).items
    const actor = { kind: 'user', userId: ann.id }
    expect(before).toMatchObject({ targetId: ann.id, actor, remoteAddress: '192.0.2.7', details: { left: 9 } })
    expect(latest).toMatchObject({ targetId: ann.id, actor, remoteAddress: null, details: { left: 8 } })
    const renewed = await memory.engine.administration.users.oneTimePassword.renewRecoveryCodes(ann.id)
    expect(await logIn(memory, { otp: third })).toBe('wrong')
    expect(await logIn(memory, { otp: renewed.recoveryCodes[0] })).toBe('totp')
    expect(await logIn(memory, { otp: bob.recoveryCodes[0] }, PASSWORD, 'bob@example.com')).toBe('totp')
  })
})

describe('wrong codes', () => {
  // A99
  it('are counted and recorded like wrong passwords', async () => {
    const memory = await start({ limits: { failuresPerNamePerMinute: 3 } })
    const user = await enrol(memory)
    for (let at = 0; at < 3; at += 1) {
      expect(await logIn(memory, { otp: wrongCode(user, at), remoteAddress: '192.0.2.7' })).toBe('wrong')
    }
    expect(await logIn(memory, { otp: user.code() })).toBe('ERR_THROTTLED')
    const entries = await refusals(memory)
    expect(entries).toHaveLength(3)
    const actor = { kind: 'anonymous', userId: null }
    for (const entry of entries) {
      const from = { actor, remoteAddress: '192.0.2.7' }
      expect(entry).toMatchObject({ ...from, companyId: 1, targetId: user.id, details: { reason: 'wrong-otp' } })
    }
    memory.clock.advance(MINUTE_MS)
    expect(await logIn(memory, { otp: user.code() })).toBe('totp')
  })

  // A99
  it('count for the network address too', async () => {
    const memory = await start({ limits: { failuresPerAddressPerMinute: 2 } })
    const user = await enrol(memory)
    for (let at = 0; at < 2; at += 1) await logIn(memory, { otp: wrongCode(user, at), remoteAddress: '192.0.2.7' })
    expect(await logIn(memory, { otp: user.code(), remoteAddress: '192.0.2.7' })).toBe('ERR_THROTTLED')
    expect(await logIn(memory, { otp: user.code(), remoteAddress: '192.0.2.8' })).toBe('totp')
  })

  // A99
  it('reach their limit at five in 15 minutes and 20 in a day; then right codes fail and recovery codes pass', async () => {
    const memory = await start()
    const user = await enrol(memory)
    const guess = async (): Promise<string> => {
      memory.clock.advance(MINUTE_MS)
      return await logIn(memory, { otp: wrongCode(user) })
    }
    const five = ['wrong', 'wrong', 'wrong', 'wrong', 'wrong']
    for (let round = 0; round < 4; round += 1) {
      const outcomes: string[] = []
      for (let at = 0; at < 7; at += 1) outcomes.push(await guess())
      expect(outcomes).toEqual([...five, 'ERR_THROTTLED', 'ERR_THROTTLED'])
      memory.clock.advance(15 * MINUTE_MS)
    }
    const refused = memory.engine.administration.verifyPassword(EMAIL, PASSWORD, { otp: user.code() })
    await expect(refused).rejects.toMatchObject({ code: 'ERR_THROTTLED', message: /wait, or enter a recovery code/ })
    const { retryAfterSeconds } = (await refused.catch((error: unknown) => error)) as { retryAfterSeconds: number }
    expect(retryAfterSeconds).toBeGreaterThan(22 * 3_600)
    expect(await logIn(memory, { otp: user.recoveryCodes[0] })).toBe('totp')
    memory.clock.advance(retryAfterSeconds * 1_000)
    expect(await logIn(memory, { otp: user.code() })).toBe('totp')
  })

  // A99
  it('from a caller without the password lock no user out', async () => {
    const memory = await start()
    const user = await enrol(memory)
    for (let at = 0; at < 9; at += 1) await logIn(memory, { otp: wrongCode(user, at) }, 'wrong password')
    expect(await logIn(memory, { otp: user.code() })).toBe('totp')
  })

  // A99
  it('no longer count after the host sets up another secret', async () => {
    const memory = await start()
    const user = await enrol(memory)
    for (let at = 0; at < 5; at += 1) await logIn(memory, { otp: wrongCode(user, at) })
    expect(await logIn(memory, { otp: user.code() })).toBe('ERR_THROTTLED')
    const { oneTimePassword } = memory.engine.administration.users
    await oneTimePassword.disable(user.id)
    const { secret } = await oneTimePassword.begin(user.id)
    await oneTimePassword.confirm(user.id, otpCode(secret, memory.clock.now()))
    memory.clock.advance(STEP_MS)
    expect(await logIn(memory, { otp: otpCode(secret, memory.clock.now()) })).toBe('totp')
  })
})

describe('secrets and recovery codes', () => {
  // A99
  it.each(DATABASES)(
    'appear in clear text nowhere in the database, the audit trail and the log: $name',
    async ({ open }) => {
      const database = await open()
      const memory = await start({ storage: database.storage() })
      const user = await enrol(memory)
      await logIn(memory, { otp: user.recoveryCodes[0] })
      await logIn(memory, { otp: wrongCode(user) })
      const renewed = await memory.engine.administration.users.oneTimePassword.renewRecoveryCodes(user.id)
      const { secret: waiting } = await memory.engine.administration.users.oneTimePassword.begin(user.id)
      const rows = await Promise.all(
        ['one_time_passwords', 'recovery_codes', 'audit', 'rates', 'settings', 'users'].map(async (table) => {
          return (await database.knex(`alcove_${table}`).select()) as unknown[]
        }),
      )
      expect(rows[0]).toHaveLength(1)
      expect(rows[1]).toHaveLength(10)
      const text = JSON.stringify([rows, memory.telemetry.events]).toUpperCase()
      const codes = [...user.recoveryCodes, ...renewed.recoveryCodes].flatMap((code) => [
        code,
        code.replaceAll('-', ''),
      ])
      for (const secret of [user.secret, waiting, ...codes]) expect(text).not.toContain(secret)
      await Promise.all(engines.splice(0).map((engine) => engine.close()))
      await database.dispose()
    },
  )

  // A99
  it.each(DATABASES)(
    'that were altered admit no login without a code, and the log reports it: $name',
    async ({ open }) => {
      const database = await open()
      const memory = await start({ storage: database.storage() })
      const user = await enrol(memory)
      const [row] = (await database.knex('alcove_one_time_passwords').select('secret')) as [{ secret: string }]
      const altered = row.secret.slice(0, -6) + (row.secret.endsWith('AAAAA=') ? 'BBBBB=' : 'AAAAA=')
      await database.knex('alcove_one_time_passwords').update({ secret: altered })
      const refused = memory.engine.administration.verifyPassword(EMAIL, PASSWORD, { otp: user.code() })
      const message = `the secret of the one-time passwords of user ${user.id} cannot be decrypted: disable`
      await expect(refused).rejects.toMatchObject({
        code: 'ERR_SECRET_UNREADABLE',
        message: expect.stringContaining(message) as string,
      })
      expect(await logIn(memory)).toBe('ERR_OTP_REQUIRED')
      const name = 'otp.secret.unreadable'
      expect(memory.telemetry.events).toContainEqual(
        expect.objectContaining({ name, level: 'error', fields: { userId: user.id } }),
      )
      expect(await logIn(memory, { otp: user.recoveryCodes[0] })).toBe('totp')
      await memory.engine.administration.users.oneTimePassword.disable(user.id)
      expect(await logIn(memory)).toBe('none')
      await Promise.all(engines.splice(0).map((engine) => engine.close()))
      await database.dispose()
    },
  )

  // A99
  it.each(DATABASES)('of another encryption key stop the engine from starting: $name', async ({ open }) => {
    const database = await open()
    const memory = await start({ storage: database.storage() })
    const user = await enrol(memory)
    const { clock } = memory
    await memory.engine.close()
    const other = memoryEngine({ storage: database.storage(), clock, secretKey: new Uint8Array(32).fill(9) })
    await expect(other).rejects.toMatchObject({ code: 'ERR_SECRET_KEY' })
    const restarted = await start({ storage: database.storage(), clock })
    expect(await logIn(restarted, { otp: user.code() })).toBe('totp')
    await Promise.all(engines.splice(0).map((engine) => engine.close()))
    await database.dispose()
  })
})
