import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'

/** The limit for the headers, the part of the body that is kept, and its framing, which may be chunks of one byte. */
const MAX_RECEIVED_BYTES = 65_536
/** The number of interim responses: a slow server may send more than one (RFC 9110, section 15.2). */
const MAX_INTERIM_RESPONSES = 8

/** The answer is not an HTTP response, or never becomes one. */
export class ResponseError extends Error {
  constructor(readonly code: 'ERR_RESPONSE_SIZE' | 'ERR_RESPONSE_STATUS') {
    super(code)
  }
}

/**
 * Ends a request's connection if more bytes arrive than any response needs. Node does not limit interim responses,
 * empty lines before a response, or zeros before the size of a chunk. A server can send them forever. Parsing them at
 * the speed of the server leaves no time for other work.
 */
export function limitReceived(request: ClientRequest): void {
  let bytes = 0
  let interims = 0
  const end = (): void => void request.destroy(new ResponseError('ERR_RESPONSE_SIZE'))
  request.on('socket', (socket: Socket) => {
    // This listener runs before the parser of node:http, so a piece that exceeds the limit is the last one.
    socket.prependListener('data', (piece: Uint8Array) => {
      bytes += piece.length
      if (bytes > MAX_RECEIVED_BYTES) end()
    })
  })
  request.on('information', () => {
    interims += 1
    if (interims > MAX_INTERIM_RESPONSES) end()
  })
}
