import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpHandler } from '../../../../adapters/http-server/index.js'
import { MemoryHttpTransport } from '../../../../adapters/memory/index.js'
import {
  CATALOG,
  type Delivery,
  type DeliveryPage,
  type DeliveryWithAttempts,
  type Destination,
  type DestinationWithSecret,
} from '../../../../src/index.js'
import type { HttpOutcome } from '../../../../src/ports/index.js'
import type { Answer } from '../check-answer.js'
import { type Problem, type RequestOptions, startServer, type TestServer } from '../server.js'

const BASE = '/v1/outbound-webhooks'
const JOB = '3f2b8c1e-7d4a-4e6b-9a10-5c2d8e7f1a34'

/** root → own → child; root → sibling. The tests act for `own`. */
const NAMES = ['root', 'own', 'child', 'sibling'] as const
type Name = (typeof NAMES)[number]

let server: TestServer
const transport = new MemoryHttpTransport()
const ids = { root: 1 } as Record<Name, number>
const tokens = {} as Record<Name, string>
let count = 0

beforeAll(async () => {
  server = await startServer({}, undefined, {
    httpTransport: transport,
    limits: { destinationChangesPerMinute: 10_000, testEventsPerMinute: 10_000, resendsPerMinute: 10_000 },
  })
  const { companies, apiKeys } = server.engine.administration
  ids.own = (await companies.create({ name: 'Own', parentId: ids.root })).id
  ids.child = (await companies.create({ name: 'Child', parentId: ids.own })).id
  ids.sibling = (await companies.create({ name: 'Sibling', parentId: ids.root })).id
  for (const name of NAMES) {
    tokens[name] = await server.token('tenant', await apiKeys.create({ companyId: ids[name] }))
  }
})

afterAll(async () => {
  await server.close()
})

async function call<Body = Problem>(
  method: string,
  path: string,
  json?: unknown,
  options: RequestOptions = {},
): Promise<Answer<Body>> {
  const token = { token: tokens.own }
  return await server.request<Body>(method, BASE + path, { ...token, ...(json !== undefined && { json }), ...options })
}

/** A host that no other test has. */
function newHost(): string {
  count += 1
  return `host-${count}.example`
}

async function make(given: Record<string, unknown> = {}, company: Name = 'own'): Promise<DestinationWithSecret> {
  const json = { url: `https://${newHost()}/hook`, eventTypes: null, ...given }
  const { status, body } = await call<DestinationWithSecret>('POST', '/destinations', json, { token: tokens[company] })
  expect([status, status === 201 ? '' : body]).toEqual([201, ''])
  return body
}

async function record(company: Name = 'own', success = true): Promise<string> {
  const data = { jobKey: JOB, success }
  return (await server.engine.events.record({ type: 'run.completed', data, companyId: ids[company] })).id
}

async function logOf(destinationId: number): Promise<readonly Delivery[]> {
  return (await call<DeliveryPage>('GET', `/deliveries?destinationId=${destinationId}`)).body.items
}

/** Waits until a delivery has a terminal status. */
async function settled(id: number): Promise<DeliveryWithAttempts> {
  const show = async (): Promise<DeliveryWithAttempts> =>
    (await call<DeliveryWithAttempts>('GET', `/deliveries/${id}`)).body
  await expect.poll(async () => (await show()).status, { timeout: 15_000 }).not.toMatch(/^(pending|delivering)$/)
  return await show()
}

function sentTo({ url }: Destination) {
  return transport.requests.filter((request) => request.url === url)
}

function answering(httpStatus: number): HttpOutcome {
  return { kind: 'response', httpStatus, body: new TextEncoder().encode(`says ${httpStatus}`) }
}

/** Answers the requests to one destination; the other destinations keep their answers. */
function respond({ url }: Destination, answer: (attempt: number) => HttpOutcome): void {
  const others = transport.respond
  let attempt = 0
  transport.respond = (post) => {
    if (post.url !== url) return others(post)
    attempt += 1
    return answer(attempt)
  }
}

