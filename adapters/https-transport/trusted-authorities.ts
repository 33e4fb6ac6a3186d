import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as tls from 'node:tls'
import { InvalidInputError } from '../../src/ports/index.js'
import { TLS_LIMITS } from './tls-limits.js'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * A context that trusts these authorities beside those that Node trusts. To read them all takes some 40 ms
 * in which nothing else is done; so one context serves all connections, and all transports that trust the same, and it
 * is made before there are any.
 *
 * @param authorities in PEM; each may hold several certificates
 * @throws InvalidInputError with the field `certificateAuthorities` for what is no certificate
 */
export function trustedAuthorities(authorities: readonly string[]): tls.SecureContext {
  const ca = [...nodeAuthorities(), ...authorities.flatMap(checkedCertificates)]
  const trusted = ca.join()
  if (last?.trusted !== trusted) last = { trusted, context: tls.createSecureContext({ ...TLS_LIMITS, ca }) }
  return last.context
}

/** Engines of one host trust the same. */
let last: { readonly trusted: string; readonly context: tls.SecureContext } | undefined

/** OpenSSL passes over what is no certificate: who gave it would learn of it by a delivery that fails. */
function checkedCertificates(pem: string): readonly string[] {
  try {
    const certificates = certificatesIn(pem)
    if (certificates.length === 0) throw new TypeError('no certificate')
    return certificates.map((certificate) => new X509Certificate(certificate).toString())
  } catch (cause) {
    throw new InvalidInputError('certificateAuthorities', 'must be certificates in PEM, as text', { cause })
  }
}

/**
 * The option `ca` takes the place of all that Node trusts; so that is said again. What it is can be asked
 * since Node 22.15. Before, NODE_EXTRA_CA_CERTS is lost also where certificates are added to a context
 * that exists (https://github.com/nodejs/node/issues/32010).
 */
function nodeAuthorities(): readonly string[] {
  const { getCACertificates } = tls as { readonly getCACertificates?: (type: 'default') => readonly string[] }
  return getCACertificates?.('default') ?? [...tls.rootCertificates, ...extraAuthorities()]
}

/** As Node does, goes on without a file that cannot be read. */
function extraAuthorities(): readonly string[] {
  const path = process.env['NODE_EXTRA_CA_CERTS']
  if (path === undefined || path === '') return []
  try {
    return certificatesIn(readFileSync(path, 'latin1'))
  } catch {
    return []
  }
}

function certificatesIn(pem: string): readonly string[] {
  return pem.match(CERTIFICATE) ?? []
}
