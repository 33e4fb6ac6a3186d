import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The most requests of one connection that may wait for the current one. */
const MAX_WAITING = 100

type Start = () => void

/**
 * Handles one request of a connection at a time. A client may send several without waiting for the answers
 * (pipelining). Node would start all of them at once.
 */
export class RequestTurns {
  readonly #waiting = new WeakMap<Socket, Start[]>()

  /**
   * Starts a request when all earlier requests of its connection are answered. Destroys a connection with more than
   * 100 waiting requests. Streams of an HTTP/2 connection do not wait for each other.
   */
  enqueue({ httpVersionMajor, socket }: IncomingMessage, response: ServerResponse, start: Start): void {
    if (httpVersionMajor !== 1) {
      start()
      return
    }
    response.once('close', () => this.#next(socket))
    const waiting = this.#waiting.get(socket)
    if (waiting === undefined) {
      this.#waiting.set(socket, [])
      start()
    } else if (waiting.length < MAX_WAITING) waiting.push(start)
    else socket.destroy()
  }

  #next(socket: Socket): void {
    const next = socket.destroyed ? undefined : this.#waiting.get(socket)?.shift()
    if (next === undefined) this.#waiting.delete(socket)
    else next()
  }
}
