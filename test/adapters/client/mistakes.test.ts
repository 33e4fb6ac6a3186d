import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { AlcoveClientError, createAlcoveClient, dataOf } from '../../../adapters/client/index.js'
import { spyFetch } from './spy-fetch.js'

const baseUrl = 'http://127.0.0.1:1'
const access = { token: () => 'any' }
const servers: Server[] = []

afterAll(() => {
  for (const server of servers) server.close()
})

async function listening(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** As a program without types calls it. */
const create = createAlcoveClient as (options?: unknown) => ReturnType<typeof createAlcoveClient>

function mistakeOf(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    expect(error).toBeInstanceOf(AlcoveClientError)
    expect(error).toMatchObject({ name: 'AlcoveClientError', code: 'ERR_INVALID_INPUT' })
    return (error as Error).message
  }
}

describe('options of the client', () => {
  it.each<[unknown, string]>([
    [undefined, 'options: must be an object'],
    [{ access }, 'baseUrl: must be a text that is not empty'],
    [{ baseUrl: 'localhost:8787', access }, 'baseUrl: must be an address such as https://example.com/alcove'],
    [{ baseUrl: '/alcove', access }, 'baseUrl: must be an address such as https://example.com/alcove'],
    [{ baseUrl: 'https://me:secret@example.com', access }, 'without user, query or fragment'],
    [{ baseUrl: 'https://example.com/?', access }, 'without user, query or fragment'],
    [{ baseUrl }, 'access: must be { clientId, clientSecret }, { token } or { cookies: true }'],
    [{ baseUrl, access: {} }, 'access: must be { clientId, clientSecret }, { token } or { cookies: true }'],
    [
      { baseUrl, access: { headers: {} } },
      'access: must be { clientId, clientSecret }, { token } or { cookies: true }',
    ],
    [{ baseUrl, access: { clientSecret: 'a' } }, 'clientId: must be a text that is not empty'],
    [{ baseUrl, access: { clientId: 'a', clientSecret: '' } }, 'clientSecret: must be a text that is not empty'],
    [{ baseUrl, access: { token: 'text' } }, 'token: must be a function'],
    [{ baseUrl, access: { cookies: false } }, 'cookies: must be true'],
    [{ baseUrl, access: { cookies: true, headers: 'text' } }, 'headers: must be an object or a function'],
    [{ baseUrl, access: { ...access, cookies: true } }, 'access: unknown member "cookies"; expected one of token'],
    [{ baseUrl, access, retries: 1 }, 'options: unknown member "retries"; expected one of baseUrl, access, fetch'],
    [{ baseUrl, access, maxRetries: -1 }, 'maxRetries: must be a number from 0'],
    [{ baseUrl, access, fetch: 'fetch' }, 'fetch: must be a function'],
  ])('%j are refused by a sentence', (options, sentence) => {
    const message = mistakeOf(() => create(options))
    expect(message).toContain(sentence)
    expect(message).not.toContain('secret@')
  })
})

describe('arguments of the client', () => {
  const { fetch, requests } = spyFetch()
  const client = create({ baseUrl, access, fetch })
  const upload = async (...given: unknown[]): Promise<string> =>
    await client.upload(...(given as Parameters<typeof client.upload>))

  it.each<[unknown[], string]>([
    [['7', { fileName: 'a.txt', content: 'a' }], 'contextId: must be a positive integer'],
    [[7], 'file: must be an object'],
    [[7, { content: 'a' }], 'fileName: must be a name with its ending, such as report.pdf'],
    [[7, { filename: 'a.txt', content: 'a' }], 'fileName: must be'],
    [[7, { fileName: 'a.txt', content: 'a', name: 'b' }], 'file: unknown member "name"'],
    [[7, { fileName: 'a.txt' }], 'content: must be a Blob, a Uint8Array, a text or a stream of bytes'],
    [[7, { fileName: 'a.txt', content: new ArrayBuffer(1) }], 'content: must be a Blob, a Uint8Array'],
    [[7, { fileName: 'a.txt', content: 'a', metadata: 'b' }], 'metadata: must be an object'],
    [[7, { fileName: 'a.txt', content: 'a' }, { progress: 1 }], 'options: unknown member "progress"'],
    [[7, { fileName: 'a.txt', content: 'a' }, { signal: {} }], 'signal: must be an AbortSignal'],
  ])('of an upload, %j, are refused before anything is sent', async (given, sentence) => {
    await expect(upload(...given)).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      message: expect.stringContaining(sentence) as string,
    })
    expect(requests).toEqual([])
  })

  it('of a watch and a wait are refused', async () => {
    const watch = (...given: unknown[]): AsyncIterator<unknown> =>
      client.watch(...(given as Parameters<typeof client.watch>))[Symbol.asyncIterator]()
    const wait = async (...given: unknown[]): Promise<unknown> =>
      await client.whenProcessed(...(given as Parameters<typeof client.whenProcessed>))
    const refused = { code: 'ERR_INVALID_INPUT' }
    await expect(watch(7, { snapshot: 'none' }).next()).rejects.toMatchObject(refused)
    await expect(watch(7, { onState: () => 1 }).next()).rejects.toMatchObject(refused)
    await expect(wait(7, undefined)).rejects.toMatchObject(refused)
    await expect(wait(7, 1, { onReady: () => 1 })).rejects.toMatchObject(refused)
  })

  it('that give no token end a request and a watch', async () => {
    const own = create({ baseUrl, access: { token: () => undefined } })
    const refused = { code: 'ERR_INVALID_INPUT', message: 'token: gave no token' }
    await expect(own.GET('/context')).rejects.toMatchObject(refused)
    await expect(own.watch(1)[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused)
  })

  it('keep the error of a stream that fails, and refuse one of texts', async () => {
    const server = createServer((request, response) => request.resume().on('end', () => response.end('""')))
    const own = create({ baseUrl: `http://127.0.0.1:${await listening(server)}`, access })
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(new Uint8Array(1))
      throw new RangeError('the disk is gone')
    }
    const failed = own.upload(7, { fileName: 'a.txt', content: failing() })
    await expect(failed).rejects.toMatchObject({ name: 'RangeError', message: 'the disk is gone' })
    const texts = new Blob(['text']).stream().pipeThrough(new TextDecoderStream()) as unknown
    const refused = own.upload(7, { fileName: 'a.txt', content: texts as ReadableStream<Uint8Array> })
    await expect(refused).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      message: 'content: must be a stream of bytes: each piece is a Uint8Array',
    })
  })
})

