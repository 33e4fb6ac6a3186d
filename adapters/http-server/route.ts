import type { z } from 'zod'
import type { Engine, Health, Origin, Session } from '../../src/index.js'
import type { Telemetry } from '../../src/ports/index.js'
import type { LoginOptions, PublicUrl, RequestCaller } from '../node-kit/index.js'
import type { Mounts } from './mounts.js'

/** The parts of the API that can be mounted on their own. */
export const API_NAMES = ['assistant', 'tenant', 'events'] as const

export type ApiName = (typeof API_NAMES)[number]

export interface HttpHandlerOptions extends LoginOptions {
  /** The prefix of every path, such as `/alcove`. Default: none. */
  readonly basePath?: string
  /**
   * The URL under which clients reach the handler, for the metadata of the token endpoint. A function is called for
   * each answer. Default: the engine's `tokenIssuer` if that is a URL. Otherwise the URL of the request, in answers
   * that no cache may store.
   */
  readonly publicUrl?: PublicUrl
  /** The parts to mount. Default: all. The token endpoint, health and the description are always mounted. */
  readonly apis?: readonly ApiName[]
  /** The most bytes of one uploaded file. Default: the limit of its context. */
  readonly maxUploadBytes?: number
  /**
   * The lowest speed of an upload, in bytes a second, measured over 30 seconds in which the server waits for the
   * client. Default: 1,024; 0 for no limit. A slower upload gets 408.
   */
  readonly minUploadBytesPerSecond?: number
  /**
   * The origins whose pages may call the API from a browser. Default: none. `*` allows all, but no page of another
   * origin that uses the cookies of `authenticate`.
   */
  readonly corsOrigins?: readonly string[]
  /**
   * False: only `authenticate` decides. Bearer tokens are ignored, and the operations that issue, revoke and describe
   * them are not mounted. Default: true.
   */
  readonly bearerTokens?: boolean
  /**
   * True: pages of this server can log in by `POST /auth/login` with a password or an API key, and are known by a cookie
   * from then on. The cookie is `HttpOnly` and `SameSite=Strict`. `authenticate` and bearer tokens come first. No page of
   * another origin may use the cookie. Default: false.
   */
  readonly cookieLogins?: boolean
  /**
   * The page on which users sign in, such as `/console` or `https://app.example.com/login`: the page on which they set
   * their password links to it. Default: no link.
   */
  readonly signInUrl?: string
  /**
   * Further handlers by path, such as `{ '/mcp': createMcpHandler(engine) }`. Their requests are logged and their answers
   * get the headers of this handler, with those for `corsOrigins`. A path may end in `/*`. Default: none.
   */
  readonly mounts?: Mounts
  /**
   * Gets an event and a span for each request; the event `http.request` is at `warn` for refusals. Default: none, and an
   * unexpected failure (500) goes to the console with its stack.
   */
  readonly telemetry?: Telemetry
}

/** The names of all options; a type error if one is missing. */
export const OPTIONS: Readonly<Record<keyof HttpHandlerOptions, true>> = {
  basePath: true,
  publicUrl: true,
  apis: true,
  maxUploadBytes: true,
  minUploadBytesPerSecond: true,
  corsOrigins: true,
  authenticate: true,
  allowsCrossSite: true,
  bearerTokens: true,
  cookieLogins: true,
  signInUrl: true,
  mounts: true,
  telemetry: true,
}

/** The applications that a token can be for. Specification: Authentication. */
type TargetApp = 'assistant' | 'tenant'

/** One answer that an operation may give. */
export interface Answer {
  readonly description: string
  /** The schema of a JSON body. Default: no body, or one of `contentType`. */
  readonly schema?: z.ZodType
  /** Default: `application/json`. */
  readonly contentType?: string
  /** A second content type, without a schema, for requests of another content type. */
  readonly otherContentType?: string
  /** Further headers, as OpenAPI describes them. */
  readonly headers?: Readonly<Record<string, object>>
  /** True if the header `Link` names the next page. */
  readonly hasNextLink?: boolean
  /** True if the header `Retry-After` says when to retry. */
  readonly hasRetryAfter?: boolean
}

