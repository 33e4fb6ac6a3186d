import { createHmac } from 'node:crypto'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryClock, MemoryStorage } from '../../../adapters/memory/index.js'
import type { DestinationInput, DestinationWithSecret } from '../../../src/index.js'
import type { HttpPost } from '../../../src/ports/index.js'
import { signStandard, verifyWebhook } from '../../../src/webhooks/index.js'
import { type OutboxEngine, outboxEngine } from './outbox-engine.js'

const HOUR_MS = 3_600_000

let relay: OutboxEngine
let clock: MemoryClock

beforeEach(async () => {
  clock = new MemoryClock(new Date())
  relay = await outboxEngine(new MemoryStorage(), { clock })
})

afterEach(async () => {
  await relay.engine.close()
})

async function add(changes: Partial<DestinationInput> = {}): Promise<DestinationWithSecret> {
  const { destinations } = relay.engine.administration
  return await destinations.create({ url: 'https://hooks.example.com/', eventTypes: null, ...changes })
}

/** Records an event. @returns the request of its delivery */
async function sent(): Promise<HttpPost> {
  await relay.record()
  await relay.whenSettled()
  const request = relay.httpTransport.requests.at(-1)
  if (request === undefined) throw new Error('nothing was sent')
  return request
}

/** Verifies a request with the official library. @throws WebhookVerificationError */
function official({ headers, body }: HttpPost, secret: string): unknown {
  return new Webhook(secret).verify(Buffer.from(body).toString(), { ...headers })
}

// D21
describe('the signature of a destination', () => {
  it('is that of the specification by default: these headers, and no others', async () => {
    const { secret, signatureScheme, retry } = await add()
    expect([signatureScheme, retry]).toEqual(['service', 'standard'])
    const { id, timestamp } = await relay.record(7)
    await relay.whenSettled()
    const [request] = relay.httpTransport.requests
    const body = `{"id":"${id}","version":"v1","type":"agent.deleted","event_category":"agent","timestamp":"${timestamp}","data":{"agentId":7}}`
    expect(Buffer.from(request?.body ?? []).toString()).toBe(body)
    expect(Object.entries(request?.headers ?? {})).toEqual([
      ['content-type', 'application/json'],
      ['x-service-event', 'agent.deleted'],
      ['x-service-signature', `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`],
    ])
  })

  it('is that of Standard Webhooks for a destination that asks for it, and the official library verifies it', async () => {
    const { secret } = await add({ signatureScheme: 'standard' })
    const request = await sent()
    expect(Object.keys(request.headers)).toEqual([
      'content-type',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ])
    const event = official(request, secret) as { id: string; type: string }
    expect(event.type).toBe('agent.deleted')
    expect(request.headers['webhook-id']).toBe(event.id)
    expect(await verifyWebhook(request.body, request.headers, secret, { scheme: 'standard' })).toEqual(event)
    const tampered = { ...request, body: Buffer.from(`${Buffer.from(request.body).toString()} `) }
    expect(() => official(tampered, secret)).toThrow(WebhookVerificationError)
  })

  it('is both for a destination that asks for both', async () => {
    const { secret } = await add({ signatureScheme: 'both' })
    const request = await sent()
    expect(official(request, secret)).toEqual(await verifyWebhook(request.body, request.headers, secret))
    expect(request.headers['x-service-event']).toBe('agent.deleted')
  })

  it('has the time of each attempt, and the same id: a repetition hours later is fresh', async () => {
    const { secret } = await add({ signatureScheme: 'standard' })
    await sent()
    clock.advance(30 * HOUR_MS)
    await relay.engine.administration.deliveries.resend(1)
    await relay.whenSettled()
    const [first, second] = relay.httpTransport.requests
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(Number(second?.headers['webhook-timestamp'])).toBe(Math.floor(clock.now().getTime() / 1_000))
    const options = { scheme: 'standard', now: clock.now() } as const
    const { headers = {}, body = new Uint8Array() } = second ?? {}
    await expect(verifyWebhook(body, headers, secret, options)).resolves.toMatchObject({ type: 'agent.deleted' })
  })

  it('changes with the destination, also for deliveries that wait', async () => {
    const { id, url } = await add()
    const { destinations } = relay.engine.administration
    const changed = await destinations.update(id, { url, eventTypes: null, signatureScheme: 'standard', retry: 'long' })
    expect(changed).toMatchObject({ signatureScheme: 'standard', retry: 'long' })
    expect((await sent()).headers).not.toHaveProperty('x-service-signature')
    // Members that an update leaves out stay.
    expect(await destinations.update(id, { url, eventTypes: ['run.failed'] })).toMatchObject({ retry: 'long' })
  })
})

