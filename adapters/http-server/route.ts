import type { z } from 'zod'
import type { Engine, Health, Origin, Session } from '../../src/index.js'
import type { ApiName, HttpHandlerOptions } from './http-handler-options.js'

/** The applications that tokens are for (specification, Authentication). */
export type TargetApp = 'assistant' | 'tenant'

/** One answer that an operation may give. */
export interface Answer {
  readonly description: string
  /** Of a JSON body; without one there is no body, or one of `contentType`. */
  readonly schema?: z.ZodType
  /** Default `application/json`. */
  readonly contentType?: string
  /** Another one, without a schema, for those who asked in another way. */
  readonly otherContentType?: string
  /** Whether a header names the next page. */
  readonly hasNextLink?: boolean
  /** Whether a header tells when to try again. */
  readonly hasRetryAfter?: boolean
}

/** What a handler works with: everything in it was checked. */
export interface Call<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly request: Request
  /** From where the request came; of an operation with a token, the principal has it too. */
  readonly origin: Origin
  readonly engine: Engine
  readonly options: HttpHandlerOptions
  /** What stands before the paths, without a slash at its end. */
  readonly basePath: string
  /** The OpenAPI description of what is mounted, as JSON. */
  readonly describe: () => Uint8Array
  /** How the engine is; requests share one check. */
  readonly health: () => Promise<Health>
  /** Checks that who asks still may, while a long answer is sent. @throws as when the request came */
  readonly mayGoOn: () => Promise<void>
  /** Tells the log of an answer that broke off. */
  readonly brokenOff: (error: unknown) => void
  /** Whether a body of unknown length goes out in chunks of HTTP/1. */
  readonly isChunked: boolean
  /** Reads the body where the route says that its handler does so, as JSON within the route's limits. */
  readonly readJson: () => Promise<unknown>
  /** Tells the log of requests who asks for a token. */
  readonly nameClient: (clientId: string) => void
}

/** An operation of the API: enough to serve it, and to describe it. */
export interface Route<Params = unknown, Query = unknown, Body = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With parameters in braces, as in OpenAPI. */
  readonly path: string
  /** The part of the API it belongs to; `system` is always mounted. */
  readonly api: ApiName | 'system'
  /** Whose token is needed: one for that application, any, or none. */
  readonly access: TargetApp | 'any' | 'public'
  readonly operationId: string
  readonly summary: string
  /** What the schemas do not say, for the description. */
  readonly description?: string
  readonly params?: z.ZodType<Params>
  readonly query?: z.ZodType<Query>
  readonly body?: z.ZodType<Body>
  /** Most bytes of a JSON body; default 16,384. */
  readonly maxBodyBytes?: number
  /** Set where something comes before the body: the handler reads it by `readJson`, and `body` only describes it. */
  readonly isBodyLate?: boolean
  /** Set where the handler reads the body itself: its content types, and their schemas for the description. */
  readonly rawBody?: Readonly<Record<string, object>>
  /** Not in the description: part of a page. */
  readonly isHidden?: boolean
  /** By status; those that every operation may give are added. */
  readonly answers: Readonly<Record<number, Answer>>
  handle(call: Call<Params, Query, Body>, session: Session | undefined): Promise<Response> | Response
}

/** An operation that needs a token. */
export function route<Params = unknown, Query = unknown, Body = unknown>(
  spec: Omit<Route<Params, Query, Body>, 'handle'> & {
    readonly access: TargetApp | 'any'
    readonly handle: (call: Call<Params, Query, Body>, session: Session) => Promise<Response> | Response
  },
): Route {
  return spec
}

/** An operation that everybody may use. */
export function publicRoute<Params = unknown, Query = unknown, Body = unknown>(
  spec: Omit<Route<Params, Query, Body>, 'handle' | 'access'> & {
    readonly handle: (call: Call<Params, Query, Body>) => Promise<Response> | Response
  },
): Route {
  return { ...spec, access: 'public' } as unknown as Route
}
