import type { Server, Socket } from 'node:net'
import { InvalidInputError, networkOf } from '../../../src/index.js'
import type { Telemetry } from '../../../src/ports/index.js'
import type { IsTrusted } from './node-listener.js'

/** The most open connections. */
export interface ConnectionLimits {
  /** For all clients together. Default: 1,000. */
  readonly maxConnections?: number
  /** For one IPv4 address, or one IPv6 /64 network. Trusted proxies are exempt. Default: 100. */
  readonly maxConnectionsPerAddress?: number
}

interface WatchOptions extends ConnectionLimits {
  readonly isTrusted: IsTrusted
  /** True if no request of the connection is under way, and no answer of it is unsent. */
  readonly isIdle: (socket: Socket) => boolean
  readonly telemetry?: Telemetry | undefined
  /** The longest time in which a client may read nothing of an answer. Default: 60,000. */
  readonly stalledMs?: number
  /** The most bytes of answers that all clients together may leave unread. Default: 134,217,728. */
  readonly maxUnreadBytes?: number
  /** A connection that is idle for so long gives its place to a new one. Default: 5,000. */
  readonly yieldsAfterMs?: number
  readonly sweepMs?: number
}

/** The traffic of a connection until the last sweep. Times are those of `performance.now()`. */
interface Progress {
  /** The bytes sent, and since when that number is the same. */
  readonly bytes: number
  readonly since: number
  /** The bytes in both directions, and since when that number is the same. */
  readonly bytesOfBoth: number
  readonly quietSince: number
  /** Undefined for a trusted proxy, whose connections are limited in total alone. */
  readonly network: string | undefined
}

const REPORT_INTERVAL_MS = 10_000
/** So short that answers cannot exceed the limit by much between two sweeps. */
const SWEEP_MS = 250
const MAX_UNREAD_BYTES = 134_217_728

/**
 * Limits the connections of a server and the answers that clients leave unread.
 *
 * - At a limit, the connection that is idle for the longest time ends, if that is more than five seconds. Without such a
 *   connection, the new one is closed: `http.connections.refused` (`warn`) reports the number of these, at most every ten
 *   seconds.
 * - It destroys a connection if an answer waits there and the client has read nothing for a minute:
 *   `http.answer.stalled` (`warn`).
 * - If more than 128 MiB of answers are unread, it destroys connections in the same way until fewer are. It begins
 *   with the client that has read nothing for the longest time.
 *
 * @throws InvalidInputError for limits that are not positive integers
 */
