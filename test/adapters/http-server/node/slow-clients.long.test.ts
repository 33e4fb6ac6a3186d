import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { setInterval, setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { watchConnections } from '../../../../adapters/http-server/node/connections.js'
import { MemoryTelemetry } from '../../../../adapters/memory/index.js'
import { fileForm, NEW_CONTEXT, startServer, type TestServer } from '../server.js'
import { endlessHead, type RawOutcome } from './raw-client.js'

const MULTIPART = { 'Content-Type': 'multipart/form-data; boundary=frontier' }
const FILE_HEAD = '--frontier\r\nContent-Disposition: form-data; name="file"; filename="slow.txt"\r\n\r\n'
const MAX_SIZE = 300_000

let server: TestServer
let token: string
let contextId: number

beforeAll(async () => {
  server = await startServer()
  token = await server.token('assistant')
  const session = server.engine.as(server.engine.owner)
  contextId = (await session.contexts.create({ ...NEW_CONTEXT, settings: { maxSizeBytes: MAX_SIZE } })).id
})

afterAll(async () => {
  await server.close()
})

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`
}

async function files(): Promise<string[]> {
  const folder = join(server.dataDir, 'files')
  if (!existsSync(folder)) return []
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

/** Sends a head, and then one piece each second. */
async function drip(head: string, piece: string): Promise<RawOutcome> {
  const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1' })
  const began = performance.now()
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
  })
  socket.on('error', () => undefined)
  socket.write(head)
  while (!socket.destroyed && !received.includes('HTTP/1.1') && performance.now() - began < 50_000) {
    if (piece !== '') socket.write(piece)
    await setTimeout(950)
  }
  const durationMs = performance.now() - began
  socket.destroy()
  return { received, durationMs, sentBytes: socket.bytesWritten, isClosed: true }
}

describe('a client that sends slowly, or sends nothing', () => {
  // A23
  it.concurrent('is refused with 408 after 30 seconds, for uploads, JSON and forms; nothing of an upload remains', async () => {
    const authorization = { Authorization: `Bearer ${token}` }
    const upload = endlessHead('POST', `/context/upload/${contextId}`, { ...authorization, ...MULTIPART })
    const json = endlessHead('POST', '/context', { ...authorization, 'Content-Type': 'application/json' })
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const before = await files()
    const outcomes = await Promise.all([
      drip(upload, ''),
      drip(upload + chunk(FILE_HEAD), ''),
      drip(upload + chunk(FILE_HEAD + 'a'.repeat(20_000)), chunk('drop')),
      drip(json, ''),
      drip(json, chunk(' ')),
      drip(endlessHead('POST', '/connect/token', form), chunk('a')),
      drip(endlessHead('POST', '/auth/setup', form), ''),
      drip(endlessHead('POST', '/auth/reset', { 'Content-Type': 'application/json' }), ''),
    ])
    for (const { received, durationMs } of outcomes) {
      expect(received).toMatch(/^HTTP\/1\.1 408 /)
      expect(received).toContain('ERR_TOO_SLOW')
      expect(received.toLowerCase()).toContain('connection: close')
      expect(durationMs).toBeGreaterThan(28_000)
      expect(durationMs).toBeLessThan(40_000)
    }
    await vi.waitFor(async () => expect(await files()).toEqual(before))
    const whole = fileForm('after.txt', 'y'.repeat(MAX_SIZE))
    expect((await server.request('POST', `/context/upload/${contextId}`, { token, body: whole })).status).toBe(200)
  })

  // A23
  it.concurrent('loses its connection within 20 seconds when its headers arrive slowly or never', async () => {
    const outcomes = await Promise.all([drip('', ''), drip('GET /health HTTP/1.1\r\nHost: a\r\n', 'X-A: b\r\n')])
    for (const { durationMs } of outcomes) {
      expect(durationMs).toBeGreaterThan(15_000)
      expect(durationMs).toBeLessThan(35_000)
    }
  })
})

describe('a client that does not read', () => {
  // A24
  it('loses its connection; a client that reads slowly keeps its own', async () => {
    const telemetry = new MemoryTelemetry()
    const host = createServer((_request, response) => {
      const more = (): void => {
        while (response.write(Buffer.alloc(65_536, 'x')));
        response.once('drain', more)
      }
      more()
    })
    watchConnections(host, { isTrusted: () => false, isIdle: () => false, telemetry, stalledMs: 1_500, sweepMs: 200 })
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
    const { port } = host.address() as AddressInfo
    const open = (): ReturnType<typeof connect> => {
      const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined)
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      return socket
    }
    const connections = async (): Promise<number> =>
      await new Promise((resolve) => host.getConnections((_error, count) => resolve(count)))
    const silent = open()
    const slow = open()
    const reading = setInterval(200)[Symbol.asyncIterator]()
    void (async () => {
      while (!slow.destroyed) {
        await reading.next()
        slow.read(4_000_000)
        slow.read()
      }
    })()
    await expect.poll(connections, { timeout: 1_000 }).toBe(2)
    await expect.poll(connections, { timeout: 8_000 }).toBe(1)
    await setTimeout(2_500)
    expect(await connections()).toBe(1)
    expect(telemetry.events).toMatchObject([{ name: 'http.answer.stalled', level: 'warn' }])
    for (const socket of [silent, slow]) socket.destroy()
    host.closeAllConnections()
    await new Promise((resolve) => host.close(resolve))
  })

  // A19
  it('loses its connection at once when all clients together leave too much unread; a later client keeps its own', async () => {
    const telemetry = new MemoryTelemetry()
    const host = createServer((_request, response) => void response.end(Buffer.alloc(16_000_000, 'x')))
    watchConnections(host, {
      isTrusted: () => false,
      isIdle: () => false,
      telemetry,
      maxUnreadBytes: 40_000_000,
      sweepMs: 50,
    })
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
    const { port } = host.address() as AddressInfo
    const closed: number[] = []
    for (let at = 0; at < 5; at += 1) {
      const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined)
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      // A paused socket does not report its end.
      host.once('connection', (peer) => void peer.once('close', () => closed.push(at)))
      socket.pause()
      await setTimeout(200)
    }
    await expect.poll(() => closed.length, { timeout: 2_000 }).toBeGreaterThanOrEqual(2)
    expect(closed).toEqual([0, 1, 2].slice(0, closed.length))
    expect(telemetry.events[0]).toMatchObject({ name: 'http.answer.stalled', level: 'warn' })
    host.closeAllConnections()
    await new Promise((resolve) => host.close(resolve))
  })
})
