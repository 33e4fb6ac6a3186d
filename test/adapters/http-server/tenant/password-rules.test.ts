import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryMailer } from '../../../../adapters/memory/index.js'
import type { User } from '../../../../src/index.js'
import { type Problem, startServer, type TestServer } from '../server.js'

const mailer = new MemoryMailer()
const EMAIL = 'charles.babbage@example.com'
let server: TestServer
let user: User

beforeAll(async () => {
  server = await startServer({}, undefined, { mailer, limits: { authRequestsPerAddressPerMinute: 1_000 } })
  user = await server.engine.administration.users.add({ email: EMAIL, companyId: 1 })
})

afterAll(async () => {
  await server.close()
})

/** Token of the only link that the user gets: a refused password does not use it up. */
const link = (): string => /token=([\w-]+)/.exec(mailer.sent[0]?.text ?? '')?.[1] ?? ''

const REFUSED: readonly (readonly [string, string, string])[] = [
  ['of 11 characters', 'elevenchars', 'must have at least 12 characters'],
  ['of 1,001 characters', 'x'.repeat(1_001), 'must have at most 1000 characters'],
  ['in the list', 'Qwerty123456', 'is one of the most common passwords'],
  ['in the list, in capitals and with spaces', ' PASSWORD1234 ', 'is one of the most common passwords'],
  ['that is the e-mail address', 'Charles.Babbage@Example.com', 'must be neither the e-mail address'],
  ['that is the part of it before the @', 'charles.babbage', 'must be neither the e-mail address'],
  ['of one character again and again', 'zzzzzzzzzzzz', 'must not be a few characters that are repeated'],
]

describe('a password that breaks a rule', () => {
  // A50
  it.each(REFUSED)('%s is refused over REST, by the page and to the host', async (_name, password, rule) => {
    const json = { token: link(), password }
    const { status, body } = await server.request<Problem>('POST', '/auth/setup', { json })
    expect([status, body.code]).toEqual([400, 'ERR_INVALID_INPUT'])
    expect(body.detail).toContain(`password: ${rule}`)
    const page = await server.request<string>('POST', '/auth/setup', { form: json })
    expect([page.status, page.body]).toEqual([400, expect.stringContaining(`The password ${rule}`)])
    expect(page.body).toContain(`value="${link()}"`)
    const byHost = server.engine.administration.users.completeSetup(user.id, password)
    await expect(byHost).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'password' })
    await expect(byHost).rejects.toThrow(rule)
    expect((await server.engine.administration.users.list()).find(({ id }) => id === user.id)?.hasPassword).toBe(false)
    for (const answer of [body.detail, page.body]) expect(answer).not.toContain(password.trim())
    expect(JSON.stringify(server.telemetry.events)).not.toContain(password.trim())
  })
})

describe('the rules for passwords', () => {
  // A50
  it('are shown on the page', async () => {
    const { body } = await server.request<string>('GET', `/auth/setup?token=${link()}`)
    expect(body).toContain('minlength="12" maxlength="1000"')
    expect(body).toContain('At least 12 characters. Not a common password, not your e-mail address')
  })

  // A50
  it('reveal nothing to a stranger without a link', async () => {
    const json = { token: 'guessed', password: 'password1234' }
    const { status, body } = await server.request<Problem>('POST', '/auth/setup', { json })
    expect([status, body.detail.startsWith('token: is not valid')]).toEqual([400, true])
  })

  // A50
  it('depend on the user of the link', async () => {
    const unknown = server.engine.administration.users.completeSetup(999, 'twelve chars')
    await expect(unknown).rejects.toMatchObject({ code: 'ERR_USER_NOT_FOUND' })
  })

  // A50
  it('accept a password of 12 characters by a link that refused passwords did not use up', async () => {
    const { status } = await server.request('POST', '/auth/setup', {
      json: { token: link(), password: 'twelve chars' },
    })
    expect(status).toBe(204)
    expect(await server.engine.administration.verifyPassword(EMAIL, 'twelve chars')).toMatchObject({ id: user.id })
  })
})
