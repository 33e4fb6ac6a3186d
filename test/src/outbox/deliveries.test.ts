import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HttpsTransport, type HttpsTransportOptions } from '../../../adapters/https-transport/index.js'
import type { DestinationInput, DestinationWithSecret } from '../../../src/index.js'
import { EVENT_TYPES, type EventData, signBody, verifyWebhook } from '../../../src/webhooks/index.js'
import { type Receiver, type Respond, startReceiver, status } from '../../adapters/https-transport/receiver.js'
import { EVENT_DATA } from '../../event-data.js'
import { runningTime } from '../../running-time.js'
import { DATABASES, type TestDatabase } from './database.js'
import { type OutboxEngine, outboxEngine } from './outbox-engine.js'

describe.each(DATABASES)('deliveries to real receivers, on $name', ({ open }) => {
  let database: TestDatabase
  let receiver: Receiver
  let relay: OutboxEngine

  async function start(options: Partial<HttpsTransportOptions> = {}): Promise<void> {
    const transport = new HttpsTransport({
      allow: ['127.0.0.0/8'],
      certificateAuthorities: [receiver.ca],
      ...options,
    })
    const opened = await outboxEngine(database.storage(), { httpTransport: transport })
    relay = opened
  }

  async function add(changes: Partial<DestinationInput> = {}): Promise<DestinationWithSecret> {
    const { destinations } = relay.engine.administration
    return await destinations.create({ url: receiver.url, eventTypes: null, ...changes })
  }

  beforeEach(async () => {
    database = await open()
    receiver = await startReceiver()
  })

  afterEach(async () => {
    await relay.engine.close()
    await receiver.close()
    await database.dispose()
  })

  // D1
  it.each([200, 204, 299])('%d succeed with one POST', async (httpStatus) => {
    await start()
    await add()
    receiver.respond = status(httpStatus)
    await relay.record()
    expect(await relay.whenSettled()).toMatchObject([{ status: 'succeeded', httpStatus, attemptCount: 1, error: null }])
    expect(receiver.requests).toHaveLength(1)
  })

  /** Creates a destination for each name; the receiver's answer to it is that of the name. */
  async function addEach(responses: ReadonlyMap<string, Respond>): Promise<void> {
    for (const name of responses.keys()) await add({ url: new URL(`/${name}`, receiver.url).href })
    receiver.respond = (request, response, count) => responses.get(request.path.slice(1))?.(request, response, count)
  }

  // D2, D3
  it('that are answered with another status fail for good with one POST', async () => {
    // The relay would reach the target of the redirect.
    await start({ resolver: async () => ['127.0.0.1'] })
    const statuses = [300, 301, 302, 304, 307, 308, 400, 401, 404, 410, 429]
    const location = receiver.urlOf('hooks.example.test')
    await addEach(new Map(statuses.map((httpStatus) => [String(httpStatus), status(httpStatus, { location })])))
    await relay.record()
    const log = await relay.whenSettled()
    expect(log.map(({ httpStatus }) => httpStatus)).toEqual(statuses)
    for (const delivery of log) {
      const code = Number(delivery.httpStatus) < 400 ? 'answered-redirect' : 'answered'
      const reason = { code, parameters: { status: delivery.httpStatus } }
      expect(delivery).toMatchObject({ status: 'failed', attemptCount: 1, reason, attempts: [{ reason }] })
      expect(delivery.error).toContain(String(delivery.httpStatus))
    }
    await new Promise((resolve) => setTimeout(resolve, 800))
    expect(receiver.connections).toHaveLength(statuses.length)
    expect(receiver.requests).toHaveLength(statuses.length)
  })

  const reset: Respond = (_request, response) => void response.socket?.destroy()
  // D4, D15
  it('that fail make three attempts, near 0.5 s and 2 s apart, each in the log', async () => {
    await start()
    await addEach(
      new Map([
        ['500', status(500)],
        ['503', status(503)],
        ['reset', reset],
      ]),
    )
    const { respond } = receiver
    const ranMs = runningTime()
    const arrivals: Arrival[] = []
    receiver.respond = (request, response, count) => {
      arrivals.push({ path: request.path, atMs: request.atMs, ranMs: ranMs() })
      respond(request, response, count)
    }
    await relay.record()
    const log = await relay.whenSettled()
    for (const [at, outcome] of ['http_error', 'http_error', 'connection_error'].entries()) {
      expect(log[at]).toMatchObject({ status: 'failed', attemptCount: 3 })
      expect(log[at]?.attempts.map((attempt) => attempt.outcome)).toEqual([outcome, outcome, outcome])
    }
    for (const name of ['500', '503', 'reset']) {
      const [first, second, third, ...more] = arrivals.filter(({ path }) => path === `/${name}`)
      expect(more).toEqual([])
      expectGap(first, second, 500)
      expectGap(second, third, 2_000)
    }
  })

  // D4
  it('make three attempts each without a listener, with an untrusted certificate, or for a name without an address', async () => {
    let isKnown = true
    await start({ resolver: async () => (isKnown ? ['127.0.0.1'] : []) })
    const deaf = await startReceiver()
    const port = deaf.port
    const stranger = await startReceiver({ certificate: 'expired' })
    await add({ url: `https://127.0.0.1:${port}/` })
    await add({ url: stranger.url })
    await add({ url: receiver.urlOf('hooks.example.test') })
    await deaf.close()
    isKnown = false
    await relay.record()
    const log = await relay.whenSettled()
    for (const delivery of log) {
      expect(delivery).toMatchObject({ status: 'failed', attemptCount: 3, httpStatus: null })
      expect(delivery.attempts.map(({ outcome }) => outcome)).toEqual(Array(3).fill('connection_error'))
    }
    expect(receiver.connections).toHaveLength(0)
    expect(stranger.requests).toHaveLength(0)
    await stranger.close()
  })

  // D5, D15
  it('succeed at the second attempt after 500, then 200; both are in the log, with the answers', async () => {
    await start()
    await add()
    receiver.respond = (_request, response, count) => {
      response.writeHead(count === 1 ? 500 : 200).end(count === 1 ? 'out of order\0' : 'thanks')
    }
    await relay.record()
    const [delivery] = await relay.whenSettled()
    expect(delivery).toMatchObject({ status: 'succeeded', httpStatus: 200, attemptCount: 2, error: null })
    expect(delivery?.attempts).toMatchObject([
      { outcome: 'http_error', httpStatus: 500, responseBody: 'out of order\uFFFD' },
      { outcome: 'success', httpStatus: 200, responseBody: 'thanks', error: null },
    ])
    expect(delivery?.attempts.every(({ durationMs }) => Number.isSafeInteger(durationMs))).toBe(true)
  })

  // D10
  it('are not slowed by a destination that hangs, which has few requests in progress', async () => {
    await start()
    const slow = await startReceiver({ respond: () => undefined })
    await add({ url: slow.url })
    await add()
    const sent = new Map<string, number>()
    receiver.respond = ({ body }, response) => {
      const { data } = JSON.parse(body.toString()) as { data: { agentId: number } }
      sent.set(String(data.agentId), performance.now())
      response.writeHead(200).end()
    }
    for (let event = 0; event < 40; event += 1) await relay.record(event)
    await receiver.whenReceived(40)
    expect(sent.size).toBe(40)
    expect(slow.requests.length).toBeGreaterThan(0)
    expect(slow.requests.length).toBeLessThanOrEqual(8)
    const log = await relay.log()
    expect(
      log.filter(({ destinationId, status: is }) => destinationId === 2 && is === 'succeeded').length,
    ).toBeGreaterThan(30)
    await slow.close()
  })

  // D11, D12, D13
  it('repeat the same bytes when they are resent, with the signature of the current secret; each is a POST of its own', async () => {
    await start()
    const destination = await add()
    const { destinations, deliveries } = relay.engine.administration
    await relay.engine.events.record({ type: 'agent.created', data: EVENT_DATA['agent.created'], companyId: 1 })
    await relay.whenSettled()
    const rotated = await destinations.rotateSecret(destination.id)
    expect(rotated.secret).not.toBe(destination.secret)
    const resends = [await deliveries.resend(1), await deliveries.resend(1)]
    await relay.whenSettled()
    expect(receiver.requests).toHaveLength(3)
    const [first, ...resent] = receiver.requests
    if (first === undefined) throw new Error('nothing was received')
    expect(await verifyWebhook(first.body, first.headers, destination.secret)).toMatchObject({
      type: 'agent.created',
      data: EVENT_DATA['agent.created'],
    })
    for (const { body, headers } of resent) {
      expect(body).toEqual(first.body)
      expect(headers['x-service-signature']).toBe(await signBody(body, rotated.secret))
      await expect(verifyWebhook(body, headers, destination.secret)).rejects.toMatchObject({
        code: 'ERR_WEBHOOK_SIGNATURE',
      })
    }
    const names = first.rawHeaders.filter((_, index) => index % 2 === 0)
    expect(names).toEqual(names.map((name) => name.toLowerCase()))
    expect(new Set(names)).toEqual(
      new Set(['host', 'connection', 'content-type', 'content-length', 'x-service-event', 'x-service-signature']),
    )
    const log = await relay.log()
    expect(log.map(({ id, resendOf, attemptCount }) => [id, resendOf, attemptCount])).toEqual([
      [1, null, 1],
      [resends[0]?.id, 1, 1],
      [resends[1]?.id, 1, 1],
    ])
  })

  // D16
  it('of each of the nine types reach a destination for all; other destinations get only their chosen types, without other rows', async () => {
    await start()
    const all = await add()
    const runs = await add({ url: `${receiver.url}/runs`, eventTypes: ['run.failed', 'run.started', 'run.failed'] })
    expect(runs.eventTypes).toEqual(['run.failed', 'run.started'])
    for (const type of EVENT_TYPES) {
      await relay.engine.events.record({ type, data: EVENT_DATA[type], companyId: 1 } as never)
    }
    const log = await relay.whenSettled()
    const typesOf = (id: number) => log.filter(({ destinationId }) => destinationId === id).map(({ type }) => type)
    expect(typesOf(all.id)).toEqual(EVENT_TYPES)
    expect(typesOf(runs.id)).toEqual(['run.started', 'run.failed'])
    expect(receiver.requests).toHaveLength(11)
    for (const { body, headers } of receiver.requests) {
      const event = JSON.parse(body.toString()) as { type: keyof EventData; data: unknown }
      expect(Object.keys(event)).toEqual(['id', 'version', 'type', 'event_category', 'timestamp', 'data'])
      expect(headers['x-service-event']).toBe(event.type)
      expect(JSON.stringify(event.data)).toBe(JSON.stringify(EVENT_DATA[event.type]))
    }
  })

  // D17
  it('to a receiver that closes after it has read the body count as a connection error, and make another attempt', async () => {
    await start()
    await add()
    receiver.respond = (_request, response, count) => {
      if (count === 1) response.socket?.end()
      else response.writeHead(204).end()
    }
    await relay.record()
    const [delivery] = await relay.whenSettled()
    expect(delivery?.attempts.map(({ outcome }) => outcome)).toEqual(['connection_error', 'success'])
    expect(receiver.requests[1]?.body).toEqual(receiver.requests[0]?.body)
  })

  // S9
  it('are blocked when an address that is public at creation is private at the second attempt, and send no byte on the socket', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.1'], ['127.0.0.2', '::1']]
    let lookUps = 0
    await start({ resolver: async () => answers[lookUps++] ?? [] })
    const trap = await startReceiver({ host: '127.0.0.2', port: receiver.port })
    await add({ url: receiver.urlOf('hooks.example.test') })
    receiver.respond = status(500)
    await relay.record()
    const [delivery] = await relay.whenSettled()
    expect(delivery).toMatchObject({ status: 'blocked', attemptCount: 2, httpStatus: null })
    expect(delivery?.attempts.map(({ outcome }) => outcome)).toEqual(['http_error', 'blocked'])
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect([receiver.connections.length, trap.connections.length, lookUps]).toEqual([1, 0, 3])
    await trap.close()
  })

  // S10
  it('look up one host once each; the host of a blocked one is looked up at the next event too', async () => {
    let lookUps = 0
    let address = '127.0.0.1'
    await start({
      resolver: async () => {
        lookUps += 1
        return [address]
      },
    })
    await add({ url: receiver.urlOf('hooks.example.test') })
    lookUps = 0
    await relay.record()
    await relay.whenSettled()
    await relay.record()
    await relay.whenSettled()
    expect(lookUps).toBe(2)
    address = '10.0.0.1'
    await relay.record()
    expect((await relay.whenSettled())[2]).toMatchObject({ status: 'blocked', attempts: [{ outcome: 'blocked' }] })
    address = '127.0.0.1'
    await relay.record()
    expect((await relay.whenSettled())[3]).toMatchObject({ status: 'succeeded' })
    expect(receiver.requests).toHaveLength(3)
  })

  // S10
  it('of a test event reach its destination alone, by the same rules', async () => {
    let address = '127.0.0.1'
    await start({ resolver: async () => [address] })
    const destination = await add({ url: receiver.urlOf('hooks.example.test'), eventTypes: ['agent.deleted'] })
    await add({ url: receiver.urlOf('other.example.test') })
    const { destinations } = relay.engine.administration
    expect(await destinations.test(destination.id)).toMatchObject({ type: 'run.started', status: 'pending' })
    await relay.whenSettled()
    expect(JSON.parse(receiver.requests[0]?.body.toString() ?? '')).toMatchObject({
      type: 'run.started',
      data: { jobKey: '00000000-0000-0000-0000-000000000000' },
    })
    address = '169.254.169.254'
    await destinations.test(destination.id)
    const log = await relay.whenSettled()
    expect(log.map(({ status: is, destinationId }) => [is, destinationId])).toEqual([
      ['succeeded', destination.id],
      ['blocked', destination.id],
    ])
    expect(receiver.connections).toHaveLength(1)
  })
})

interface Arrival {
  readonly path: string
  readonly atMs: number
  /** As {@link atMs}, without the time in which this process was paused. */
  readonly ranMs: number
}

function expectGap(from: Arrival | undefined, to: Arrival | undefined, ms: number): void {
  if (from === undefined || to === undefined) return expect.fail('a request is missing')
  expect(to.atMs - from.atMs).toBeGreaterThan(ms * 0.85 - 20)
  // The rest is the work of the relay.
  expect(to.ranMs - from.ranMs).toBeLessThan(ms * 1.15 + 700)
}
