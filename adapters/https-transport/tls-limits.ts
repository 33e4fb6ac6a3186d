import { DEFAULT_CIPHERS, type SecureContextOptions } from 'node:tls'

/**
 * What a server may choose in a handshake. Node calculates handshakes on the thread of its events, so what
 * is slow there holds up everything: groups over finite fields are, and in TLS 1.2 they are the server's own,
 * of up to 10,000 bits, which takes more than a second. Elliptic curves are all fast; a server that has none
 * is not contacted.
 *
 * Certificates are calculated with, too, before it is known whether they are trusted: a chain made for that,
 * with keys of 16,384 bits, takes some 100 ms of each connection. Node has no option against it; whom that
 * disturbs sends from a process of its own.
 */
export const TLS_LIMITS: Readonly<Pick<SecureContextOptions, 'ciphers' | 'ecdhCurve' | 'minVersion'>> = {
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve: 'X25519:P-256:P-384:P-521',
  minVersion: 'TLSv1.2',
}
