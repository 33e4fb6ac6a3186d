import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HttpReranker, type HttpRerankerOptions } from '../../../adapters/http-reranker/index.js'
import type { RerankHit } from '../../../src/ports/index.js'
import { rerankerSuite } from '../../conformance/index.js'
import { json } from '../model-server.js'
import { failing, type Misbehaviour, plain, RerankServer, SHAPES, type Shape } from './rerank-server.js'

const KEY = 'sk-secret-marmalade-abcdef'
const PROMPT = 'parental leave'

for (const shape of SHAPES) {
  rerankerSuite({ describe, it }, `http, with the shape of ${shape}`, async () => {
    const own = await RerankServer.start(shape)
    const port = await HttpReranker.open({ baseUrl: own.baseUrl, model: 'm' })
    return { port, dispose: async () => await own.stop() }
  })
}

let server: RerankServer
const opened: HttpReranker[] = []
const started: RerankServer[] = []

async function start(shape: Shape): Promise<void> {
  server = await RerankServer.start(shape)
  started.push(server)
}

beforeEach(async () => {
  await start('jina')
})

afterEach(async () => {
  for (const reranker of opened.splice(0)) await reranker.close()
  for (const each of started.splice(0)) await each.stop()
})

async function open(options: Partial<HttpRerankerOptions> = {}): Promise<HttpReranker> {
  const reranker = await HttpReranker.open({ baseUrl: server.baseUrl, ...options })
  opened.push(reranker)
  return reranker
}

function hitsOf(...texts: readonly string[]): RerankHit[] {
  return texts.map((text) => ({ name: '', headings: [], text }))
}

const HITS = hitsOf('The harbour.', 'Parental leave.')

async function rejection(work: Promise<unknown>): Promise<Error & { code?: string; retryAfterMs?: number }> {
  return await work.then(
    () => {
      throw new Error('the work succeeded')
    },
    (error: unknown) => error as Error,
  )
}

