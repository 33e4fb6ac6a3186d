import { describe, expect, it, vi } from 'vitest'
import { receiverOf, transportTo } from './local-transport.js'
import { startReceiver } from './receiver.js'

const post = (url: string) => ({ url, headers: {}, body: new TextEncoder().encode('{}') })
const RESPONSE = { kind: 'response', httpStatus: 200 }

describe('TLS sessions', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'are resumed by the next request, on a new connection: %s',
    async (maxVersion) => {
      const receiver = await receiverOf({ maxVersion })
      const transport = transportTo(receiver)
      for (let count = 0; count < 3; count += 1)
        expect(await transport.post(post(receiver.url))).toMatchObject(RESPONSE)
      expect(receiver.connections.map(({ isResumed }) => isResumed)).toEqual([false, true, true])
    },
  )

  it('are resumed only for the same name and the same transport', async () => {
    const receiver = await receiverOf()
    const transport = transportTo(receiver)
    const [one, another] = [receiver.urlOf('one.example.test'), receiver.urlOf('another.example.test')]
    for (const url of [one, another, receiver.url, one]) expect(await transport.post(post(url))).toMatchObject(RESPONSE)
    expect(await transportTo(receiver).post(post(one))).toMatchObject(RESPONSE)
    const [, , , fourth] = receiver.connections
    expect(receiver.connections.filter(({ isResumed }) => isResumed)).toEqual([fourth])
  })

  it('do not let another server replace the verified one', async () => {
    const receiver = await startReceiver()
    const transport = transportTo(receiver)
    const url = receiver.urlOf('hooks.example.test')
    expect(await transport.post(post(url))).toMatchObject(RESPONSE)
    await receiver.close()
    const { port } = receiver
    const other = await receiverOf({ port, certificate: 'expired' })
    const error = 'the certificate has expired (CERT_HAS_EXPIRED)'
    const reason = { code: 'certificate-expired', parameters: { system: 'CERT_HAS_EXPIRED' } }
    expect(await transport.post(post(url))).toEqual({ kind: 'connection_error', error, reason })
    expect(other.requests).toEqual([])
  })

  it('are discarded when a request is aborted', async () => {
    const receiver = await receiverOf()
    const transport = transportTo(receiver, { deadlineMs: 500 })
    expect(await transport.post(post(receiver.url))).toMatchObject(RESPONSE)
    const { respond } = receiver
    receiver.respond = () => undefined
    expect(await transport.post(post(receiver.url))).toMatchObject({ kind: 'timeout' })
    receiver.respond = respond
    await vi.waitFor(() => expect(receiver.connections[1]?.isOpen).toBe(false))
    expect(await transport.post(post(receiver.url))).toMatchObject(RESPONSE)
    expect(receiver.connections.map(({ isResumed }) => isResumed)).toEqual([false, true, false])
  })

  it('expire after ten minutes, and the certificate is then verified a second time', async () => {
    const receiver = await receiverOf()
    const transport = transportTo(receiver)
    await transport.post(post(receiver.url))
    const now = performance.now() + 600_000
    vi.spyOn(performance, 'now').mockReturnValue(now)
    try {
      await transport.post(post(receiver.url))
      await transport.post(post(receiver.url))
    } finally {
      vi.restoreAllMocks()
    }
    expect(receiver.connections.map(({ isResumed }) => isResumed)).toEqual([false, false, true])
  })
})
