import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OpenAiEmbeddingModel, type OpenAiModelOptions } from '../../../adapters/openai/index.js'
import { embeddingModelSuite } from '../../conformance/index.js'
import { SEED, seededRandom } from '../../seeded-random.js'
import { json } from '../model-server.js'
import { changed, EmbeddingServer, failing, type Misbehaviour, type Shape } from './embedding-server.js'

const random = seededRandom(SEED)

const SHAPES: readonly Shape[] = ['openai', 'ollama', 'vllm', 'lm-studio', 'tei']
const KEY = 'sk-secret-marmalade-abcdef'
const PASSAGE = { kind: 'passage' } as const
const QUERY = { kind: 'query' } as const
const POLL = { timeout: 10_000 }

for (const windowTokens of [256, 8_192]) {
  embeddingModelSuite({ describe, it }, `openai, with windows of ${windowTokens} tokens`, async () => {
    const own = await EmbeddingServer.start()
    const port = await OpenAiEmbeddingModel.open({ baseUrl: own.baseUrl, model: 'm', dimensions: 64, windowTokens })
    return { port, dispose: async () => await own.stop() }
  })
}

let server: EmbeddingServer
const opened: OpenAiEmbeddingModel[] = []

beforeEach(async () => {
  server = await EmbeddingServer.start()
})

afterEach(async () => {
  for (const model of opened.splice(0)) await model.close()
  await server.stop()
})

async function open(options: Partial<OpenAiModelOptions> = {}): Promise<OpenAiEmbeddingModel> {
  const model = await OpenAiEmbeddingModel.open({ baseUrl: server.baseUrl, model: 'm', dimensions: 64, ...options })
  opened.push(model)
  return model
}

async function rejection(
  work: Promise<unknown>,
): Promise<Error & { code?: string; isTransient?: boolean; retryAfterMs?: number }> {
  return await work.then(
    () => {
      throw new Error('the work succeeded')
    },
    (error: unknown) => error as Error,
  )
}

describe.each(SHAPES)('an answer in the shape of %s', (shape) => {
  it('gives the same vectors as any other, of length 1', async () => {
    const texts = ['the harbour is closed', 'parental leave']
    const expected = await (await open()).embed(texts, PASSAGE)
    server.shape = shape
    const vectors = await (await open()).embed(texts, PASSAGE)
    expect(vectors.length).toBe(128)
    for (const [at, component] of vectors.entries()) expect(component).toBeCloseTo(expected[at] ?? 0, 5)
    expect(Math.hypot(...vectors.subarray(0, 64))).toBeCloseTo(1, 5)
  })
})

/** An object that contains itself. */
const endless: Record<string, unknown> = {}
endless['self'] = endless

