import { getEventListeners, once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HttpsTransport, type HttpsTransportOptions } from '../../../adapters/https-transport/index.js'
import { MemoryHttpTransport } from '../../../adapters/memory/index.js'
import {
  DestinationRefusedError,
  type HttpOutcome,
  InvalidInputError,
  UnresolvedDestinationError,
} from '../../../src/ports/index.js'
import { httpTransportSuite } from '../../conformance/index.js'
import { runningTime } from '../../running-time.js'
import { heldMemory } from '../../used-memory.js'
import { startFullListener } from './full-listener.js'
import { receiverOf, transportTo } from './local-transport.js'
import { postInChild } from './post-in-child.js'
import { type ReceiverOptions, raw, startReceiver, status } from './receiver.js'

const runner = { describe, it }

httpTransportSuite(runner, 'memory', async () => {
  const transport = new MemoryHttpTransport({ refusedHosts: ['refused.example.test'] })
  return {
    port: Object.assign(transport, {
      url: 'https://hooks.example.test/hook',
      refusedUrl: 'https://refused.example.test/hook',
      received: () => transport.requests,
      respondWith: (response: { httpStatus: number; body?: Uint8Array; retryAfter?: string } | 'never') => {
        transport.respond = () =>
          response === 'never'
            ? new Promise<never>(() => undefined)
            : { kind: 'response', body: new Uint8Array(), ...response }
      },
    }),
    dispose: () => transport.close(),
  }
})

httpTransportSuite(runner, 'https', async () => {
  const receiver = await startReceiver()
  const answers: Record<string, string[]> = { 'refused.example.test': ['127.0.0.1', '10.0.0.1'] }
  const transport = new HttpsTransport({
    certificateAuthorities: [receiver.ca],
    allow: ['127.0.0.1'],
    resolver: async (hostname) => answers[hostname] ?? ['127.0.0.1'],
  })
  return {
    port: Object.assign(transport, {
      url: receiver.urlOf('hooks.example.test'),
      refusedUrl: receiver.urlOf('refused.example.test'),
      received: () => receiver.requests,
      respondWith: (response: { httpStatus: number; body?: Uint8Array; retryAfter?: string } | 'never') => {
        receiver.respond = (_request, answer) => {
          if (response === 'never') return
          if (response.retryAfter !== undefined) answer.setHeader('retry-after', response.retryAfter)
          answer.writeHead(response.httpStatus).end(response.body)
        }
      },
    }),
    dispose: async () => {
      await transport.close()
      await receiver.close()
    },
  }
})

const HEADERS = {
  'content-type': 'application/json',
  'x-service-event': 'run.started',
  'x-service-signature': 'sha256=1',
}
const BODY = new TextEncoder().encode('{"id":"evt_1","name":"Zoë ✅"}')

/** The outcome of a request, and how long it took: by the wall clock, and without pauses of this process. */
async function timed(work: Promise<HttpOutcome>): Promise<{ outcome: HttpOutcome; ms: number; ranMs: number }> {
  const start = performance.now()
  const ranMs = runningTime()
  return { outcome: await work, ms: performance.now() - start, ranMs: ranMs() }
}

async function bodyOf(outcome: HttpOutcome): Promise<string> {
  return outcome.kind === 'response' ? Buffer.from(outcome.body).toString('latin1') : outcome.error
}

