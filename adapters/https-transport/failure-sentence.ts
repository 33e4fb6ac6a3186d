import { codeOf as systemCodeOf } from '../node-kit/index.js'

/** The meaning of an error's code for the reader of a delivery log. The first match counts. */
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
  [/^ERR_RESPONSE_SIZE$/, 'the server sent too many bytes without a complete response'],
  [/^ERR_RESPONSE_STATUS$/, 'the response does not have the status of a final response'],
  [/^HPE_/, 'the answer is not an HTTP response'],
  [/^ERR_(?:INVALID|HTTP)_/, 'the request could not be made'],
]

/**
 * Returns one sentence about the reason for the missing response, with the error's code. It leaves out messages of
 * errors, because they repeat parts of a certificate or of a request.
 */
export function failureSentence(error: unknown): string {
  const code = codeOf(error)
  if (code === undefined) return 'the connection ended without a response'
  const meaning = MEANINGS.find(([pattern]) => pattern.test(code))?.[1] ?? 'the request failed'
  return `${meaning} (${code})`
}

/** Returns the code that Node or DNS gave an error. */
export function codeOf(error: unknown): string | undefined {
  const code = systemCodeOf(error)
  return code !== undefined && /^[A-Z][A-Z0-9_]+$/.test(code) ? code : undefined
}
