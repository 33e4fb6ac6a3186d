import {
  AlcoveError,
  type ErrorReason,
  ForbiddenError,
  InvalidInputError,
  ModelError,
  ThrottledError,
  UnauthenticatedError,
} from '../../../src/index.js'
import type { ErrorCode } from '../../../src/ports/index.js'

/** A refusal by the HTTP layer itself. */
export class HttpError extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  /** For programs that say the refusal in another language. */
  readonly reason: ErrorReason | undefined

  constructor(
    status: number,
    code: string,
    detail: string,
    headers: Readonly<Record<string, string>> = {},
    reason?: ErrorReason,
  ) {
    super(detail)
    this.status = status
    this.code = code
    this.headers = headers
    this.reason = reason
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

/** The statuses of docs/explanation/specification.md, "Errors". A code that is not here is an internal failure. */
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
  ERR_NOT_READY: 409,
  ERR_DOCUMENT_FAILED: 409,
  ERR_LIMIT_REACHED: 409,
  ERR_LAST_MANAGER: 409,
  ERR_IN_USE: 409,
  ERR_QUOTA_EXCEEDED: 413,
  ERR_THROTTLED: 429,
  ERR_MODEL_UNAVAILABLE: 503,
  ERR_MODEL_REFUSED: 503,
  ERR_MODEL_CHANGED: 503,
  ERR_CLOSED: 503,
}

/** The answer to an error: a problem document (RFC 9457) with the error's message in `detail`. */
export function problem(error: unknown): Response {
  const body = problemOf(error)
  return Response.json(body, {
    status: body.status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headersOf(error) },
  })
}

/** A problem document (RFC 9457). */
interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly field?: string
  readonly reason?: ErrorReason
}

/** The problem document of an error. */
export function problemOf(error: unknown): Problem {
  const { status, code, detail, field, reason } = describe(error)
  return {
    type: 'about:blank',
    title: titleOf(status),
    status,
    detail,
    code,
    ...(field !== undefined && field !== '' && { field }),
    ...(reason !== undefined && { reason }),
  }
}

/** The title of a problem document for a status. */
export function titleOf(status: number): string {
  return TITLES[status] ?? 'Error'
}

/** The headers that belong to the answer to an error. */
export function headersOf(error: unknown): Readonly<Record<string, string>> {
  return describe(error).headers ?? {}
}

interface ErrorDescription {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly field?: string | undefined
  readonly reason?: ErrorReason | undefined
  readonly headers?: Readonly<Record<string, string>>
}

function describe(error: unknown): ErrorDescription {
  if (error instanceof HttpError) {
    const { status, code, message, headers, reason } = error
    return { status, code, detail: message, headers, reason }
  }
  if (!(error instanceof AlcoveError)) return INTERNAL
  const status = statusOf(error)
  // The message of an internal failure goes only to the log: it may name files and tables.
  if (error.code === 'ERR_STORAGE_FULL') return FULL
  if (error.code === 'ERR_STORAGE_READ_ONLY') return READ_ONLY
  if (MODEL_FAILURES.has(error.code)) return { ...MODEL, code: error.code }
  if (error instanceof ModelError && error.retryAfterMs !== undefined) {
    const seconds = Math.max(1, Math.ceil(error.retryAfterMs / 1_000))
    return { ...UNAVAILABLE, code: error.code, headers: { 'retry-after': String(seconds) } }
  }
  if (status >= 500) return { ...(status === 503 ? UNAVAILABLE : INTERNAL), code: error.code }
  const { code, message, reason } = error
  const field = error instanceof InvalidInputError ? error.field : undefined
  return { status, code, detail: message, field, reason, headers: headersOfRefusal(error) }
}

/** The status of an answer to an error. */
export function statusOf({ code, isTransient }: AlcoveError): number {
  return STATUSES[code] ?? (isTransient ? 503 : 500)
}

const INTERNAL: ErrorDescription = {
  status: 500,
  code: 'ERR_INTERNAL',
  detail: 'internal failure: see the log of the service',
}
const UNAVAILABLE: ErrorDescription = {
  status: 503,
  code: 'ERR_UNAVAILABLE',
  detail: 'the service is not available now: retry later',
  headers: { 'retry-after': '1' },
}

/** The embedding model, or its server, is at fault. The operator can mend it. */
const MODEL_FAILURES: ReadonlySet<ErrorCode> = new Set(['ERR_MODEL_REFUSED', 'ERR_MODEL_CHANGED'])
const MODEL: ErrorDescription = {
  status: 503,
  code: 'ERR_UNAVAILABLE',
  detail: 'the embedding model of the service does not work: see the log of the service, and retry when it works',
  headers: { 'retry-after': '60' },
}

/** The operator can free space, and the client can retry after that. */
const FULL: ErrorDescription = {
  status: 503,
  code: 'ERR_STORAGE_FULL',
  detail: 'the disk of the service is full, nothing was stored: retry when it has space',
  headers: { 'retry-after': '60' },
}

/** The operator can make the disk writable, and the client can retry after that. */
const READ_ONLY: ErrorDescription = {
  status: 503,
  code: 'ERR_STORAGE_READ_ONLY',
  detail: 'the disk of the service is read-only, nothing was stored: retry when it is writable',
  headers: { 'retry-after': '60' },
}

function headersOfRefusal(error: AlcoveError): Readonly<Record<string, string>> {
  if (error instanceof UnauthenticatedError) return { 'www-authenticate': 'Bearer error="invalid_token"' }
  if (error instanceof ForbiddenError && error.scope !== undefined) {
    return { 'www-authenticate': `Bearer error="insufficient_scope", scope="${error.scope}"` }
  }
  if (error instanceof ThrottledError) return { 'retry-after': String(error.retryAfterSeconds) }
  return {}
}
