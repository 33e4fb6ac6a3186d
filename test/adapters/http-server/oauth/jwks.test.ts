import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JoseTokenSigner } from '../../../../adapters/jose/index.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { startServer, type TestServer } from '../server.js'

const PATH = '/.well-known/jwks.json'
/** Members of RFC 7518 that a public key never has. */
const PRIVATE = ['d', 'k', 'p', 'q', 'dp', 'dq', 'qi', 'oth']

let server: TestServer

beforeAll(async () => {
  server = await startServer({ corsOrigins: ['https://app.example'] })
})

afterAll(async () => {
  await server.close()
})

/** Verifies a token as a resource server does that has only the keys. */
async function subjectOf(token: string, set: Parameters<typeof jwtVerify>[1]): Promise<string | undefined> {
  const currentDate = server.clock.now()
  const { payload } = await jwtVerify(token, set as never, {
    issuer: 'alcove',
    audience: 'alcove',
    typ: 'at+jwt',
    currentDate,
  })
  return payload.sub
}

async function keySet(): Promise<JSONWebKeySet> {
  return (await server.request<JSONWebKeySet>('GET', PATH)).body
}

describe('GET /.well-known/jwks.json', () => {
  // A90
  it('needs no token, is open to pages of every origin, and is cached for a minute', async () => {
    const { status, headers } = await server.request('GET', PATH, { headers: { origin: 'https://other.example' } })
    expect(status).toBe(200)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('cache-control')).toBe('public, max-age=60')
    expect(headers.get('content-type')).toMatch(/^application\/json/)
  })

  // A90
  it('contains no private member', async () => {
    const { keys } = await keySet()
    const text = expect.any(String) as string
    expect(keys).toEqual([{ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: text, x: text }])
    for (const key of keys) for (const member of PRIVATE) expect(key).not.toHaveProperty(member)
  })

  // A90
  it('lets a resource server elsewhere verify tokens', async () => {
    const token = await server.token('assistant')
    const remote = createRemoteJWKSet(new URL(server.url + PATH))
    expect(await subjectOf(token, remote)).toBe(String(server.key.userId))
    await expect(subjectOf(`${token.slice(0, -20)}${'A'.repeat(20)}`, remote)).rejects.toThrow()
  })

  // A90
  it('contains the previous key for as long as its tokens live, and verifies tokens of both keys', async () => {
    const before = await server.token('assistant')
    await server.engine.administration.rotateSigningKey()
    const after = await server.token('assistant')
    const both = await keySet()
    expect(both.keys).toHaveLength(2)
    for (const token of [before, after]) {
      expect(await subjectOf(token, createLocalJWKSet(both))).toBe(String(server.key.userId))
      expect(await subjectOf(token, createRemoteJWKSet(new URL(server.url + PATH)))).toBe(String(server.key.userId))
    }
    server.clock.advance(900_000)
    const { keys } = await keySet()
    expect(keys).toEqual(both.keys.slice(0, 1))
  })

  // A90
  it('shows a key of the curve P-256 without its private part', async () => {
    const folder = await temporaryFolder()
    const keyFile = join(folder.path, 'keys.json')
    const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
    const key = { kid: 'main', created: '2026-01-01T00:00:00.000Z', retired: null, jwk }
    await writeFile(keyFile, JSON.stringify({ keys: [key] }))
    const keys = await new JoseTokenSigner({ keyFile }).publicKeys(new Date())
    const { kty, crv, x, y } = jwk
    expect(keys).toEqual([{ kty, crv, x, y, kid: 'main', alg: 'ES256', use: 'sig' }])
    expect(JSON.stringify(keys)).not.toContain(jwk.d)
    await folder.remove()
  })
})
