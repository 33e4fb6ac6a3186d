import { DEFAULT_CIPHERS, type SecureContextOptions } from 'node:tls'

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
export const TLS_LIMITS: Readonly<Pick<SecureContextOptions, 'ciphers' | 'ecdhCurve' | 'minVersion'>> = {
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve: 'X25519:P-256:P-384:P-521',
  minVersion: 'TLSv1.2',
}
