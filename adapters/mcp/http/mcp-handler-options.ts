import type { Principal } from '../../../src/index.js'
import type { HeldBytes, LoginOptions, PublicUrl } from '../../node-kit/index.js'
import type { McpServerOptions } from '../create-mcp-server.js'

export interface McpHandlerOptions extends McpServerOptions, LoginOptions {
  /** The path of the endpoint, for its URL in the metadata. Default: `/mcp`. */
  readonly path?: string
  /**
   * The URL under which clients reach the host, without the path of the endpoint. A function is called for each answer.
   * Default: the URL of the request with its header `Host`, in answers that no cache may store.
   */
  readonly publicUrl?: PublicUrl
  /**
   * Issuers of the tokens, for the metadata. A function is called for each answer. Default: the engine's `tokenIssuer`
   * if that is a URL, otherwise the host of the endpoint, which then serves the REST API too.
   */
  readonly authorizationServers?: readonly string[] | (() => readonly string[])
  /**
   * Names in the header `Host` that requests may have, without a port: others get 403. Set them for a server that only
   * this machine reaches, because a page of a foreign name may lead there (DNS rebinding). Default: all.
   */
  readonly allowedHosts?: readonly string[]
  /**
   * Origins whose pages may call the endpoint from a browser. Others get 403. `*` allows all, but no page of another
   * origin that uses the cookies of `authenticate`. Default: none.
   */
  readonly allowedOrigins?: readonly string[]
  /** The most bytes of a request's body. Default: 262,144. */
  readonly maxBodyBytes?: number
}

/** The names of all options; a type error if one is missing. */
export const OPTIONS: Readonly<Record<keyof McpHandlerOptions, true>> = {
  contexts: true,
  name: true,
  title: true,
  telemetry: true,
  path: true,
  publicUrl: true,
  authorizationServers: true,
  authenticate: true,
  bearerTokens: true,
  allowsCrossSite: true,
  allowedHosts: true,
  allowedOrigins: true,
  maxBodyBytes: true,
}

/** The facts about a request that only its server knows. */
export interface McpRequestInfo {
  /** IP address of the client. */
  readonly remoteAddress?: string | undefined
  /** Id of the request in logs and records. Default: the header `x-request-id`, or a new one. */
  readonly requestId?: string | undefined
  /** A value for `authenticate`, such as the session that a framework has read. */
  readonly context?: unknown
  /** Gives the server's log the caller of the request. */
  readonly noteCaller?: ((caller: NotedCaller) => void) | undefined
  /**
   * Counts a body that is received in the memory that all bodies of the server share. Default: the handler has a bound of
   * its own, 64 MiB, of which one company has 16 MiB.
   *
   * @param companyId the caller's company
   */
  readonly holdBody?: ((companyId: number) => HeldBytes) | undefined
}

/** The caller of a request, for the log. */
interface NotedCaller {
  readonly principal: Principal
  /** Client id of the API key. Undefined for a caller of the host's login. */
  readonly clientId?: string | undefined
}