describe('the catalog of events', () => {
  it.each(['assistant', 'tenant'] as const)('is shown to tokens of the application %s', async (target) => {
    const { status, body } = await call<typeof CATALOG>('GET', '/catalog', undefined, {
      token: await server.token(target),
    })
    expect([status, body]).toEqual([200, CATALOG])
    expect(body.map(({ type, event_category, data }) => [type, event_category, data])).toEqual([
      ['run.started', 'run', { jobKey: 'string' }],
      ['run.completed', 'run', { jobKey: 'string', success: 'boolean' }],
      ['run.failed', 'run', { jobKey: 'string', success: 'boolean' }],
      ['agent.created', 'agent', { agentId: 'integer', name: 'string' }],
      ['agent.published', 'agent', { agentId: 'integer', revisionId: 'integer' }],
      ['agent.unpublished', 'agent', { agentId: 'integer' }],
      ['agent.enabled', 'agent', { agentId: 'integer', enabled: 'boolean', runnable: 'boolean' }],
      ['agent.disabled', 'agent', { agentId: 'integer', enabled: 'boolean', runnable: 'boolean' }],
      ['agent.deleted', 'agent', { agentId: 'integer' }],
    ])
  })

  it('is hidden from every other token', async () => {
    expect((await call('GET', '/catalog', undefined, { token: undefined })).status).toBe(401)
    expect((await call('GET', '/catalog', undefined, { token: 'x.y.z' })).status).toBe(401)
  })
})