export function watchConnections(server: Server, options: WatchOptions): void {
  const connections = new Connections(options)
  // This listener must run before the server's own listener, which starts to read.
  server.prependListener('connection', (socket: Socket) => connections.admit(socket))
  const timer = setInterval(() => connections.sweep(), options.sweepMs ?? SWEEP_MS)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

class Connections {
  readonly #maxConnections: number
  readonly #maxPerNetwork: number
  readonly #isTrusted: IsTrusted
  readonly #isIdle: (socket: Socket) => boolean
  readonly #telemetry: Telemetry | undefined
  readonly #stalledMs: number
  readonly #yieldsAfterMs: number
  readonly #maxUnreadBytes: number
  readonly #open = new Map<Socket, Progress>()
  readonly #countOfNetworks = new Map<string, number>()
  #refused = 0
  #refusedAddress = ''
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(options: WatchOptions) {
    const { maxConnections = 1_000, maxConnectionsPerAddress = 100, stalledMs = 60_000 } = options
    for (const [name, value] of Object.entries({ maxConnections, maxConnectionsPerAddress })) {
      if (!Number.isSafeInteger(value) || value < 1) throw new InvalidInputError(name, 'must be a positive integer')
    }
    this.#maxConnections = maxConnections
    this.#maxPerNetwork = maxConnectionsPerAddress
    this.#isTrusted = options.isTrusted
    this.#isIdle = options.isIdle
    this.#telemetry = options.telemetry
    this.#stalledMs = stalledMs
    this.#yieldsAfterMs = options.yieldsAfterMs ?? 5_000
    this.#maxUnreadBytes = options.maxUnreadBytes ?? MAX_UNREAD_BYTES
  }

  admit(socket: Socket): void {
    const { remoteAddress = '' } = socket
    const network = this.#isTrusted(remoteAddress) ? undefined : networkOf(remoteAddress)
    const countOfNetwork = network === undefined ? 0 : (this.#countOfNetworks.get(network) ?? 0)
    const isNetworkFull = countOfNetwork >= this.#maxPerNetwork
    const isFull = isNetworkFull || this.#open.size >= this.#maxConnections
    if (isFull && !this.#endIdle(isNetworkFull ? network : undefined)) {
      socket.destroy()
      this.#refuse(remoteAddress)
      return
    }
    const now = performance.now()
    this.#open.set(socket, { bytes: 0, since: now, bytesOfBoth: 0, quietSince: now, network })
    if (network !== undefined) this.#countOfNetworks.set(network, (this.#countOfNetworks.get(network) ?? 0) + 1)
    socket.once('close', () => this.#forget(socket))
  }

  sweep(): void {
    this.#report()
    const now = performance.now()
    const waiting: { readonly socket: Socket; readonly since: number }[] = []
    let unreadBytes = 0
    for (const [socket, { bytes, since, ...last }] of this.#open) {
      const sentBytes = socket.bytesWritten - socket.writableLength
      const isMoving = socket.writableLength === 0 || sentBytes !== bytes
      if (!isMoving && now - since >= this.#stalledMs) {
        this.#destroyStalled(socket)
        continue
      }
      const bytesOfBoth = socket.bytesRead + sentBytes
      const quietSince = bytesOfBoth === last.bytesOfBoth ? last.quietSince : now
      const { network } = last
      this.#open.set(socket, { bytes: sentBytes, since: isMoving ? now : since, bytesOfBoth, quietSince, network })
      unreadBytes += socket.writableLength
      if (socket.writableLength > 0) waiting.push({ socket, since: isMoving ? now : since })
    }
    if (unreadBytes > this.#maxUnreadBytes) this.#destroyOldest(waiting, unreadBytes)
  }

  #destroyOldest(waiting: { readonly socket: Socket; readonly since: number }[], unreadBytes: number): void {
    let left = unreadBytes
    for (const { socket } of waiting.sort((first, second) => first.since - second.since)) {
      if (left <= this.#maxUnreadBytes) return
      left -= socket.writableLength
      this.#destroyStalled(socket)
    }
  }

  #destroyStalled(socket: Socket): void {
    const fields = { remoteAddress: socket.remoteAddress ?? '', unreadBytes: socket.writableLength }
    this.#telemetry?.record({ name: 'http.answer.stalled', level: 'warn', fields })
    socket.destroy()
  }

  /** @param network whose connections count; default: all do. @returns false if none is idle for long enough */
  #endIdle(network?: string): boolean {
    let longest: Socket | undefined
    let earliest = performance.now() - this.#yieldsAfterMs
    for (const [socket, { quietSince, bytesOfBoth, ...its }] of this.#open) {
      if (network !== undefined && its.network !== network) continue
      if (quietSince >= earliest || !this.#isIdle(socket)) continue
      // Bytes since the last sweep may be the beginning of a request.
      if (socket.bytesRead + socket.bytesWritten !== bytesOfBoth) continue
      longest = socket
      earliest = quietSince
    }
    if (longest === undefined) return false
    longest.destroy()
    this.#forget(longest)
    return true
  }

  #forget(socket: Socket): void {
    const network = this.#open.get(socket)?.network
    if (this.#open.delete(socket) && network !== undefined) this.#decrementNetwork(network)
  }

  #decrementNetwork(network: string): void {
    const count = (this.#countOfNetworks.get(network) ?? 0) - 1
    if (count > 0) this.#countOfNetworks.set(network, count)
    else this.#countOfNetworks.delete(network)
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