/** Waits until other events make the condition true. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setTimeout(5)
}

const post = (url: string) => ({ url, headers: HEADERS, body: BODY })

describe('responses', () => {
  // D1
  it.each([200, 204, 299])('include status %i after one request on one connection', async (httpStatus) => {
    const receiver = await receiverOf({ respond: status(httpStatus) })
    expect(await transportTo(receiver).post(post(receiver.url))).toMatchObject({ kind: 'response', httpStatus })
    expect(receiver.requests).toHaveLength(1)
    expect(receiver.connections).toHaveLength(1)
  })

  // D2
  it.each([300, 301, 302, 304, 307, 308])('include status %i, whose target is not contacted', async (httpStatus) => {
    const target = await receiverOf()
    const receiver = await receiverOf({ respond: status(httpStatus, { location: target.url }) })
    expect(await transportTo(receiver).post(post(receiver.url))).toMatchObject({ kind: 'response', httpStatus })
    await setTimeout(100)
    expect(receiver.connections).toHaveLength(1)
    expect(target.connections).toHaveLength(0)
    // The target would accept the request.
    expect(await transportTo(receiver).post(post(target.url))).toMatchObject({ kind: 'response', httpStatus: 200 })
  })

  it('exclude interim responses', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n'
    const receiver = await receiverOf({ respond: raw(`${interim}HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok`) })
    expect(await transportTo(receiver).post(post(receiver.url))).toMatchObject({ kind: 'response', httpStatus: 201 })
  })

  it.each([
    ['in the body', 'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nyes'],
    ['in a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nyes'],
  ])('are returned even if the connection breaks %s', async (_where, start) => {
    const receiver = await receiverOf({
      respond: (request, response, count) => {
        raw(start)(request, response, count)
        void setTimeout(50).then(() => request.connection.socket.resetAndDestroy())
      },
    })
    const outcome = await transportTo(receiver).post(post(receiver.url))
    expect(outcome).toMatchObject({ kind: 'response', httpStatus: 200 })
    expect(await bodyOf(outcome)).toBe('yes')
  })

  it('are kept if the caller aborts or the transport is closed during the body', async () => {
    const receiver = await receiverOf({ respond: raw('HTTP/1.1 500 Oh\r\ncontent-length: 20\r\n\r\n') })
    const transport = transportTo(receiver)
    const giving = new AbortController()
    const outcomes = [transport.post(post(receiver.url), { signal: giving.signal }), transport.post(post(receiver.url))]
    await receiver.whenReceived(2)
    await setTimeout(100)
    giving.abort(new Error('stopped'))
    await transport.close()
    for (const outcome of outcomes) expect(await outcome).toMatchObject({ kind: 'response', httpStatus: 500 })
    await until(() => receiver.connections.every(({ isOpen }) => !isOpen))
  })

  // D8
  it('include a 200 with an endless slow body, whose connection is closed at the deadline', async () => {
    const receiver = await receiverOf({
      respond: (_request, response) => {
        const drip = setInterval(() => response.write('.'), 20)
        response.on('close', () => clearInterval(drip))
      },
    })
    const untilClosedMs = runningTime()
    const { outcome, ms, ranMs } = await timed(transportTo(receiver, { deadlineMs: 800 }).post(post(receiver.url)))
    expect(outcome).toMatchObject({ kind: 'response', httpStatus: 200 })
    expect(await bodyOf(outcome)).toMatch(/^\.{10,100}$/)
    expect(ms).toBeGreaterThan(750)
    expect(ranMs).toBeLessThan(1_050)
    await until(() => receiver.connections[0]?.isOpen === false)
    expect(untilClosedMs()).toBeLessThan(1_150)
  })

  // D9
  it('keep the first 4 kB of a body of 1 GB, and little more is read', async () => {
    let written = 0
    const piece = Buffer.alloc(65_536, 'x')
    const receiver = await receiverOf({
      respond: (_request, response) => {
        response.writeHead(200, { 'content-length': 2 ** 30 })
        const write = (): void => {
          while (!response.destroyed && response.write(piece)) written += piece.length
        }
        response.on('drain', write)
        write()
      },
    })
    const transport = transportTo(receiver)
    await transport.post(post(receiver.url))
    const before = heldMemory()
    for (let count = 0; count < 5; count += 1) {
      const outcome = await transport.post(post(receiver.url))
      expect(await bodyOf(outcome)).toBe('x'.repeat(4_096))
    }
    expect(heldMemory() - before).toBeLessThan(5_000_000)
    await until(() => receiver.connections.every(({ isOpen }) => !isOpen))
    // The server writes only what the buffers of two sockets hold, of 6 GB in all.
    expect(written).toBeLessThan(60_000_000)
  })

  // D9
  it('keep a gzip bomb compressed', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20))
    const receiver = await receiverOf({
      respond: (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    })
    const outcome = await transportTo(receiver).post(post(receiver.url))
    expect(await bodyOf(outcome)).toBe(bomb.subarray(0, 4_096).toString('latin1'))
  })
})

describe('requests', () => {
  // D11
  it('have exactly the given headers, host, content-length and connection, all in lower case', async () => {
    const receiver = await receiverOf()
    await transportTo(receiver).post(post(`${receiver.urlOf('hooks.example.test')}?a=1&b=%20`))
    const lines = [
      'POST /hook?a=1&b=%20 HTTP/1.1',
      'content-type: application/json',
      'x-service-event: run.started',
      'x-service-signature: sha256=1',
      `host: hooks.example.test:${receiver.port}`,
      `content-length: ${BODY.length}`,
      'connection: close',
      '',
      new TextDecoder().decode(BODY),
    ]
    expect(receiver.connections[0]?.plaintext.toString()).toBe(lines.join('\r\n'))
    expect(receiver.connections[0]?.servername).toBe('hooks.example.test')
  })

  it('have the address in host and no name in TLS if the URL has an address', async () => {
    for (const host of ['127.0.0.1', '::1']) {
      const receiver = await receiverOf({ host })
      const outcome = await transportTo(receiver).post(post(receiver.url))
      expect(outcome).toMatchObject({ kind: 'response', httpStatus: 200 })
      expect(receiver.requests[0]?.headers.host).toBe(new URL(receiver.url).host)
      expect(receiver.connections[0]?.servername).toBeUndefined()
    }
  })

  it('are not sent if HTTP does not allow their headers', async () => {
    const receiver = await receiverOf()
    const headers = { 'x-service-event': 'a\r\nx-other: b' }
    expect(await transportTo(receiver).post({ url: receiver.url, headers, body: BODY })).toEqual({
      kind: 'connection_error',
      error: 'the request could not be made (ERR_INVALID_CHAR)',
      reason: { code: 'request-impossible', parameters: { system: 'ERR_INVALID_CHAR' } },
    })
    expect(receiver.connections).toHaveLength(0)
  })

  it('use the next address if one does not answer', async () => {
    const full = await startFullListener('::1')
    onTestFinished(() => full.close())
    const receiver = await receiverOf({ port: full.port })
    const transport = transportTo(receiver, { resolver: async () => ['::1', '127.0.0.1'] })
    const { outcome, ms, ranMs } = await timed(transport.post(post(receiver.urlOf('hooks.example.test'))))
    expect(outcome).toMatchObject({ kind: 'response', httpStatus: 200 })
    expect(ms).toBeGreaterThan(900)
    expect(ranMs).toBeLessThan(2_000)
    const refused = transportTo(receiver, { resolver: async () => ['127.0.0.2', '127.0.0.1'] })
    expect(await refused.post(post(receiver.urlOf('hooks.example.test')))).toMatchObject({ httpStatus: 200 })
  })
})

describe('the addresses of a name', () => {
  const url = 'https://hooks.example.test/'
  const many = (count: number, last: string[] = []): string[] => [
    ...Array.from({ length: count - last.length }, (_, index) => `8.8.${index}.8`),
    ...last,
  ]
  const resolvingTo = (addresses: readonly string[], options: HttpsTransportOptions = {}): HttpsTransport => {
    const transport = new HttpsTransport({ resolver: async () => addresses, ...options })
    onTestFinished(() => transport.close())
    return transport
  }

  it('are refused if there are more than 32, and all of them are checked', async () => {
    expect(await resolvingTo(many(32)).vetDestination(url)).toBe(url)
    const name = 'hooks.example.test'
    const tooMany = { code: 'name-with-too-many-addresses', parameters: { name, max: 32 } } as const
    for (const [addresses, problem, reason] of [
      [many(33), 'has more than 32 addresses', tooMany],
      [many(5_000), 'has more than 32 addresses', tooMany],
      [
        many(32, ['10.0.0.1']),
        'resolves to an address that is not a public address',
        { code: 'name-not-public', parameters: { name } },
      ],
    ] as const) {
      const error = `the name hooks.example.test ${problem}`
      const transport = resolvingTo(addresses)
      await expect(transport.vetDestination(url)).rejects.toThrow(
        new DestinationRefusedError(error, { isByLookUp: true, reason }),
      )
      expect(await transport.post(post(url))).toEqual({ kind: 'blocked', error, reason })
    }
  })

  it('appear only in the cause of the error if they are refused', async () => {
    for (const [address, options, code] of [
      ['10.11.12.13', {}, 'name-not-public'],
      ['fd00::11:12', {}, 'name-not-public'],
      ['8.8.11.12', { deny: ['8.8.0.0/16'] }, 'name-denied'],
    ] as const) {
      const transport = resolvingTo([address], options)
      const thrown = await transport.vetDestination(url).catch((error: unknown) => error)
      expect(thrown).toBeInstanceOf(DestinationRefusedError)
      const { message, cause } = thrown as Error
      expect(message).toMatch(
        /^the name hooks\.example\.test resolves to an address that is (not a public address|denied by)/,
      )
      expect(message).not.toContain('11')
      expect((cause as Error).message).toContain(`hooks.example.test resolves to "${address}", which is `)
      expect(await transport.post(post(url))).toEqual({
        kind: 'blocked',
        error: message,
        reason: { code, parameters: { name: 'hooks.example.test' } },
      })
      const literal = `https://${address.includes(':') ? `[${address}]` : address}/`
      await expect(transport.vetDestination(literal)).rejects.toThrow(`${address} is `)
    }
  })

  it.each([
    [['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.1'], true],
    [['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.1'], false],
    // Both families are tried.
    [['::2', '::3', '::4', '::5', '127.0.0.1'], true],
    [['::2', '::3', '127.0.0.2', '127.0.0.1', '127.0.0.3', '::4'], true],
    [['127.0.0.2', '127.0.0.2', '127.0.0.2', '127.0.0.2', '127.0.0.1'], true],
  ])('are tried up to the fourth: %j', async (addresses, isReached) => {
    const receiver = await receiverOf()
    const transport = transportTo(receiver, { resolver: async () => addresses, allow: ['127.0.0.0/8', '::/64'] })
    const { kind } = await transport.post(post(receiver.urlOf('hooks.example.test')))
    expect(kind).toBe(isReached ? 'response' : 'connection_error')
    expect(receiver.connections).toHaveLength(isReached ? 1 : 0)
  })
})

describe('names outside the public internet', () => {
  it.each(['lan', 'home', 'corp', 'intranet', 'private', 'svc', 'arpa', 'invalid', 'onion'])(
    'are refused: %s',
    async (suffix) => {
      const transport = new HttpsTransport({ resolver: async () => ['8.8.8.8'], allow: ['0.0.0.0/0'] })
      for (const host of [suffix, `a.${suffix}`, `a.b.${suffix}.`, `A.${suffix.toUpperCase()}`]) {
        await expect(transport.vetDestination(`https://${host}/`)).rejects.toThrow(DestinationRefusedError)
      }
      for (const host of [`${suffix}.example`, `a${suffix}.example`, `a.x${suffix}`]) {
        expect(await transport.vetDestination(`https://${host}/`)).toBe(`https://${host}/`)
      }
    },
  )
})

describe('a connection error', () => {
  const failing = async (
    options: ReceiverOptions,
    { host = 'hooks.example.test', ...rest }: HttpsTransportOptions & { host?: string } = {},
  ): Promise<HttpOutcome> => {
    const receiver = await receiverOf(options)
    return await transportTo(receiver, rest).post(post(`${receiver.urlOf(host)}?token=swordfish`))
  }

  // D4
  it('reports a reset', async () => {
    const outcome = await failing({ respond: ({ connection }) => void connection.socket.resetAndDestroy() })
    const error = 'the connection was closed before there was a response (ECONNRESET)'
    const reason = { code: 'connection-closed', parameters: { system: 'ECONNRESET' } }
    expect(outcome).toEqual({ kind: 'connection_error', error, reason })
  })

  // D17
  it('reports a connection that is closed after the body was read', async () => {
    const outcome = await failing({ respond: (_request, response) => void response.socket?.end() })
    const error = 'the connection was closed before there was a response (ECONNRESET)'
    const reason = { code: 'connection-closed', parameters: { system: 'ECONNRESET' } }
    expect(outcome).toEqual({ kind: 'connection_error', error, reason })
  })

  // D4
  it('reports a refused connection', async () => {
    const receiver = await startReceiver()
    await receiver.close()
    const error = 'the connection was refused (ECONNREFUSED)'
    const reason = { code: 'connection-refused', parameters: { system: 'ECONNREFUSED' } }
    const one = await transportTo(receiver).post(post(receiver.url))
    expect(one).toEqual({ kind: 'connection_error', error, reason })
    const resolver = async (): Promise<string[]> => ['127.0.0.2', '::1', '127.0.0.3']
    const several = await transportTo(receiver, { resolver }).post(post(receiver.urlOf('hooks.example.test')))
    expect(several).toEqual({ kind: 'connection_error', error, reason })
  })

  // D4
  it('reports bad TLS', async () => {
    const untrusted = await failing({}, { certificateAuthorities: [] })
    const expired = await failing({ certificate: 'expired' })
    const otherName = await failing({}, { host: 'hooks.other.test' })
    const otherAddress = await failing({ host: '127.0.0.9' }, { host: '127.0.0.9' })
    const sentences = [untrusted, expired, otherName, otherAddress].map((outcome) => ({ ...outcome }))
    const failedBy = (meaning: string, code: string, system: string) => {
      return { kind: 'connection_error', error: `${meaning} (${system})`, reason: { code, parameters: { system } } }
    }
    const otherNames = [
      'the certificate is for another name',
      'certificate-of-other-name',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ] as const
    expect(sentences).toEqual([
      failedBy('the certificate is not trusted', 'certificate-not-trusted', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
      failedBy('the certificate has expired', 'certificate-expired', 'CERT_HAS_EXPIRED'),
      failedBy(...otherNames),
      failedBy(...otherNames),
    ])
    const plain = createServer((socket) => socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\n\r\n'))
    await once(plain.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void plain.close())
    const { port } = plain.address() as AddressInfo
    const receiver = await receiverOf()
    const outcome = await transportTo(receiver).post(post(`https://127.0.0.1:${port}/`))
    expect(outcome.kind).toBe('connection_error')
    expect(await bodyOf(outcome)).toMatch(/^no TLS connection could be made \([A-Z_0-9]+\)$/)
  })

  // D4
  it('reports a failed look-up', async () => {
    const error = Object.assign(new Error('queryA ENOTFOUND hooks.example.test'), { code: 'ENOTFOUND' })
    const kind = 'connection_error'
    const [code, name] = ['name-unresolved', 'hooks.example.test']
    const failed = {
      kind,
      error: 'the name hooks.example.test does not resolve (ENOTFOUND)',
      reason: { code, parameters: { name, system: 'ENOTFOUND' } },
    }
    expect(await failing({}, { resolver: () => Promise.reject(error) })).toEqual(failed)
    const thrown = (): never => {
      throw error
    }
    expect(await failing({}, { resolver: thrown })).toEqual(failed)
    const empty = {
      kind,
      error: 'the name hooks.example.test does not resolve',
      reason: { code, parameters: { name } },
    }
    expect(await failing({}, { resolver: async () => [] })).toEqual(empty)
  })

  it.each([
    ['of another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 'the answer is not an HTTP response (HPE_INVALID_CONSTANT)'],
    [
      'a switch of protocols',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: a\r\nconnection: upgrade\r\n\r\n',
      'ended without a response',
    ],
    [
      '101 alone',
      'HTTP/1.1 101 Switching Protocols\r\n\r\n',
      'does not have the status of a final response (ERR_RESPONSE_STATUS)',
    ],
    [
      'a status below 100',
      'HTTP/1.1 099 Low\r\n\r\n',
      'does not have the status of a final response (ERR_RESPONSE_STATUS)',
    ],
    [
      'with 20 kB of headers',
      `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
      'the response are too large (HPE_HEADER_OVERFLOW)',
    ],
    [
      'with two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
      'is not an HTTP response (HPE_',
    ],
  ])('reports bytes that are not a valid response: %s', async (_title, text, error) => {
    const outcome = await failing({ respond: raw(text) })
    expect(outcome).toMatchObject({ kind: 'connection_error', error: expect.stringContaining(error) as string })
  })
})

describe('the deadline', () => {
  const silentResolver = (): Promise<never> => new Promise(() => undefined)
  const drip =
    (start: string, piece: string): NonNullable<ReceiverOptions['respond']> =>
    (_request, { socket }) => {
      socket?.write(start)
      const dripping = setInterval(() => socket?.write(piece), 50)
      socket?.on('close', () => clearInterval(dripping))
    }

  // D6
  it('is 5 s for a hang in DNS, connect, TLS or headers', async () => {
    const full = await startFullListener()
    onTestFinished(() => full.close())
    const silent = await receiverOf({ isSilent: true })
    const headless = await receiverOf({ respond: () => undefined })
    const transport = transportTo(silent)
    const outcomes = await Promise.all([
      timed(transportTo(silent, { resolver: silentResolver }).post(post(silent.urlOf('hooks.example.test')))),
      timed(transport.post(post(`https://127.0.0.1:${full.port}/`))),
      timed(transport.post(post(silent.url))),
      timed(transport.post(post(headless.url))),
    ])
    for (const { outcome, ms, ranMs } of outcomes) {
      expect(outcome).toEqual({
        kind: 'timeout',
        error: 'there was no response within 5 s',
        reason: { code: 'no-answer-in-time', parameters: { seconds: 5 } },
      })
      expect(ms).toBeGreaterThan(4_750)
      expect(ranMs).toBeLessThan(5_250)
    }
    expect(headless.requests).toHaveLength(1)
    await until(() => [...silent.connections, ...headless.connections].every(({ isOpen }) => !isOpen))
  })

  it.each([
    // D7
    ['holds where headers drip', drip('HTTP/1.1 200 OK\r\n', 'x-a: b\r\n')],
    ['holds where one header drips', drip('HTTP/1.1 200 OK\r\nx-a: ', 'b')],
    ['holds where an interim response drips', drip('HTTP/1.1 103 Early Hints\r\nx-a: ', 'b')],
  ])('%s', async (_title, respond) => {
    const receiver = await receiverOf({ respond })
    const { outcome, ms, ranMs } = await timed(transportTo(receiver, { deadlineMs: 600 }).post(post(receiver.url)))
    expect(outcome).toEqual({
      kind: 'timeout',
      error: 'there was no response within 0.6 s',
      reason: { code: 'no-answer-in-time', parameters: { seconds: 0.6 } },
    })
    expect(ms).toBeGreaterThan(550)
    expect(ranMs).toBeLessThan(850)
    await until(() => receiver.connections[0]?.isOpen === false)
  })

  it('covers the whole request: a slow look-up leaves less time for the response', async () => {
    const receiver = await receiverOf({ respond: () => undefined })
    const resolver = async (): Promise<string[]> => await setTimeout(600, ['127.0.0.1'])
    const transport = transportTo(receiver, { deadlineMs: 1_000, resolver })
    const { outcome, ranMs } = await timed(transport.post(post(receiver.urlOf('hooks.example.test'))))
    expect(outcome.kind).toBe('timeout')
    expect(ranMs).toBeLessThan(1_250)
    expect(receiver.requests).toHaveLength(1)
  })

  it('also limits the check of a destination', async () => {
    const transport = transportTo(await receiverOf(), { deadlineMs: 200, resolver: silentResolver })
    await expect(transport.vetDestination('https://hooks.example.test/')).rejects.toThrow(
      new UnresolvedDestinationError('url', 'the name hooks.example.test does not resolve within 0.2 s', {
        reason: { code: 'name-unresolved-in-time', parameters: { name: 'hooks.example.test', seconds: 0.2 } },
      }),
    )
  })

  it('leaves no listener and no timer that would keep a process alive', async () => {
    const receiver = await receiverOf()
    const { signal } = new AbortController()
    await transportTo(receiver).post(post(receiver.url), { signal })
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    const options = { certificateAuthorities: [receiver.ca], allow: ['127.0.0.1'], deadlineMs: 300_000 }
    expect(await postInChild(receiver.url, options)).toEqual({ kind: 'response', httpStatus: 200 })
  })
})

describe('options', () => {
  it('are rejected if their values are invalid', () => {
    const wrong: HttpsTransportOptions[] = [
      { allow: ['10.0.0.0/64'] },
      { deny: ['10.0.0.0/64'] },
      { deadlineMs: 0 },
      { deadlineMs: Number.NaN },
      { certificateAuthorities: ['certificate'] },
      { certificateAuthorities: ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'] },
    ]
    for (const options of wrong) {
      const [field] = Object.keys(options)
      const create = (): unknown => new HttpsTransport(options)
      expect(create).toThrow(InvalidInputError)
      expect(create).toThrow(expect.objectContaining({ field }) as Error)
    }
  })

  it('trust authorities for one transport only', async () => {
    const receiver = await receiverOf()
    const trusting = transportTo(receiver)
    const other = new HttpsTransport({ allow: ['127.0.0.1'] })
    expect((await trusting.post(post(receiver.url))).kind).toBe('response')
    expect((await other.post(post(receiver.url))).kind).toBe('connection_error')
  })
})

describe('options', () => {
  it.each([
    ['allow', '10.0.0.0/8'],
    ['deny', { 0: '10.0.0.0/8' }],
    ['ownEndpoints', [{ address: '127.0.0.1', port: 443 }]],
    ['resolver', '8.8.8.8'],
  ])('are rejected at once if their type is wrong: %s', (field, value) => {
    expect(() => new HttpsTransport({ [field]: value })).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_INPUT', field }) as Error,
    )
  })
})