describe('a destination', () => {
  it('is created, shown, changed and deleted', async () => {
    const url = `https://${newHost()}/hook`
    const created = await call<DestinationWithSecret>('POST', '/destinations', { url, eventTypes: null })
    const { secret, ...record } = created.body
    expect(created.status).toBe(201)
    expect(secret).toMatch(/^whsec_.{32,}$/)
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string
    expect(record).toEqual({
      id: expect.any(Number) as number,
      customerId: ids.own,
      url,
      name: null,
      eventTypes: null,
      includeDescendants: false,
      signatureScheme: 'service',
      retry: 'standard',
      disabled: false,
      disabledReason: null,
      failingSince: null,
      previousSecretExpires: null,
      created: timestamp,
      updated: timestamp,
    })
    expect((await call<Destination>('GET', `/destinations/${record.id}`)).body).toEqual(record)
    expect((await call<Destination[]>('GET', '/destinations')).body).toContainEqual(record)
    const changes = { url, name: 'Zoë ✅', eventTypes: ['run.failed', 'run.failed'], includeDescendants: true }
    const changed = await call<Destination>('PUT', `/destinations/${record.id}`, changes)
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...record, name: 'Zoë ✅', eventTypes: ['run.failed'], includeDescendants: true, updated: timestamp },
    ])
    expect((await call<Destination>('GET', `/destinations/${record.id}`)).body).toEqual(changed.body)
    const deleted = await call('DELETE', `/destinations/${record.id}`)
    expect([deleted.status, deleted.body]).toEqual([204, ''])
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/rotate-secret'],
      ['POST', '/test'],
    ] as const) {
      const answer = await call(method, `/destinations/${record.id}${path}`, method === 'PUT' ? changes : undefined)
      expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 404, 'ERR_DESTINATION_NOT_FOUND'])
    }
    expect((await call<Destination[]>('GET', '/destinations')).body.map(({ id }) => id)).not.toContain(record.id)
  })

  it('accepts its own JSON as a change; name and includeDescendants stay when omitted', async () => {
    const { secret: _, ...read } = await make({ name: 'Mine', includeDescendants: true, eventTypes: ['agent.deleted'] })
    const put = async (json: object) => await call<Destination>('PUT', `/destinations/${read.id}`, json)
    const same = await put(read)
    expect([same.status, same.body]).toEqual([200, { ...read, updated: same.body.updated }])
    const { url } = read
    expect((await put({ url, eventTypes: null })).body).toMatchObject({ name: 'Mine', includeDescendants: true })
    expect((await put({ url, eventTypes: null, name: null })).body).toMatchObject({ name: null })
    const moved = await call('PUT', `/destinations/${read.id}`, { ...read, customerId: ids.child })
    expect([moved.status, moved.body.detail]).toEqual([400, expect.stringMatching(/^customerId: cannot be changed/)])
  })

  it.each<[string, object | string, RegExp]>([
    ['url missing', { eventTypes: null }, /^url: is required/],
    ['url no string', { url: 7, eventTypes: null }, /^url: must be a string/],
    ['url http', { url: 'http://a.example/', eventTypes: null }, /^url: must be a URL that begins with https/],
    ['url no URL', { url: 'https://', eventTypes: null }, /^url: /],
    [
      'url too long',
      { url: `https://a.example/${'x'.repeat(2_048)}`, eventTypes: null },
      /^url: must have at most 2048/,
    ],
    ['eventTypes missing', { url: 'https://a.example/' }, /^eventTypes: is required/],
    ['eventTypes empty', { url: 'https://a.example/', eventTypes: [] }, /^eventTypes: must name at least one/],
    [
      'eventTypes unknown',
      { url: 'https://a.example/', eventTypes: ['agent.updated'] },
      /^eventTypes\[0\]: must be one/,
    ],
    ['eventTypes no array', { url: 'https://a.example/', eventTypes: 'run.started' }, /^eventTypes: must be an array/],
    ['name no line', { url: 'https://a.example/', eventTypes: null, name: 'a\nb' }, /^name: must be one line/],
    [
      'name too long',
      { url: 'https://a.example/', eventTypes: null, name: 'x'.repeat(256) },
      /^name: must have at most 255/,
    ],
    [
      'customerId no id',
      { url: 'https://a.example/', eventTypes: null, customerId: '1' },
      /^customerId: must be an int/,
    ],
    [
      'includeDescendants',
      { url: 'https://a.example/', eventTypes: null, includeDescendants: 1 },
      /^includeDescendants: /,
    ],
    ['no object', '[]', /must be an object/],
    ['no JSON', '{', /not valid JSON/],
    ['no body', '', /the body must be a JSON object/],
  ])('is refused when it is created or changed: %s', async (_what, given, detail) => {
    const { id } = await make()
    const body = typeof given === 'string' ? given : JSON.stringify(given)
    for (const [method, path] of [
      ['POST', '/destinations'],
      ['PUT', `/destinations/${id}`],
    ] as const) {
      const answer = await call(method, path, undefined, { body, headers: { 'content-type': 'application/json' } })
      expect([method, answer.status, answer.body.detail]).toEqual([method, 400, expect.stringMatching(detail)])
    }
  })

  it('is the only one with its URL in a company', async () => {
    const { id, url } = await make()
    const other = await make()
    const duplicate = await call('POST', '/destinations', {
      url: url.toUpperCase().replace('/HOOK', '/hook'),
      eventTypes: null,
    })
    expect([duplicate.status, duplicate.body.code]).toEqual([400, 'ERR_ALREADY_EXISTS'])
    const changed = await call('PUT', `/destinations/${other.id}`, { url, eventTypes: null })
    expect([changed.status, changed.body.code]).toEqual([400, 'ERR_ALREADY_EXISTS'])
    expect((await make({ url, customerId: ids.child })).url).toBe(url)
    await call('DELETE', `/destinations/${id}`)
    expect((await make({ url })).id).toBeGreaterThan(id)
  })

  it('is refused at creation and at a change when its address may not be contacted', async () => {
    const host = newHost()
    transport.refusedHosts.add(host)
    const json = { url: `https://${host}/`, eventTypes: null }
    const { id } = await make()
    for (const answer of [await call('POST', '/destinations', json), await call('PUT', `/destinations/${id}`, json)]) {
      expect([answer.status, answer.body.code]).toEqual([400, 'ERR_DESTINATION_REFUSED'])
    }
  })

  // D14
  it('shows its secret only to the caller who creates it or rotates the secret, uncached, and to nobody else', async () => {
    const created = await call<DestinationWithSecret>('POST', '/destinations', {
      url: `https://${newHost()}/`,
      eventTypes: null,
    })
    const { id, url, secret } = created.body
    const rotated = await call<DestinationWithSecret>('POST', `/destinations/${id}/rotate-secret`)
    expect([rotated.status, Object.keys(rotated.body)]).toEqual([200, Object.keys(created.body)])
    expect(rotated.body.secret).not.toBe(secret)
    for (const { headers } of [created, rotated]) expect(headers.get('cache-control')).toBe('no-store')
    const { id: deliveryId } = (await call<Delivery>('POST', `/destinations/${id}/test`)).body
    await settled(deliveryId)
    const update = { url, eventTypes: null }
    const answered = [
      await call('GET', '/destinations'),
      await call('GET', `/destinations/${id}`),
      await call('PUT', `/destinations/${id}`, update),
      await call('POST', '/destinations', update),
      await call('PUT', `/destinations/${id}`, { ...update, customerId: ids.child, secret }),
      await call('POST', `/destinations/${id}/test`),
      await call('GET', `/deliveries?destinationId=${id}`),
      await call('GET', `/deliveries/${deliveryId}`),
      ...server.telemetry.events.map(({ error, ...event }) => [event, (error as Error | undefined)?.stack]),
    ]
    const database = join(server.dataDir, 'alcove.sqlite')
    const files = [await readFile(database), await readFile(`${database}-wal`).catch(() => Buffer.alloc(0))]
    for (const known of [secret, rotated.body.secret]) {
      expect(JSON.stringify(answered)).not.toContain(known)
      for (const text of [
        known,
        known.slice(6),
        Buffer.from(known).toString('base64'),
        Buffer.from(known).toString('hex'),
      ])
        expect(Buffer.concat(files).includes(text)).toBe(false)
    }
  })
})

