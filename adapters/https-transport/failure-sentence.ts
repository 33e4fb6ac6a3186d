/** What an error's code means to who reads a delivery log. The first that fits counts. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'the connection was refused'],
  [/^(?:ECONNRESET|EPIPE)$/, 'the connection was closed before there was a response'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENETDOWN|EHOSTDOWN|EACCES|EPERM)$/, 'the address cannot be reached'],
  [/^ETIMEDOUT$/, 'the address did not answer'],
  [/^CERT_HAS_EXPIRED$/, 'the certificate has expired'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'the certificate is for another name'],
  [/^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_|PATH_LENGTH_)/, 'the certificate is not trusted'],
  [/^(?:EPROTO$|ERR_SSL_|ERR_TLS_)/, 'no TLS connection could be made'],
  [/^HPE_HEADER_OVERFLOW$/, 'the headers of the response are too large'],
  [/^ERR_RESPONSE_SIZE$/, 'too much came back, and no response in it'],
  [/^ERR_RESPONSE_STATUS$/, 'what came back has no status of a final response'],
  [/^HPE_/, 'what came back is no response of HTTP'],
  [/^ERR_(?:INVALID|HTTP)_/, 'the request could not be made'],
]

/**
 * One sentence about why there is no response, with the error's code. Messages of errors are left out: they
 * repeat what a certificate or a request holds.
 */
export function failureSentence(error: unknown): string {
  const code = codeOf(error)
  if (code === undefined) return 'the connection ended without a response'
  const meaning = MEANINGS.find(([pattern]) => pattern.test(code))?.[1] ?? 'the request failed'
  return `${meaning} (${code})`
}

/** The code that Node or DNS gave an error. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code) ? code : undefined
}
