import type { Telemetry } from '../../src/ports/index.js'

/** The parts of the API that can be mounted on their own. */
export const API_NAMES = ['assistant', 'tenant', 'events'] as const

export type ApiName = (typeof API_NAMES)[number]

export interface HttpHandlerOptions {
  /** The prefix of every path, such as `/alcove`. Default: none. */
  readonly basePath?: string
  /**
   * The URL under which clients reach the handler, for the metadata of the token endpoint. A function is called for
   * each answer. Default: the engine's `tokenIssuer` if that is a URL. Otherwise the URL of the request, in answers
   * that no cache may store.
   */
  readonly publicUrl?: string | (() => string)
  /** The parts to mount. Default: all. The token endpoint, health and the description are always mounted. */
  readonly apis?: readonly ApiName[]
  /** The most bytes of one uploaded file. Default: the limit of its context. */
  readonly maxUploadBytes?: number
  /**
   * The lowest speed of an upload, in bytes a second, measured over 30 seconds in which the server waits for the
   * client. Default: 1,024; 0 for no limit. A slower upload gets 408.
   */
  readonly minUploadBytesPerSecond?: number
  /** The origins whose pages may call the API from a browser. Default: none. `*` allows all. */
  readonly corsOrigins?: readonly string[]
  /** Gets an event for each request: `http.request`, at `warn` for refusals. Default: none. */
  readonly telemetry?: Telemetry
}