describe('an operation without a body', () => {
  it.each<[string, RequestOptions]>([
    ['absent', {}],
    ['empty', { body: '' }],
    ['empty, called JSON', { body: '', headers: { 'content-type': 'application/json' } }],
    ['an empty object', { json: {} }],
    ['anything', { body: '{[', headers: { 'content-type': 'text/plain' } }],
  ])('accepts a body that is %s', async (_what, options) => {
    const { id } = await make()
    const post = async (path: string) => await call<Delivery>('POST', path, undefined, options)
    expect((await post(`/destinations/${id}/rotate-secret`)).status).toBe(200)
    const tested = await post(`/destinations/${id}/test`)
    expect(tested.status).toBe(202)
    expect((await post(`/deliveries/${tested.body.id}/resend`)).status).toBe(202)
  })
})

describe('a request for an unknown resource or method', () => {
  const PATHS = ['/destinations/{id}', '/destinations/{id}/rotate-secret', '/destinations/{id}/test']
  const ALL = [...PATHS, '/deliveries/{id}', '/deliveries/{id}/resend']
  const methodsOf = (path: string): readonly string[] => {
    if (path === '/destinations/{id}') return ['GET', 'PUT', 'DELETE']
    return path === '/deliveries/{id}' ? ['GET'] : ['POST']
  }
  const json = { url: 'https://a.example/', eventTypes: null }

  it.each(ALL)('%s refuses invalid ids', async (path) => {
    for (const method of methodsOf(path)) {
      for (const id of ['abc', '0', '-1', '1.5', '1e3', '9007199254740992', 'null', '%00']) {
        const answer = await call(method, path.replace('{id}', id), method === 'PUT' ? json : undefined)
        expect([method, id, answer.status, answer.body.detail]).toEqual([
          method,
          id,
          400,
          expect.stringMatching(/^id: /),
        ])
      }
    }
  })

  it.each(ALL)('%s answers alike for an unknown id and an id of a company out of reach', async (path) => {
    const foreign = await make({}, 'sibling')
    const { body: test } = await call<Delivery>('POST', `/destinations/${foreign.id}/test`, undefined, {
      token: tokens.sibling,
    })
    const id = path.startsWith('/deliveries') ? test.id : foreign.id
    for (const method of methodsOf(path)) {
      const [unknown, other] = await Promise.all(
        [999_999, id].map((one) =>
          call(method, path.replace('{id}', String(one)), method === 'PUT' ? json : undefined),
        ),
      )
      expect([method, unknown?.status, other?.status]).toEqual([method, 404, 404])
      expect(other?.body.detail.replace(String(id), 'N')).toBe(unknown?.body.detail.replace('999999', 'N'))
    }
  })

  it('gets 405 for a method that the path does not have', async () => {
    for (const [path, allow] of [
      ['/catalog', 'GET, HEAD'],
      ['/destinations', 'GET, POST, HEAD'],
      ['/destinations/1', 'GET, PUT, DELETE, HEAD'],
      ['/destinations/1/rotate-secret', 'POST'],
      ['/destinations/1/test', 'POST'],
      ['/deliveries', 'GET, HEAD'],
      ['/deliveries/1', 'GET, HEAD'],
      ['/deliveries/1/resend', 'POST'],
    ] as const) {
      const { status, headers } = await call('PATCH', path)
      expect([path, status, headers.get('allow')]).toEqual([path, 405, allow])
    }
    expect((await call('GET', '')).status).toBe(404)
  })
})

