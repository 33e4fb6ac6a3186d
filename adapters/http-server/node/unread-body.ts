import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/** The time for a client to read an answer that came before the end of its request. */
const LINGER_MS = 1_000

/**
 * Closes the connection if the answer begins before the whole body is received. Node itself would read such a body to
 * its end, however long that is.
 *
 * The answer says `Connection: close`, and the server stops reading. After the answer it ends its side of the
 * connection, and destroys the connection one second later. Destroying it at once would reset the connection before
 * the client has read the answer.
 *
 * This applies to HTTP/1 over a socket. An HTTP/2 server ends its streams itself.
 */
export function closeOnUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request
  if (request.httpVersionMajor !== 1 || !(socket instanceof Socket) || !hasBody(request)) return
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse
  response.writeHead = (...args: unknown[]) => {
    if (!request.complete && !response.headersSent) {
      response.setHeader('connection', 'close')
      stopReading(socket)
    }
    return writeHead(...args)
  }
}

/**
 * Sends `100 Continue` only when the operation begins to read the body. If the operation answers without the body, a
 * client that waits never sends it.
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  request.once('resume', () => {
    if (!response.headersSent && !response.destroyed) response.writeContinue()
  })
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Replaces the two methods through which Node's parser resumes and ends a socket. */
function stopReading(socket: Socket): void {
  socket.pause()
  socket.resume = () => socket
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
  }
}