describe('the opening', () => {
  it('asks the server for the dimensions that are not known', async () => {
    const model = await open({ dimensions: undefined })
    expect(model.profile.dimensions).toBe(64)
    expect(server.requests).toHaveLength(1)
  })

  it('sends nothing for a known model, and asks for shorter vectors only if they are wanted', async () => {
    const large = await open({ model: 'text-embedding-3-large', dimensions: undefined })
    expect([large.profile.dimensions, server.requests.length]).toEqual([3_072, 0])
    await (await open({ model: 'text-embedding-3-small', dimensions: 32 })).embed(['x'], PASSAGE)
    await (await open({ model: 'other' })).embed(['x'], PASSAGE)
    expect(server.requests.map(({ body }) => body.dimensions)).toEqual([32, undefined])
  })

  it('says what to do if the server is away and the dimensions are not known', async () => {
    await server.stop()
    const error = await rejection(open({ dimensions: undefined }))
    expect(error.code).toBe('ERR_MODEL_UNAVAILABLE')
    expect(error.message).toMatch(/cannot be reached.*ECONNREFUSED.*--embedding-dimensions/)
    await open()
  })

  it.each<[string, Partial<OpenAiModelOptions>, RegExp]>([
    ['baseUrl', { baseUrl: 'ftp://x' }, /baseUrl: must be an http or https URL/],
    ['user and password', { baseUrl: 'http://me:secret@x/v1' }, /must have no user and password/],
    ['a key of two lines', { apiKey: 'sk-a\nb' }, /apiKey: must be printable ASCII/],
    ['a header of two lines', { headers: { 'x-a': 'secret\nb' } }, /headers.*: must be printable ASCII/],
    ['two keys', { apiKey: 'a', apiKeyFile: 'b' }, /apiKeyFile: cannot be given together with apiKey/],
    ['a missing file', { apiKeyFile: '/does/not/exist' }, /apiKeyFile: the file .* cannot be read/],
    ['an unknown option', { keys: 1 } as never, /^keys: unknown option "keys"; expected one of baseUrl, model, /],
    [
      'a body that replaces the texts',
      { queryBody: { input: ['x'] } },
      /^queryBody\.input: must not be replaced: it has /,
    ],
    ['a body that is a list', { passageBody: [] as never }, /^passageBody: must be an object of JSON values, such as /],
    ['a body with a function', { queryBody: { a: [() => 'secret'] } }, /^queryBody: must be an object of JSON values/],
    ['a body that contains itself', { queryBody: endless }, /^queryBody: must be an object of JSON values/],
    ['a body that is too long', { queryBody: { a: 'x'.repeat(10_000) } }, /^queryBody: must have at most 10000 char/],
    ['an invalid counter', { tokenCounter: {} as never }, /tokenCounter: must have the methods/],
  ])('refuses wrong options: %s', async (_name, options, message) => {
    const error = await rejection(open(options))
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('secret')
  })

  it('gives a fingerprint of the name, the dimensions, the prefixes, the bodies and an own id, but not of the address', async () => {
    const fingerprints = [
      await open(),
      await open({ baseUrl: 'http://elsewhere.test/v1', id: 'm' }),
      await open({ dimensions: 32 }),
      await open({ model: 'n' }),
      await open({ queryPrefix: 'query: ' }),
      await open({ id: 'm-2026' }),
      await open({ id: 'm-2027' }),
      await open({ queryBody: { input_type: 'query' } }),
      await open({ passageBody: { input_type: 'query' } }),
      await open({ queryBody: { model: 'm-query' }, passageBody: { model: 'm-passage' } }),
    ].map(({ profile }) => profile.fingerprint)
    expect(fingerprints[0]).toBe(fingerprints[1])
    expect(new Set(fingerprints).size).toBe(9)
  })

  it('gives the same fingerprint without bodies as with empty ones, and for each order of their members', async () => {
    const plain = await open({ queryBody: {}, passageBody: undefined })
    // The fingerprint of contexts that were made before models had bodies.
    expect(plain.profile.fingerprint).toBe('openai-m-56a890cb299f3831')
    const one = await open({ queryBody: { task: 'query', options: { a: 1, b: [2] } } })
    const other = await open({ queryBody: { options: { b: [2], a: 1 }, task: 'query' } })
    expect(one.profile.fingerprint).toBe(other.profile.fingerprint)
  })
})