describe('a caller', () => {
  const OPERATIONS: readonly [string, string, number][] = [
    ['GET', '/destinations', 200],
    ['POST', '/destinations', 201],
    ['GET', '/destinations/{destination}', 200],
    ['PUT', '/destinations/{destination}', 200],
    ['POST', '/destinations/{destination}/rotate-secret', 200],
    ['POST', '/destinations/{destination}/test', 202],
    ['GET', '/deliveries', 200],
    ['GET', '/deliveries/{delivery}', 200],
    ['POST', '/deliveries/{delivery}/resend', 202],
    ['DELETE', '/destinations/{destination}', 204],
  ]

  /** Every operation on a destination of a company, with its answer. */
  async function attempt(token: string | undefined, target: Name): Promise<[string, number][]> {
    const { id, url } = await make({ customerId: ids[target] }, 'root')
    const tested = await call<Delivery>('POST', `/destinations/${id}/test`, undefined, { token: tokens.root })
    const answers: [string, number][] = []
    for (const [method, template] of OPERATIONS) {
      const isCreation = template === '/destinations' && method === 'POST'
      const query = template === '/destinations' && method === 'GET' ? `?cid=${ids[target]}` : ''
      const path = template.replace('{destination}', String(id)).replace('{delivery}', String(tested.body.id))
      const body = isCreation
        ? { url: `https://${newHost()}/`, eventTypes: null, customerId: ids[target] }
        : { url, eventTypes: null }
      const json = isCreation || method === 'PUT' ? body : undefined
      const { status } = await call(method, path + query, json, { token })
      answers.push([`${method} ${template}`, status])
    }
    return answers
  }

  const expected = (status: (operation: string, ok: number) => number): [string, number][] =>
    OPERATIONS.map(([method, path, ok]) => [`${method} ${path}`, status(`${method} ${path}`, ok)])

  it.each<Name>(['own', 'child'])('manages its own company and those below: %s', async (target) => {
    expect(await attempt(tokens.own, target)).toEqual(expected((_operation, ok) => ok))
  })

  it.each<Name>(['root', 'sibling'])('cannot manage the company above, nor one beside: %s', async (target) => {
    const refused = (operation: string): number => {
      if (operation === 'GET /deliveries') return 200
      return operation.endsWith('/destinations') ? 403 : 404
    }
    expect(await attempt(tokens.own, target)).toEqual(expected(refused))
  })

  it('cannot manage destinations with a role that lacks webhook:manage', async () => {
    const { administration } = server.engine
    const { id: userId } = await administration.users.add({ email: 'member@example.com', companyId: ids.own })
    const account = (await administration.accounts.list()).find(
      ({ customerId, application }) => customerId === ids.own && application === 'tenant',
    )
    const roles = await administration.roles.list()
    const roleId = (name: string): number => roles.find((role) => role.name === name)?.id ?? 0
    const permission = await administration.permissions.grant({
      userIdentityId: userId,
      appAccountId: account?.id ?? 0,
      appRoleId: roleId('Member'),
    })
    const token = await server.token('tenant', await administration.apiKeys.create({ companyId: ids.own, userId }))
    expect(await attempt(token, 'own')).toEqual(expected(() => 403))
    const manager = await administration.roles.create({
      name: 'Webhooks',
      applications: ['tenant'],
      capabilities: ['webhook:manage'],
    })
    await server.engine.as(server.engine.owner).permissions.update({ id: permission.id, appRoleId: manager.id })
    expect(await attempt(token, 'own')).toEqual(expected((_operation, ok) => ok))
    expect((await server.request('GET', '/tenant/users', { token })).status).toBe(403)
  })

  it('cannot manage destinations with a token of the other application, nor without one', async () => {
    expect(await attempt(await server.token('assistant'), 'own')).toEqual(expected(() => 403))
    expect(await attempt(undefined, 'own')).toEqual(expected(() => 401))
  })

  it('gets the destinations of each company in reach for that company', async () => {
    const own = await make()
    const below = await make({ customerId: ids.child })
    const idsOf = async (query: string): Promise<number[]> =>
      (await call<Destination[]>('GET', `/destinations${query}`)).body.map(({ id }) => id)
    const listed = await idsOf('')
    expect(listed).toEqual([...listed].sort((one, other) => one - other))
    expect([listed.includes(own.id), listed.includes(below.id)]).toEqual([true, false])
    expect(await idsOf(`?cid=${ids.own}`)).toEqual(listed)
    expect(await idsOf(`?cid=${ids.child}`)).toContain(below.id)
    const [missing, foreign] = [await call('GET', '/destinations?cid=99999'), await call('GET', '/destinations?cid=1')]
    expect([missing.status, foreign.status]).toEqual([403, 403])
    expect(missing.body.detail.replace('99999', 'N')).toBe(foreign.body.detail.replace(' 1 ', ' N '))
    for (const query of ['?cid=abc', '?cid=0', '?cid=', '?cid=1&cid=2']) {
      expect([query, (await call('GET', `/destinations${query}`)).status]).toEqual([query, 400])
    }
  })

  it('cannot manage destinations with a revoked key', async () => {
    const { apiKeys } = server.engine.administration
    const key = await apiKeys.create({ companyId: ids.own })
    const token = await server.token('tenant', key)
    expect((await call('GET', '/deliveries', undefined, { token })).status).toBe(200)
    await apiKeys.revoke(key.id)
    expect((await call('GET', '/deliveries', undefined, { token })).status).toBe(401)
  })
})

