import { createMcpHandler as createProtocolHandler, validateHostHeader } from '@modelcontextprotocol/server'
import { type Engine, InvalidInputError, type Session } from '../../src/index.js'
import { errorReason, refuseUnknownMembers } from '../../src/ports/index.js'
import {
  BodyBudget,
  checkLogin,
  type HeldBytes,
  HttpError,
  hostOf,
  identifyCaller,
  printFailure,
  requestIdOf,
  requireApplication,
} from '../node-kit/index.js'
import { createMcpServer, type McpServerOptions } from './create-mcp-server.js'
import { addressOf, checkAddress, isMetadataPath } from './http/endpoint-address.js'
import { type McpHandlerOptions, type McpRequestInfo, OPTIONS } from './http/mcp-handler-options.js'
import { readMessage } from './http/read-message.js'
import { refusal } from './http/refusals.js'
import { authorizationServersOf, metadataAnswer } from './http/resource-metadata.js'
import { OfferedContexts } from './offered-contexts.js'

/** Answers a request; never rejects. */
export type McpHandler = (request: Request, info?: McpRequestInfo) => Promise<Response>

const MAX_BODY_BYTES = 262_144
/** The application whose tokens the endpoint takes. */
const APPLICATION = 'assistant'

/**
 * Creates the Streamable HTTP endpoint of an engine as a fetch handler: for Express, Fastify, Hono, Next or
 * `node:http`. It offers what {@link createMcpServer} offers, to the caller of each request.
 *
 * - It keeps no state between requests: any process of the same database may answer the next one.
 * - It answers the paths of the metadata (RFC 9728), which begin with `/.well-known/oauth-protected-resource`. Every
 *   other path is the endpoint.
 * - The handler does not close the engine.
 *
 * @throws InvalidInputError for an unknown or invalid option
 */
export function createMcpHandler(engine: Engine, options: McpHandlerOptions = {}): McpHandler {
  refuseUnknownMembers(options, Object.keys(OPTIONS), 'option')
  const { maxBodyBytes = MAX_BODY_BYTES, telemetry } = options
  checkAddress(options)
  checkLogin(options)
  if (!Number.isSafeInteger(maxBodyBytes) || maxBodyBytes < 1) {
    throw new InvalidInputError('maxBodyBytes', 'must be a positive integer')
  }
  const serverOptions = serverOptionsOf(options)
  // An invalid option shows now, and not at the first request.
  new OfferedContexts(options.contexts)
  const protocol = createProtocolHandler(({ authInfo }) => createMcpServer(sessionOf(authInfo), serverOptions), {
    onerror: (error) => telemetry?.record({ name: 'mcp.request.refused', level: 'debug', error }),
  })
  const login = { ...options, origins: options.allowedOrigins }
  const bodies = new BodyBudget()
  const holdHere = (companyId: number): HeldBytes => bodies.hold(companyId)
  const answer = async (request: Request, info: McpRequestInfo, requestId: string): Promise<Response> => {
    let metadataUrl: string | undefined
    try {
      const address = addressOf(request, options)
      const servers = authorizationServersOf(engine, address, options)
      if (servers.length > 0) ({ metadataUrl } = address)
      requireAllowedHost(request, options.allowedHosts)
      if (isMetadataPath(new URL(request.url).pathname)) return metadataAnswer(request.method, address, servers)
      requireAllowedOrigin(request, options.allowedOrigins)
      const { context, remoteAddress, noteCaller, holdBody = holdHere } = info
      const caller = await identifyCaller(engine, APPLICATION, request, { context, remoteAddress, requestId }, login)
      noteCaller?.(caller)
      requireApplication(APPLICATION, caller)
      const { session } = caller
      const held = holdBody(caller.principal.companyId)
      const reading = { maxBytes: maxBodyBytes, held, session }
      const message = request.method === 'POST' ? await readMessage(request, reading) : undefined
      return await protocol.fetch(request, { authInfo: toAuthInfo(session), parsedBody: message })
    } catch (error) {
      const refused = refusal(error, metadataUrl)
      // A refusal (HttpError) does not count as a failure, also if its status is 503.
      if (refused.status >= 500 && !(error instanceof HttpError)) {
        if (telemetry === undefined && refused.status === 500)
          printFailure(`${request.method} by an agent`, requestId, error)
        telemetry?.record({ name: 'mcp.request.failed', level: 'error', fields: { requestId }, error })
      }
      return refused
    }
  }
  return async (request, info = {}) => {
    const requestId = info.requestId ?? requestIdOf(request)
    const answered = await answer(request, info, requestId)
    answered.headers.set('x-request-id', requestId)
    if (!answered.headers.has('cache-control')) answered.headers.set('cache-control', 'no-store')
    return answered
  }
}

function serverOptionsOf({ contexts, name, title, telemetry }: McpHandlerOptions): McpServerOptions {
  return {
    ...(contexts !== undefined && { contexts }),
    ...(name !== undefined && { name }),
    ...(title !== undefined && { title }),
    ...(telemetry !== undefined && { telemetry }),
  }
}

/** The facts about the caller that the protocol's library passes on: here only the session. */
interface AuthInfo {
  readonly token: string
  readonly clientId: string
  readonly scopes: string[]
  readonly extra?: Record<string, unknown>
}

function toAuthInfo(session: Session): AuthInfo {
  return { token: '', clientId: '', scopes: [], extra: { session } }
}

function sessionOf(authInfo: AuthInfo | undefined): Session {
  return authInfo?.extra?.['session'] as Session
}

/** @throws HttpError 403 for a name that a foreign page may have led here */
function requireAllowedHost(request: Request, allowed: readonly string[] | undefined): void {
  if (allowed === undefined) return
  if (validateHostHeader(hostOf(request), [...allowed]).ok) return
  const problem = 'the name in the header Host is none of this server: set its public URL'
  throw new HttpError(403, 'ERR_FORBIDDEN', problem, {}, errorReason('host-not-own'))
}

/** @throws HttpError 403 for a page of another origin */
function requireAllowedOrigin(request: Request, allowed: readonly string[] = []): void {
  const origin = request.headers.get('origin')
  if (origin === null || allowed.includes('*') || allowed.includes(origin)) return
  const problem = 'pages of this origin may not call the endpoint: allow the origin'
  throw new HttpError(403, 'ERR_FORBIDDEN', problem, {}, errorReason('page-of-other-origin'))
}
