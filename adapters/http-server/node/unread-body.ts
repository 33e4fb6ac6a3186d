import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/** How long a client has to read an answer that came before the end of its request, in milliseconds. */
const LINGER_MS = 1_000

/**
 * Ends the connection of a request whose body is not wholly received when its answer begins. Node itself
 * would read such a body to its end, however long that is.
 *
 * The answer says `Connection: close`; from then on nothing is read. Once the answer is out, the server's
 * side of the connection ends, and a second later the connection is destroyed: to destroy it at once
 * would reset it before the client has read the answer.
 *
 * Applies to HTTP/1 over a socket; a stream of HTTP/2 is ended by whoever serves it.
 */
export function closeOnUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request
  if (request.httpVersionMajor !== 1 || !(socket instanceof Socket) || !hasBody(request)) return
  const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => ServerResponse
  response.writeHead = (...given: unknown[]) => {
    if (!request.complete && !response.headersSent) {
      response.setHeader('connection', 'close')
      stopReading(socket)
    }
    return writeHead(...given)
  }
}

/**
 * Sends `100 Continue` when the operation begins to read the body, and never if it answers without: a client
 * that waits for it sends nothing in vain.
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  request.once('resume', () => {
    if (!response.headersSent && !response.destroyed) response.writeContinue()
  })
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Node's parser resumes a socket and ends it through these two methods. */
function stopReading(socket: Socket): void {
  socket.pause()
  socket.resume = () => socket
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
  }
}