describe('a signing secret', () => {
  it('is decoded by the official library, whatever the scheme, and has no character to quote', async () => {
    for (let count = 0; count < 60; count += 1) {
      const { secret } = await add({ url: `https://hook-${count}.example.com/` })
      expect(secret).toMatch(/^whsec_[A-Za-z0-9]{44}$/)
      const timestamp = new Date(Math.floor(Date.now() / 1_000) * 1_000)
      const headers = await signStandard(
        { id: 'evt_1', timestampSeconds: timestamp.getTime() / 1_000, body: Buffer.from('{}') },
        [secret],
      )
      expect(headers['webhook-signature']).toBe(new Webhook(secret).sign('evt_1', timestamp, '{}'))
    }
  })

  // D22
  it('signs beside the new one after a rotation, for 24 hours by default', async () => {
    const { id, secret: old } = await add({ signatureScheme: 'both' })
    const { secret, previousSecretExpires } = await relay.engine.administration.destinations.rotateSecret(id)
    expect(secret).not.toBe(old)
    expect(previousSecretExpires).toBe(new Date(clock.now().getTime() + 24 * HOUR_MS).toISOString())
    const during = await sent()
    for (const each of [secret, old]) expect(official(during, each)).toMatchObject({ type: 'agent.deleted' })
    // The specification's header has one signature, which always has the new secret.
    await expect(verifyWebhook(during.body, during.headers, secret)).resolves.toBeDefined()
    await expect(verifyWebhook(during.body, during.headers, old)).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_SIGNATURE',
    })

    clock.advance(24 * HOUR_MS)
    const after = await sent()
    const options = { scheme: 'standard', now: clock.now() } as const
    await expect(verifyWebhook(after.body, after.headers, secret, options)).resolves.toBeDefined()
    await expect(verifyWebhook(after.body, after.headers, old, options)).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_SIGNATURE',
    })
    expect(await relay.engine.administration.destinations.get(id)).toMatchObject({ previousSecretExpires: null })
  })

  // D22
  it('signs for as long as a rotation says, and a second rotation ends the oldest secret', async () => {
    const { destinations } = relay.engine.administration
    const { id, url, secret: first } = await add({ signatureScheme: 'standard' })
    const { secret: second } = await destinations.rotateSecret(id, { overlapHours: 2 })
    const { secret: third, previousSecretExpires } = await destinations.rotateSecret(id, { overlapHours: 1 })
    expect(previousSecretExpires).toBe(new Date(clock.now().getTime() + HOUR_MS).toISOString())
    const request = await sent()
    expect(() => official(request, first)).toThrow(WebhookVerificationError)
    for (const each of [second, third]) expect(official(request, each)).toBeDefined()
    const { secret: last } = await destinations.rotateSecret(id, { overlapHours: 0 })
    const next = await sent()
    expect(next.headers['webhook-signature']?.split(' ')).toHaveLength(1)
    expect(official(next, last)).toBeDefined()
    await destinations.rotateSecret(id)
    // The scheme of the specification has one signature, so an old secret has no use.
    await destinations.update(id, { url, eventTypes: null, signatureScheme: 'service' })
    await destinations.update(id, { url, eventTypes: null, signatureScheme: 'standard' })
    expect((await sent()).headers['webhook-signature']?.split(' ')).toHaveLength(1)
  })

  // D22
  it('does not sign after the clock was set back by more than the longest overlap', async () => {
    const { destinations } = relay.engine.administration
    const { id, secret: old } = await add({ signatureScheme: 'standard' })
    const { secret } = await destinations.rotateSecret(id)
    clock.advance(-30 * 24 * HOUR_MS)
    expect(await destinations.get(id)).toMatchObject({ previousSecretExpires: null })
    const { headers, body } = await sent()
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(1)
    const options = { scheme: 'standard', now: clock.now() } as const
    await expect(verifyWebhook(body, headers, secret, options)).resolves.toBeDefined()
    await expect(verifyWebhook(body, headers, old, options)).rejects.toMatchObject({ code: 'ERR_WEBHOOK_SIGNATURE' })
  })

  it('of the scheme service has no overlap', async () => {
    const { destinations } = relay.engine.administration
    const { id } = await add()
    for (const overlapHours of [24, -1, 1.5, 169]) {
      await expect(destinations.rotateSecret(id, { overlapHours })).rejects.toMatchObject({
        code: 'ERR_INVALID_INPUT',
        field: 'overlapHours',
      })
    }
    expect(await destinations.rotateSecret(id, { overlapHours: 0 })).toMatchObject({ previousSecretExpires: null })
    expect(await destinations.rotateSecret(id)).toMatchObject({ previousSecretExpires: null })
  })
})
