import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { UserWithPermissions } from '../../../../src/index.js'
import { type Problem, startServer, type TestServer } from '../server.js'

let server: TestServer
let token: string

beforeAll(async () => {
  server = await startServer({}, undefined, { limits: { mailsPerCompanyPerHour: 8 } })
  token = await server.token('tenant')
})

afterAll(async () => {
  await server.close()
})

const mails = async (): Promise<number> => (await readdir(join(server.dataDir, 'mail'))).length

describe('the REST API', () => {
  // A44
  it('refuses names with links, HTML, line breaks or more than 100 characters by 400', async () => {
    for (const [name, code] of [
      ['You won: http://evil', 'web-address'],
      ['evil.com', 'web-address'],
      ['Ada <b>', 'angle-bracket'],
      ['Ada\nL', 'not-one-line'],
      ['x'.repeat(101), 'too-long'],
      ['Ada \u202Emoc', 'text-direction'],
    ] as const) {
      for (const field of ['name', 'firstName', 'lastName']) {
        const json = { email: 'bad@example.com', [field]: name }
        const { status, body } = await server.request<Problem>('POST', '/tenant/user', { token, json })
        expect([status, body.detail.startsWith(`${field}: must `)]).toEqual([400, true])
        expect([body.field, body.reason?.code]).toEqual([field, code])
      }
    }
    const json = { email: 'tolkien@example.com', firstName: 'J. R. R.', lastName: 'Tolkien' }
    const { status, body } = await server.request<UserWithPermissions>('POST', '/tenant/user', { token, json })
    expect([status, body.name]).toEqual([201, 'J. R. R. Tolkien'])
  })

  // A40
  it('answers 429 with Retry-After to most of 60 requests to resend an invitation, and sends five mails in all', async () => {
    const before = await mails()
    const json = { email: 'ada@example.com' }
    const { body: added } = await server.request<UserWithPermissions>('POST', '/tenant/user', { token, json })
    const answers = await Promise.all(
      Array.from(
        { length: 60 },
        async () => await server.request<Problem>('POST', '/tenant/user/init', { token, json: { id: added.id } }),
      ),
    )
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(4)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(56)
    for (const { headers, body } of refused) {
      expect(body.code).toBe('ERR_THROTTLED')
      expect(Number(headers.get('retry-after'))).toBe(3_600)
    }
    expect((await mails()) - before).toBe(5)
  })

  // A41
  it('refuses a user beyond the mail limit of the company by 429, and does not add the user', async () => {
    const add = async (name: string) =>
      await server.request<Problem>('POST', '/tenant/user', { token, json: { email: `${name}@example.com` } })
    expect((await add('last-1')).status).toBe(201)
    expect((await add('last-2')).status).toBe(201)
    const { status, body, headers } = await add('late')
    expect([status, body.code, headers.has('retry-after')]).toEqual([429, 'ERR_THROTTLED', true])
    const { body: users } = await server.request<UserWithPermissions[]>('GET', '/tenant/users', { token })
    expect(users.map(({ email }) => email)).not.toContain('late@example.com')
    // The address is free: an hour later the engine adds it.
    server.clock.advance(3_600_000)
    token = await server.token('tenant')
    expect((await add('late')).status).toBe(201)
  })
})
