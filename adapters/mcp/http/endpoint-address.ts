import { InvalidInputError } from '../../../src/index.js'
import type { McpHandlerOptions } from './mcp-handler-options.js'

/** The place of protected-resource metadata: RFC 9728, section 3. */
const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** The URLs of an endpoint for its clients. */
export interface EndpointAddress {
  /** The host with its prefix, without a slash at its end. */
  readonly root: string
  readonly url: string
  readonly metadataUrl: string
  /** True if an option set the address. False if it comes from a request: no other client may get it from a cache. */
  readonly isSet: boolean
}

export function isMetadataPath(pathname: string): boolean {
  return pathname.includes(WELL_KNOWN)
}

export function addressOf(
  request: Request,
  { publicUrl, path = '/mcp' }: Pick<McpHandlerOptions, 'publicUrl' | 'path'>,
): EndpointAddress {
  const setUrl = typeof publicUrl === 'function' ? publicUrl() : publicUrl
  const root = (setUrl ?? new URL(request.url).origin).replace(/\/+$/, '')
  const { origin, pathname } = new URL(root)
  // A proxy that adds a prefix passes on only paths with the prefix: the usual place is not one of them.
  const metadataUrl = pathname === '/' ? origin + WELL_KNOWN + path : root + WELL_KNOWN
  return { root, url: root + path, metadataUrl, isSet: setUrl !== undefined }
}

/** @throws InvalidInputError for a URL or path that cannot be part of an address */
export function checkAddress({ publicUrl, path }: Pick<McpHandlerOptions, 'publicUrl' | 'path'>): void {
  if (path !== undefined && !/^(\/[\w.~-]+)+$/.test(path)) {
    throw new InvalidInputError('path', 'must be a path such as /mcp')
  }
  if (publicUrl === undefined || typeof publicUrl === 'function') return
  if (URL.canParse(publicUrl) && /^https?:[^?#\s]+$/.test(publicUrl)) return
  throw new InvalidInputError(
    'publicUrl',
    'must be an http or https URL without query, such as https://alcove.example.com',
  )
}
