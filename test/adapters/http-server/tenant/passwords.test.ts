import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createHttpHandler } from '../../../../adapters/http-server/index.js'
import type { UserWithPermissions } from '../../../../src/index.js'
import { otpCode } from '../../../otp-code.js'
import { type Problem, startServer, type TestServer } from '../server.js'

let server: TestServer
let token: string
let email: string
let seen: readonly string[] = []

beforeAll(async () => {
  server = await startServer({ signInUrl: '/console' }, undefined, {
    limits: { authRequestsPerAddressPerMinute: 1_000 },
  })
})

beforeEach(async () => {
  token = await server.token('tenant')
  email = `${crypto.randomUUID()}@example.com`
  seen = await mailFiles()
})

afterAll(async () => {
  await server.close()
})

async function mailFiles(): Promise<string[]> {
  return (await readdir(join(server.dataDir, 'mail')).catch(() => [])).sort()
}

/** Mails since the start of the test, as text. */
async function mails(): Promise<string[]> {
  const names = (await mailFiles()).filter((name) => !seen.includes(name))
  return await Promise.all(names.map(async (name) => await readFile(join(server.dataDir, 'mail', name), 'utf8')))
}

function tokenOf(mail = ''): string {
  return /\/auth\/setup\?token=([\w-]+)/.exec(mail.replaceAll('=3D', '=').replaceAll(/=\r\n/g, ''))?.[1] ?? ''
}

async function addUser(): Promise<UserWithPermissions> {
  const { status, body } = await server.request<UserWithPermissions>('POST', '/tenant/user', { token, json: { email } })
  expect(status).toBe(201)
  return body
}

async function setup(given: { token: string; password: unknown }): Promise<number> {
  return (await server.request('POST', '/auth/setup', { json: given })).status
}

async function hasPassword(id: number): Promise<boolean | undefined> {
  const { body } = await server.request<UserWithPermissions[]>('GET', '/tenant/users', { token })
  return body.find((user) => user.id === id)?.hasPassword
}

const PASSWORD = 'correct horse 東京'

describe('an invitation', () => {
  it('is mailed when the user is added, and completes the setup once', async () => {
    const { id, hasPassword: atFirst } = await addUser()
    expect(atFirst).toBe(false)
    const [mail = '', ...more] = await mails()
    expect(more).toEqual([])
    expect(mail).toContain(`To: ${email}`)
    expect(mail).toMatch(/Content-Type: text\/plain[^]*Content-Type: text\/html/)
    const link = tokenOf(mail)
    const both = await Promise.all([1, 2].map(async () => await setup({ token: link, password: PASSWORD })))
    expect(both.sort()).toEqual([204, 400])
    expect(await hasPassword(id)).toBe(true)
    expect(await setup({ token: link, password: PASSWORD })).toBe(400)
    const { administration } = server.engine
    expect(await administration.verifyPassword(email.toUpperCase(), PASSWORD)).toMatchObject({ id, hasPassword: true })
    expect(await administration.verifyPassword(email, 'wrong password')).toBeUndefined()
    expect(await administration.verifyPassword('nobody@example.com', PASSWORD)).toBeUndefined()
  })

  it('ends the previous link when it is sent again, and is refused for a user who has completed the setup', async () => {
    const { id } = await addUser()
    const first = tokenOf((await mails())[0])
    expect((await server.request('POST', '/tenant/user/init', { token, json: { id } })).status).toBe(204)
    const second = tokenOf((await mails())[1])
    expect(second).not.toBe(first)
    expect(await setup({ token: first, password: PASSWORD })).toBe(400)
    expect(await setup({ token: second, password: PASSWORD })).toBe(204)
    const { status } = await server.request('POST', '/tenant/user/init', { token, json: { id } })
    expect([status, (await mails()).length]).toEqual([400, 2])
  })

  it('expires after seven days', async () => {
    await addUser()
    const link = tokenOf((await mails())[0])
    server.clock.advance(7 * 86_400_000)
    expect(await setup({ token: link, password: PASSWORD })).toBe(400)
  })

  it('is unnecessary when the host completes the setup', async () => {
    const { id } = await addUser()
    const link = tokenOf((await mails())[0])
    const completed = await server.engine.administration.users.completeSetup(id)
    expect(completed).toMatchObject({ id, hasPassword: true })
    expect(await setup({ token: link, password: PASSWORD })).toBe(400)
    const { administration } = server.engine
    await administration.users.completeSetup(id, PASSWORD)
    // A second call without a password keeps the present one.
    await administration.users.completeSetup(id)
    expect(await administration.verifyPassword(email, PASSWORD)).toMatchObject({ id })
  })
})

describe('a password reset', () => {
  it('is mailed to a known address, and answered alike for an unknown one', async () => {
    const { id } = await addUser()
    await setup({ token: tokenOf((await mails())[0]), password: PASSWORD })
    for (const known of [email, email.toUpperCase(), 'nobody@example.com', 'no address']) {
      const { status, body } = await server.request('POST', '/auth/reset', { json: { email: known } })
      expect([status, body]).toEqual([204, ''])
    }
    const links = (await mails()).slice(1).map(tokenOf)
    expect(links).toHaveLength(2)
    expect(await setup({ token: links[1] ?? '', password: 'another password' })).toBe(204)
    // The first use ends all links of the user.
    expect(await setup({ token: links[0] ?? '', password: 'a third password' })).toBe(400)
    const { administration } = server.engine
    expect(await administration.verifyPassword(email, PASSWORD)).toBeUndefined()
    expect(await administration.verifyPassword(email, 'another password')).toMatchObject({ id })
  })

  it('does not fill a mailbox', async () => {
    await addUser()
    const resets = Array.from(
      { length: 30 },
      async () => await server.request('POST', '/auth/reset', { json: { email } }),
    )
    for (const { status } of await Promise.all(resets)) expect(status).toBe(204)
    expect((await mails()).length).toBeLessThanOrEqual(5)
  })

  it('expires after an hour', async () => {
    const { id } = await addUser()
    await server.engine.administration.users.completeSetup(id)
    await server.request('POST', '/auth/reset', { json: { email } })
    const link = tokenOf((await mails())[1])
    server.clock.advance(3_600_000)
    expect(await setup({ token: link, password: PASSWORD })).toBe(400)
  })

  it.each([{}, { email: 5 }, { email: '' }, []])('is refused by 400 without an address: %j', async (json) => {
    expect((await server.request('POST', '/auth/reset', { json })).status).toBe(400)
  })
})

