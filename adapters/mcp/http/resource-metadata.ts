import type { Engine } from '../../../src/index.js'
import { HttpError } from '../../node-kit/index.js'
import type { EndpointAddress } from './endpoint-address.js'
import type { McpHandlerOptions } from './mcp-handler-options.js'
import { NEEDED_SCOPE } from './refusals.js'

const CACHE_SECONDS = 300

/** The issuers of tokens for the endpoint; empty if only the host's own login finds the callers. */
export function authorizationServersOf(
  engine: Engine,
  { root }: Pick<EndpointAddress, 'root'>,
  {
    authorizationServers: given,
    bearerTokens = true,
  }: Pick<McpHandlerOptions, 'authorizationServers' | 'bearerTokens'>,
): readonly string[] {
  if (given !== undefined) return typeof given === 'function' ? given() : given
  if (!bearerTokens) return []
  const { issuer } = engine.authentication
  return [/^https?:/.test(issuer) ? issuer : root]
}

/**
 * Answers a request for the metadata of the endpoint (RFC 9728), for clients and for pages of any origin.
 * @throws HttpError 404 if no server issues tokens for the endpoint, 405 for another method
 */
export function metadataAnswer(method: string, address: EndpointAddress, servers: readonly string[]): Response {
  if (servers.length === 0) throw new HttpError(404, 'ERR_PATH_NOT_FOUND', 'no server issues tokens for this endpoint')
  if (method !== 'GET' && method !== 'HEAD') {
    throw new HttpError(405, 'ERR_METHOD_NOT_ALLOWED', 'this path takes only GET, HEAD', {
      allow: 'GET, HEAD',
    })
  }
  const metadata = {
    resource: address.url,
    authorization_servers: servers,
    bearer_methods_supported: ['header'],
    scopes_supported: NEEDED_SCOPE.split(' '),
    resource_name: 'Alcove',
  }
  const cacheControl = address.isSet ? `public, max-age=${CACHE_SECONDS}` : 'no-store'
  return Response.json(metadata, { headers: { 'cache-control': cacheControl, 'access-control-allow-origin': '*' } })
}
