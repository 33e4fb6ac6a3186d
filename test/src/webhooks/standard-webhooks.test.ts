import { Webhook } from 'standardwebhooks'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { type HostWebhookEvent, type VerifyWebhookOptions, verifyWebhook } from '../../../src/webhooks/index.js'
import { EVENT_DATA } from '../../event-data.js'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const NOW = new Date('2026-01-02T03:04:05.000Z')
const EVENT = {
  id: 'evt_1',
  version: 'v1',
  type: 'run.completed',
  event_category: 'run',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: EVENT_DATA['run.completed'],
}
const BODY = JSON.stringify(EVENT)

/** The headers that the official library makes. */
function headersAt(time: Date, body = BODY, secret = SECRET): Record<string, string> {
  return {
    'webhook-id': EVENT.id,
    'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(EVENT.id, time, body),
  }
}

async function verify(headers: Record<string, string>, options: VerifyWebhookOptions = {}, secret = SECRET) {
  return await verifyWebhook(BODY, headers, secret, { scheme: 'standard', now: NOW, ...options })
}

const REFUSED = { code: 'ERR_WEBHOOK_SIGNATURE' }

describe('verifyWebhook with the scheme standard', () => {
  it('accepts what the official library has signed, with or without the prefix of the secret', async () => {
    expect(await verify(headersAt(NOW))).toEqual(EVENT)
    expect(await verify(headersAt(NOW), {}, SECRET.slice('whsec_'.length))).toEqual(EVENT)
    expect(await verifyWebhook(BODY, new Headers(headersAt(NOW)), SECRET, { scheme: 'standard', now: NOW })).toEqual(
      EVENT,
    )
  })

  it('accepts one of several signatures, and ignores those of other versions', async () => {
    const headers = headersAt(NOW)
    const [right, other] = [headers['webhook-signature'], `v1,${Buffer.alloc(32).toString('base64')}`]
    expect(await verify({ ...headers, 'webhook-signature': `v2,abc ${other} ${right}` })).toEqual(EVENT)
    for (const none of [other, `v1a,${right?.slice(3)}`, 'v1,!!!', 'v1,AAAA', '', right?.slice(3) ?? '']) {
      await expect(verify({ ...headers, 'webhook-signature': none })).rejects.toMatchObject(REFUSED)
    }
  })

  it('computes one signature for each secret, however many the header has', async () => {
    const headers = headersAt(NOW)
    const others = Array.from({ length: 300 }, (_, byte) => `v1,${Buffer.alloc(32, byte).toString('base64')}`)
    const sign = vi.spyOn(crypto.subtle, 'sign')
    const verified = vi.spyOn(crypto.subtle, 'verify')
    const signature = [...others, headers['webhook-signature']].join(' ')
    const secrets = ['whsec_AAAA', SECRET]
    const options = { scheme: 'standard', now: NOW } as const
    expect(await verifyWebhook(BODY, { ...headers, 'webhook-signature': signature }, secrets, options)).toEqual(EVENT)
    const forged = { ...headers, 'webhook-signature': others.join(' ') }
    await expect(verifyWebhook(BODY, forged, secrets, options)).rejects.toMatchObject(REFUSED)
    expect(sign.mock.calls.length + verified.mock.calls.length).toBe(4)
    vi.restoreAllMocks()
  })

  it.each([
    [-300, true],
    [300, true],
    [-301, false],
    [301, false],
  ])('decides about a time that differs by %d s', async (seconds, isAccepted) => {
    const verified = verify(headersAt(new Date(NOW.getTime() + seconds * 1_000)))
    if (isAccepted) await expect(verified).resolves.toEqual(EVENT)
    else await expect(verified).rejects.toMatchObject(REFUSED)
  })

  it('takes the tolerance of the receiver', async () => {
    const headers = headersAt(new Date(NOW.getTime() - 3_600_000))
    expect(await verify(headers, { toleranceSeconds: 3_600 })).toEqual(EVENT)
    await expect(verify(headers, { toleranceSeconds: 3_599 })).rejects.toMatchObject(REFUSED)
    for (const toleranceSeconds of [-1, Number.NaN]) {
      const code = { code: 'ERR_INVALID_INPUT', field: 'toleranceSeconds' }
      await expect(verify(headers, { toleranceSeconds })).rejects.toMatchObject(code)
    }
  })

  it('refuses another id, time, body or secret, and each missing header', async () => {
    const headers = headersAt(NOW)
    const later = String(Number(headers['webhook-timestamp']) + 1)
    for (const changed of [{ 'webhook-id': 'evt_2' }, { 'webhook-timestamp': later }]) {
      await expect(verify({ ...headers, ...changed })).rejects.toMatchObject(REFUSED)
    }
    await expect(verify(headersAt(NOW, `${BODY} `))).rejects.toMatchObject(REFUSED)
    await expect(verify(headers, {}, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSx')).rejects.toMatchObject(REFUSED)
    for (const name of Object.keys(headers)) {
      const { [name]: _missing, ...rest } = headers
      await expect(verify(rest)).rejects.toThrow(`the header ${name} is missing`)
    }
    for (const time of ['soon', '', '-1', '1.5', '99999999999999']) {
      await expect(verify({ ...headers, 'webhook-timestamp': time })).rejects.toMatchObject(REFUSED)
    }
  })

  it('names a secret that is no base64, and an unknown scheme', async () => {
    const field = { code: 'ERR_INVALID_INPUT', field: 'secret' }
    await expect(verify(headersAt(NOW), {}, 'whsec_!')).rejects.toMatchObject(field)
    const scheme = { scheme: 'other' as 'standard' }
    await expect(verify(headersAt(NOW), scheme)).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'scheme' })
  })

  it('narrows to types of the sending application that the receiver names', async () => {
    interface Shop {
      readonly 'order.created': { readonly orderId: number }
    }
    const event = await verifyWebhook<Shop>(BODY, headersAt(NOW), SECRET, { scheme: 'standard', now: NOW })
    if (event.type === 'order.created') {
      expectTypeOf(event).toEqualTypeOf<HostWebhookEvent<Shop>>()
      expectTypeOf(event.data.orderId).toEqualTypeOf<number>()
    }
    expect(event.type).toBe('run.completed')
  })
})
