import type { ErrorReason } from '../kernel/errors.js'

/** A POST request to a destination. */
export interface HttpPost {
  /** The URL that {@link HttpTransport.vetDestination} returned. */
  readonly url: string
  /** Header names in lower case. The transport adds only what HTTP needs: host, content-length, connection. */
  readonly headers: Readonly<Record<string, string>>
  /** The exact bytes of the body. */
  readonly body: Uint8Array
}

/** The outcome of a request. */
export type HttpOutcome =
  | {
      readonly kind: 'response'
      /** Any status. The transport follows no redirect, so it may be the status of one. */
      readonly httpStatus: number
      /** The first bytes of the body as received, not decompressed; at most {@link MAX_RESPONSE_BODY_BYTES}. */
      readonly body: Uint8Array
      /** The header `retry-after` as received, at most {@link MAX_RETRY_AFTER_LENGTH} characters. Absent without it. */
      readonly retryAfter?: string
    }
  | {
      /**
       * - `timeout`: the headers of a response did not arrive before the deadline.
       * - `connection_error`: no address, no connection, no valid certificate, or a broken connection.
       * - `blocked`: the address or the name is not allowed; the transport sent nothing.
       */
      readonly kind: 'timeout' | 'connection_error' | 'blocked'
      /** The reason, one sentence for the delivery log. */
      readonly error: string
      /** The same for programs. Default: none. */
      readonly reason?: ErrorReason | undefined
    }

/** Maximum size of the part of a response's body that the transport keeps, in bytes. */
export const MAX_RESPONSE_BODY_BYTES = 4_096

/** Maximum length of {@link HttpOutcome}'s `retryAfter`: the longest date of HTTP has 33 characters. */
export const MAX_RETRY_AFTER_LENGTH = 64

/** Options of {@link HttpTransport.vetDestination}. */
export interface VetOptions {
  /** Aborts the check, which then rejects with the signal's reason. Default: no signal. */
  readonly signal?: AbortSignal
  /**
   * The transport calls this function, and awaits it, before it looks up a name. An error of the function rejects the
   * check. The transport does not call it for an address, or for a URL that it refuses without a look-up.
   */
  readonly beforeLookUp?: () => Promise<void>
}

/**
 * Sends requests to destinations that tenants have chosen, and never to an address that tenants must not reach.
 * Specification: Destination requirements.
 *
 * Concurrent calls are allowed. After {@link close}, {@link vetDestination} rejects with a `ClosedError`, and {@link
 * post} resolves with a `connection_error`.
 */
export interface HttpTransport {
  /**
   * Checks a destination's URL: its form, its name and, by a look-up at this time, its addresses.
   *
   * @returns the canonical form of the URL, which is equal for equivalent URLs: punycode, no default port
   * @throws InvalidInputError with the field `url` if the value is not the URL of a destination
   * @throws UnresolvedDestinationError with the field `url` if the name does not resolve
   * @throws DestinationRefusedError if the destination is not allowed; `isByLookUp` is true if the look-up showed that
   */
  vetDestination(url: string, options?: VetOptions): Promise<string>

  /**
   * Sends a POST request once.
   *
   * - Looks up the name for each request, checks every address, and connects only to addresses that it has checked.
   * - Follows no redirect, and uses no proxy, no connection pool and no cookies.
   * - One deadline of 5 s covers look-up, connection, TLS, request and the response's headers. In the remaining time,
   *   the transport reads the body up to {@link MAX_RESPONSE_BODY_BYTES}. Then it closes the connection.
   * - Rejects only if `signal` is aborted, with its reason. Every reaction of the destination is an outcome.
   *
   * @param options.signal aborts the request. Default: no signal
   */
  post(request: HttpPost, options?: { readonly signal?: AbortSignal }): Promise<HttpOutcome>

  /** Aborts requests in progress, which then resolve with a `connection_error`. A second call does nothing. */
  close(): Promise<void>
}
