import type { Server, Socket } from 'node:net'
import { InvalidInputError, networkOf } from '../../../src/index.js'
import type { Telemetry } from '../../../src/ports/index.js'
import type { IsTrusted } from './network.js'

/** How many connections may be open. */
export interface ConnectionLimits {
  /** In all; default 1,000. */
  readonly maxConnections?: number
  /** Of one IPv4 address, or one /64 of IPv6, that is no trusted proxy's; default 100. */
  readonly maxConnectionsPerAddress?: number
}

interface Watched extends ConnectionLimits {
  readonly isTrusted: IsTrusted
  readonly telemetry?: Telemetry | undefined
  /** How long a client may leave an answer unread; default 60,000. */
  readonly stalledMs?: number
  /** Bytes of answers that all clients together may leave unread; default 134,217,728. */
  readonly mostUnreadBytes?: number
  readonly sweepMs?: number
}

/** How far the answers on a connection have got. */
interface Progress {
  readonly bytes: number
  readonly since: number
}

const REPORT_INTERVAL_MS = 10_000
/** In as little time not much more than the limit can be written. */
const SWEEP_MS = 250
const MOST_UNREAD_BYTES = 134_217_728

/**
 * Watches the connections of a server.
 *
 * - Those beyond the limits are closed when they come. `http.connections.refused` (`warn`) tells how many,
 *   every ten seconds at most.
 * - A connection on which an answer waits, and of which the client has read nothing for a minute, is
 *   destroyed: `http.answer.stalled` (`warn`).
 * - Where more than 128 MiB of answers are unread in all, connections are destroyed likewise until less is, those first
 *   of which nothing was read for longest.
 *
 * @throws InvalidInputError for limits that are not positive integers
 */
export function watchConnections(server: Server, options: Watched): void {
  const connections = new Connections(options)
  // Before the server itself, which would begin to read.
  server.prependListener('connection', (socket: Socket) => connections.admit(socket))
  const timer = setInterval(() => connections.sweep(), options.sweepMs ?? SWEEP_MS)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

class Connections {
  readonly #most: number
  readonly #mostOfOne: number
  readonly #isTrusted: IsTrusted
  readonly #telemetry: Telemetry | undefined
  readonly #stalledMs: number
  readonly #mostUnreadBytes: number
  readonly #open = new Map<Socket, Progress>()
  readonly #ofNetworks = new Map<string, number>()
  #refused = 0
  #refusedAddress = ''
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(options: Watched) {
    const { maxConnections = 1_000, maxConnectionsPerAddress = 100, stalledMs = 60_000 } = options
    for (const [name, value] of Object.entries({ maxConnections, maxConnectionsPerAddress })) {
      if (!Number.isSafeInteger(value) || value < 1) throw new InvalidInputError(name, 'must be a positive integer')
    }
    this.#most = maxConnections
    this.#mostOfOne = maxConnectionsPerAddress
    this.#isTrusted = options.isTrusted
    this.#telemetry = options.telemetry
    this.#stalledMs = stalledMs
    this.#mostUnreadBytes = options.mostUnreadBytes ?? MOST_UNREAD_BYTES
  }

  admit(socket: Socket): void {
    const { remoteAddress = '' } = socket
    const network = this.#isTrusted(remoteAddress) ? undefined : networkOf(remoteAddress)
    const ofNetwork = network === undefined ? 0 : (this.#ofNetworks.get(network) ?? 0)
    if (this.#open.size >= this.#most || ofNetwork >= this.#mostOfOne) {
      socket.destroy()
      this.#refuse(remoteAddress)
      return
    }
    this.#open.set(socket, { bytes: 0, since: performance.now() })
    if (network !== undefined) this.#ofNetworks.set(network, ofNetwork + 1)
    socket.once('close', () => {
      this.#open.delete(socket)
      if (network !== undefined) this.#leave(network)
    })
  }

  sweep(): void {
    this.#report()
    const now = performance.now()
    const waiting: { readonly socket: Socket; readonly since: number }[] = []
    let unreadBytes = 0
    for (const [socket, { bytes, since }] of this.#open) {
      const sentBytes = socket.bytesWritten - socket.writableLength
      const isMoving = socket.writableLength === 0 || sentBytes !== bytes
      if (isMoving) this.#open.set(socket, { bytes: sentBytes, since: now })
      else if (now - since >= this.#stalledMs) {
        this.#end(socket)
        continue
      }
      unreadBytes += socket.writableLength
      if (socket.writableLength > 0) waiting.push({ socket, since: isMoving ? now : since })
    }
    if (unreadBytes > this.#mostUnreadBytes) this.#endOldest(waiting, unreadBytes)
  }

  #endOldest(waiting: { readonly socket: Socket; readonly since: number }[], unreadBytes: number): void {
    let left = unreadBytes
    for (const { socket } of waiting.sort((one, other) => one.since - other.since)) {
      if (left <= this.#mostUnreadBytes) return
      left -= socket.writableLength
      this.#end(socket)
    }
  }

  #end(socket: Socket): void {
    const fields = { remoteAddress: socket.remoteAddress ?? '', unreadBytes: socket.writableLength }
    this.#telemetry?.record({ name: 'http.answer.stalled', level: 'warn', fields })
    socket.destroy()
  }

  #leave(network: string): void {
    const left = (this.#ofNetworks.get(network) ?? 0) - 1
    if (left > 0) this.#ofNetworks.set(network, left)
    else this.#ofNetworks.delete(network)
  }

  #refuse(remoteAddress: string): void {
    this.#refused += 1
    this.#refusedAddress = remoteAddress
    this.#report()
  }

  #report(): void {
    const now = performance.now()
    if (this.#refused === 0 || now - this.#reportedAt < REPORT_INTERVAL_MS) return
    const fields = { refused: this.#refused, lastAddress: this.#refusedAddress, open: this.#open.size }
    this.#telemetry?.record({ name: 'http.connections.refused', level: 'warn', fields })
    this.#refused = 0
    this.#reportedAt = now
  }
}