describe('a request', () => {
  it('has the key of an option or a file, the query of the base URL, and the prefix of its kind', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'alcove-key-'))
    const apiKeyFile = join(folder, 'key')
    await writeFile(apiKeyFile, `${KEY}\n`)
    const prefixes = { queryPrefix: 'query: ', passagePrefix: 'passage: ' }
    const model = await open({
      baseUrl: `${server.baseUrl}/?api-version=7`,
      apiKeyFile,
      headers: { 'x-team': 'a' },
      ...prefixes,
    })
    await model.embed(['one'], QUERY)
    await model.embed(['two', ''], PASSAGE)
    await rm(folder, { recursive: true })
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/embeddings?api-version=7',
      '/v1/embeddings?api-version=7',
    ])
    expect(server.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-team': 'a' })
    expect(server.requests.map(({ body }) => body.input)).toEqual([['query: one'], ['passage: two', 'passage: ']])
  })

  it('has the members of the body of its kind, also in the place of the model, and never of the texts', async () => {
    const queryBody: Record<string, unknown> = { model: 'm-query', input_type: 'query' }
    const model = await open({ queryBody, passageBody: { task: 'retrieval.passage', truncate: null } })
    queryBody['input_type'] = 'changed later'
    await model.embed(['one'], QUERY)
    await model.embed(['two'], { ...QUERY, isUrgent: false })
    await model.embed(['three'], { ...PASSAGE, isUrgent: true })
    const query = { model: 'm-query', input_type: 'query', encoding_format: 'base64' }
    expect(server.requests.map(({ body }) => body)).toEqual([
      { ...query, input: ['one'] },
      { ...query, input: ['two'] },
      { model: 'm', task: 'retrieval.passage', truncate: null, encoding_format: 'base64', input: ['three'] },
    ])
  })

  it('that asks for the dimensions, or if the server is back, is one for a passage', async () => {
    const model = await open({ dimensions: undefined, passageBody: { input_type: 'passage' } })
    await server.stop()
    await rejection(model.embed(['x'], QUERY))
    await server.listen()
    await expect.poll(async () => await model.checkAvailable().then(() => 'back', String), POLL).toBe('back')
    expect(server.requests.map(({ body }) => body['input_type'])).toEqual(['passage', 'passage'])
  })

  it('names the model of its kind if the server does not have it', async () => {
    server.always = failing(404, 'no such model')
    const model = await open({ queryBody: { model: 'm-query' } })
    expect((await rejection(model.embed(['x'], QUERY))).message).toContain('has no model m-query, or')
    expect((await rejection(model.embed(['x'], PASSAGE))).message).toContain('has no model m, or')
  })

  it('has headers with spaces, and an explicit Authorization in the place of that of the key', async () => {
    const model = await open({ apiKey: KEY, headers: { Authorization: 'Basic a b', 'X-Team': 'search and find' } })
    await model.embed(['one'], QUERY)
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Basic a b', 'x-team': 'search and find' })
  })

  it('has at most batchSize texts, at most concurrency requests run, and the order stays', async () => {
    const model = await open({ batchSize: 3, concurrency: 2 })
    const texts = Array.from({ length: 20 }, (_, at) => `text number ${at}`)
    server.always = async (request, response, own) => {
      await new Promise((resolve) => setTimeout(resolve, 20 * random()))
      json(response, 200, await own.answer(request))
    }
    const vectors = await model.embed(texts, PASSAGE)
    expect(server.requests.every(({ body }) => body.input.length <= 3)).toBe(true)
    expect(server.mostOpen).toBe(2)
    const [last] = [await model.embed(['text number 19'], PASSAGE)]
    expect([...vectors.subarray(19 * 64)]).toEqual([...last])
  })

  it('takes answers in another order by their index, and without an index as they come', async () => {
    const model = await open()
    const texts = ['a b', 'c d', 'e f']
    const expected = await model.embed(texts, PASSAGE)
    server.next.push(changed((answer) => void answer.data.reverse()))
    server.next.push(changed((answer) => answer.data.forEach((item) => delete item.index)))
    for (const round of [1, 2]) {
      const vectors = await model.embed(texts, PASSAGE)
      for (const [at, component] of vectors.entries()) expect(component, `${round}`).toBeCloseTo(expected[at] ?? 0, 5)
    }
  })

  it('asks for floats once a server refuses base64', async () => {
    const refuse: Misbehaviour = (request, response, own) =>
      request.body.encoding_format === 'base64'
        ? failing(400, 'encoding_format must be float')(request, response, own)
        : own.answer(request).then((answer) => json(response, 200, answer))
    server.always = refuse
    const model = await open()
    await model.embed(['x'], PASSAGE)
    await model.embed(['y'], PASSAGE)
    expect(server.requests.map(({ body }) => body.encoding_format)).toEqual(['base64', 'float', 'float'])
  })

  it('is sent in halves if the server takes fewer texts, and later requests are smaller at once', async () => {
    server.always = async (request, response, own) => {
      const { length } = request.body.input
      if (length <= 2) {
        json(response, 200, await own.answer(request))
        return
      }
      json(response, 422, { message: `batch size ${length} > maximum allowed batch size 2`, type: 'Validation' })
    }
    const model = await open({ batchSize: 8 })
    const texts = Array.from({ length: 8 }, (_, at) => `text ${at}`)
    expect((await model.embed(texts, PASSAGE)).length).toBe(512)
    server.requests.length = 0
    await model.embed(texts, PASSAGE)
    expect(server.requests.map(({ body }) => body.input.length)).toEqual([2, 2, 2, 2])
  })

  it('is sent in halves if it is too slow', async () => {
    server.always = async (request, response, own) => {
      if (request.body.input.length <= 2) json(response, 200, await own.answer(request))
    }
    const model = await open({ batchSize: 4, timeoutMs: 200 })
    expect((await model.embed(['a', 'b', 'c', 'd'], PASSAGE)).length).toBe(256)
  })

  it('is as large as before some time after a slow moment', async () => {
    const model = await open({ batchSize: 4, timeoutMs: 300, concurrency: 1 })
    server.next.push(() => undefined)
    const texts = Array.from({ length: 24 }, (_, at) => `text ${at}`)
    await model.embed(texts.slice(0, 4), PASSAGE)
    server.requests.length = 0
    await model.embed(texts, PASSAGE)
    await model.embed(texts.slice(0, 4), PASSAGE)
    expect(server.requests.map(({ body }) => body.input.length)).toEqual([...Array<number>(12).fill(2), 4])
  })

  it('ends as soon as its signal is aborted, and frees the connection', async () => {
    server.always = () => undefined
    const model = await open()
    const abort = new AbortController()
    const work = rejection(model.embed(['x'], { ...QUERY, signal: abort.signal }))
    await expect.poll(() => server.open).toBe(1)
    abort.abort(new Error('no longer wanted'))
    expect((await work).message).toBe('no longer wanted')
    await expect.poll(() => server.open).toBe(0)
  })
})

