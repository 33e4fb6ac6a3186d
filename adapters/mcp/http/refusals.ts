import { AlcoveError, ForbiddenError, ThrottledError, UnauthenticatedError } from '../../../src/index.js'
import { describeFailure } from '../../../src/ports/index.js'

/** A refusal by the HTTP layer itself. */
export class HttpRefusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, detail: string) {
    super(detail)
    this.status = status
    this.code = code
  }
}

/** The capabilities that the tools need. Clients ask for a token with these alone. */
export const NEEDED_SCOPE = 'context:read search'

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/**
 * The answer to an error before the protocol begins: a problem document (RFC 9457), as of the REST API.
 * @param metadataUrl URL of the metadata that says where tokens come from; undefined if there is none
 */
export function refusal(error: unknown, metadataUrl: string | undefined): Response {
  const { status, code, detail } = describe(error)
  const headers = new Headers({ 'content-type': 'application/problem+json', 'cache-control': 'no-store' })
  const challenge = challengeOf(error, status, metadataUrl)
  if (challenge !== undefined) headers.set('www-authenticate', challenge)
  if (error instanceof ThrottledError) headers.set('retry-after', String(error.retryAfterSeconds))
  else if (status === 503) headers.set('retry-after', '1')
  const title = TITLES[status] ?? 'Error'
  return new Response(JSON.stringify({ type: 'about:blank', title, status, detail, code }), { status, headers })
}

function describe(error: unknown): { readonly status: number; readonly code: string; readonly detail: string } {
  if (error instanceof HttpRefusal) return { status: error.status, code: error.code, detail: error.message }
  const { sentence, code, isInternal } = describeFailure(error)
  const detail = sentence.replace(/ \(\w+\)$/, '')
  if (error instanceof UnauthenticatedError) return { status: 401, code, detail }
  if (error instanceof ForbiddenError) return { status: 403, code, detail }
  if (error instanceof ThrottledError) return { status: 429, code, detail }
  const isAway = error instanceof AlcoveError && (error.isTransient || code === 'ERR_CLOSED')
  return { status: isAway ? 503 : isInternal ? 500 : 400, code, detail }
}

/** Says where to get a token: RFC 6750, section 3, and RFC 9728, section 5.1. */
function challengeOf(error: unknown, status: number, metadataUrl: string | undefined): string | undefined {
  const place = metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]
  if (status === 401) {
    const problem = error instanceof UnauthenticatedError ? ['error="invalid_token"'] : []
    return `Bearer ${[...problem, `scope="${NEEDED_SCOPE}"`, ...place].join(', ')}`
  }
  if (!(error instanceof ForbiddenError) || error.scope === undefined) return undefined
  return `Bearer ${['error="insufficient_scope"', `scope="${error.scope}"`, ...place].join(', ')}`
}
