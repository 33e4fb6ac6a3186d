import type { Caller, Principal } from '../../../src/index.js'
import type { McpServerOptions } from '../create-mcp-server.js'

export interface McpHandlerOptions extends McpServerOptions {
  /** The path of the endpoint, for its URL in the metadata. Default: `/mcp`. */
  readonly path?: string
  /**
   * The URL under which clients reach the host, without the path of the endpoint. A function is called for each answer.
   * Default: the URL of the request, in answers that no cache may store.
   */
  readonly publicUrl?: string | (() => string | undefined)
  /**
   * Issuers of the tokens, for the metadata. A function is called for each answer. Default: the engine's `tokenIssuer`
   * if that is a URL, otherwise the host of the endpoint, which then serves the REST API too.
   */
  readonly authorizationServers?: readonly string[] | (() => readonly string[])
  /**
   * The host's own login: it gets the request without its body; `undefined` leaves the request to bearer tokens. Default:
   * only bearer tokens of `POST /connect/token` for the application `assistant`.
   */
  readonly authenticate?: (
    request: Request,
    info: McpRequestInfo,
  ) => Principal | undefined | Promise<Principal | undefined>
  /** False if only `authenticate` decides. Default: true. */
  readonly bearerTokens?: boolean
  /**
   * Names in the header `Host` that requests may have, without a port: others get 403. Set them for a server that only
   * this machine reaches, because a page of a foreign name may lead there (DNS rebinding). Default: all.
   */
  readonly allowedHosts?: readonly string[]
  /** Origins whose pages may call the endpoint from a browser; `*` allows all. Others get 403. Default: none. */
  readonly allowedOrigins?: readonly string[]
  /** The most bytes of a request's body. Default: 262,144. */
  readonly maxBodyBytes?: number
}

/** The facts about a request that only its server knows. */
export interface McpRequestInfo {
  /** IP address of the client. */
  readonly remoteAddress?: string | undefined
  /** Id of the request in logs and records. */
  readonly requestId?: string | undefined
  /** A value for `authenticate`, such as the session that a framework has read. */
  readonly context?: unknown
  /** Gives the server's log the caller of the request's token. */
  readonly noteCaller?: ((caller: Caller) => void) | undefined
}
