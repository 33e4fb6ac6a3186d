import { once } from 'node:events'
import type { TlsOptions } from 'node:tls'
import { Worker } from 'node:worker_threads'
import { testCertificates } from './certificates.js'

/** The answer of the server to any input. */
export interface HostileServerOptions extends Pick<TlsOptions, 'key' | 'cert'> {
  readonly tls?: Pick<TlsOptions, 'ciphers' | 'dhparam' | 'ecdhCurve' | 'minVersion' | 'maxVersion'>
  /** Bytes that are sent once. */
  readonly start?: string
  /** Bytes that are sent repeatedly, as fast as the client reads. Empty: none. */
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

/** A TLS server on its own thread, so that its work delays nothing else. */
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