describe('a failure that may pass', () => {
  const cut: Misbehaviour = (_request, response) => void response.socket?.destroy()
  const cutInside: Misbehaviour = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' })
    response.write('{"data":[')
    setTimeout(() => response.socket?.destroy(), 10)
  }
  const page: Misbehaviour = (_request, response) =>
    json(response, 502, '<html>Bad Gateway</html>', { 'content-type': 'text/html' })

  it.each<[string, Misbehaviour]>([
    ['500', failing(500, 'out of memory')],
    ['503 of a proxy with a page', page],
    ['429 without a time', failing(429, 'slow down')],
    ['429 with seconds', failing(429, 'slow down', { 'retry-after': '1' })],
    ['429 with a date', failing(429, 'slow down', { 'retry-after': new Date(Date.now() + 1_000).toUTCString() })],
    ['a cut connection', cut],
    ['a connection that is cut inside of the answer', cutInside],
  ])('is retried: %s', async (_name, misbehave) => {
    server.next.push(misbehave)
    const model = await open()
    expect((await model.embed(['x'], PASSAGE)).length).toBe(64)
    expect(server.requests).toHaveLength(2)
  })

  it('waits as long as Retry-After says', async () => {
    server.next.push(failing(429, 'slow down', { 'retry-after': '2' }))
    const startedAt = performance.now()
    await (await open()).embed(['x'], PASSAGE)
    expect(performance.now() - startedAt).toBeGreaterThan(1_900)
  })

  it('rejects at once if the server wishes a long pause, and sends nothing until it is over', async () => {
    server.next.push(failing(429, 'quota', { 'retry-after': '120' }))
    const model = await open()
    const first = await rejection(model.embed(['x'], PASSAGE))
    expect(first).toMatchObject({ code: 'ERR_MODEL_UNAVAILABLE', isTransient: true })
    expect(first.message).toMatch(/answered with 429: quota/)
    expect(first.retryAfterMs).toBeGreaterThan(110_000)
    const second = await rejection(model.embed(['y'], QUERY))
    expect(second.retryAfterMs).toBeGreaterThan(110_000)
    await expect(model.checkAvailable()).rejects.toMatchObject({ code: 'ERR_MODEL_UNAVAILABLE' })
    expect(server.requests).toHaveLength(1)
  })

  it('makes the server count as away, until a trial succeeds', async () => {
    const model = await open()
    await server.stop()
    const error = await rejection(model.embed(['x'], QUERY))
    expect(error).toMatchObject({ code: 'ERR_MODEL_UNAVAILABLE', isTransient: true })
    expect(error.message).toMatch(/the embedding server at http:\/\/127\.0\.0\.1:\d+\/v1\/embeddings cannot be reached/)
    const startedAt = performance.now()
    await rejection(model.embed(['x'], QUERY))
    expect(performance.now() - startedAt).toBeLessThan(1_500)
    await expect(model.checkAvailable()).rejects.toMatchObject({ code: 'ERR_MODEL_UNAVAILABLE' })
    await server.listen()
    await expect
      .poll(
        async () =>
          await model.checkAvailable().then(
            () => 'ok',
            () => 'away',
          ),
        { timeout: 15_000 },
      )
      .toBe('ok')
    expect((await model.embed(['x'], QUERY)).length).toBe(64)
  })

  it('is no absence of the server if it works with other texts', async () => {
    server.always = async (request, response, own) => {
      if (request.body.input.some((text) => text.includes('poison'))) failing(500, 'crash')(request, response, own)
      else json(response, 200, await own.answer(request))
    }
    const model = await open()
    const error = await rejection(model.embed(['poison'], PASSAGE))
    expect(error).toMatchObject({ code: 'ERR_MODEL_UNAVAILABLE', isTransient: true, retryAfterMs: undefined })
    await model.checkAvailable()
    expect((await model.embed(['fine'], PASSAGE)).length).toBe(64)
  })

  it.each([502, 503])('makes no parallel search fail if it is a single %i', async (status) => {
    server.next.push(failing(status, 'restart'))
    server.always = async (request, response, own) => {
      await new Promise((resolve) => setTimeout(resolve, 700))
      json(response, 200, await own.answer(request))
    }
    const model = await open()
    const early = Array.from({ length: 5 }, async () => await model.embed(['x'], QUERY))
    await expect.poll(() => server.requests.length).toBeGreaterThan(0)
    await new Promise((resolve) => setTimeout(resolve, 100))
    const late = Array.from({ length: 5 }, async () => await model.embed(['y'], QUERY))
    expect((await Promise.allSettled([...early, ...late])).map((one) => one.status)).toEqual(
      Array<string>(10).fill('fulfilled'),
    )
  })

  it('has a deadline', async () => {
    server.always = () => undefined
    const model = await open({ timeoutMs: 100 })
    const error = await rejection(model.embed(['x'], QUERY))
    expect(error.message).toMatch(/did not answer within 100 ms/)
    // A user waits for one deadline, not for one of each try.
    expect(server.requests).toHaveLength(1)
    expect(error.isTransient).toBe(true)
  })
})

