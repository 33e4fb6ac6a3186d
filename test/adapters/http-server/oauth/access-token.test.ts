import { createHmac, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JoseTokenSigner } from '../../../../adapters/jose/index.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import type { Answer } from '../check-answer.js'
import { type Problem, startServer, type TestServer } from '../server.js'

type Json = Record<string, unknown>

let server: TestServer
let token: string
let header: Json
let claims: Json
let jwk: Json

beforeAll(async () => {
  server = await startServer()
  token = await server.token('assistant')
  header = decode(token, 0)
  claims = decode(token, 1)
  const file = await readFile(join(server.dataDir, 'keys', 'signing-keys.json'), 'utf8')
  jwk = ((JSON.parse(file) as { keys: { jwk: Json }[] }).keys[0] as { jwk: Json }).jwk
})

afterAll(async () => {
  await server.close()
})

function decode(jwt: string, part: number): Json {
  return JSON.parse(Buffer.from(jwt.split('.')[part] ?? '', 'base64url').toString()) as Json
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Signs a token as the engine does, with the engine's own key. */
function forge(payload: Json, protectedHeader: Json = header): string {
  const input = `${encode(protectedHeader)}.${encode(payload)}`
  const key = createPrivateKey({ key: jwk as never, format: 'jwk' })
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`
}

async function use(bearer: string): Promise<Answer<Problem>> {
  return await server.request<Problem>('GET', '/context', { token: bearer })
}

function now(): number {
  return Math.floor(server.clock.now().getTime() / 1_000)
}

describe('an access token', () => {
  // J1
  it('passes when it is forged without a defect, so each case below fails for its own reason', async () => {
    expect((await use(token)).status).toBe(200)
    expect((await use(forge(claims))).status).toBe(200)
  })

  // J1
  it.each<[string, () => string]>([
    ['alg none', () => `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`],
    ['alg None', () => `${encode({ ...header, alg: 'None' })}.${encode(claims)}.`],
    ['an algorithm off the list', () => forge(claims, { ...header, alg: 'RS256' })],
    [
      'a public key used as shared secret',
      () => {
        const input = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`
        return `${input}.${createHmac('sha256', String(jwk['x'])).update(input).digest('base64url')}`
      },
    ],
    ['no exp', () => forge({ ...claims, exp: undefined })],
    ['exp as a string', () => forge({ ...claims, exp: String(now() + 900) })],
    ['exp equal to now', () => forge({ ...claims, exp: now() })],
    ['a future nbf', () => forge({ ...claims, nbf: now() + 60 })],
    ['a future iat', () => forge({ ...claims, iat: now() + 60 })],
    ['no iat', () => forge({ ...claims, iat: undefined })],
    ['another iss', () => forge({ ...claims, iss: 'somebody' })],
    ['another aud', () => forge({ ...claims, aud: 'somebody' })],
    ['no sub', () => forge({ ...claims, sub: undefined })],
    ['typ JWT', () => forge(claims, { ...header, typ: 'JWT' })],
    ['no typ', () => forge(claims, { ...header, typ: undefined })],
    ['an unknown crit', () => forge(claims, { ...header, crit: ['exp-bis'], 'exp-bis': true })],
    ['2 segments', () => token.split('.').slice(0, 2).join('.')],
    ['4 segments', () => `${token}.${token.split('.')[2] ?? ''}`],
    ['an empty signature', () => `${token.split('.').slice(0, 2).join('.')}.`],
    ['a truncated signature', () => token.slice(0, -20)],
    ['an altered signature', () => alter(token, token.length - 40)],
    ['altered claims', () => alter(token, (token.indexOf('.') + token.lastIndexOf('.')) >> 1)],
    ['a key id of another key', () => forge(claims, { ...header, kid: 'other' })],
    ['no key id', () => forge(claims, { ...header, kid: undefined })],
    ['an account id that is a text', () => forge({ ...claims, account_id: '1' })],
    ['a scope that is no text', () => forge({ ...claims, scope: ['search'] })],
    ['a key that does not exist', () => forge({ ...claims, key_id: 99 })],
    // A57
    ['another company than the key has', () => forge({ ...claims, company_id: 2 })],
    ['a company that is a text', () => forge({ ...claims, company_id: '1' })],
    ['no company', () => forge({ ...claims, company_id: undefined })],
    ['no epoch', () => forge({ ...claims, epoch: undefined })],
    ['another client id than the key has', () => forge({ ...claims, client_id: 'ak_other' })],
    ['rubbish', () => '東京'],
  ])('with %s is refused by 401', async (_name, make) => {
    // A header contains bytes, not characters.
    const bearer = Buffer.from(make()).toString('latin1')
    const { status, headers, body } = await use(bearer)
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
    expect(body.detail).not.toBe('')
  })

  // A57
  it('names the company of its key', () => {
    expect(claims).toMatchObject({ company_id: server.key.companyId })
  })

  // J1
  it('is refused by 401 once it has expired', async () => {
    const short = await server.token('assistant')
    server.clock.advance(899_000)
    const lastSecond = (await use(short)).status
    server.clock.advance(1_000)
    expect([lastSecond, (await use(short)).status]).toEqual([200, 401])
    token = await server.token('assistant')
    claims = decode(token, 1)
  })

  // J2
  it('cannot choose its key by path, SQL, jwk, jku or x5u: the verifier fetches nothing', async () => {
    let fetched = 0
    const trap = createServer((_request, response) => {
      fetched += 1
      response.end('{"keys":[]}')
    })
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/keys`
    const own = generateKeyPairSync('ed25519')
    const publicJwk = own.publicKey.export({ format: 'jwk' })
    const headers: Json[] = [
      { ...header, kid: '../../../../dev/null' },
      { ...header, kid: "x' OR '1'='1" },
      { ...header, kid: undefined, jwk: publicJwk },
      { ...header, kid: 'trap', jku: url, x5u: url },
    ]
    for (const evil of headers) {
      const input = `${encode(evil)}.${encode(claims)}`
      const forged = `${input}.${sign(null, Buffer.from(input), own.privateKey).toString('base64url')}`
      expect((await use(forged)).status).toBe(401)
    }
    // The verifier ignores the same headers beside a valid signature.
    expect((await use(forge(claims, { ...header, jwk: publicJwk, jku: url, x5u: url }))).status).toBe(200)
    expect(fetched).toBe(0)
    await new Promise((resolve) => trap.close(resolve))
  })

  // J3
  it('for the other application is refused by 403, both ways', async () => {
    const tenant = await server.token('tenant')
    const crossed = await server.request<Problem>('GET', '/context', { token: tenant })
    expect([crossed.status, crossed.body.detail]).toEqual([403, expect.stringContaining('tenant, not assistant')])
    expect((await server.request('GET', '/tenant/users', { token })).status).toBe(403)
    expect((await server.request('GET', '/tenant/users', { token: tenant })).status).toBe(200)
  })

  // J4
  it('ends at once with its key, its permission and its account', async () => {
    const { administration } = server.engine
    const company = await administration.companies.create({ name: 'Live', parentId: 1 })
    const key = await administration.apiKeys.create({ companyId: company.id })
    const live = await server.token('assistant', key)
    const status = async (): Promise<number> => (await use(live)).status
    expect(await status()).toBe(200)
    const permission = (await administration.permissions.list()).find(
      ({ userIdentityId }) => userIdentityId === key.userId,
    )
    const [permissionId = 0, accountId = 0] = [permission?.id, permission?.appAccountId]
    await administration.permissions.toggle(permissionId)
    expect(await status()).toBe(403)
    await administration.permissions.toggle(permissionId)
    expect(await status()).toBe(200)
    await administration.accounts.setActive(accountId, false)
    expect(await status()).toBe(403)
    await administration.accounts.setActive(accountId, true)
    expect(await status()).toBe(200)
    await administration.permissions.revoke(permissionId)
    expect(await status()).toBe(403)
    await administration.apiKeys.revoke(key.id)
    expect(await status()).toBe(401)
  })

  // J5
  it('is ignored in the query string, in the body, and under another scheme', async () => {
    const { status, headers } = await server.request('GET', `/context?access_token=${token}`)
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    const form = { access_token: token, name: 'x' }
    expect((await server.request('POST', '/context', { form })).status).toBe(401)
    for (const authorization of [`Basic ${token}`, token, `Token ${token}`, 'Bearer', `Bearer ${token} x`]) {
      const refused = await server.request('GET', '/context', { headers: { authorization } })
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
    expect((await server.request('GET', '/context', { headers: { authorization: `bearer ${token}` } })).status).toBe(
      200,
    )
  })
})

describe('the file with the signing keys', () => {
  it('is readable by its owner alone', async () => {
    const { mode } = await stat(join(server.dataDir, 'keys', 'signing-keys.json'))
    expect((mode & 0o777).toString(8)).toBe('600')
  })

  it('gets a new key and keeps the old one valid for 900 seconds, also for a process that reads it later', async () => {
    const before = await server.token('assistant')
    const other = await new JoseTokenSigner({ keyFile: join(server.dataDir, 'keys', 'signing-keys.json') }).open()
    const { kid } = await other.rotate(server.clock.now())
    await expect.poll(async () => decode(await server.token('assistant'), 0)['kid'], { timeout: 5_000 }).toBe(kid)
    server.clock.advance(899_000)
    expect((await use(before)).status).toBe(200)
    server.clock.advance(1_000)
    expect((await use(before)).status).toBe(401)
    // A newer token that the old key signed is refused too.
    const fresh = { ...claims, iat: now(), exp: now() + 900 }
    expect((await use(forge(fresh))).status).toBe(401)
  })

  it('ends the tokens of a key that is removed from it, including tokens that were used before', async () => {
    const folder = await temporaryFolder()
    const keyFile = join(folder.path, 'keys.json')
    const signer = new JoseTokenSigner({ keyFile })
    const now = new Date()
    const text = { iss: 'alcove', aud: 'alcove', sub: '7', client_id: 'ak_1', jti: 'one', target_app: 'tenant' }
    const signed = { ...text, company_id: 2, account_id: 3, key_id: 5, epoch: 0 }
    const used = await signer.sign(signed, { issuedAt: now, lifetimeSeconds: 900 })
    const verify = async (): Promise<object | undefined> =>
      await signer.verify(used, { iss: 'alcove', aud: 'alcove', now })
    const iat = Math.floor(now.getTime() / 1_000)
    for (const _again of [1, 2]) expect(await verify()).toEqual({ ...signed, iat, exp: iat + 900 })
    expect(await signer.verify(used, { iss: 'other', aud: 'alcove', now })).toBeUndefined()
    expect(await signer.verify(used, { iss: 'alcove', aud: 'other', now })).toBeUndefined()
    await rm(keyFile)
    await expect.poll(verify, { timeout: 5_000 }).toBeUndefined()
    await folder.remove()
  })

  it('ends the tokens of a key that another key with the same id replaces, and signs with the new key', async () => {
    const folder = await temporaryFolder()
    const keyFile = join(folder.path, 'keys.json')
    const put = async (namedCurve: 'ed25519' | 'P-256'): Promise<void> => {
      const pair = namedCurve === 'P-256' ? generateKeyPairSync('ec', { namedCurve }) : generateKeyPairSync('ed25519')
      const jwk = pair.privateKey.export({ format: 'jwk' })
      const key = { kid: 'main', created: '2026-01-01T00:00:00.000Z', retired: null, jwk }
      await writeFile(keyFile, JSON.stringify({ keys: [key] }))
    }
    const signer = new JoseTokenSigner({ keyFile })
    const now = new Date()
    const text = { iss: 'alcove', aud: 'alcove', sub: '7', client_id: 'ak_1', jti: 'one', target_app: 'tenant' }
    const sign = async (): Promise<string> =>
      await signer.sign(
        { ...text, company_id: 2, account_id: 3, key_id: 5, epoch: 0 },
        { issuedAt: now, lifetimeSeconds: 900 },
      )
    for (const [before, after] of [
      ['ed25519', 'ed25519'],
      ['ed25519', 'P-256'],
    ] as const) {
      await put(before)
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      const used = await sign()
      const verify = async (): Promise<object | undefined> =>
        await signer.verify(used, { iss: 'alcove', aud: 'alcove', now })
      expect(await verify()).toBeDefined()
      await put(after)
      await expect.poll(verify, { timeout: 5_000 }).toBeUndefined()
      expect(await signer.verify(await sign(), { iss: 'alcove', aud: 'alcove', now })).toBeDefined()
    }
    await folder.remove()
  })

  // J6
  it.each<[string, Json]>([
    ['RSA with 1024 bits', generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey.export({ format: 'jwk' })],
    ['P-192', { kty: 'EC', crv: 'P-192', x: 'AAAA', y: 'AAAA', d: 'AAAA' }],
    ['a shared secret', { kty: 'oct', k: 'c2hvcnQ' }],
    ['Ed25519 cut short', { kty: 'OKP', crv: 'Ed25519', x: 'AAAA', d: 'AAAA' }],
  ])('with a key that is too weak refuses to start: %s', async (_name, weak) => {
    const folder = await temporaryFolder()
    const keyFile = join(folder.path, 'keys.json')
    const key = { kid: 'weak', created: '2026-01-01T00:00:00.000Z', retired: null, jwk: weak }
    await writeFile(keyFile, JSON.stringify({ keys: [key] }))
    const opened = new JoseTokenSigner({ keyFile }).open()
    await expect(opened).rejects.toMatchObject({ code: 'ERR_SIGNING_KEY' })
    await expect(opened).rejects.not.toThrow(String(weak['d'] ?? weak['k']))
    await folder.remove()
  })
})

function alter(text: string, at: number): string {
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
}
