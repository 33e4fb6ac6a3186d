import type { Telemetry } from '../../src/ports/index.js'

/** The parts of the API that can be mounted on their own. */
export const API_NAMES = ['assistant', 'tenant', 'events'] as const

export type ApiName = (typeof API_NAMES)[number]

export interface HttpHandlerOptions {
  /** What stands before every path, such as `/alcove`; default nothing. */
  readonly basePath?: string
  /**
   * Web address at which clients reach the handler, as the metadata of the token endpoint names it; a function is asked
   * for each answer. Default: the engine's `tokenIssuer` where that is a web address; otherwise the address of the
   * request, in answers that nobody may store.
   */
  readonly publicUrl?: string | (() => string)
  /** Parts to be mounted; default all. The token endpoint, health and the description are always there. */
  readonly apis?: readonly ApiName[]
  /** Most bytes of one uploaded file; default what its context may hold. */
  readonly maxUploadBytes?: number
  /**
   * Least bytes a second at which an upload comes, measured over 30 seconds in which the client is awaited;
   * default 1,024, 0 for no limit. Slower ones are refused with 408.
   */
  readonly minUploadBytesPerSecond?: number
  /** Origins whose pages may call the API from a browser; default none. `*` is every one. */
  readonly corsOrigins?: readonly string[]
  /** Hears of each request: `http.request`, at `warn` where it is refused. Default: nobody listens. */
  readonly telemetry?: Telemetry
}
