import { Agent } from 'node:https'

/** A session takes some kilobytes, 10 at most. */
const MAX_SESSIONS = 256
/** A certificate is not checked again for this time, so the engine notices an expired one this much later. */
const MAX_AGE_MS = 600_000

/**
 * Gives each request its own connection: a reused connection would skip the look-up of the name. Connections share TLS
 * sessions (RFC 8446, section 2.2). With a session, a server that was contacted before proves its identity without
 * another certificate or signature. These are most of the work of a handshake on both sides. A server that does not
 * know its session makes a whole handshake. A session belongs to one host, port and name; a failed connection discards
 * its session.
 */
export class ResumingAgents {
  #agent = newAgent()
  #validUntil = performance.now() + MAX_AGE_MS

  /** The agent for a request now. */
  get current(): Agent {
    if (performance.now() >= this.#validUntil) {
      this.#agent = newAgent()
      this.#validUntil = performance.now() + MAX_AGE_MS
    }
    return this.#agent
  }
}

/** No limit of sockets: a waiting request would get the connection of another. No proxy either. */
function newAgent(): Agent {
  return new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY, maxCachedSessions: MAX_SESSIONS })
}