describe('a delivery', () => {
  it('contains exactly the bytes that the log shows, signed with the secret', async () => {
    const destination = await make()
    const eventId = await record()
    const [listed] = await logOf(destination.id)
    const found = await settled(listed?.id ?? 0)
    expect(Object.keys(listed ?? {})).toEqual([
      'id',
      'eventId',
      'type',
      'destinationId',
      'status',
      'httpStatus',
      'attemptCount',
      'error',
      'reason',
      'created',
      'updated',
    ])
    expect(found).toMatchObject({
      eventId,
      type: 'run.completed',
      destinationId: destination.id,
      status: 'succeeded',
      httpStatus: 200,
      attemptCount: 1,
      error: null,
      reason: null,
      resendOf: null,
      attempts: [{ outcome: 'success', httpStatus: 200, error: null, responseBody: '' }],
    })
    const [request, ...others] = sentTo(destination)
    expect(others).toEqual([])
    expect(Buffer.from(request?.body ?? []).toString()).toBe(found.payload)
    expect(JSON.parse(found.payload)).toEqual({
      id: eventId,
      version: 'v1',
      type: 'run.completed',
      event_category: 'run',
      timestamp: found.created,
      data: { jobKey: JOB, success: true },
    })
    expect(request?.headers).toEqual({
      'content-type': 'application/json',
      'x-service-event': 'run.completed',
      'x-service-signature': signature(destination.secret, found.payload),
    })
  })

  // D12
  it('is resent after a rotation with the same bytes and a new signature', async () => {
    const destination = await make()
    await record()
    const [first] = await logOf(destination.id)
    await settled(first?.id ?? 0)
    const { secret } = (await call<DestinationWithSecret>('POST', `/destinations/${destination.id}/rotate-secret`)).body
    const resent = await call<Delivery>('POST', `/deliveries/${first?.id ?? 0}/resend`)
    expect([resent.status, resent.body]).toMatchObject([
      202,
      { status: 'pending', eventId: first?.eventId, attemptCount: 0, httpStatus: null },
    ])
    expect(await settled(resent.body.id)).toMatchObject({ status: 'succeeded', resendOf: first?.id })
    const [one, other] = sentTo(destination)
    expect(other?.body).toEqual(one?.body)
    const text = Buffer.from(one?.body ?? []).toString()
    expect(one?.headers['x-service-signature']).toBe(signature(destination.secret, text))
    expect(other?.headers['x-service-signature']).toBe(signature(secret, text))
  })

  // D13
  it('is sent twice when two requests resend it at once', async () => {
    const destination = await make()
    await record()
    const [first] = await logOf(destination.id)
    await settled(first?.id ?? 0)
    const resend = async () => await call<Delivery>('POST', `/deliveries/${first?.id ?? 0}/resend`)
    const answers = await Promise.all([resend(), resend()])
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    for (const { body } of answers) expect((await settled(body.id)).status).toBe('succeeded')
    expect(sentTo(destination)).toHaveLength(3)
    expect(await logOf(destination.id)).toHaveLength(3)
  })

  // D15
  it('has one row for each attempt, including failed and blocked ones', async () => {
    const failing = await make({ eventTypes: ['run.failed'] })
    respond(failing, (attempt) => answering(attempt < 3 ? 500 : 204))
    const refused = await make({ eventTypes: ['run.failed'] })
    transport.refusedHosts.add(new URL(refused.url).hostname)
    await server.engine.events.record({
      type: 'run.failed',
      data: { jobKey: JOB, success: false },
      companyId: ids.own,
    })
    const outcomes = async ({ id }: Destination): Promise<unknown> => {
      const [delivery] = await logOf(id)
      const { status, attemptCount, attempts } = await settled(delivery?.id ?? 0)
      return [
        status,
        attemptCount,
        attempts.map(({ outcome, httpStatus, responseBody }) => [outcome, httpStatus, responseBody]),
      ]
    }
    expect(await outcomes(failing)).toEqual([
      'succeeded',
      3,
      [
        ['http_error', 500, 'says 500'],
        ['http_error', 500, 'says 500'],
        ['success', 204, 'says 204'],
      ],
    ])
    expect(await outcomes(refused)).toEqual(['blocked', 1, [['blocked', null, null]]])
    expect(sentTo(refused)).toEqual([])
  })

  // S14
  it('of a test event takes the same way, checks included', async () => {
    const destination = await make({ eventTypes: ['agent.deleted'] })
    const test = async () => await call<Delivery>('POST', `/destinations/${destination.id}/test`)
    const sent = await test()
    expect([sent.status, sent.body]).toMatchObject([
      202,
      { type: 'run.started', destinationId: destination.id, status: 'pending' },
    ])
    const { status, payload } = await settled(sent.body.id)
    expect([status, (JSON.parse(payload) as { data: unknown }).data]).toEqual([
      'succeeded',
      { jobKey: '00000000-0000-0000-0000-000000000000' },
    ])
    transport.refusedHosts.add(new URL(destination.url).hostname)
    expect(await settled((await test()).body.id)).toMatchObject({
      status: 'blocked',
      attempts: [{ outcome: 'blocked' }],
    })
    expect(sentTo(destination)).toHaveLength(1)
  })

  // D16
  it('exists for the chosen types, or for all nine', async () => {
    const some = await make({ eventTypes: ['agent.enabled'] })
    const all = await make()
    const samples = {
      jobKey: JOB,
      success: true,
      agentId: 7,
      revisionId: 2,
      name: 'Bot',
      enabled: true,
      runnable: false,
    }
    for (const { type, data } of CATALOG) {
      const fields = Object.keys(data).map((name) => [name, samples[name as keyof typeof samples]])
      const event = { type, data: Object.fromEntries(fields) as unknown, companyId: ids.own }
      await server.engine.events.record(event as Parameters<typeof server.engine.events.record>[0])
    }
    expect((await logOf(some.id)).map(({ type }) => type)).toEqual(['agent.enabled'])
    expect((await logOf(all.id)).map(({ type }) => type)).toEqual(CATALOG.map(({ type }) => type).reverse())
  })

  it('of an event below belongs to the destination, and is shown to its company alone', async () => {
    const above = await make({ includeDescendants: true })
    const without = await make()
    await record('child')
    expect(await logOf(without.id)).toEqual([])
    const [delivery] = await logOf(above.id)
    const path = `/deliveries/${delivery?.id ?? 0}`
    expect((await call('GET', path)).status).toBe(200)
    expect((await call('GET', path, undefined, { token: tokens.child })).status).toBe(404)
    expect((await call('GET', path, undefined, { token: tokens.root })).status).toBe(200)
  })

  it('stays in the log after its destination is deleted, but cannot be resent', async () => {
    const destination = await make()
    await record()
    const [delivery] = await logOf(destination.id)
    await settled(delivery?.id ?? 0)
    await call('DELETE', `/destinations/${destination.id}`)
    expect(await logOf(destination.id)).toHaveLength(1)
    const answer = await call('POST', `/deliveries/${delivery?.id ?? 0}/resend`)
    expect([answer.status, answer.body.code]).toEqual([404, 'ERR_DESTINATION_NOT_FOUND'])
  })
})

