import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import * as tls from 'node:tls'
import { InvalidInputError } from '../../src/ports/index.js'

/**
 * The TLS versions and algorithms that a server may choose. Node computes handshakes on the event loop, so a slow
 * algorithm blocks everything. Groups over finite fields are slow. In TLS 1.2, the server chooses its own group of up
 * to 10,000 bits, which takes more than a second. All elliptic curves are fast. The transport does not contact a server
 * without elliptic curves.
 *
 * Node also computes with certificates before it knows if it trusts them. A chain made for an attack, with keys of
 * 16,384 bits, takes some 100 ms of each connection. Node has no option against it; a host that this disturbs sends
 * from a separate process.
 */
export const TLS_LIMITS: Readonly<Pick<tls.SecureContextOptions, 'ciphers' | 'ecdhCurve' | 'minVersion'>> = {
  ciphers: `${tls.DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve: 'X25519:P-256:P-384:P-521',
  minVersion: 'TLSv1.2',
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * Makes a TLS context that trusts these authorities in addition to those that Node trusts. Reading them all blocks the
 * event loop for some 40 ms. So all connections, and all transports that trust the same authorities, share one context.
 * It is made before the first connection.
 *
 * @param authorities texts in PEM; each may have several certificates
 * @throws InvalidInputError with the field `certificateAuthorities` for a text without valid certificates
 */
export function trustedAuthorities(authorities: readonly string[]): tls.SecureContext {
  const ca = [...listNodeAuthorities(), ...authorities.flatMap(checkCertificates)]
  const trusted = ca.join()
  if (cached?.trusted !== trusted) cached = { trusted, context: tls.createSecureContext({ ...TLS_LIMITS, ca }) }
  return cached.context
}

/** The last context: engines of one host trust the same authorities. */
let cached: { readonly trusted: string; readonly context: tls.SecureContext } | undefined

/**
 * Checks each certificate. OpenSSL ignores invalid ones, and the operator would learn of it only by a failed delivery.
 */
function checkCertificates(pem: string): readonly string[] {
  try {
    const certificates = findCertificates(pem)
    if (certificates.length === 0) throw new TypeError('no certificate')
    return certificates.map((certificate) => new X509Certificate(certificate).toString())
  } catch (cause) {
    throw new InvalidInputError('certificateAuthorities', 'must be certificates in PEM, as text', { cause })
  }
}

/**
 * The authorities that Node trusts. They are listed again, because the option `ca` replaces them. Node can report them
 * since version 22.15. In older versions, NODE_EXTRA_CA_CERTS is also lost if certificates are added to an existing
 * context (https://github.com/nodejs/node/issues/32010).
 */
function listNodeAuthorities(): readonly string[] {
  const { getCACertificates } = tls as { readonly getCACertificates?: (type: 'default') => readonly string[] }
  return getCACertificates?.('default') ?? [...tls.rootCertificates, ...readExtraAuthorities()]
}

/** Ignores a file that cannot be read, as Node does. */
function readExtraAuthorities(): readonly string[] {
  const path = process.env['NODE_EXTRA_CA_CERTS']
  if (path === undefined || path === '') return []
  try {
    return findCertificates(readFileSync(path, 'latin1'))
  } catch {
    return []
  }
}

function findCertificates(pem: string): readonly string[] {
  return pem.match(CERTIFICATE) ?? []
}

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
