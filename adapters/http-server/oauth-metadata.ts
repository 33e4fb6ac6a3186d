import { CAPABILITIES, InvalidInputError } from '../../src/index.js'
import type { HttpHandlerOptions } from './http-handler-options.js'

/** Ways in which a client proves who it is, at each endpoint that asks for it. */
const CLIENT_AUTHENTICATION = ['client_secret_post', 'client_secret_basic']

/** The addresses of a service, as its metadata names them. */
export interface ServiceAddress {
  /** The issuer identifier. */
  readonly issuer: string
  /** What stands before every path, without a slash at its end. */
  readonly root: string
  /** Whether the address was set by whoever runs the service, and not taken from a request. */
  readonly isSet: boolean
}

/**
 * Finds the address of a service: the public URL, or the issuer where that is a URL. Otherwise it is that of the
 * request, which whoever sent the request may have invented: nobody else may be given an answer made of it.
 *
 * @param issuer of access tokens
 */
export function addressOf(
  issuer: string,
  { publicUrl }: Pick<HttpHandlerOptions, 'publicUrl'>,
  request: { readonly url: string; readonly basePath: string },
): ServiceAddress {
  const isUrl = /^https?:/.test(issuer)
  const set = (typeof publicUrl === 'function' ? publicUrl() : publicUrl) ?? (isUrl ? issuer : undefined)
  const base = (set ?? new URL(request.url).origin).replace(/\/+$/, '')
  const root = base.endsWith(request.basePath) ? base : base + request.basePath
  return { issuer: isUrl ? issuer : root, root, isSet: set !== undefined }
}

/** The authorization server metadata of RFC 8414. @param paths of the endpoints */
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

/** @throws InvalidInputError for a public URL that is no web address */
export function checkPublicUrl({ publicUrl }: Pick<HttpHandlerOptions, 'publicUrl'>): void {
  if (publicUrl === undefined || typeof publicUrl === 'function') return
  if (typeof publicUrl === 'string' && URL.canParse(publicUrl) && /^https?:[^?#\s]+$/.test(publicUrl)) return
  throw new InvalidInputError('publicUrl', 'must be a web address such as https://alcove.example.com')
}