describe('the delivery log', () => {
  it('is read page by page, the newest first, each delivery once', async () => {
    const { id } = await make()
    for (let index = 0; index < 5; index += 1) await record()
    const all = (await logOf(id)).map((delivery) => delivery.id)
    expect(all).toEqual([...all].sort((one, other) => other - one))
    expect(all).toHaveLength(5)
    const pages: number[][] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { body }: Answer<DeliveryPage> = await call('GET', `/deliveries?destinationId=${id}&limit=2${from}`)
      pages.push(body.items.map((delivery) => delivery.id))
      // New deliveries during the walk belong before the first page.
      await record()
      cursor = body.nextCursor
    }
    expect(pages).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)])
    const whole = await call<DeliveryPage>('GET', `/deliveries?destinationId=${id}&limit=8`)
    expect([whole.body.items.length, whole.body.nextCursor]).toEqual([8, null])
  })

  it('filters deliveries by the parameters of the request', async () => {
    const destination = await make()
    respond(destination, (attempt) => answering(attempt === 1 ? 404 : 200))
    await record()
    const [failed] = await logOf(destination.id)
    expect((await settled(failed?.id ?? 0)).status).toBe('failed')
    const tested = await call<Delivery>('POST', `/destinations/${destination.id}/test`)
    await settled(tested.body.id)
    const found = async (query: string): Promise<number[]> => {
      const path = `/deliveries?destinationId=${destination.id}${query}`
      return (await call<DeliveryPage>('GET', path)).body.items.map(({ id }) => id)
    }
    expect(await found('')).toEqual([tested.body.id, failed?.id])
    expect(await found('&status=failed')).toEqual([failed?.id])
    expect(await found('&status=succeeded')).toEqual([tested.body.id])
    expect(await found('&status=pending')).toEqual([])
    expect(await found('&type=run.started')).toEqual([tested.body.id])
    expect(await found('&type=run.completed&status=failed')).toEqual([failed?.id])
    expect(await found('&type=run.completed&status=succeeded')).toEqual([])
    const others = (await call<DeliveryPage>('GET', '/deliveries?destinationId=999999')).body
    expect(others).toEqual({ items: [], nextCursor: null })
  })

  it.each([
    'limit=0',
    'limit=501',
    'limit=x',
    'status=done',
    'type=agent.updated',
    'destinationId=0',
    'cursor=abc',
    'cursor=-1',
    'cursor=',
    'limit=1&limit=2',
  ])('is not shown for %s', async (query) => {
    const answer = await call('GET', `/deliveries?${query}`)
    const [field = ''] = query.split('=')
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringMatching(new RegExp(`^${field}: `))])
  })
})

describe('the webhooks part of the API', () => {
  it('can be mounted alone', async () => {
    const handler = createHttpHandler(server.engine, { apis: ['events'] })
    const get = async (path: string): Promise<number> => (await handler(new Request(`http://host${path}`))).status
    expect(await get(`${BASE}/catalog`)).toBe(401)
    expect(await get(`${BASE}/deliveries`)).toBe(401)
    expect([await get('/context'), await get('/tenant/users')]).toEqual([404, 404])
    const others = createHttpHandler(server.engine, { apis: ['assistant', 'tenant'] })
    expect((await others(new Request(`http://host${BASE}/catalog`))).status).toBe(404)
  })
})

function signature(secret: string, text: string): string {
  return `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`
}
