import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type AlcoveClient,
  type AlcoveClientOptions,
  createAlcoveClient,
  type DocumentState,
  dataOf,
  type UploadProgress,
} from '../../../adapters/client/index.js'
import { startServer, type TestServer } from '../http-server/server.js'
import { FetchingXhr } from './fetching-xhr.js'
import { problem, spyFetch } from './spy-fetch.js'

const NEW_CONTEXT = { name: 'Handbook', description: 'Answer from the handbook.', caption: 'HR', toolsJson: '[]' }

let server: TestServer
let client: AlcoveClient
let contextId: number
const servers: Server[] = []

beforeAll(async () => {
  server = await startServer()
  client = clientOf()
  contextId = (await dataOf(client.POST('/context', { body: NEW_CONTEXT }))).id
})

afterEach(() => {
  vi.unstubAllGlobals()
})

afterAll(async () => {
  for (const one of servers) {
    one.close()
    one.closeAllConnections()
  }
  await server.close()
})

function clientOf(options: Partial<AlcoveClientOptions> = {}): AlcoveClient {
  const { clientId, clientSecret } = server.key
  return createAlcoveClient({ baseUrl: server.url, access: { clientId, clientSecret }, ...options })
}

async function listening(listener: RequestListener): Promise<string> {
  const one = createServer(listener)
  servers.push(one)
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(one.address() as AddressInfo).port}`
}

describe('the client', () => {
  it('uploads, waits by the stream of states, searches and deletes, with typed answers', async () => {
    const content = 'Parental leave lasts sixteen weeks.'
    const uuid = await client.upload(contextId, { fileName: 'leave.txt', content, metadata: { year: 2026 } })
    const states: DocumentState[] = []
    const document = await client.whenProcessed(contextId, uuid, { onState: (state) => states.push(state) })
    expect(document).toMatchObject({ uuid, metadata: { year: 2026 }, receipt: { windows: 1 } })
    expect(states.every(({ displayName }) => displayName === 'leave.txt')).toBe(true)
    const params = { path: { contextId } }
    const [hit] = await dataOf(client.POST('/context/relevant-docs/{contextId}', { params, body: { prompt: content } }))
    expect(hit?.similarity).toBeGreaterThan(0.95)
    const newer = await client.replace(contextId, document.id, { fileName: 'leave.txt', content: 'It lasts 17 weeks.' })
    // By its id: the newest version counts.
    expect((await client.whenProcessed(contextId, document.id)).uuid).toBe(newer)
    await dataOf(
      client.DELETE('/context/documents/{contextId}/{docId}', { params: { path: { contextId, docId: document.id } } }),
    )
    await expect(client.whenProcessed(contextId, document.id)).rejects.toMatchObject({ code: 'ERR_DOCUMENT_NOT_FOUND' })
    await expect(client.whenProcessed(contextId, newer)).rejects.toMatchObject({ code: 'ERR_DOCUMENT_NOT_FOUND' })
  })

  it('throws the code, the status and the request of a refusal', async () => {
    const missing = dataOf(client.GET('/context/{contextId}', { params: { path: { contextId: 99_999 } } }))
    await expect(missing).rejects.toMatchObject({
      name: 'AlcoveApiError',
      status: 404,
      code: 'ERR_CONTEXT_NOT_FOUND',
      message: expect.stringContaining('99999') as string,
      requestId: expect.stringMatching(/^[\w-]{36}$/) as string,
    })
    const refused = client.upload(contextId, { fileName: 'photo.xyz', content: 'no' })
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'ERR_UNSUPPORTED_FORMAT' })
    const blank = await client.upload(contextId, { fileName: 'blank.txt', content: '  \n' })
    await expect(client.whenProcessed(contextId, blank)).rejects.toMatchObject({
      name: 'DocumentProcessingError',
      code: 'ERR_NO_TEXT',
      contextId,
    })
    const { fetch } = spyFetch(() => new Response('<h1>Bad gateway</h1>', { status: 502 }))
    const elsewhere = dataOf(clientOf({ fetch, access: { cookies: true } }).GET('/context'))
    await expect(elsewhere).rejects.toMatchObject({ status: 502, code: 'ERR_HTTP' })
  })
})

describe('tokens of the client', () => {
  it('serve many requests, one for each application, and are replaced before they expire or once refused', async () => {
    const { fetch, paths, requests } = spyFetch()
    const own = clientOf({ fetch })
    await Promise.all([dataOf(own.GET('/context')), dataOf(own.GET('/context')), dataOf(own.GET('/tenant/users'))])
    const tokens = (): number => paths().filter((path) => path === '/connect/token').length
    expect(tokens()).toBe(2)
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 850_000)
    await dataOf(own.GET('/context'))
    expect(tokens()).toBe(3)
    vi.restoreAllMocks()
    // Revoked for another reason: the next request gets a new one by itself.
    const token = requests.at(-1)?.headers.get('authorization')?.slice('Bearer '.length) ?? ''
    const { clientId: client_id, clientSecret: client_secret } = server.key
    await server.request('POST', '/connect/revoke', { form: { token, client_id, client_secret } })
    await dataOf(own.GET('/context'))
    expect(tokens()).toBe(4)
  })

  it('come from a function of the host, or are left to cookies', async () => {
    const targets: string[] = []
    const token = async (target: 'assistant' | 'tenant'): Promise<string> => {
      targets.push(target)
      return await server.token(target)
    }
    const own = clientOf({ access: { token } })
    await dataOf(own.GET('/context'))
    await dataOf(own.GET('/v1/outbound-webhooks/catalog'))
    expect(targets).toEqual(['assistant', 'tenant'])
    const { fetch, requests } = spyFetch(() => Response.json([]))
    await dataOf(clientOf({ fetch, access: { cookies: true } }).GET('/context'))
    expect(requests.map(({ credentials, headers }) => [credentials, headers.get('authorization')])).toEqual([
      ['same-origin', null],
    ])
  })

  it('of cookies have headers for each application, if a function gives them', async () => {
    const { fetch, requests } = spyFetch(() => Response.json([]))
    const headers = (targetApp: 'assistant' | 'tenant') => ({ 'x-alcove-account': targetApp === 'tenant' ? '4' : '3' })
    const own = clientOf({ fetch, access: { cookies: true, headers } })
    await dataOf(own.GET('/context'))
    await dataOf(own.GET('/tenant/users'))
    await dataOf(own.GET('/v1/outbound-webhooks/catalog'))
    await dataOf(own.GET('/health'))
    expect(requests.map((request) => request.headers.get('x-alcove-account'))).toEqual(['3', '4', '4', null])
  })

  it('that are wrong show the reason, once', async () => {
    const { fetch, paths } = spyFetch()
    const own = clientOf({ fetch, access: { clientId: server.key.clientId, clientSecret: 'wrong' } })
    await expect(dataOf(own.GET('/context'))).rejects.toMatchObject({ status: 401, code: 'ERR_TOKEN_REQUEST' })
    expect(paths()).toEqual(['/connect/token'])
    await expect(
      clientOf({ access: { token: () => 'no' } })
        .watch(contextId)
        [Symbol.asyncIterator]()
        .next(),
    ).rejects.toMatchObject({ status: 401, code: 'ERR_UNAUTHENTICATED' })
  })
})

describe('retries of the client', () => {
  it('wait for Retry-After, and repeat no change after 503', async () => {
    let refusals = 2
    const { fetch, paths } = spyFetch(({ url }) => {
      if (!url.endsWith('/context') || refusals === 0) return undefined
      refusals -= 1
      return problem(refusals === 1 ? 429 : 503, 'ERR_THROTTLED', { 'retry-after': '0' })
    })
    const own = clientOf({ fetch })
    await dataOf(own.GET('/context'))
    expect(paths().filter((path) => path === '/context')).toHaveLength(3)
    refusals = 1
    await expect(dataOf(own.POST('/context', { body: NEW_CONTEXT }))).rejects.toMatchObject({ status: 503 })
    const busy = spyFetch(() => problem(429, 'ERR_THROTTLED', { 'retry-after': '60' }))
    const refused = dataOf(clientOf({ fetch: busy.fetch, access: { token: () => 'any' } }).GET('/context'))
    await expect(refused).rejects.toMatchObject({ code: 'ERR_THROTTLED', retryAfterSeconds: 60 })
    expect(busy.requests).toHaveLength(1)
  })
})

describe('uploads of the client', () => {
  const text = 'All work and no play makes a long text. '.repeat(10_000)

  async function progressOf(content: Parameters<AlcoveClient['upload']>[1]['content'], own = client) {
    const progress: UploadProgress[] = []
    const onProgress = (event: UploadProgress): void => void progress.push(event)
    const fileName = `naïve name ${crypto.randomUUID()}.txt`
    const uuid = await own.upload(contextId, { fileName, content, metadata: { kind: 'long' } }, { onProgress })
    const stored = await server.engine.as(server.engine.owner).documents.get(uuid)
    expect([stored.originalName, stored.size, stored.metadata]).toEqual([fileName, text.length, { kind: 'long' }])
    return progress
  }

  it('of a Blob report their progress by bytes and percent', async () => {
    const progress = await progressOf(new Blob([text]))
    expect(progress.length).toBeGreaterThan(1)
    expect(progress.at(-1)).toEqual({ sentBytes: text.length, totalBytes: text.length, percent: 100 })
    expect(progress[0]?.percent).toBeLessThan(100)
  })

  it('keep a name with quotes, as a form and as a stream', async () => {
    const fileName = 'the "second" draft.txt'
    for (const options of [{}, { onProgress: () => undefined }]) {
      const uuid = await client.upload(contextId, { fileName, content: 'Text.' }, options)
      const stored = await server.engine.as(server.engine.owner).documents.get(uuid)
      expect([stored.originalName, stored.displayName]).toEqual([fileName, 'the _second_ draft.txt'])
      await server.engine.as(server.engine.owner).documents.delete(uuid)
    }
  })

  it('of a stream have no total', async () => {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < text.length; at += 100_000) yield Buffer.from(text.slice(at, at + 100_000))
    }
    const progress = await progressOf(pieces())
    expect(progress.at(-1)).toMatchObject({ sentBytes: text.length, totalBytes: undefined })
    expect(progress.length).toBeGreaterThan(3)
    expect(progress.at(-1)?.percent).toBeUndefined()
  })

  it('use XMLHttpRequest in a browser, also for refusals and aborts', async () => {
    vi.stubGlobal('XMLHttpRequest', FetchingXhr)
    const progress = await progressOf(new Blob([text]))
    expect(progress.at(-1)?.percent).toBe(100)
    const options = { onProgress: () => undefined }
    const refused = client.upload(contextId, { fileName: 'a.xyz', content: 'no' }, options)
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'ERR_UNSUPPORTED_FORMAT' })
    const leaving = new AbortController()
    const left = client.upload(contextId, { fileName: 'a.txt', content: text }, { ...options, signal: leaving.signal })
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    // A page limits the time of its requests.
    class LateXhr extends FetchingXhr {
      override send(): void {
        this.ontimeout?.()
      }
    }
    vi.stubGlobal('XMLHttpRequest', LateXhr)
    await expect(client.upload(contextId, { fileName: 'a.txt', content: text }, options)).rejects.toThrow('in time')
  })

  it('reject the page of a proxy that comes in place of an answer', async () => {
    const page = await listening((request, response) => {
      request.resume().on('end', () => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Log in</h1>'))
    })
    const own = clientOf({ baseUrl: page, access: { token: () => 'any' } })
    const options = { onProgress: () => undefined }
    const refusal = { name: 'AlcoveApiError', status: 200, code: 'ERR_HTTP' }
    const file = { fileName: 'a.txt', content: 'Text.' }
    await expect(own.upload(contextId, file)).rejects.toMatchObject(refusal)
    vi.stubGlobal('XMLHttpRequest', FetchingXhr)
    await expect(own.upload(contextId, file, options)).rejects.toMatchObject(refusal)
  })

  it('are sent again after 503: the server finds the same document again', async () => {
    const uuids: unknown[] = []
    const { fetch } = spyFetch()
    const losing: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init)
      if (!answer.url.includes('/upload/') || uuids.length > 0) return answer
      uuids.push(await answer.json())
      return problem(503, 'ERR_BUSY', { 'retry-after': '0' })
    }
    const content = `Text that is sent twice ${crypto.randomUUID()}.`
    expect([await clientOf({ fetch: losing }).upload(contextId, { fileName: 'twice.txt', content })]).toEqual(uuids)
  })

  it('are sent again after 429, unless they are a stream', async () => {
    let refusals = 1
    const { fetch } = spyFetch(({ url }) => {
      if (!url.includes('/upload/') || refusals === 0) return undefined
      refusals -= 1
      return problem(429, 'ERR_THROTTLED', { 'retry-after': '0' })
    })
    const own = clientOf({ fetch })
    await progressOf(new Blob([text]), own)
    refusals = 1
    await expect(progressOf(new Blob([text]).stream(), own)).rejects.toMatchObject({ code: 'ERR_THROTTLED' })
  })
})

describe('the stream of states of the client', () => {
  it('connects again after a lost connection, and tells when it knows all states', async () => {
    await client.whenProcessed(contextId, await client.upload(contextId, { fileName: 'a.txt', content: 'One text.' }))
    let streams = 0
    const { fetch } = spyFetch(({ url }) => {
      if (!url.includes('/events')) return undefined
      streams += 1
      if (streams > 1) return undefined
      // A connection that breaks after one event.
      return new Response('event: ready\ndata: {}\n\nevent: docu', { headers: { 'content-type': 'text/event-stream' } })
    })
    let readies = 0
    const names: string[] = []
    const leaving = new AbortController()
    const watch = clientOf({ fetch }).watch(contextId, { signal: leaving.signal, onReady: () => (readies += 1) })
    for await (const { displayName } of watch) {
      names.push(displayName)
      if (displayName === 'a.txt') break
    }
    expect([streams, readies >= 1, names.includes('a.txt')]).toEqual([2, true, true])
    leaving.abort(new Error('left'))
    const aborted = client.watch(contextId, { signal: leaving.signal })[Symbol.asyncIterator]().next()
    await expect(aborted).rejects.toThrow('left')
  })

  it('is replaced by questions if a proxy passes no stream on', async () => {
    const proxy = await listening((request, response) => {
      if (request.url?.includes('/events') === true) {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<p>no streams here</p>')
        return
      }
      const { method = 'GET', headers: sent } = request
      const passed = ['authorization', 'content-type'].flatMap((name): [string, string][] => {
        const value = sent[name]
        return typeof value === 'string' ? [[name, value]] : []
      })
      const body = method === 'GET' ? {} : { body: request, duplex: 'half' }
      const init = { method, headers: passed, ...body } as unknown
      void fetch(server.url + (request.url ?? ''), init as RequestInit).then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
        response.end(Buffer.from(await answer.arrayBuffer()))
      })
    })
    const own = clientOf({ baseUrl: proxy })
    const uuid = await own.upload(contextId, { fileName: 'asked.txt', content: 'Text for questions.' })
    expect((await own.whenProcessed(contextId, uuid)).completed).not.toBeNull()
    await expect(own.watch(contextId)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      name: 'StreamUnusableError',
    })
  })
})
