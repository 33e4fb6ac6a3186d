import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Delivery, DestinationWithSecret } from '../../../../src/index.js'
import type { Answer } from '../check-answer.js'
import { type Problem, startServer, type TestServer } from '../server.js'

const PATH = '/v1/outbound-webhooks/destinations'
/** The names that this network resolves. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'public.example.com': ['8.8.8.8'],
  'wiki.example.com': ['10.1.2.3'],
  'both.example.com': ['8.8.8.8', '192.168.0.1'],
}

let server: TestServer

beforeAll(async () => {
  const resolver = async (hostname: string): Promise<readonly string[]> => {
    const found = ADDRESSES[hostname]
    if (found === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
    return found
  }
  const limits = { destinationChangesPerMinute: 4, testEventsPerMinute: 2, resendsPerMinute: 3 }
  server = await startServer({}, undefined, { webhooks: { resolver }, limits, roles: ['ingest'] })
})

afterAll(async () => {
  await server.close()
})

/** A company of its own, with a token. */
async function newCompany(): Promise<string> {
  const { companies, apiKeys } = server.engine.administration
  const { id: companyId } = await companies.create({ name: 'Company', parentId: 1 })
  return await server.token('tenant', await apiKeys.create({ companyId, targets: ['tenant'] }))
}

async function create(token: string, url: string): Promise<Answer<DestinationWithSecret & Problem>> {
  return await server.request('POST', PATH, { token, json: { url, eventTypes: null } })
}

// A65
describe('the answer to a tenant about names in the operator’s network', () => {
  it('is the same for a name that does not resolve and for one that is not public', async () => {
    const token = await newCompany()
    const names = ['unknown.example.com', 'wiki.example.com', 'both.example.com']
    const answers = await Promise.all(names.map(async (name) => await create(token, `https://${name}/hook`)))
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([400, answers[0]?.body])
      expect(body.code).toBe('ERR_DESTINATION_REFUSED')
      expect(body.reason).toEqual({ code: 'name-not-resolved-to-public', parameters: {} })
      expect(body.detail).toContain('the name does not resolve to public addresses: use a name')
    }
  })

  it('is also the same when a destination is changed', async () => {
    const token = await newCompany()
    const { body } = await create(token, 'https://public.example.com/hook')
    const change = async (name: string): Promise<Answer<Problem>> => {
      const json = { url: `https://${name}/hook`, eventTypes: null }
      return await server.request('PUT', `${PATH}/${body.id}`, { token, json })
    }
    const [unknown, internal] = [await change('unknown.example.com'), await change('wiki.example.com')]
    expect([unknown.status, unknown.body]).toEqual([400, internal.body])
  })

  it('differs for the two names in the operator’s log, and for the host', async () => {
    const token = await newCompany()
    const before = server.telemetry.events.length
    await create(token, 'https://unknown.example.com/hook')
    await create(token, 'https://wiki.example.com/hook')
    const logged = server.telemetry.events.slice(before).filter(({ name }) => name === 'destination.refused')
    expect(logged.map(({ level, fields }) => [level, fields?.['reason']])).toEqual([
      ['warn', 'does not resolve'],
      ['warn', 'not public'],
    ])
    expect(String((logged[1]?.error as Error).cause)).toContain('wiki.example.com resolves to "10.1.2.3"')
    const { destinations } = server.engine.administration
    const make = async (name: string) => await destinations.create({ url: `https://${name}/`, eventTypes: null })
    await expect(make('unknown.example.com')).rejects.toThrow('does not resolve (ENOTFOUND)')
    await expect(make('wiki.example.com')).rejects.toThrow('resolves to an address that')
  })

  it('is the exact reason when the URL itself is wrong', async () => {
    const token = await newCompany()
    for (const [url, detail, reason] of [
      ['https://10.1.2.3/', '10.1.2.3', { code: 'address-not-public', parameters: { address: '10.1.2.3' } }],
      ['https://localhost/', 'localhost', { code: 'local-name', parameters: { name: 'localhost' } }],
      ['http://public.example.com/', 'https://', { code: 'not-https', parameters: {} }],
    ] as const) {
      const { status, body } = await create(token, url)
      expect([status, body.detail, body.reason]).toEqual([400, expect.stringContaining(detail), reason])
    }
  })
})

// A66
describe('a company, in one minute', () => {
  it('creates and changes only a limited number of destinations, refused ones included, without effect on another company', async () => {
    const token = await newCompany()
    const { body } = await create(token, 'https://public.example.com/1')
    expect((await create(token, 'https://wiki.example.com/2')).status).toBe(400)
    const answers = await Promise.all([3, 4, 5, 6, 7].map((n) => create(token, `https://public.example.com/${n}`)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 429, 429, 429])
    const json = { url: 'https://public.example.com/8', eventTypes: null }
    const refused = await server.request<Problem>('PUT', `${PATH}/${body.id}`, { token, json })
    expect([refused.status, refused.body.code]).toEqual([429, 'ERR_THROTTLED'])
    expect(refused.body.detail).toMatch(/may create or change destinations at most 4 times a minute: retry in \d+ s/)
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect((await create(await newCompany(), 'https://public.example.com/1')).status).toBe(201)
    server.clock.advance(seconds * 1_000)
    const repeated = await server.request('PUT', `${PATH}/${body.id}`, { token, json })
    expect(repeated.status).toBe(200)
  })

  it('sends only a limited number of test events and resends; the refused ones are not queued', async () => {
    const token = await newCompany()
    const { body: destination } = await create(token, 'https://public.example.com/hook')
    const tests = await Promise.all(
      [1, 2, 3, 4].map(() => server.request<Delivery>('POST', `${PATH}/${destination.id}/test`, { token })),
    )
    expect(tests.map(({ status }) => status).toSorted()).toEqual([202, 202, 429, 429])
    const delivery = tests.find(({ status }) => status === 202)?.body
    const path = `/v1/outbound-webhooks/deliveries`
    const resends = await Promise.all(
      [1, 2, 3, 4, 5].map(() => server.request('POST', `${path}/${delivery?.id}/resend`, { token })),
    )
    expect(resends.map(({ status }) => status).toSorted()).toEqual([202, 202, 202, 429, 429])
    const { body } = await server.request<{ items: Delivery[] }>('GET', path, { token })
    expect(body.items).toHaveLength(5)
  })
})
