import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from '../../../adapters/http-server/index.js'
import { MemoryHttpTransport } from '../../../adapters/memory/index.js'
import { sized } from '../../full-form.js'
import { checkAnswer } from './check-answer.js'
import { NEW_CONTEXT, startServer, type TestServer } from './server.js'

/** The number of requests; the seed is fixed, so that a failure is reproducible. */
const REQUESTS = sized(800, 5_000)
const PATIENCE_MS = 20_000

interface Parameter {
  readonly name: string
  readonly in: string
}
interface Operation {
  readonly method: string
  readonly path: string
  readonly tags: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly members: readonly string[]
  readonly contentTypes: readonly string[]
}

let server: TestServer
const tokens: (string | undefined)[] = []

beforeAll(async () => {
  // Odd names must cause no look-up.
  server = await startServer({}, undefined, { httpTransport: new MemoryHttpTransport() })
  // These users have other ids, and permissions with other ids, than odd requests delete.
  for (const name of ['ada', 'grace', 'alan']) {
    await server.engine.administration.users.add({ email: `${name}@example.com`, companyId: 1 })
  }
  const key = await server.engine.administration.apiKeys.create({ companyId: 1 })
  tokens.push(await server.token('assistant', key), await server.token('tenant', key), undefined, 'x.y.z')
  const session = server.engine.as(server.engine.owner)
  for (let count = 0; count < 3; count += 1) await session.contexts.create(NEW_CONTEXT)
  for (const host of ['one', 'two', 'three']) {
    const { id } = await session.destinations.create({ url: `https://${host}.example/`, eventTypes: null })
    await session.destinations.test(id)
  }
})

afterAll(async () => {
  await server.close()
})

function operations(): Operation[] {
  const { paths, components } = describeApi() as {
    paths: Record<
      string,
      Record<
        string,
        { tags: string[]; parameters: Parameter[]; requestBody?: { content: Record<string, { schema: Schema }> } }
      >
    >
    components: { schemas: Record<string, Schema> }
  }
  interface Schema {
    readonly properties?: Record<string, object>
    readonly $ref?: string
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags, parameters, requestBody }]) => {
      const contents = Object.entries(requestBody?.content ?? {})
      const schemas = contents.map(
        ([, { schema }]) => components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema,
      )
      return {
        method: method.toUpperCase(),
        path,
        tags,
        parameters,
        members: schemas.flatMap(({ properties = {} }) => Object.keys(properties)),
        contentTypes: contents.map(([type]) => type),
      }
    }),
  )
}

const LONG = 'A'.repeat(1_000_000)
const oddText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '../../etc/passwd',
    "'; drop table users; --",
    '[]',
    '[{}]',
    '{"a":1}',
    'null',
    LONG,
  ),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom('a@b.example', '🐙', '\u202e', 'x'.repeat(300)),
)
const oddNumber = fc.oneof(
  fc.constantFrom(0, -1, 1, 2, 3, 1.5, 2 ** 31, 2 ** 53, 2 ** 53 + 2, 1e308, -0, Number.MAX_SAFE_INTEGER),
  fc.integer(),
)
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: oddText },
  { weight: 4, arbitrary: oddNumber },
  { weight: 3, arbitrary: fc.constantFrom(null, true, false, [], {}) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)
const oddPathPart = fc.oneof(
  fc.constantFrom(
    '1',
    '2',
    '3',
    '0',
    '-1',
    'abc',
    '1e3',
    '1.0',
    '99999',
    '9007199254740992',
    '%00',
    '%2e%2e',
    '%ff',
    'null',
    '%F0%9F%90%99',
  ),
  fc.string({ maxLength: 20 }).map(encodeURIComponent),
)

/** Valid members: if every member of a body is odd, the engine checks only the first. */
const GOOD: Readonly<Record<string, unknown>> = {
  name: 'Name',
  description: 'Description',
  caption: 'Caption',
  toolsJson: '[]',
  prompt: 'What is this?',
  shareState: 1,
  password: 'long enough for it',
  id: 1,
  appAccountId: 1,
  appRoleId: 2,
  userIdentityId: 1,
  url: 'https://hooks.example/',
  eventTypes: null,
  includeDescendants: true,
}
const KEPT = Symbol('kept')

const ALL = operations()

