import { once } from 'node:events'
import type { TlsOptions } from 'node:tls'
import { Worker } from 'node:worker_threads'
import { testCertificates } from './certificates.js'

/** What it answers to whatever comes. */
export interface HostileServerOptions extends Pick<TlsOptions, 'key' | 'cert'> {
  readonly tls?: Pick<TlsOptions, 'ciphers' | 'dhparam' | 'ecdhCurve' | 'minVersion' | 'maxVersion'>
  /** Sent once. */
  readonly start?: string
  /** Sent over and over, as fast as it is taken; nothing where it is empty. */
  readonly piece?: string
}

export interface HostileServer {
  readonly url: string
  close(): Promise<void>
}

const SERVER = `
  const { parentPort, workerData: { start, piece, tls } } = require('node:worker_threads')
  const server = require('node:tls').createServer(tls, (socket) => {
    const flood = () => { while (piece !== '' && !socket.destroyed && socket.write(piece)); }
    socket.on('error', () => undefined).on('drain', flood)
    socket.once('data', () => { socket.write(start); flood() })
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`

/** A TLS server on a thread of its own: what keeps it busy holds up nobody else. */
export async function startHostileServer(options: HostileServerOptions): Promise<HostileServer> {
  const { start = '', piece = '', tls, key = testCertificates().key, cert = testCertificates().valid } = options
  const worker = new Worker(SERVER, { eval: true, workerData: { start, piece, tls: { key, cert, ...tls } } })
  const [port] = (await once(worker, 'message')) as [number]
  return {
    url: `https://127.0.0.1:${port}/hook`,
    close: async () => {
      await worker.terminate()
    },
  }
}

/**
 * The longest time in which a piece of work let no other event be handled; the least of three tries, for what
 * else this machine does takes time, too.
 */
export async function longestPauseMs(work: () => Promise<unknown>): Promise<number> {
  const pauses: number[] = []
  for (let count = 0; count < 3; count += 1) {
    let [last, longest] = [performance.now(), 0]
    const look = (): void => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }
    const looking = setInterval(look, 1)
    await work()
    look()
    clearInterval(looking)
    pauses.push(longest)
  }
  return Math.min(...pauses)
}
