/** A request to a destination. */
export interface HttpPost {
  /** As {@link HttpTransport.vetDestination} gave it. */
  readonly url: string
  /** Names in lower case. Besides them goes what HTTP itself needs: host, content-length, connection. */
  readonly headers: Readonly<Record<string, string>>
  /** Sent byte for byte. */
  readonly body: Uint8Array
}

/** What came of a request. */
export type HttpOutcome =
  | {
      readonly kind: 'response'
      /** Any status, those of redirects included: none is followed. */
      readonly httpStatus: number
      /** The first bytes of the body as they came, not inflated; at most {@link MAX_RESPONSE_BODY_BYTES}. */
      readonly body: Uint8Array
    }
  | {
      /**
       * - `timeout`: no response's headers within the deadline;
       * - `connection_error`: no address, no connection, no valid certificate, or a connection that broke;
       * - `blocked`: an address or a name that may not be contacted; nothing was sent.
       */
      readonly kind: 'timeout' | 'connection_error' | 'blocked'
      /** One sentence for the delivery log. */
      readonly error: string
    }

/** What is kept of a response's body. */
export const MAX_RESPONSE_BODY_BYTES = 4_096

export interface VetOptions {
  readonly signal?: AbortSignal
  /**
   * Called, and waited for, before a name is looked up; what it throws ends the check. Not called for a URL that is
   * refused without a look-up, nor for an address.
   */
  readonly beforeLookUp?: () => Promise<void>
}

/**
 * Sends requests to destinations that strangers have named, and to nowhere that they must not reach
 * (specification, Destination requirements).
 */
export interface HttpTransport {
  /**
   * Checks a destination's URL: its form, its name and, by a look-up of now, its addresses.
   *
   * @returns the URL in the form in which two that mean the same are equal: punycode, no default port
   * @throws InvalidInputError with the field `url` for what is no URL of a destination
   * @throws UnresolvedDestinationError with the field `url` for a name that does not resolve
   * @throws DestinationRefusedError for one that may not be contacted; `isByLookUp` where a look-up said so
   */
  vetDestination(url: string, options?: VetOptions): Promise<string>

  /**
   * Sends a POST, once.
   *
   * - Looks the name up anew, checks every address, and contacts only what it has checked.
   * - Follows no redirect, uses no proxy, no pool of connections and no cookies.
   * - One deadline of five seconds covers look-up, connection, TLS, request and the response's headers; the
   *   body is read in what remains of it, up to its cap, and then the connection is cut.
   * - Rejects only where `signal` is aborted, with its reason. Whatever the destination does is an outcome.
   */
  post(request: HttpPost, options?: { readonly signal?: AbortSignal }): Promise<HttpOutcome>

  /** Cuts off what is under way. A second call does nothing. */
  close(): Promise<void>
}