describe('a password', () => {
  it.each([undefined, 5, '', 'short', 'x'.repeat(1_001), 'with\u0000nul!'])(
    '%j is refused, and the link stays valid',
    async (password) => {
      await addUser()
      const link = tokenOf((await mails())[0])
      const { status, body } = await server.request<Problem>('POST', '/auth/setup', { json: { token: link, password } })
      expect([status, body.detail.startsWith('password: ')]).toEqual([400, true])
      expect(await setup({ token: link, password: PASSWORD })).toBe(204)
    },
  )

  it('can be set by a plain form, without any script', async () => {
    await addUser()
    const link = tokenOf((await mails())[0])
    const shown = await server.request<string>('GET', `/auth/setup?token=${link}`)
    expect(shown.status).toBe(200)
    expect(shown.body).toContain(`value="${link}"`)
    expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'")
    const injected = await server.request<string>('GET', '/auth/setup?token=%22%3E%3Cscript%3Ealert(1)%3C/script%3E')
    expect(injected.body).not.toContain('<script>')
    const post = async (form: Record<string, string>): Promise<[number, string]> => {
      const answer = await server.request<string>('POST', '/auth/setup', { form })
      return [answer.status, answer.body]
    }
    const [refused, page] = await post({ token: link, password: 'short' })
    expect([refused, page]).toEqual([400, expect.stringContaining('must have at least 12 characters')])
    const [done, result] = await post({ token: link, password: PASSWORD })
    expect([done, result]).toEqual([200, expect.stringContaining('<a class="button" href="/console">Sign in</a>')])
    expect((await post({ token: link, password: PASSWORD }))[0]).toBe(400)
  })

  it('shows the form in the language of the browser', async () => {
    await addUser()
    const link = tokenOf((await mails())[0])
    const german = { 'accept-language': 'fr, de-AT;q=0.9, en;q=0.8' }
    const shown = await server.request<string>('GET', `/auth/setup?token=${link}`, { headers: german })
    expect(shown.body).toContain('<html lang="de">')
    expect(shown.body).toContain('<h1>Passwort wählen</h1>')
    const post = async (form: Record<string, string>): Promise<string> =>
      (await server.request<string>('POST', '/auth/setup', { form, headers: german })).body
    expect(await post({ token: link, password: 'short' })).toContain('Das Passwort muss mindestens 12 Zeichen haben.')
    expect(await post({ token: link, password: email })).toContain('weder deine E-Mail-Adresse')
    expect(await post({ token: link, password: 'abcabcabcabc' })).toContain(
      'die sich wiederholen: Wähle andere Wörter.',
    )
    expect(await post({ token: link, password: 'password1234' })).toContain('eines der häufigsten')
    expect(await post({ token: 'x', password: PASSWORD })).toContain('Dieser Link gilt nicht mehr')
    expect(await post({ token: link, password: PASSWORD })).toContain('<a class="button" href="/console">Anmelden</a>')
    const french = await server.request<string>('GET', '/auth/setup', { headers: { 'accept-language': 'fr' } })
    expect(french.body).toContain('<html lang="en">')
  })

  it('is followed by no other link than to a page: an option that names none is refused', async () => {
    for (const signInUrl of ['console', '//elsewhere.example', '/\\elsewhere.example', 'javascript:alert(1)', '']) {
      expect(() => createHttpHandler(server.engine, { signInUrl }), signInUrl).toThrow(/^signInUrl: must be a path/)
    }
    for (const signInUrl of ['/console', 'https://app.example.com/login?next=1']) {
      expect(() => createHttpHandler(server.engine, { signInUrl }), signInUrl).not.toThrow()
    }
  })

  it('is stored nowhere in readable form: neither in the database nor in the log', async () => {
    await addUser()
    const link = tokenOf((await mails())[0])
    await setup({ token: link, password: 'unmistakable-password' })
    const database = await readFile(join(server.dataDir, 'alcove.sqlite'), 'latin1')
    const journal = await readFile(join(server.dataDir, 'alcove.sqlite-wal'), 'latin1').catch(() => '')
    for (const secret of ['unmistakable-password', link, server.key.clientSecret]) {
      expect((database + journal).includes(secret)).toBe(false)
      expect(JSON.stringify(server.telemetry.events).includes(secret)).toBe(false)
    }
  })
})

describe('one-time passwords', () => {
  // A96
  it('appear in the list of users', async () => {
    const { id } = await addUser()
    const methodOf = async (): Promise<string | undefined> => {
      const { body } = await server.request<UserWithPermissions[]>('GET', '/tenant/users', { token })
      return body.find((user) => user.id === id)?.otpMethod
    }
    const { oneTimePassword } = server.engine.administration.users
    const { secret } = await oneTimePassword.begin(id)
    expect(await methodOf()).toBe('none')
    await oneTimePassword.confirm(id, otpCode(secret, server.clock.now()))
    expect(await methodOf()).toBe('totp')
    await oneTimePassword.disable(id)
    expect(await methodOf()).toBe('none')
  })
})
