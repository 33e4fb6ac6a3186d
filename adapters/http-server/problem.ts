import {
  AlcoveError,
  ForbiddenError,
  ThrottledError,
  TokenRequestError,
  UnauthenticatedError,
} from '../../src/index.js'
import type { ErrorCode } from '../../src/ports/index.js'

/** A refusal that is about HTTP alone. */
export class HttpError extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: string, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Payload Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/** Statuses of the specification's error table; a code that is not here is an internal failure. */
const STATUSES: Readonly<Partial<Record<ErrorCode, number>>> = {
  ERR_INVALID_INPUT: 400,
  ERR_ALREADY_EXISTS: 400,
  ERR_UNSUPPORTED_FORMAT: 400,
  ERR_WRONG_TYPE: 400,
  ERR_EMPTY_FILE: 400,
  ERR_NO_TEXT: 400,
  ERR_ENCRYPTED: 400,
  ERR_CORRUPT_FILE: 400,
  ERR_UNDECODABLE_TEXT: 400,
  ERR_EXTRACTION_LIMIT: 400,
  ERR_MODEL_UNKNOWN: 400,
  ERR_DESTINATION_REFUSED: 400,
  ERR_TOKEN_REQUEST: 400,
  ERR_COMPANY_REQUIRED: 400,
  ERR_UNAUTHENTICATED: 401,
  ERR_OTP_REQUIRED: 401,
  ERR_FORBIDDEN: 403,
  ERR_CONTEXT_NOT_FOUND: 404,
  ERR_DOCUMENT_NOT_FOUND: 404,
  ERR_COMPANY_NOT_FOUND: 404,
  ERR_ACCOUNT_NOT_FOUND: 404,
  ERR_ROLE_NOT_FOUND: 404,
  ERR_USER_NOT_FOUND: 404,
  ERR_PERMISSION_NOT_FOUND: 404,
  ERR_API_KEY_NOT_FOUND: 404,
  ERR_DESTINATION_NOT_FOUND: 404,
  ERR_DELIVERY_NOT_FOUND: 404,
  ERR_LIMIT_REACHED: 409,
  ERR_LAST_MANAGER: 409,
  ERR_IN_USE: 409,
  ERR_QUOTA_EXCEEDED: 413,
  ERR_THROTTLED: 429,
  ERR_CLOSED: 503,
}

/** The answer to an error: a problem document (RFC 9457) whose `detail` holds the error's text. */
export function problem(error: unknown): Response {
  const { status, code, detail, headers } = describe(error)
  const body = { type: 'about:blank', title: TITLES[status] ?? 'Error', status, detail, code }
  return Response.json(body, {
    status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
  })
}

interface Described {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly headers?: Readonly<Record<string, string>>
}

function describe(error: unknown): Described {
  if (error instanceof HttpError) {
    return { status: error.status, code: error.code, detail: error.message, headers: error.headers }
  }
  if (!(error instanceof AlcoveError)) return INTERNAL
  const status = STATUSES[error.code] ?? (error.isTransient ? 503 : 500)
  // What fails inside is for the log: its words may name files and tables.
  if (error.code === 'ERR_STORAGE_FULL') return FULL
  if (status >= 500) return { ...(status === 503 ? UNAVAILABLE : INTERNAL), code: error.code }
  return { status, code: error.code, detail: error.message, headers: headersOf(error) }
}

const INTERNAL: Described = { status: 500, code: 'ERR_INTERNAL', detail: 'an internal failure; it was logged' }
const UNAVAILABLE: Described = {
  status: 503,
  code: 'ERR_UNAVAILABLE',
  detail: 'the service is not available for the moment; try again',
  headers: { 'retry-after': '1' },
}

/** Whoever runs the service can do something, and whoever sends may try again after that. */
const FULL: Described = {
  status: 503,
  code: 'ERR_STORAGE_FULL',
  detail: 'the disk of the service is full, nothing was kept: try again once it has room',
  headers: { 'retry-after': '60' },
}

function headersOf(error: AlcoveError): Readonly<Record<string, string>> {
  if (error instanceof UnauthenticatedError) return { 'www-authenticate': 'Bearer error="invalid_token"' }
  if (error instanceof ForbiddenError && error.scope !== undefined) {
    return { 'www-authenticate': `Bearer error="insufficient_scope", scope="${error.scope}"` }
  }
  if (error instanceof ThrottledError) return { 'retry-after': String(error.retryAfterSeconds) }
  return {}
}

/** As {@link problem}, with the members of RFC 6749, section 5.2 (decision 8). */
export function tokenProblem(error: unknown, isBasic: boolean): Response {
  const { status: given, code, detail, headers } = describe(error)
  const refusal = error instanceof TokenRequestError ? error.error : undefined
  const status = refusal === 'invalid_client' ? 401 : given
  const title = TITLES[status] ?? 'Error'
  const named =
    refusal ?? (status >= 500 ? 'server_error' : status === 429 ? 'temporarily_unavailable' : 'invalid_request')
  return Response.json(
    { error: named, error_description: detail, type: 'about:blank', title, status, detail, code },
    {
      status,
      headers: {
        'cache-control': 'no-store',
        ...headers,
        ...(status === 401 && isBasic && { 'www-authenticate': 'Basic realm="alcove", charset="UTF-8"' }),
      },
    },
  )
}
