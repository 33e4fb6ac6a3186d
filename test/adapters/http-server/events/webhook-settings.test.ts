import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { MemoryHttpTransport } from '../../../../adapters/memory/index.js'
import { CATALOG, type CatalogEntry, type Destination, type DestinationWithSecret } from '../../../../src/index.js'
import type { HttpPost } from '../../../../src/ports/index.js'
import type { Answer } from '../check-answer.js'
import { type Problem, startServer, type TestServer } from '../server.js'

const BASE = '/v1/outbound-webhooks'
const httpTransport = new MemoryHttpTransport()

let server: TestServer
let token: string

beforeAll(async () => {
  server = await startServer({}, undefined, { httpTransport })
  token = await server.token('tenant')
  await server.engine.events.define({ type: 'order.created', schema: z.object({ orderId: z.int() }) })
})

afterAll(async () => {
  await server.close()
})

let hosts = 0

async function create(json: object): Promise<Answer<DestinationWithSecret & Problem>> {
  hosts += 1
  const url = `https://settings-${hosts}.example/`
  return await server.request('POST', `${BASE}/destinations`, { token, json: { url, eventTypes: null, ...json } })
}

async function sentTo({ url }: Destination): Promise<HttpPost> {
  return await vi.waitFor(() => {
    const request = httpTransport.requests.findLast((each) => each.url === url)
    if (request === undefined) throw new Error('nothing was sent')
    return request
  })
}

describe('the settings of a destination', () => {
  it('are created, shown, changed and sent back', async () => {
    const settings = { retry: 'long', signatureScheme: 'both', eventTypes: ['order.created', 'document.completed'] }
    const { status, body } = await create(settings)
    expect([status, body]).toEqual([201, expect.objectContaining({ ...settings, disabled: false })])
    const path = `${BASE}/destinations/${body.id}`
    const read = (await server.request<Destination>('GET', path, { token })).body
    expect(read).toMatchObject(settings)
    const put = async (json: object) => await server.request<Destination & Problem>('PUT', path, { token, json })
    expect((await put(read)).body).toEqual({ ...read, updated: expect.any(String) as string })
    const disabled = await put({ ...read, disabled: true, retry: 'standard' })
    expect(disabled.body).toMatchObject({ disabled: true, disabledReason: 'manual', retry: 'standard' })
    // A destination that is sent back as it was read stays disabled.
    expect((await put(disabled.body)).body).toMatchObject({ disabled: true })
    const test = await server.request<Problem>('POST', `${path}/test`, { token })
    expect([test.status, test.body.detail]).toEqual([400, expect.stringMatching(/is disabled: enable it first$/)])
    expect((await put({ ...read, disabled: false })).body).toMatchObject({ disabled: false, disabledReason: null })
  })

  it.each([
    [{ retry: 'never' }, /^retry: must be one of "standard", "long"/],
    [{ signatureScheme: 'v1' }, /^signatureScheme: must be one of "service", "standard", "both"/],
    [{ disabled: 'yes' }, /^disabled: must be true or false/],
    [{ eventTypes: ['order.paid'] }, /^eventTypes\[0\]: order\.paid is not known/],
    [{ eventTypes: ['document.updated'] }, /^eventTypes\[0\]: must be one of "run\.started"/],
    [{ disabledReason: 'gone' }, /^disabledReason: unknown member/],
  ])('refuse %j', async (given, detail) => {
    const { status, body } = await create(given)
    expect([status, body.code, body.detail]).toEqual([400, 'ERR_INVALID_INPUT', expect.stringMatching(detail)])
  })

  it('decide the headers of a test event, which the official library verifies, during a rotation with both secrets', async () => {
    const { body: destination } = await create({ signatureScheme: 'standard' })
    const path = `${BASE}/destinations/${destination.id}`
    const rotate = async (query: string) =>
      await server.request<DestinationWithSecret & Problem>('POST', `${path}/rotate-secret${query}`, { token })
    const { body: rotated } = await rotate('?overlapHours=3')
    expect(Date.parse(rotated.previousSecretExpires ?? '') - Date.parse(rotated.updated)).toBe(3 * 3_600_000)
    const refused = await rotate('?overlapHours=0.5')
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringMatching(/^overlapHours: must be an int/)])
    expect((await server.request('POST', `${path}/test`, { token })).status).toBe(202)
    const { headers, body } = await sentTo(destination)
    // The clock of the test may differ from that of the machine, which the library reads.
    const at = new Date(Number(headers['webhook-timestamp']) * 1_000)
    const signatures = headers['webhook-signature']?.split(' ')
    const sign = (secret: string) =>
      new Webhook(secret).sign(headers['webhook-id'] ?? '', at, Buffer.from(body).toString())
    expect(signatures).toEqual([sign(rotated.secret), sign(destination.secret)])
    expect(Object.keys(headers)).not.toContain('x-service-signature')
  })
})

describe('the catalog', () => {
  it('has the nine types of the specification, and all types on request', async () => {
    const read = async (query: string) =>
      await server.request<CatalogEntry[] & Problem>('GET', `${BASE}/catalog${query}`, { token })
    for (const query of ['', '?all=false']) expect((await read(query)).body).toEqual(CATALOG)
    const { body } = await read('?all=true')
    expect(body.slice(0, 9)).toEqual(CATALOG)
    expect(body.slice(9).map(({ type, event_category }) => [type, event_category])).toEqual([
      ['document.completed', 'document'],
      ['document.failed', 'document'],
      ['document.deleted', 'document'],
      ['order.created', 'order'],
    ])
    expect(body[12]?.data).toEqual({ orderId: 'integer' })
    expect([(await read('?all=1')).status, (await read('?all=1')).body.detail]).toEqual([
      400,
      'all: must be true or false',
    ])
  })
})
