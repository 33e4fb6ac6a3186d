import assert from 'node:assert/strict'
import {
  type HttpOutcome,
  type HttpTransport,
  MAX_RESPONSE_BODY_BYTES,
  MAX_RETRY_AFTER_LENGTH,
} from '../../src/ports/index.js'
import { type CreateSubject, defineSuite, rejectsWith, type TestRunner } from './harness.js'

/** A request as the receiver read it. */
export interface ReceivedPost {
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Uint8Array
}

/** A transport, a receiver that it may contact, and a destination that it must not contact. */
export interface HttpTransportUnderTest extends HttpTransport {
  /** URL of the receiver. */
  readonly url: string
  /** A destination that must not be contacted. Best choose one where a receiver would accept a request. */
  readonly refusedUrl: string
  /** Every request so far, including those to the refused destination. */
  received(): readonly ReceivedPost[]
  /** Sets the answer of the receiver from now on. Default: 200 without a body. */
  respondWith(
    response: { readonly httpStatus: number; readonly body?: Uint8Array; readonly retryAfter?: string } | 'never',
  ): void
}

/** Tests for every HttpTransport: it sends each request unchanged, once, and only to permitted destinations. */
export function httpTransportSuite(
  runner: TestRunner,
  name: string,
  create: CreateSubject<HttpTransportUnderTest>,
): void {
  defineSuite(runner, `HttpTransport: ${name}`, create, (test) => {
    const headers = { 'content-type': 'application/json', 'x-service-event': 'run.started' }
    const body = new TextEncoder().encode('{"name":"Zoë ✅ 東京"}\n')
    const post = async (transport: HttpTransportUnderTest, options?: { signal: AbortSignal }): Promise<HttpOutcome> =>
      await transport.post({ url: transport.url, headers, body }, options)

    test('sends headers and body unchanged and returns the response', async (transport) => {
      transport.respondWith({ httpStatus: 201, body: new TextEncoder().encode('thanks') })
      const outcome = await post(transport)
      assert.equal(outcome.kind, 'response')
      assert.equal(outcome.httpStatus, 201)
      assert.equal(new TextDecoder().decode(outcome.body), 'thanks')
      const [received, ...others] = transport.received()
      assert.equal(others.length, 0)
      assert.deepEqual(new Uint8Array(received?.body ?? []), body)
      for (const [header, value] of Object.entries(headers)) assert.equal(received?.headers[header], value)
    })

    test('sends an empty body and a body of any bytes', async (transport) => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256)
      for (const sent of [new Uint8Array(), bytes]) {
        assert.equal((await transport.post({ url: transport.url, headers, body: sent })).kind, 'response')
        assert.deepEqual(new Uint8Array(transport.received().at(-1)?.body ?? [1]), sent)
      }
    })

    for (const httpStatus of [204, 301, 302, 307, 308, 400, 410, 429, 500, 503]) {
      test(`sends a request once if the response is ${httpStatus}`, async (transport) => {
        transport.respondWith({ httpStatus })
        const outcome = await post(transport)
        assert.equal(outcome.kind === 'response' && outcome.httpStatus, httpStatus)
        assert.equal(transport.received().length, 1)
      })
    }

    test('returns the beginning of a long response body', async (transport) => {
      const long = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251)
      transport.respondWith({ httpStatus: 200, body: long })
      const outcome = await post(transport)
      assert.ok(outcome.kind === 'response')
      assert.deepEqual(new Uint8Array(outcome.body), long.slice(0, MAX_RESPONSE_BODY_BYTES))
    })

    test('returns the header retry-after as it was received, and cuts a long one', async (transport) => {
      const received = async (retryAfter?: string): Promise<string | undefined> => {
        transport.respondWith({ httpStatus: 503, ...(retryAfter !== undefined && { retryAfter }) })
        const outcome = await post(transport)
        assert.ok(outcome.kind === 'response')
        return outcome.retryAfter
      }
      assert.equal(await received(), undefined)
      for (const value of ['120', 'Fri, 02 Jan 2026 04:04:05 GMT', 'soon']) assert.equal(await received(value), value)
      assert.equal(await received('9'.repeat(1_000)), '9'.repeat(MAX_RETRY_AFTER_LENGTH))
    })

    test('vets a destination and returns its URL in a canonical form', async (transport) => {
      const vetted = await transport.vetDestination(transport.url)
      assert.equal(await transport.vetDestination(vetted), vetted)
      assert.equal(await transport.vetDestination(transport.url.replace('https:', 'HTTPS:')), vetted)
      assert.equal(transport.received().length, 0)
      assert.equal((await transport.post({ url: vetted, headers, body })).kind, 'response')
    })

    test('calls beforeLookUp before it resolves a name, but not for a URL that is refused by its form', async (transport) => {
      const reason = new Error('not now')
      const beforeLookUp = (): Promise<void> => Promise.reject(reason)
      await assert.rejects(transport.vetDestination('https://hooks.example.com/', { beforeLookUp }), reason)
      await rejectsWith('ERR_INVALID_INPUT', transport.vetDestination('http://hooks.example.com/', { beforeLookUp }))
      assert.equal(transport.received().length, 0)
    })

    test('refuses a URL that cannot be a destination', async (transport) => {
      for (const url of [
        '',
        'hooks',
        'http://hooks.example.com/',
        'file:///etc/passwd',
        'gopher://hooks.example.com/',
      ]) {
        await rejectsWith('ERR_INVALID_INPUT', transport.vetDestination(url))
        assert.equal((await transport.post({ url, headers, body })).kind, 'blocked')
      }
    })

    test('sends nothing to a destination that must not be contacted', async (transport) => {
      await rejectsWith('ERR_DESTINATION_REFUSED', transport.vetDestination(transport.refusedUrl))
      const outcome = await transport.post({ url: transport.refusedUrl, headers, body })
      assert.ok(outcome.kind === 'blocked')
      assert.notEqual(outcome.error, '')
      assert.equal(transport.received().length, 0)
    })

    test('rejects an aborted request with the reason of its signal', async (transport) => {
      const reason = new Error('stopped')
      await assert.rejects(transport.vetDestination(transport.url, { signal: AbortSignal.abort(reason) }), reason)
      await assert.rejects(post(transport, { signal: AbortSignal.abort(reason) }), reason)
      assert.equal(transport.received().length, 0)
      transport.respondWith('never')
      const stopping = new AbortController()
      const sending = post(transport, { signal: stopping.signal })
      setTimeout(() => stopping.abort(reason), 100)
      await assert.rejects(sending, reason)
    })

    test('aborts requests in progress when it is closed, and sends no more', async (transport) => {
      transport.respondWith('never')
      const sending = post(transport)
      await new Promise((resolve) => setTimeout(resolve, 100))
      await transport.close()
      assert.equal((await sending).kind, 'connection_error')
      const sent = transport.received().length
      assert.equal((await post(transport)).kind, 'connection_error')
      assert.equal(transport.received().length, sent)
      await rejectsWith('ERR_CLOSED', transport.vetDestination(transport.url))
      await transport.close()
    })
  })
}