const oddRequest = fc.record({
  operation: fc.constantFrom(...ALL),
  method: fc.oneof(
    { weight: 9, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD') },
  ),
  parts: fc.array(oddPathPart, { minLength: 3, maxLength: 3 }),
  query: fc.array(fc.option(oddValue, { nil: undefined }), { minLength: 5, maxLength: 5 }),
  token: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat({ max: 3 }) }),
  values: fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant(KEPT) }, fc.option(oddValue, { nil: undefined })), {
    minLength: 8,
    maxLength: 8,
  }),
  form: fc.constantFrom('json', 'json', 'json', 'raw', 'form', 'multipart', 'described'),
  raw: fc.oneof(oddText, fc.json({ maxDepth: 2 }), fc.constantFrom('[]', '"x"', '1', '{', '[[[['.repeat(5_000))),
})

type OddRequest = typeof oddRequest extends fc.Arbitrary<infer Value> ? Value : never

function toFetch(odd: OddRequest): [string, RequestInit] {
  const { operation, parts, query, token, values } = odd
  let at = 0
  const path = operation.path.replaceAll(/\{\w+\}/g, () => parts[at++] ?? '')
  const search = operation.parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name }, index) => {
      const value = query[index]
      return value === undefined ? [] : [`${name}=${encodeURIComponent(textOf(value).slice(0, 1_000).toWellFormed())}`]
    })
    .join('&')
  const method = odd.method ?? operation.method
  const headers: Record<string, string> = {}
  const bearer = tokens[token ?? (operation.tags.includes('assistant') ? 0 : 1)]
  if (bearer !== undefined) headers['authorization'] = `Bearer ${bearer}`
  const init: RequestInit = { method, headers, redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) }
  if (method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS') {
    const members = Object.fromEntries(
      operation.members
        .map((name, index) => [name, values[index] === KEPT ? GOOD[name] : values[index]])
        .filter(([, value]) => value !== undefined),
    ) as Record<string, unknown>
    init.body = toBody(odd, members, headers)
  }
  return [`${path}${search === '' ? '' : `?${search}`}`, init]
}

/** An odd object may have a member toString that is not a function. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function toBody(
  { form, raw, operation }: OddRequest,
  members: Record<string, unknown>,
  headers: Record<string, string>,
) {
  const fields = Object.entries(members).map(([name, value]): [string, string] => [name, textOf(value).toWellFormed()])
  if (form === 'form') return new URLSearchParams(fields)
  if (form === 'multipart') {
    const data = new FormData()
    for (const [name, value] of fields) data.append(name, new Blob([value]), value.slice(0, 100))
    return data
  }
  headers['content-type'] = form === 'described' ? (operation.contentTypes[0] ?? 'text/plain') : 'application/json'
  return form === 'json' ? JSON.stringify(members) : raw
}

describe('an odd request', () => {
  it(`gets an answer below 500, described, and in time: ${REQUESTS} requests`, async () => {
    let sent = 0
    const statuses = new Map<number, number>()
    const attempt = async (odd: OddRequest): Promise<void> => {
      const [path, init] = toFetch(odd)
      const response = await fetch(server.url + path, init)
      const text = await response.text()
      sent += 1
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      expect(response.status, `${String(init.method)} ${path}: ${text}`).toBeLessThan(500)
      const { status, headers } = response
      const isJson = (headers.get('content-type') ?? '').includes('json') && init.method !== 'HEAD'
      checkAnswer(init.method ?? '', path, { status, headers, body: isJson ? JSON.parse(text) : text })
      if (response.status >= 400 && init.method !== 'HEAD' && text !== '') {
        expect(text).not.toMatch(/node_modules|\.js:\d|SQLITE|at \w+ \(/)
      }
    }
    await fc.assert(
      fc.asyncProperty(fc.array(oddRequest, { minLength: 10, maxLength: 10 }), async (requests) => {
        await Promise.all(requests.map(attempt))
      }),
      { numRuns: REQUESTS / 10, endOnFailure: true },
    )
    expect(sent).toBeGreaterThanOrEqual(REQUESTS)
    // Odd input must reach the operations themselves, not only their checks.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 204, 400, 401, 403, 404, 405]))
    expect((await server.request('GET', '/health')).status).toBe(200)
  }, 300_000)
})