describe('a request', () => {
  it('has the model, the prompt, and the hits as texts', async () => {
    const reranker = await open({ model: 'bge-reranker-v2-m3', headers: { 'X-Team': 'search' } })
    const hit = { name: 'handbook.md', headings: ['Leave', 'Parents'], text: 'Eighteen weeks.' }
    await reranker.rerank(PROMPT, [hit, ...hitsOf('')])
    expect(server.requests[0]).toMatchObject({
      path: '/v1/rerank',
      headers: { 'content-type': 'application/json', 'x-team': 'search' },
      body: {
        model: 'bge-reranker-v2-m3',
        query: PROMPT,
        documents: ['handbook.md\nLeave / Parents\nEighteen weeks.', ' '],
        return_documents: false,
      },
    })
    expect(server.requests[0]?.headers.authorization).toBeUndefined()
    expect(reranker.id).toBe('bge-reranker-v2-m3')
  })

  it('names no model if the server has one only', async () => {
    const reranker = await open()
    await reranker.rerank(PROMPT, HITS)
    expect(server.requests[0]?.body).not.toHaveProperty('model')
    expect(reranker.id).toBe('remote')
  })

  it('goes to the address of the operation, however the base URL ends', async () => {
    const { baseUrl } = server
    for (const end of ['/', '/rerank', '/rerank/', '?version=2']) {
      await (await open({ baseUrl: `${baseUrl}${end}` })).rerank(PROMPT, HITS)
    }
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/rerank',
      '/v1/rerank',
      '/v1/rerank',
      '/v1/rerank?version=2',
    ])
  })

  it('has the key, also from a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'alcove-key-'))
    const apiKeyFile = join(folder, 'key')
    await writeFile(apiKeyFile, `${KEY}\n`)
    for (const options of [{ apiKey: KEY }, { apiKeyFile }]) await (await open(options)).rerank(PROMPT, HITS)
    await rm(folder, { recursive: true })
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`])
  })
})

describe('a server with another form of requests', () => {
  it('of text-embeddings-inference gets that form from then on, and no more texts than it takes', async () => {
    await start('tei')
    const reranker = await open()
    const hits = hitsOf(...Array.from({ length: 50 }, (_, at) => (at === 40 ? 'Parental leave.' : `Rule ${at}.`)))
    const scores = await reranker.rerank(PROMPT, hits)
    expect(scores.indexOf(1)).toBe(40)
    await reranker.rerank(PROMPT, hits)
    const sizes = server.requests.map(({ path, body }) => [path, body.documents?.length ?? body.texts?.length])
    expect(sizes.slice(0, 2)).toEqual([
      ['/rerank', 50],
      ['/rerank', 50],
    ])
    expect(
      sizes
        .slice(2)
        .map(([, size]) => size)
        .sort(),
    ).toEqual([18, 18, 32, 32])
    expect(server.requests[1]?.body).toMatchObject({ truncate: true })
  })

  it('of Cohere is not asked to leave out the texts', async () => {
    await start('cohere')
    const reranker = await open({ model: 'rerank-v3.5' })
    expect(await reranker.rerank(PROMPT, HITS)).toEqual([0, 1])
    await reranker.rerank(PROMPT, HITS)
    expect(server.requests.map(({ path, body }) => [path, 'return_documents' in body])).toEqual([
      ['/v2/rerank', true],
      ['/v2/rerank', false],
      ['/v2/rerank', false],
    ])
  })

  it('that does not shorten texts gets shorter ones', async () => {
    const refuseLong: Misbehaviour = async (request, response, own) => {
      const texts = request.body.documents ?? []
      const message =
        'input (900 tokens) is too large to process. increase the physical batch size (current batch size: 512)'
      if (texts.some(({ length }) => length > 600)) json(response, 500, { error: { code: 500, message } })
      else json(response, 200, await own.answer(request))
    }
    server.always = refuseLong
    const reranker = await open()
    const long = `Parental leave. ${'x '.repeat(1_000)}`
    expect(await reranker.rerank(PROMPT, hitsOf('Short.', long))).toEqual([0, 1])
    expect(server.requests).toHaveLength(3)
    await reranker.rerank(PROMPT, hitsOf(long))
    expect(server.requests).toHaveLength(4)
  })

  it('that refuses large bodies gets smaller ones', async () => {
    server.always = async (request, response, own) => {
      if ((request.body.documents?.length ?? 0) > 8) plain(response, 413, 'Payload Too Large')
      else json(response, 200, await own.answer(request))
    }
    const hits = hitsOf(...Array.from({ length: 30 }, (_, at) => (at === 29 ? 'Parental leave.' : `Rule ${at}.`)))
    expect((await (await open()).rerank(PROMPT, hits)).indexOf(1)).toBe(29)
  })

  it('finds its form with many calls at the same time', async () => {
    await start('tei')
    const reranker = await open()
    const calls = Array.from({ length: 6 }, async () => await reranker.rerank(PROMPT, HITS))
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 6 }, () => [0, 1]))
  })
})

const rank =
  (...results: readonly unknown[]): Misbehaviour =>
  (_request, response) =>
    json(response, 200, { results })

describe('an answer that is of no use', () => {
  it.each<[string, Misbehaviour, string, string]>([
    [
      'a web page',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello</p>')
      },
      'ERR_MODEL_UNSUPPORTED',
      'answered with a web page',
    ],
    [
      'no JSON',
      (_, response) => plain(response, 200, '{"results": [NaN]}'),
      'ERR_MODEL_UNSUPPORTED',
      'other than JSON',
    ],
    ['no list', (_, response) => json(response, 200, { ok: true }), 'ERR_MODEL_UNSUPPORTED', 'without a list'],
    ['null', (_, response) => json(response, 200, 'null'), 'ERR_MODEL_UNSUPPORTED', 'without a list'],
    [
      'a missing score',
      rank({ index: 0, relevance_score: 1 }),
      'ERR_MODEL_UNSUPPORTED',
      'answered 2 texts with 1 scores',
    ],
    ['no index', rank({ relevance_score: 1 }, { relevance_score: 2 }), 'ERR_MODEL_UNSUPPORTED', '"index"'],
    ['an index twice', rank({ index: 1, score: 1 }, { index: 1, score: 2 }), 'ERR_MODEL_UNSUPPORTED', '"index"'],
    ['a wrong index', rank({ index: 2, score: 1 }), 'ERR_MODEL_UNSUPPORTED', '"index"'],
    ['a score that is null', rank({ index: 0, score: null }), 'ERR_MODEL_UNSUPPORTED', 'no number'],
    ['items that are null', rank(null, null), 'ERR_MODEL_UNSUPPORTED', '"index"'],
    [
      'too many bytes',
      (_, response) => json(response, 200, ' '.repeat(100_000)),
      'ERR_MODEL_UNSUPPORTED',
      'more bytes',
    ],
    ['500', failing(500, 'CUDA error'), 'ERR_MODEL_UNAVAILABLE', 'answered with 500: CUDA error'],
    ['503', failing(503, 'loading', { 'retry-after': '7' }), 'ERR_MODEL_UNAVAILABLE', 'answered with 503: loading'],
    ['400', failing(400, 'no such model'), 'ERR_MODEL_REFUSED', 'refuses the request (400): no such model'],
    ['404', failing(404, 'Not Found'), 'ERR_MODEL_REFUSED', 'no reranking (404)'],
    [
      'a redirection',
      (_, response) => {
        response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()
      },
      'ERR_MODEL_REFUSED',
      'redirects',
    ],
    ['a cut connection', (_, response) => response.socket?.destroy(), 'ERR_MODEL_UNAVAILABLE', 'ended the connection'],
  ])('is an error: %s', async (_, misbehaviour, code, message) => {
    server.always = misbehaviour
    const error = await rejection((await open()).rerank(PROMPT, HITS))
    expect(error.code).toBe(code)
    expect(error.message).toContain(message)
    expect(error.message).toMatch(/^the reranker at http:\/\/127/)
    server.always = undefined
    expect(await opened[0]?.rerank(PROMPT, HITS)).toEqual([0, 1])
  })

  it('is an error if the server is away, until it is back', async () => {
    const reranker = await open()
    await server.stop()
    const error = await rejection(reranker.rerank(PROMPT, HITS))
    expect([error.code, error.message]).toEqual(['ERR_MODEL_UNAVAILABLE', expect.stringContaining('(ECONNREFUSED)')])
    await server.listen()
    expect(await reranker.rerank(PROMPT, HITS)).toEqual([0, 1])
  })

  it('keeps the pause that the server wishes', async () => {
    server.always = failing(429, 'slow down', { 'retry-after': '7' })
    expect((await rejection((await open()).rerank(PROMPT, HITS))).retryAfterMs).toBe(7_000)
  })
})

describe('secrets', () => {
  it.each([400, 401, 403, 404, 429, 500])('are in no error: status %i', async (status) => {
    server.always = failing(status, `wrong key ${KEY}, header magic-value`)
    const reranker = await open({ apiKey: KEY, headers: { 'x-gateway': 'magic-value' } })
    const error = await rejection(reranker.rerank(PROMPT, HITS))
    expect(inspect(error, { depth: 9 })).not.toMatch(/marmalade|magic-value/)
    expect(inspect(reranker, { depth: 9, showHidden: true })).not.toMatch(/marmalade|magic-value/)
  })

  it('are neither the prompt nor the texts, which some servers repeat', async () => {
    server.always = (request, response) => json(response, 422, { detail: `bad: ${JSON.stringify(request.body)}` })
    const error = await rejection(
      (await open()).rerank('salary of the chairwoman', hitsOf('The chairwoman has 7 cats.')),
    )
    expect(error.message).toMatch(/refuses the request \(422\)$/)
  })
})

describe('an end before the end', () => {
  const never: Misbehaviour = () => undefined

  it('by the signal closes the connection', async () => {
    let isClosed = false
    server.always = (_, response) => {
      response.on('close', () => {
        isClosed = true
      })
    }
    const controller = new AbortController()
    const call = (await open()).rerank(PROMPT, HITS, { signal: controller.signal })
    await expect.poll(() => server.requests.length).toBe(1)
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await expect.poll(() => isClosed).toBe(true)
  })

  it('by close', async () => {
    server.always = never
    const reranker = await open()
    const call = rejection(reranker.rerank(PROMPT, HITS))
    await expect.poll(() => server.requests.length).toBe(1)
    await reranker.close()
    expect((await call).code).toBe('ERR_CLOSED')
  })
})

describe('options', () => {
  it.each<[string, object]>([
    ['baseUrl: must be a URL', {}],
    ['baseUrl: must be an http or https URL, such as http://127.0.0.1:8000/v1', { baseUrl: 'ftp://x' }],
    ['baseUrl: must have no user and password', { baseUrl: `http://u:${KEY}@127.0.0.1` }],
    ['concurrency: must be an integer from 1 to 64', { baseUrl: 'http://x', concurrency: 0 }],
    ['apiKey: must be printable ASCII', { baseUrl: 'http://x', apiKey: `${KEY} ` }],
    ['apiKeyFile: cannot be given together with apiKey', { baseUrl: 'http://x', apiKey: KEY, apiKeyFile: '/k' }],
    ['apiKeyFile: the file /missing/key cannot be read', { baseUrl: 'http://x', apiKeyFile: '/missing/key' }],
    ['headers', { baseUrl: 'http://x', headers: { 'a b': 'c' } }],
    ['topN: unknown', { baseUrl: 'http://x', topN: 3 }],
  ])('are refused: %s', async (message, options) => {
    const error = await rejection(HttpReranker.check(options as HttpRerankerOptions))
    expect(error).toMatchObject({ code: 'ERR_INVALID_INPUT' })
    expect(error.message).toContain(message)
    expect(error.message).not.toContain('marmalade')
  })
})
