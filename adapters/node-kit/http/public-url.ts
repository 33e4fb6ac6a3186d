import { InvalidInputError } from '../../../src/index.js'
import { HttpError } from './problem.js'

/** The URL under which clients reach a service. A function is called for each answer. */
export type PublicUrl = string | (() => string | undefined)

/** The address of a service for its clients. */
export interface ServiceUrl {
  /** The host with its prefix, without a slash at its end. */
  readonly root: string
  /** True if an option set it. False if it comes from a request: no other client may get it from a cache. */
  readonly isSet: boolean
}

/** Names, IPv4 addresses and IPv6 addresses. Others could end a quoted value of a header. */
const HOST = /^([\w.-]{1,253}|\[[\da-f:.]{2,45}\])(:\d{1,5})?$/i

/** The header `Host` of a request, or the host of its URL. */
export function hostOf({ headers, url }: Request): string {
  return headers.get('host') ?? new URL(url).host
}

/**
 * The set URL of a service; otherwise the URL that the client of a request used. The client may have invented its host.
 *
 * @throws HttpError 400 if no URL is set, and the request names no possible host
 */
export function serviceUrl(request: Request, publicUrl: PublicUrl | undefined): ServiceUrl {
  const set = typeof publicUrl === 'function' ? publicUrl() : publicUrl
  if (set !== undefined) return { root: set.replace(/\/+$/, ''), isSet: true }
  const host = hostOf(request)
  const url = `${new URL(request.url).protocol}//${host}`
  if (!HOST.test(host) || !URL.canParse(url))
    throw new HttpError(
      400,
      'ERR_INVALID_INPUT',
      'the header Host must be a name or an address, with a port or without',
    )
  return { root: new URL(url).origin, isSet: false }
}

/** @throws InvalidInputError for a public URL that is no http or https URL */
export function checkPublicUrl(publicUrl: PublicUrl | undefined): void {
  if (publicUrl === undefined || typeof publicUrl === 'function') return
  if (typeof publicUrl === 'string' && URL.canParse(publicUrl) && /^https?:[^?#\s]+$/.test(publicUrl)) return
  throw new InvalidInputError(
    'publicUrl',
    'must be an http or https URL without query, such as https://alcove.example.com',
  )
}
