import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The most requests of one connection that may wait for the current one. */
const MAX_WAITING = 100
/** The time for a client to read the last answer of a connection. */
const LINGER_MS = 1_000

type Start = () => void

/**
 * Handles one request of a connection at a time. A client may send several without waiting for the answers
 * (pipelining). Node would start all of them at once.
 *
 * Nothing starts after the last answer of a connection: its client would never hear what became of the request. That is
 * an answer with `Connection: close`, or the one that ends while the server closes.
 */
export class RequestTurns {
  /** The waiting requests of connections with a request that is not answered. */
  readonly #waiting = new WeakMap<Socket, Start[]>()
  readonly #ended = new WeakSet<Socket>()

  constructor(private readonly closing?: AbortSignal | undefined) {}

  /** True if a request of the connection is not answered, or its answer is not sent yet. */
  isBusy(socket: Socket): boolean {
    return this.#waiting.has(socket)
  }

  /**
   * Starts a request when all earlier requests of its connection are answered. Destroys a connection with more than
   * 100 waiting requests. Streams of an HTTP/2 connection do not wait for each other.
   */
  enqueue({ httpVersionMajor, socket }: IncomingMessage, response: ServerResponse, start: Start): void {
    if (httpVersionMajor !== 1) {
      start()
      return
    }
    if (this.#ended.has(socket)) return
    response.once('close', () => this.#next(socket, response.shouldKeepAlive))
    const waiting = this.#waiting.get(socket)
    if (waiting === undefined) {
      this.#waiting.set(socket, [])
      start()
    } else if (waiting.length < MAX_WAITING) waiting.push(start)
    else socket.destroy()
  }

  #next(socket: Socket, isKept: boolean): void {
    const isLast = !isKept || this.closing?.aborted === true
    if (isLast) this.#ended.add(socket)
    if (isLast && isKept && !socket.destroyed) endSlowly(socket)
    const next = isLast || socket.destroyed ? undefined : this.#waiting.get(socket)?.shift()
    if (next === undefined) this.#waiting.delete(socket)
    else next()
  }
}

/**
 * Ends the server's side of a connection, and destroys the connection a second later. Destroying it at once would reset
 * the connection before the client has read the answer, if the client has sent more by then.
 */
export function endSlowly(socket: Socket): void {
  socket.end()
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
