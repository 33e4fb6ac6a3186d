import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { testCertificates } from './certificates.js'

/** A request as the receiver read it. */
interface ReceivedRequest {
  readonly method: string
  /** Path with the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, in their original spelling. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly connection: ReceivedConnection
  /** Time at which the request was complete, on the clock of `performance.now()`. */
  readonly atMs: number
}

/** A TCP connection, successful or not. */
interface ReceivedConnection {
  readonly socket: Socket
  /** Number of bytes received, including TLS. */
  readonly bytesReceived: number
  /** The decrypted bytes, exactly as received. */
  readonly plaintext: Buffer
  /** The server name in the TLS handshake, or undefined without one. */
  readonly servername: string | undefined
  /** True if it resumed an earlier TLS session, without the certificate. */
  readonly isResumed: boolean
  readonly isOpen: boolean
}

/**
 * Answers a request; `count` is 1 for the receiver's first one. Without an answer, the sender waits.
 * Bytes that are not HTTP can be written to `response.socket`.
 */
export type Respond = (request: ReceivedRequest, response: ServerResponse, count: number) => void

export interface ReceiverOptions {
  /** Default: 200 without a body. */
  readonly respond?: Respond
  /** Address on which it listens. Default: `127.0.0.1`. */
  readonly host?: string
  /** Default: a free port. */
  readonly port?: number
  /** Default `valid`. */
  readonly certificate?: 'valid' | 'expired'
  /** The newest version of TLS that it speaks; default 1.3. */
  readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3'
  /** True to accept connections and never send a byte. */
  readonly isSilent?: boolean
}

export interface Receiver {
  /** The URL with the address of the receiver. */
  readonly url: string
  readonly port: number
  /** Certificate of the authority, in PEM. */
  readonly ca: string
  /** Complete requests, in order of arrival. */
  readonly requests: readonly ReceivedRequest[]
  /** All connections so far, in order of arrival. */
  readonly connections: readonly ReceivedConnection[]
  /** A test may replace it at any time. */
  respond: Respond
  /** The URL with a name that the certificate covers, or with any other spelling of a host. */
  urlOf(host: string): string
  /** Waits until `count` requests have arrived. */
  whenReceived(count: number): Promise<void>
  close(): Promise<void>
}

/** Answers with a status, and nothing else. */
export function status(httpStatus: number, headers: Readonly<Record<string, string>> = {}): Respond {
  return (_request, response) => void response.writeHead(httpStatus, headers).end()
}

/** Writes raw text instead of an answer of node:http. */
export function raw(text: string): Respond {
  return (_request, response) => void response.socket?.write(text)
}

/** An HTTPS receiver on this machine. It records everything that it receives, even connections without data. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const { host = '127.0.0.1', port = 0, certificate = 'valid', maxVersion = 'TLSv1.3', isSilent = false } = options
  const certificates = testCertificates()
  const requests: ReceivedRequest[] = []
  const connections: Connection[] = []
  const waiting = new Set<() => void>()

  const tls = createHttpsServer({ key: certificates.key, cert: certificates[certificate], maxVersion })
  const secured = new WeakMap<object, Connection>()
  tls.on('secureConnection', (socket: TLSSocket) => {
    const connection = connections.findLast(({ socket: { remotePort } }) => remotePort === socket.remotePort)
    if (connection === undefined || socket.remotePort === undefined) return
    secured.set(socket, connection)
    connection.secure(socket)
  })
  tls.on('tlsClientError', (_error, socket) => socket.destroy())
  tls.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = secured.get(request.socket)
    if (connection === undefined) return
    void bodyOf(request).then((body) => {
      if (body === undefined) return
      const { method = '', url: path = '', headers, rawHeaders } = request
      const received = { method, path, headers, rawHeaders, body, connection, atMs: performance.now() }
      requests.push(received)
      for (const check of waiting) check()
      receiver.respond(received, response, requests.length)
    })
  })

  const tcp = createServer((socket) => {
    connections.push(new Connection(socket))
    // The socket must be read, or the end of the connection would not be noticed.
    if (isSilent) socket.resume()
    else tls.emit('connection', socket)
  })
  await new Promise<void>((resolve, reject) => tcp.once('error', reject).listen(port, host, resolve))
  const bound = (tcp.address() as AddressInfo).port
  const urlOf = (name: string): string => `https://${name}:${bound}/hook`

  const receiver: Receiver = {
    url: urlOf(host.includes(':') ? `[${host}]` : host),
    port: bound,
    ca: certificates.ca,
    requests,
    connections,
    respond: options.respond ?? status(200),
    urlOf,
    whenReceived: async (count) => {
      await new Promise<void>((resolve) => {
        const check = (): void => {
          if (requests.length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      })
    },
    close: async () => {
      for (const { socket } of connections) socket.destroy()
      tls.close()
      await new Promise((resolve) => tcp.close(resolve))
    },
  }
  return receiver
}

class Connection implements ReceivedConnection {
  readonly socket: Socket
  isResumed = false
  #secured: TLSSocket | undefined
  readonly #pieces: Buffer[] = []

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => undefined)
  }

  secure(socket: TLSSocket): void {
    this.#secured = socket
    // This is not known after the socket is closed.
    this.isResumed = socket.isSessionReused()
    socket.on('error', () => undefined)
    // A second reader beside node:http.
    socket.on('data', (piece: Buffer) => this.#pieces.push(piece))
  }

  get bytesReceived(): number {
    return this.socket.bytesRead
  }

  get plaintext(): Buffer {
    return Buffer.concat(this.#pieces)
  }

  get servername(): string | undefined {
    const name = (this.#secured as { readonly servername?: string | false | null } | undefined)?.servername
    return typeof name === 'string' && name !== '' ? name : undefined
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && !(this.#secured?.destroyed ?? false)
  }
}

/** The body, or undefined if the sender aborted. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  try {
    for await (const piece of request) pieces.push(piece as Buffer)
    return Buffer.concat(pieces)
  } catch {
    return undefined
  }
}
