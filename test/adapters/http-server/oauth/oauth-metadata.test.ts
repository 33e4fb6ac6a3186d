import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpHandler } from '../../../../adapters/http-server/index.js'
import { MemoryStorage, MemoryTokenSigner } from '../../../../adapters/memory/index.js'
import { memoryEngine } from '../../../src/engine/memory-engine.js'
import { sendRaw } from '../node/raw-client.js'
import { startServer, type TestServer } from '../server.js'

const PATH = '/.well-known/oauth-authorization-server'
const ISSUER = 'https://alcove.example.com'

interface Metadata {
  readonly issuer: string
  readonly token_endpoint: string
  readonly jwks_uri: string
  readonly scopes_supported: readonly string[]
}

let server: TestServer

beforeAll(async () => {
  server = await startServer({}, undefined, { tokenIssuer: ISSUER })
})

afterAll(async () => {
  await server.close()
})

describe('GET /.well-known/oauth-authorization-server', () => {
  // A91
  it('names the issuer that tokens carry, and the endpoints at its address', async () => {
    const { status, headers, body } = await server.request<Metadata>('GET', PATH)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(body).toMatchObject({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/connect/authorize`,
      token_endpoint: `${ISSUER}/connect/token`,
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      jwks_uri: `${ISSUER}/.well-known/jwks.json`,
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      scopes_supported: [
        'context:read',
        'context:write',
        'document:write',
        'search',
        'tenant:manage',
        'webhook:manage',
      ],
      service_documentation: `${ISSUER}/docs`,
    })
    const token = await server.token('assistant')
    expect(decodeJwt(token).iss).toBe(ISSUER)
    expect((await server.request('GET', '/context', { token })).status).toBe(200)
  })

  // A91
  it('refuses a login in a browser, and says how clients get tokens', async () => {
    const { status, body } = await server.request<{ error: string; detail: string }>('GET', '/connect/authorize')
    expect([status, body.error]).toEqual([400, 'unauthorized_client'])
    expect(body.detail).toContain('POST /connect/token with grant_type client_credentials')
  })

  // A91
  it('ignores the address in the header Host', async () => {
    const request = `GET ${PATH} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`
    const { answer } = await ask(server.url, request)
    expect(answer).toContain('200 OK')
    expect(answer).toContain(ISSUER)
    expect(answer).not.toContain('evil.example')
  })

  // A91
  it('forbids caches to store an answer that contains the address of a request', async () => {
    const { engine } = await memoryEngine()
    const handler = createHttpHandler(engine)
    const answered = await handler(new Request(`http://invented.example${PATH}`))
    expect(answered.headers.get('cache-control')).toBe('no-store')
    expect(await answered.json()).toMatchObject({
      issuer: 'http://invented.example',
      token_endpoint: 'http://invented.example/connect/token',
    })
    await engine.close()
  })

  // A91
  it.each([
    ['the public URL', { publicUrl: 'https://public.example/' }, undefined, 'https://public.example/alcove'],
    ['a URL that is known later', { publicUrl: () => 'http://[::1]:80' }, undefined, 'http://[::1]:80/alcove'],
    ['the issuer', {}, 'https://issuer.example', 'https://issuer.example/alcove'],
    ['an issuer with the base path', {}, 'https://issuer.example/alcove', 'https://issuer.example/alcove'],
  ])('honours the base path behind %s', async (_name, options, tokenIssuer, root) => {
    const { engine } = await memoryEngine(tokenIssuer === undefined ? {} : { tokenIssuer })
    const handler = createHttpHandler(engine, { ...options, basePath: '/alcove' })
    const answered = await handler(new Request(`http://invented.example/alcove${PATH}`))
    expect(await answered.json()).toMatchObject({
      issuer: tokenIssuer ?? root,
      token_endpoint: `${root}/connect/token`,
      jwks_uri: `${root}/.well-known/jwks.json`,
    })
    await engine.close()
  })
})

describe('an issuer', () => {
  // A91
  it('refuses the tokens of another issuer, in both directions', async () => {
    const shared = { storage: new MemoryStorage(), tokenSigner: new MemoryTokenSigner() }
    const [named, same, plain] = await Promise.all(
      [{ tokenIssuer: ISSUER }, { tokenIssuer: ISSUER }, {}].map(async (options) => {
        return (await memoryEngine({ ...shared, ...options })).engine
      }),
    )
    if (named === undefined || same === undefined || plain === undefined) throw new Error('three engines')
    const { clientId, clientSecret } = await named.administration.apiKeys.create({ companyId: 1 })
    const request = { clientId, clientSecret, targetApp: 'assistant' }
    const { access_token: ofNamed } = await named.authentication.issueToken(request)
    const { access_token: ofPlain } = await plain.authentication.issueToken(request)
    expect(await same.authentication.authenticate(ofNamed)).toMatchObject({ clientId })
    for (const [engine, token] of [
      [plain, ofNamed],
      [named, ofPlain],
    ] as const) {
      await expect(engine.authentication.authenticate(token)).rejects.toMatchObject({ code: 'ERR_UNAUTHENTICATED' })
    }
    await Promise.all([named, same, plain].map((engine) => engine.close()))
  })

  // A91
  it.each(['', 'alcove', 'ftp://a.example', 'https://a.example?x', 'https://a.example#x', 'https://u:p@a.example', 7])(
    'must be a web address: %j is refused',
    async (tokenIssuer) => {
      const opening = memoryEngine({ tokenIssuer: tokenIssuer as string })
      await expect(opening).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'tokenIssuer' })
    },
  )

  // A91
  it.each(['example.com', 'https://a.example?x', 7])('a public URL %j is refused', (publicUrl) => {
    expect(() => createHttpHandler(server.engine, { publicUrl: publicUrl as string })).toThrow(/publicUrl/)
  })
})

async function ask(url: string, request: string): Promise<{ answer: string }> {
  return { answer: JSON.stringify(await sendRaw(url, request)) }
}