/** The input of a handler. All of it is checked. */
export interface Call<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly request: Request
  /** The source of the request. With a token, the principal has it too. */
  readonly origin: Origin
  readonly engine: Engine
  readonly options: HttpHandlerOptions
  /** The prefix of the paths, without a slash at its end. */
  readonly basePath: string
  /** Returns the OpenAPI description of the mounted routes as JSON. */
  readonly describe: () => Uint8Array
  /** The health of the engine. Requests share one check. */
  readonly health: () => Promise<Health>
  /** Finds the caller of a public operation that needs one. @throws the errors of authentication */
  readonly identify: () => Promise<RequestCaller>
  /** Checks that the caller still has its rights while a long answer is sent. @throws the errors of authentication */
  readonly requireRights: () => Promise<void>
  /** As {@link requireRights}, but an expired token is refused too. */
  readonly requireToken: () => Promise<void>
  /** Aborted when the server closes. */
  readonly closing: AbortSignal | undefined
  /** Logs an error after the beginning of the answer was sent. */
  readonly reportAbort: (error: unknown) => void
  /** True to send bodies of unknown length in HTTP/1 chunks. */
  readonly isChunked: boolean
  /** Reads and checks the JSON body within the route's limits, for routes with `isBodyLate`. */
  readonly readJson: () => Promise<unknown>
  /** Gives the request log the client id of a token request. */
  readonly nameClient: (clientId: string) => void
}

/** An operation of the API: its behavior and its description. */
export interface Route<Params = unknown, Query = unknown, Body = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Has its parameters in braces, as in OpenAPI. */
  readonly path: string
  /** The part of the API; `system` is always mounted. */
  readonly api: ApiName | 'system'
  /** The required token: one for this application, any, or none (`public`). */
  readonly access: TargetApp | 'any' | 'public'
  readonly operationId: string
  readonly summary: string
  /** Facts for the description that the schemas do not say. */
  readonly description?: string
  readonly params?: z.ZodType<Params>
  readonly query?: z.ZodType<Query>
  readonly body?: z.ZodType<Body>
  /**
   * True for an operation of the specification: it ignores members of a body and parameters of a query that its schemas
   * do not name. Every other operation with a token refuses them, and every other JSON body.
   */
  readonly isSpecified?: boolean
  /** Members of an answer that a client may send back in the body. They are ignored. */
  readonly membersSentBack?: readonly string[]
  /** The most bytes of a JSON body. Default: 16,384. */
  readonly maxBodyBytes?: number
  /** True if a check comes before the body: the handler reads it by `readJson`, and `body` only describes it. */
  readonly isBodyLate?: boolean
  /** Set if the handler reads the body itself: the content types with their schemas, for the description. */
  readonly rawBody?: Readonly<Record<string, object>>
  /** True to leave the route out of the description: it is a part of a page. */
  readonly isHidden?: boolean
  /** The answers by status. The description adds the errors that every operation may give. */
  readonly answers: Readonly<Record<number, Answer>>
  handle(call: Call<Params, Query, Body>, session: Session | undefined): Promise<Response> | Response
}

/** Defines an operation that needs a token. */
export function route<Params = unknown, Query = unknown, Body = unknown>(
  spec: Omit<Route<Params, Query, Body>, 'handle'> & {
    readonly access: TargetApp | 'any'
    readonly handle: (call: Call<Params, Query, Body>, session: Session) => Promise<Response> | Response
  },
): Route {
  return spec
}

/** Defines an operation that needs no token. */
export function publicRoute<Params = unknown, Query = unknown, Body = unknown>(
  spec: Omit<Route<Params, Query, Body>, 'handle' | 'access'> & {
    readonly handle: (call: Call<Params, Query, Body>) => Promise<Response> | Response
  },
): Route {
  return { ...spec, access: 'public' } as unknown as Route
}
