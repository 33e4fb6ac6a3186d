import { CAPABILITIES, InvalidInputError } from '../../src/index.js'
import type { HttpHandlerOptions } from './http-handler-options.js'

/** The ways in which a client can authenticate at the endpoints that require it. */
const CLIENT_AUTHENTICATION = ['client_secret_post', 'client_secret_basic']

/** The URLs of a service for its metadata. */
export interface ServiceAddress {
  /** The issuer identifier. */
  readonly issuer: string
  /** The prefix of every path, without a slash at its end. */
  readonly root: string
  /** True if an option set the address; false if it comes from a request. */
  readonly isSet: boolean
}

/**
 * Finds the address of a service: the public URL, or the issuer if that is a URL. Otherwise it is the address of the
 * request. The client may have invented that one, so no other client may get an answer that contains it.
 *
 * @param issuer the issuer of access tokens
 */
export function addressOf(
  issuer: string,
  { publicUrl }: Pick<HttpHandlerOptions, 'publicUrl'>,
  request: { readonly url: string; readonly basePath: string },
): ServiceAddress {
  const isUrl = /^https?:/.test(issuer)
  const setUrl = (typeof publicUrl === 'function' ? publicUrl() : publicUrl) ?? (isUrl ? issuer : undefined)
  const base = (setUrl ?? new URL(request.url).origin).replace(/\/+$/, '')
  const root = base.endsWith(request.basePath) ? base : base + request.basePath
  return { issuer: isUrl ? issuer : root, root, isSet: setUrl !== undefined }
}

/** The authorization server metadata of RFC 8414. @param paths the paths of the endpoints */
export function describeServer(
  { issuer, root }: ServiceAddress,
  paths: {
    readonly token: string
    readonly keySet: string
    readonly revocation: string
    readonly introspection: string
  },
): object {
  return {
    issuer,
    token_endpoint: root + paths.token,
    token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    jwks_uri: root + paths.keySet,
    revocation_endpoint: root + paths.revocation,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    introspection_endpoint: root + paths.introspection,
    introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    scopes_supported: CAPABILITIES,
    service_documentation: `${root}/docs`,
  }
}

/** @throws InvalidInputError for a public URL that is no http or https URL */
export function checkPublicUrl({ publicUrl }: Pick<HttpHandlerOptions, 'publicUrl'>): void {
  if (publicUrl === undefined || typeof publicUrl === 'function') return
  if (typeof publicUrl === 'string' && URL.canParse(publicUrl) && /^https?:[^?#\s]+$/.test(publicUrl)) return
  throw new InvalidInputError(
    'publicUrl',
    'must be an http or https URL without query, such as https://alcove.example.com',
  )
}
