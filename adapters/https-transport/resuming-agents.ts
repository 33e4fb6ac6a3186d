import { Agent } from 'node:https'

/** One takes some kilobytes, 10 at the most. */
const MAX_SESSIONS = 256
/** So long a certificate that was good is not looked at again: that it has expired is seen so much later. */
const MAX_AGE_MS = 600_000

/**
 * Gives each request a connection of its own: one that is used again would not be looked up again. What connections have
 * in common are TLS sessions (RFC 8446, section 2.2): a server that is contacted again proves that it is the one whose
 * certificate was checked, without another certificate or signature, which is most of the work of a handshake on both
 * sides. One that does not know its session makes a whole handshake. A session is of one host, port and name; one whose
 * connection fails is forgotten.
 */
export class ResumingAgents {
  #agent = newAgent()
  #until = performance.now() + MAX_AGE_MS

  /** The one for a request now. */
  get current(): Agent {
    if (performance.now() >= this.#until) {
      this.#agent = newAgent()
      this.#until = performance.now() + MAX_AGE_MS
    }
    return this.#agent
  }
}

/** Without a limit of sockets: a request that waited would get the connection of another. Nor with a proxy. */
function newAgent(): Agent {
  return new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY, maxCachedSessions: MAX_SESSIONS })
}
