import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as tls from 'node:tls'
import { InvalidInputError } from '../../src/ports/index.js'
import { TLS_LIMITS } from './tls-limits.js'

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