describe('a failure that stays', () => {
  const CASES: readonly [string, Misbehaviour, string, RegExp][] = [
    [
      '401 that shows the key',
      failing(401, `Incorrect API key provided: ${KEY}`),
      'ERR_MODEL_REFUSED',
      /refuses the key \(401\)/,
    ],
    ['403', failing(403, 'no access'), 'ERR_MODEL_REFUSED', /refuses the key \(403\)/],
    [
      '404 of Ollama',
      failing(404, 'model "m" not found, try pulling it first'),
      'ERR_MODEL_REFUSED',
      /has no model m.*try pulling/,
    ],
    [
      '400 of OpenAI',
      failing(400, "This model's maximum context length is 8192 tokens, however you requested 9000 tokens"),
      'ERR_MODEL_REFUSED',
      /too long for the model m.*--embedding-window/,
    ],
    [
      '400 of Ollama',
      failing(400, 'input length exceeds maximum context length'),
      'ERR_MODEL_REFUSED',
      /too long for the model m/,
    ],
    [
      '413 of text-embeddings-inference',
      (_request, response) =>
        json(response, 413, {
          message: 'Input validation error: `inputs` must have less than 512 tokens. Given: 600',
          type: 'Validation',
        }),
      'ERR_MODEL_REFUSED',
      /too long for the model m/,
    ],
    [
      '400 of vLLM',
      (_request, response) =>
        json(response, 400, {
          object: 'error',
          message: 'does not support matryoshka',
          type: 'BadRequestError',
          code: 400,
        }),
      'ERR_MODEL_REFUSED',
      /refuses the request \(400\): does not support matryoshka/,
    ],
    [
      '422 that repeats the text',
      (_request, response) => json(response, 422, { detail: [{ msg: 'bad', input: 'SECRET TEXT' }] }),
      'ERR_MODEL_REFUSED',
      /refuses the request \(422\)$/,
    ],
    [
      'a redirection',
      (_request, response) => json(response, 307, '', { location: 'http://elsewhere.test/' }),
      'ERR_MODEL_REFUSED',
      /redirects/,
    ],
    [
      'a web page',
      (_request, response) => json(response, 200, '<html></html>', { 'content-type': 'text/html' }),
      'ERR_MODEL_UNSUPPORTED',
      /a web page: check the base URL/,
    ],
    [
      'a text',
      (_request, response) => json(response, 200, 'Ollama is running'),
      'ERR_MODEL_UNSUPPORTED',
      /other than JSON/,
    ],
    [
      'an error as a success',
      (_request, response) => json(response, 200, { error: 'Unexpected endpoint' }),
      'ERR_MODEL_UNSUPPORTED',
      /without the list "data"/,
    ],
    ['too few vectors', changed((answer) => void answer.data.pop()), 'ERR_MODEL_UNSUPPORTED', /2 texts with 1 vectors/],
    [
      'an index twice',
      changed((answer) => answer.data.forEach((item) => (item.index = 0))),
      'ERR_MODEL_UNSUPPORTED',
      /"index" is missing, wrong or repeated/,
    ],
    [
      'an index out of range',
      changed((answer) => answer.data.forEach((item) => (item.index = 7))),
      'ERR_MODEL_UNSUPPORTED',
      /"index"/,
    ],
    [
      'short vectors',
      changed((answer) => answer.data.forEach((item) => (item.embedding = [1, 2, 3]))),
      'ERR_MODEL_CHANGED',
      /vectors of 3 numbers.*but 64 are expected/,
    ],
    [
      'no vectors',
      changed((answer) => answer.data.forEach((item) => (item.embedding = { a: 1 }))),
      'ERR_MODEL_UNSUPPORTED',
      /no vector/,
    ],
    [
      'null',
      changed((answer) => answer.data.forEach((item) => (item.embedding = Array.from({ length: 64 }, () => null)))),
      'ERR_VECTOR_INVALID',
      /not finite/,
    ],
    [
      'zeros',
      changed((answer) => answer.data.forEach((item) => (item.embedding = Array.from({ length: 64 }, () => 0)))),
      'ERR_VECTOR_INVALID',
      /zero/,
    ],
    [
      'NaN in JSON',
      (_request, response) => json(response, 200, `{"data":[{"index":0,"embedding":[NaN,1]}]}`),
      'ERR_VECTOR_INVALID',
      /not finite/,
    ],
    [
      'NaN in base64',
      changed((answer) =>
        answer.data.forEach(
          (item) => (item.embedding = Buffer.from(new Float32Array(64).fill(Number.NaN).buffer).toString('base64')),
        ),
      ),
      'ERR_VECTOR_INVALID',
      /not finite/,
    ],
    [
      'NaN in Ollama',
      failing(500, 'failed to encode response: json: unsupported value: NaN'),
      'ERR_VECTOR_INVALID',
      /not finite/,
    ],
    [
      'a huge answer',
      (_request, response) => json(response, 200, `{"data":[],"x":"${'x'.repeat(1_000_000)}"}`),
      'ERR_MODEL_UNSUPPORTED',
      /more bytes/,
    ],
  ]

  it.each(CASES)('is not retried, and has a clear sentence: %s', async (_name, misbehave, code, message) => {
    server.always = misbehave
    const model = await open({ apiKey: KEY, batchSize: 2 })
    const error = await rejection(model.embed(['first text', 'second text'], PASSAGE))
    expect(error.message).toMatch(message)
    expect(error).toMatchObject({ code, isTransient: false })
    expect(`${error.message} ${error.stack}`).not.toMatch(/marmalade|SECRET TEXT|elsewhere/)
    expect(server.requests.length).toBeLessThanOrEqual(2)
    // The server has answered, so it is not away.
    await model.checkAvailable()
  })
})
