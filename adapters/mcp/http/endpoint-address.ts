import { InvalidInputError } from '../../../src/index.js'
import { checkPublicUrl, type ServiceUrl, serviceUrl } from '../../node-kit/index.js'
import type { McpHandlerOptions } from './mcp-handler-options.js'

/** The place of protected-resource metadata: RFC 9728, section 3. */
const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** The URLs of an endpoint for its clients. */
export interface EndpointAddress extends ServiceUrl {
  readonly url: string
  readonly metadataUrl: string
}

export function isMetadataPath(pathname: string): boolean {
  return pathname.includes(WELL_KNOWN)
}

/** @throws HttpError 400 if no option sets the address, and the request names no possible host */
export function addressOf(
  request: Request,
  { publicUrl, path = '/mcp' }: Pick<McpHandlerOptions, 'publicUrl' | 'path'>,
): EndpointAddress {
  const { root, isSet } = serviceUrl(request, publicUrl)
  const { origin, pathname } = new URL(root)
  // A proxy that adds a prefix passes on only paths with the prefix: the usual place is not one of them.
  const metadataUrl = pathname === '/' ? origin + WELL_KNOWN + path : root + WELL_KNOWN
  return { root, url: root + path, metadataUrl, isSet }
}

/** @throws InvalidInputError for a URL or path that cannot be part of an address */
export function checkAddress({ publicUrl, path }: Pick<McpHandlerOptions, 'publicUrl' | 'path'>): void {
  if (path !== undefined && !/^(\/[\w.~-]+)+$/.test(path)) {
    throw new InvalidInputError('path', 'must be a path such as /mcp')
  }
  checkPublicUrl(publicUrl)
}
