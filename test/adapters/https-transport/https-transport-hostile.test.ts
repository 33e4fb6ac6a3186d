import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HttpsTransport } from '../../../adapters/https-transport/index.js'
import type { HttpOutcome } from '../../../src/ports/index.js'
import { leastOfLongestWorkMs } from '../../ingestion/loop-stops.js'
import { testCertificates } from './certificates.js'
import { type HostileServerOptions, startHostileServer } from './hostile-server.js'
import { receiverOf, transportTo } from './local-transport.js'
import { postInChild } from './post-in-child.js'
import { raw } from './receiver.js'

const post = (url: string) => ({ url, headers: { 'x-service-event': 'run.started' }, body: new Uint8Array(9) })

interface Posting {
  readonly outcomes: readonly HttpOutcome[]
  /** The longest time for which a post blocked the event loop. */
  readonly pauseMs: number
  /** The time of the fastest post. */
  readonly leastMs: number
}

/** Posts to such a server, a few times. */
async function posting(options: HostileServerOptions, transport: HttpsTransport): Promise<Posting> {
  const server = await startHostileServer(options)
  onTestFinished(() => server.close())
  const outcomes: HttpOutcome[] = []
  let leastMs = Number.POSITIVE_INFINITY
  const pauseMs = await leastOfLongestWorkMs(async () => {
    const began = performance.now()
    outcomes.push(await transport.post(post(server.url)))
    leastMs = Math.min(leastMs, performance.now() - began)
  })
  return { outcomes, pauseMs, leastMs }
}

describe('connections that fail immediately', () => {
  it('become connection errors, and the process continues', async () => {
    // `connect` itself refuses this address, before any asynchronous work.
    const options = { allow: ['255.255.255.255'], answers: ['255.255.255.255'] }
    for (const url of ['https://hooks.example.test/', 'https://255.255.255.255/']) {
      const error = expect.stringContaining('the address cannot be reached') as string
      const reason = { code: 'address-unreachable', parameters: { system: expect.any(String) as string } }
      expect(await postInChild(url, options)).toEqual({ kind: 'connection_error', error, reason })
    }
  })
})

describe('handshakes', () => {
  // In TLS 1.2 these groups need an RSA certificate: one for an elliptic curve cannot sign their exchange.
  const pem = execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', '-', '-subj', '/CN=x'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  ).toString()

  /** Parameters of an unverified group of the largest size that OpenSSL computes with (DER of RFC 5280, by hand). */
  function hugeGroup(): string {
    const prime = randomBytes(1_250)
    prime[0] = 0x7f
    prime[1_249] = (prime[1_249] ?? 0) | 1
    const der = Buffer.concat([
      Buffer.from([0x30, 0x82, 0x04, 0xe9, 0x02, 0x82, 0x04, 0xe2]),
      prime,
      Buffer.from([0x02, 0x01, 0x02]),
    ])
    return `-----BEGIN DH PARAMETERS-----\n${der.toString('base64')}\n-----END DH PARAMETERS-----\n`
  }

  const dhe = { ciphers: 'DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-GCM-SHA384', maxVersion: 'TLSv1.2' } as const
  it.each([
    ['TLS 1.2 with a group of the server', { ...dhe, dhparam: hugeGroup() }],
    ['TLS 1.3 with the largest group', { minVersion: 'TLSv1.3', ecdhCurve: 'ffdhe8192' } as const],
  ])('over finite fields are refused: %s', async (_title, tls) => {
    // The first transport has a context for its authorities, the second one has none.
    const transports = [transportTo(testCertificates(), {}), new HttpsTransport({ allow: ['127.0.0.1'] })]
    for (const transport of transports) {
      const { outcomes, pauseMs } = await posting({ key: pem, cert: pem, tls }, transport)
      const error = 'no TLS connection could be made (EPROTO)'
      const reason = { code: 'no-tls-connection', parameters: { system: 'EPROTO' } }
      for (const outcome of outcomes) expect(outcome).toEqual({ kind: 'connection_error', error, reason })
      expect(pauseMs).toBeLessThan(50)
    }
  })

  it.each(['X25519', 'prime256v1', 'secp384r1', 'secp521r1'])('over the curve %s succeed', async (ecdhCurve) => {
    const options = { tls: { ecdhCurve }, start: 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n' }
    const { outcomes } = await posting(options, transportTo(testCertificates()))
    for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'response', httpStatus: 200 })
  })
})

describe('an endless response', () => {
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
  const tooMuch = {
    kind: 'connection_error',
    error: 'the server sent too many bytes without a complete response (ERR_RESPONSE_SIZE)',
    reason: { code: 'response-too-large', parameters: { system: 'ERR_RESPONSE_SIZE' } },
  }
  const response = { kind: 'response', httpStatus: 200 }
  it.each([
    ['interim responses (103)', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000), tooMuch],
    ['interim responses (100)', '', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000), tooMuch],
    ['interim responses with headers', '', `HTTP/1.1 103 E\r\n${'a:b\r\n'.repeat(1_000)}\r\n`.repeat(10), tooMuch],
    ['empty lines', '', '\r\n'.repeat(30_000), tooMuch],
    ["the zeros before a chunk's size", chunked, '0'.repeat(65_536), response],
    ['chunks of one byte', chunked, '1\r\na\r\n'.repeat(10_000), response],
    ["a chunk's extension", `${chunked}1;`, 'a'.repeat(65_536), response],
    ['trailers', `${chunked}0\r\n`, 'a: b\r\n'.repeat(10_000), response],
    ['a body', 'HTTP/1.1 200 OK\r\n\r\n', 'a'.repeat(65_536), response],
  ])('is aborted quickly: %s', async (_title, start, piece, expected) => {
    const { outcomes, pauseMs, leastMs } = await posting({ start, piece }, transportTo(testCertificates()))
    for (const outcome of outcomes) expect(outcome).toMatchObject(expected)
    expect(pauseMs).toBeLessThan(50)
    expect(leastMs).toBeLessThan(1_000)
  })

  it('is not assumed after eight interim responses or a body in chunks of one byte', async () => {
    const answering = async (interims: number): Promise<HttpOutcome> => {
      const interim = 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(interims)
      const receiver = await receiverOf({ respond: raw(`${interim}${chunked}${'1\r\na\r\n'.repeat(4_000)}0\r\n\r\n`) })
      return await transportTo(receiver).post(post(receiver.url))
    }
    const answered = await answering(8)
    expect(answered).toMatchObject(response)
    expect(answered.kind === 'response' && answered.body.length).toBe(4_000)
    expect(await answering(9)).toEqual(tooMuch)
  })
})

describe('the status of a response', () => {
  it.each(['199', '600', '999', '000'])('cannot be %s', async (status) => {
    const receiver = await receiverOf({ respond: raw(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`) })
    const outcome = await transportTo(receiver, { deadlineMs: 1_000 }).post(post(receiver.url))
    expect(outcome.kind).toBe(status === '199' ? 'timeout' : 'connection_error')
  })

  it.each([200, 599])('can be %i', async (httpStatus) => {
    const receiver = await receiverOf({ respond: raw(`HTTP/1.1 ${httpStatus} X\r\ncontent-length: 0\r\n\r\n`) })
    expect(await transportTo(receiver).post(post(receiver.url))).toMatchObject({ kind: 'response', httpStatus })
  })
})
