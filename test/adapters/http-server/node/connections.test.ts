import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import {
  createHttpHandler,
  type HttpHandler,
  type HttpServer,
  serveHttp,
} from '../../../../adapters/http-server/index.js'
import { watchConnections } from '../../../../adapters/http-server/node/connections.js'
import { clientAddress, trustOf } from '../../../../adapters/http-server/node/node-listener.js'
import { MemoryTelemetry } from '../../../../adapters/memory/index.js'
import { startServer } from '../server.js'
import { sendRaw } from './raw-client.js'

const opened: Socket[] = []
let server: HttpServer | undefined

afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy()
  await server?.close()
  server = undefined
})

const HANDLER: HttpHandler = (_request, info) => Promise.resolve(new Response(info?.remoteAddress ?? 'nobody'))

/** Opens a connection, and waits until the server has answered on it or closed it. */
async function open(address: string): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(address).port) })
  opened.push(socket)
  return await new Promise((resolve) => {
    socket.on('error', () => resolve(false))
    socket.on('close', () => resolve(false))
    socket.on('data', () => resolve(true))
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  })
}

async function openMany(address: string, count: number): Promise<number> {
  const outcomes: boolean[] = []
  for (let index = 0; index < count; index += 1) outcomes.push(await open(address))
  return outcomes.filter(Boolean).length
}

async function bodyOf(address: string, forwarded: string): Promise<string> {
  const head = `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Forwarded-For: ${forwarded}\r\n\r\n`
  const { received } = await sendRaw(address, head)
  return received.split('\r\n\r\n')[1] ?? ''
}

describe('open connections', () => {
  // A25
  it('are limited for each address; the place of a closed connection is free again', async () => {
    const telemetry = new MemoryTelemetry()
    server = await serveHttp(HANDLER, { port: 0, maxConnectionsPerAddress: 5, telemetry })
    expect(await openMany(server.address, 12)).toBe(5)
    const refusals = telemetry.events.filter(({ name }) => name === 'http.connections.refused')
    // Seven were refused; the log has at most one record every ten seconds.
    expect(refusals).toMatchObject([{ level: 'warn', fields: { refused: 1, lastAddress: '127.0.0.1', open: 5 } }])
    for (const socket of opened.splice(0, 2)) socket.destroy()
    await expect.poll(async () => await open(server?.address ?? '')).toBe(true)
  })

  // A25
  it('are limited in total, and connections of a trusted proxy only in total', async () => {
    const limits = { maxConnections: 8, maxConnectionsPerAddress: 3 }
    server = await serveHttp(HANDLER, { port: 0, trustedProxies: ['127.0.0.0/8'], ...limits })
    expect(await openMany(server.address, 12)).toBe(8)
  })

  // A25
  it('are limited to 100 for one address and 1,000 in total by default', async () => {
    server = await serveHttp(HANDLER, { port: 0 })
    expect(await openMany(server.address, 110)).toBe(100)
  })

  // A25
  it('refuse invalid limits', async () => {
    for (const limits of [{ maxConnections: 0 }, { maxConnectionsPerAddress: 1.5 }]) {
      await expect(serveHttp(HANDLER, { port: 0, ...limits })).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
    }
    await expect(serveHttp(HANDLER, { port: 0, trustedProxies: ['somewhere'] })).rejects.toThrow('trustedProxies: must')
  })

  // A25
  it('share one count within a /64 of IPv6', () => {
    const connections = createServer()
    watchConnections(connections, { maxConnectionsPerAddress: 2, isTrusted: () => false, isIdle: () => false })
    const admit = (remoteAddress: string): boolean => {
      const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress })
      connections.emit('connection', socket)
      return !socket.destroyed
    }
    expect(['2001:db8:1:2:3::4', '2001:db8:1:2::9', '2001:db8:1:2::', '2001:db8:1:3::'].map(admit)).toEqual([
      true,
      true,
      false,
      true,
    ])
    expect(['::ffff:192.0.2.1', '192.0.2.1', '::ffff:192.0.2.1', '192.0.2.2'].map(admit)).toEqual([
      true,
      true,
      false,
      true,
    ])
    connections.emit('close')
  })
})

describe('a connection beyond the limit', () => {
  /** A server with two connections for an address, which ends none of them by itself. */
  async function start(
    isIdle: (socket: Socket) => boolean,
  ): Promise<{ readonly close: () => void; readonly url: string }> {
    const host = createHttpServer((_request, response) => response.end('x'))
    host.keepAliveTimeout = 60_000
    const limits = { maxConnectionsPerAddress: 2, yieldsAfterMs: 100, sweepMs: 20 }
    watchConnections(host, { ...limits, isTrusted: () => false, isIdle })
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
    const { port } = host.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}`, close: () => host.close() }
  }

  it('takes the place of the one that is idle for the longest time', async () => {
    const { url, close } = await start(() => true)
    expect(await openMany(url, 3)).toBe(2)
    const [first, second] = opened
    await expect.poll(async () => await open(url)).toBe(true)
    await expect.poll(() => first?.destroyed).toBe(true)
    expect(second?.destroyed).toBe(false)
    close()
  })

  it('is closed while the requests of all others are under way', async () => {
    const { url, close } = await start(() => false)
    expect(await openMany(url, 2)).toBe(2)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(await open(url)).toBe(false)
    close()
  })
})

describe('an answered connection', () => {
  it('stays open for longer than proxies keep theirs', async () => {
    server = await serveHttp(HANDLER, { port: 0 })
    const { headers } = await fetch(server.address)
    expect(headers.get('keep-alive')).toBe('timeout=125')
  })
})

describe('X-Forwarded-For', () => {
  // A26
  it('is ignored unless the peer is a trusted proxy', async () => {
    server = await serveHttp(HANDLER, { port: 0 })
    expect(await bodyOf(server.address, '203.0.113.9')).toBe('127.0.0.1')
  })

  // A26
  it('yields the last address that no trusted proxy added', async () => {
    server = await serveHttp(HANDLER, { port: 0, trustedProxies: ['loopback', '10.0.0.0/8'] })
    expect(await bodyOf(server.address, '203.0.113.9')).toBe('203.0.113.9')
    // The client's own entries come before the entry of the first proxy.
    expect(await bodyOf(server.address, '198.51.100.1, 203.0.113.9, 10.1.2.3')).toBe('203.0.113.9')
    expect(await bodyOf(server.address, '2001:db8::7')).toBe('2001:db8::7')
    for (const garbage of ['', 'unknown', '<script>', '203.0.113.9:80', 'a'.repeat(5_000)]) {
      expect(await bodyOf(server.address, garbage)).toBe('127.0.0.1')
    }
  })

  // A26
  it('yields an IPv4 address in one notation', () => {
    const request = { socket: { remoteAddress: '::ffff:192.0.2.1' }, headers: {} } as never
    expect(clientAddress(request, trustOf())).toBe('192.0.2.1')
  })

  // A26
  it('reaches the log', async () => {
    const own = await startServer()
    const telemetry = new MemoryTelemetry()
    server = await serveHttp(createHttpHandler(own.engine, { telemetry }), { port: 0, trustedProxies: ['127.0.0.1'] })
    await bodyOf(server.address, '203.0.113.9')
    expect(telemetry.events).toMatchObject([{ name: 'http.request', fields: { remoteAddress: '203.0.113.9' } }])
    await own.close()
  })
})
