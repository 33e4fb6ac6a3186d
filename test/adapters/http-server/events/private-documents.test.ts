import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MemoryHttpTransport } from '../../../../adapters/memory/index.js'
import type { Delivery, DeliveryPage, DeliveryWithAttempts } from '../../../../src/index.js'
import { fileForm, NEW_CONTEXT, startServer, type TestServer } from '../server.js'

const DOCUMENT_EVENTS = ['document.completed', 'document.failed']
const [GOOD, BAD] = ['dismissals-of-may.txt', 'salaries.txt']

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const received: Received[] = []
/** A receiver on a real socket. */
const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', (piece: Buffer) => {
    body += piece.toString()
  })
  request.on('end', () => {
    received.push({ headers: request.headers, body })
    // A receiver that answers with what it got shows it in the log of deliveries.
    response.end(body)
  })
})

/** Sends the bytes to the receiver: the transport of the engine sends by https alone, to addresses that are public. */
const transport = new MemoryHttpTransport()
transport.respond = async ({ headers, body }) => {
  const { port } = receiver.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: Buffer.from(body) })
  return { kind: 'response', httpStatus: response.status, body: new Uint8Array(await response.arrayBuffer()) }
}

let server: TestServer

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  server = await startServer({}, undefined, { httpTransport: transport })
})

afterAll(async () => {
  await server.close()
  await new Promise((resolve) => receiver.close(resolve))
})

it('somebody with webhook:manage alone learns no name, size or error of a document in a private context', async () => {
  const { administration, owner } = server.engine
  const { companyId } = owner
  const capabilities = ['webhook:manage']
  await administration.roles.create({ name: 'Webhooks', applications: ['tenant'], capabilities, companyId })
  const roles = [{ application: 'tenant', role: 'Webhooks' }]
  const { user } = await administration.ensureUser({ externalId: 'hooks', companyId, roles })
  const key = await administration.apiKeys.create({ companyId, userId: user.id, targets: ['tenant'] })
  const token = await server.token('tenant', key)
  const json = { url: 'https://receiver.example.com/hook', eventTypes: DOCUMENT_EVENTS }
  const made = await server.request<{ id: number }>('POST', '/v1/outbound-webhooks/destinations', { token, json })
  expect(made.status).toBe(201)

  const assistant = await server.token('assistant')
  const context = await server.request<{ id: number }>('POST', '/context', { token: assistant, json: NEW_CONTEXT })
  const contextId = context.body.id
  const { documents } = server.engine.as(owner)
  const uuids: string[] = []
  for (const [name, content] of [
    [GOOD, 'Ada and Grace leave in May.'],
    [BAD, ' '],
  ] as const) {
    const body = fileForm(name, content)
    const { body: uuid } = await server.request<string>('POST', `/context/upload/${contextId}`, {
      token: assistant,
      body,
    })
    uuids.push(uuid)
    await documents.whenProcessed(uuid).catch(() => undefined)
  }
  const records = await documents.list(contextId)
  const failure = records.find(({ error }) => error !== null)?.error ?? ''
  expect(failure).not.toBe('')

  const list = async (): Promise<readonly Delivery[]> =>
    (await server.request<DeliveryPage>('GET', '/v1/outbound-webhooks/deliveries', { token })).body.items
  await expect
    .poll(async () => (await list()).map(({ status }) => status), { timeout: 20_000 })
    .toEqual(['succeeded', 'succeeded'])
  const bodies = received.map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> })
  expect(bodies.map(({ type }) => type).toSorted()).toEqual(DOCUMENT_EVENTS)
  expect(
    bodies.map(({ data }) => data).toSorted((one, other) => Number(one['docId']) - Number(other['docId'])),
  ).toEqual([
    { contextId, docId: 1, uuid: uuids[0] },
    { contextId, docId: 2, uuid: uuids[1] },
  ])
  const log: unknown[] = [await list()]
  for (const { id } of await list()) {
    log.push(
      (await server.request<DeliveryWithAttempts>('GET', `/v1/outbound-webhooks/deliveries/${id}`, { token })).body,
    )
  }
  const audit = await server.request('GET', '/tenant/audit', { token })
  const events = server.telemetry.events
  const seen = JSON.stringify([received, log, audit.body, events])
  for (const secret of [GOOD, BAD, 'dismissals', 'salaries', failure]) expect(seen).not.toContain(secret)
})