describe('a server that gives no answer', () => {
  it.each([undefined, 'a text', null])('also with a fetch of the host that rejects with %j', async (reason) => {
    const fetch = vi.fn<() => Promise<Response>>().mockRejectedValue(reason)
    const failure = dataOf(create({ baseUrl, access, fetch }).GET('/context'))
    await expect(failure).rejects.toMatchObject({ code: 'ERR_UNREACHABLE', cause: reason })
  })

  it('ends a wait that asks, if a proxy answers with a page', async () => {
    const page = '<html>maintenance</html>'
    const fetch = async ({ url }: Request): Promise<Response> => {
      const isStream = url.includes('/events')
      const headers = { 'content-type': isStream ? 'text/html' : 'application/json' }
      return await Promise.resolve(new Response(page, { headers }))
    }
    const waited = create({ baseUrl, access, fetch }).whenProcessed(7, 1)
    await expect(waited).rejects.toMatchObject({ name: 'AlcoveApiError', code: 'ERR_HTTP' })
  })

  async function failureOf(url: string): Promise<unknown> {
    return await dataOf(create({ baseUrl: url, access }).GET('/context')).catch((error: unknown) => error)
  }

  it('is named with its address and the reason, and keeps the cause', async () => {
    const left = createTcpServer()
    const free = `http://127.0.0.1:${await listening(left)}`
    left.close()
    const failure = await failureOf(free)
    expect(failure).toBeInstanceOf(AlcoveClientError)
    expect(failure).toMatchObject({
      code: 'ERR_UNREACHABLE',
      message: `no answer from ${free}/context: the connection was refused: check that the server runs (ECONNREFUSED)`,
      cause: { name: 'TypeError' },
    })
    const unknown = await failureOf('http://alcove.invalid')
    expect(unknown).toMatchObject({ message: expect.stringMatching(/DNS does not know the host \(E\w+\)$/) as string })
    const plain = await listening(createTcpServer((socket) => void socket.on('error', () => 0).end('no TLS')))
    expect(await failureOf(`https://127.0.0.1:${plain}`)).toMatchObject({
      message: expect.stringContaining('TLS has failed (') as string,
    })
    const closing = await listening(createTcpServer((socket) => void socket.on('error', () => 0).end()))
    expect(await failureOf(`http://127.0.0.1:${closing}`)).toMatchObject({
      message: expect.stringContaining('the connection was lost (') as string,
    })
  })

  it('refuses uploads and requests for tokens in the same way, and a limit of time keeps its own error', async () => {
    const unreachable = { name: 'AlcoveClientError', code: 'ERR_UNREACHABLE' }
    const file = { fileName: 'a.txt', content: 'text' }
    await expect(create({ baseUrl, access }).upload(7, file)).rejects.toMatchObject(unreachable)
    const keys = create({ baseUrl, access: { clientId: 'a', clientSecret: 'b' } })
    await expect(keys.GET('/context')).rejects.toMatchObject({
      ...unreachable,
      message: expect.stringContaining('/connect/token') as string,
    })
    const silent = await listening(createTcpServer(() => undefined))
    const own = create({ baseUrl: `http://127.0.0.1:${silent}`, access })
    await expect(own.GET('/context', { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
  })

  it('is told from one that answers with a page, or breaks off', async () => {
    const html = spyFetch(() => new Response('<h1>Log in</h1>'))
    const notAlcove = { name: 'AlcoveApiError', code: 'ERR_HTTP', status: 200 }
    await expect(create({ baseUrl, access, fetch: html.fetch }).GET('/context')).rejects.toMatchObject(notAlcove)
    const keys = { clientId: 'a', clientSecret: 'b' }
    const own = create({ baseUrl, access: keys, fetch: html.fetch })
    await expect(own.GET('/context')).rejects.toMatchObject(notAlcove)
    const breaking = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('[')
      setTimeout(() => response.destroy(), 20)
    })
    const failure = await failureOf(`http://127.0.0.1:${await listening(breaking)}`)
    expect(failure).toMatchObject({ code: 'ERR_UNREACHABLE' })
  })

  it('is told from one that does not know the path, such as a host with a base path', async () => {
    const host = `http://127.0.0.1:${await listening(createServer((_, response) => response.writeHead(404).end('no')))}`
    const failure = dataOf(create({ baseUrl: host, access }).GET('/tenant/users', { params: { query: { limit: 7 } } }))
    await expect(failure).rejects.toMatchObject({
      code: 'ERR_HTTP',
      status: 404,
      message: `the answer 404 from ${host}/tenant/users is not from Alcove: check baseUrl and proxies`,
    })
  })
})
