import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { testCertificates } from './certificates.js'

/** A request as it came. */
interface ReceivedRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they were spelled. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly connection: ReceivedConnection
  /** When it was complete, on the clock of `performance.now()`. */
  readonly atMs: number
}

/** A TCP connection, whatever came of it. */
interface ReceivedConnection {
  readonly socket: Socket
  /** How many bytes came, TLS and all. */
  readonly bytesReceived: number
  /** What came within TLS, byte for byte. */
  readonly plaintext: Buffer
  /** The name that TLS was asked for; undefined where there was none. */
  readonly servername: string | undefined
  /** Whether it went on with the TLS session of one before, without the certificate. */
  readonly isResumed: boolean
  readonly isOpen: boolean
}

/**
 * Answers a request; `count` is 1 for the receiver's first one. Who answers nothing lets the sender wait;
 * what is no HTTP is written to `response.socket`.
 */
export type Respond = (request: ReceivedRequest, response: ServerResponse, count: number) => void

export interface ReceiverOptions {
  /** Default: 200 without a body. */
  readonly respond?: Respond
  /** Where it listens; default `127.0.0.1`. */
  readonly host?: string
  /** Default: one that is free. */
  readonly port?: number
  /** Default `valid`. */
  readonly certificate?: 'valid' | 'expired'
  /** The newest version of TLS that it speaks; default 1.3. */
  readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3'
  /** Whether it accepts connections and never says a word. */
  readonly isSilent?: boolean
}

export interface Receiver {
  /** By its address. */
  readonly url: string
  readonly port: number
  /** Certificate of the authority, in PEM. */
  readonly ca: string
  /** Requests that were complete, in their order. */
  readonly requests: readonly ReceivedRequest[]
  /** All connections so far, in their order. */
  readonly connections: readonly ReceivedConnection[]
  /** May be changed at any time. */
  respond: Respond
  /** The URL by a name that the certificate is valid for, or by any other spelling of a host. */
  urlOf(host: string): string
  /** Waits until so many requests have come. */
  whenReceived(count: number): Promise<void>
  close(): Promise<void>
}

/** Answers with a status, and nothing else. */
export function status(httpStatus: number, headers: Readonly<Record<string, string>> = {}): Respond {
  return (_request, response) => void response.writeHead(httpStatus, headers).end()
}

/** Writes what is no answer of node:http. */
export function raw(text: string): Respond {
  return (_request, response) => void response.socket?.write(text)
}

/** An HTTPS receiver on this machine, which sees whatever is sent to it, down to connections without a word. */
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
      for (const look of waiting) look()
      receiver.respond(received, response, requests.length)
    })
  })

  const tcp = createServer((socket) => {
    connections.push(new Connection(socket))
    // Read all the same: else the end of the connection would not be seen.
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
        const look = (): void => {
          if (requests.length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
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
    // Nobody can tell any more once it is closed.
    this.isResumed = socket.isSessionReused()
    socket.on('error', () => undefined)
    // Beside what node:http reads.
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

/** Undefined where the sender broke off. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  try {
    for await (const piece of request) pieces.push(piece as Buffer)
    return Buffer.concat(pieces)
  } catch {
    return undefined
  }
}
