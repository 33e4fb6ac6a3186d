import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'

/** For the headers, the part of the body that is kept, and its framing, be it chunks of one byte. */
const MAX_RECEIVED_BYTES = 65_536
/** A server that is slow may say so more than once (RFC 9110, section 15.2). */
const MAX_INTERIM_RESPONSES = 8

/** What came back is none of what HTTP calls a response, or does not come to one. */
export class ResponseError extends Error {
  constructor(readonly code: 'ERR_RESPONSE_SIZE' | 'ERR_RESPONSE_STATUS') {
    super(code)
  }
}

/**
 * Ends a request's connection where more comes than any response needs. Node has no such limits: interim
 * responses, empty lines before a response and zeros before the size of a chunk may go on for ever, and to
 * parse them as fast as a server can send them leaves no time for anything else.
 */
export function limitReceived(request: ClientRequest): void {
  let bytes = 0
  let interims = 0
  const end = (): void => void request.destroy(new ResponseError('ERR_RESPONSE_SIZE'))
  request.on('socket', (socket: Socket) => {
    // Before the parser of node:http, which listens already: a piece that is too much is the last one.
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
