import { AlcoveError, type ErrorCode, type ErrorDetails } from './alcove-error.js'
import type { ErrorReason } from './error-reason.js'

/** An argument, a field or an option is invalid. `field` names it. */
export class InvalidInputError extends AlcoveError {
  static override readonly className: string = 'InvalidInputError'
  readonly code = 'ERR_INVALID_INPUT'
  /** Path of the field, such as `starterPrompts[2]`; empty for the whole input. */
  readonly field: string

  constructor(field: string, problem: string, options?: ErrorDetails) {
    super(field === '' ? problem : `${field}: ${problem}`, options)
    this.field = field
  }
}

/** The principal does not exist, or no longer exists. */
export class UnauthenticatedError extends AlcoveError {
  static override readonly className: string = 'UnauthenticatedError'
  readonly code = 'ERR_UNAUTHENTICATED'
}

/** The password is correct, but the user also has one-time passwords. Ask for a code, and check both in one call. */
export class OneTimePasswordRequiredError extends AlcoveError {
  static override readonly className: string = 'OneTimePasswordRequiredError'
  readonly code = 'ERR_OTP_REQUIRED'

  constructor() {
    super('a one-time password is required: pass the current code of the authenticator app, or a recovery code, as otp')
  }
}

/** A refusal that always has a reason, so that a page can say it in the language of its user. */
abstract class RefusedError extends AlcoveError {
  constructor(message: string, reason: ErrorReason, options: Pick<ErrorDetails, 'cause'> = {}) {
    super(message, { ...options, reason })
  }
}

/**
 * The principal exists, but it lacks the right for this call. A host that refuses a call gives its own sentence as the
 * reason `refused-by-host`.
 */
export class ForbiddenError extends RefusedError {
  static override readonly className: string = 'ForbiddenError'
  readonly code = 'ERR_FORBIDDEN'
  /** The capability that the caller's role has but its scope leaves out. Otherwise `undefined`. */
  readonly scope: string | undefined

  constructor(message: string, reason: ErrorReason, options: { readonly scope?: string } = {}) {
    super(message, reason)
    this.scope = options.scope
  }
}

type ResourceKind =
  | 'context'
  | 'document'
  | 'company'
  | 'account'
  | 'role'
  | 'user'
  | 'permission'
  | 'API key'
  | 'destination'
  | 'delivery'

const NOT_FOUND_CODES: Record<ResourceKind, Extract<ErrorCode, `ERR_${string}_NOT_FOUND`>> = {
  context: 'ERR_CONTEXT_NOT_FOUND',
  document: 'ERR_DOCUMENT_NOT_FOUND',
  company: 'ERR_COMPANY_NOT_FOUND',
  account: 'ERR_ACCOUNT_NOT_FOUND',
  role: 'ERR_ROLE_NOT_FOUND',
  user: 'ERR_USER_NOT_FOUND',
  permission: 'ERR_PERMISSION_NOT_FOUND',
  'API key': 'ERR_API_KEY_NOT_FOUND',
  destination: 'ERR_DESTINATION_NOT_FOUND',
  delivery: 'ERR_DELIVERY_NOT_FOUND',
}

/** The id does not exist, or the caller has no right to know that it exists. */
export class NotFoundError extends AlcoveError {
  static override readonly className: string = 'NotFoundError'
  readonly code: Extract<ErrorCode, `ERR_${string}_NOT_FOUND`>

  constructor(kind: ResourceKind, id: number | string) {
    super(`no ${kind} with the id ${String(id)}`)
    this.code = NOT_FOUND_CODES[kind]
  }
}

/** Something that must be unique exists already. */
export class AlreadyExistsError extends RefusedError {
  static override readonly className: string = 'AlreadyExistsError'
  readonly code = 'ERR_ALREADY_EXISTS'
}

/** Users of several companies have this address and this password. The caller must name the company. */
export class CompanyRequiredError extends AlcoveError {
  static override readonly className: string = 'CompanyRequiredError'
  readonly code = 'ERR_COMPANY_REQUIRED'

  /** @param shared what the users have in common */
  constructor(shared = 'address and password') {
    super(`several companies have a user with this ${shared}: name the company`)
  }
}

/** After this change, no user could manage the company. */
export class LastManagerError extends AlcoveError {
  static override readonly className: string = 'LastManagerError'
  readonly code = 'ERR_LAST_MANAGER'

  constructor(companyId: number) {
    super(
      `nobody else can manage the company ${companyId}: first give a role with tenant:manage on its tenant account to ` +
        'a user who has completed the setup or has an API key',
    )
  }
}

/** Something cannot be disabled or deleted, because it is in use. The message says what uses it. */
export class InUseError extends RefusedError {
  static override readonly className: string = 'InUseError'
  readonly code = 'ERR_IN_USE'
}

/** The document is larger than the free part of its context's `settings.maxSizeBytes`. */
export class QuotaExceededError extends AlcoveError {
  static override readonly className: string = 'QuotaExceededError'
  readonly code = 'ERR_QUOTA_EXCEEDED'
}

/** A company or context has reached a limit. The message names the limit. */
export class LimitReachedError extends RefusedError {
  static override readonly className: string = 'LimitReachedError'
  readonly code = 'ERR_LIMIT_REACHED'
}

/** This adapter, or this way of opening the engine, does not support the call. */
export class UnsupportedError extends AlcoveError {
  static override readonly className: string = 'UnsupportedError'
  readonly code = 'ERR_UNSUPPORTED'
}

/** Reasons for which a token request is refused (RFC 6749, section 5.2). */
export type TokenErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'

/** The engine refuses a token request. */
export class TokenRequestError extends AlcoveError {
  static override readonly className: string = 'TokenRequestError'
  readonly code = 'ERR_TOKEN_REQUEST'
  readonly error: TokenErrorCode

  constructor(error: TokenErrorCode, description: string) {
    super(description)
    this.error = error
  }
}

/** The caller has reached a rate limit. The same call may succeed after `retryAfterSeconds`. */
export class ThrottledError extends AlcoveError {
  static override readonly className: string = 'ThrottledError'
  readonly code = 'ERR_THROTTLED'
  override readonly isTransient = true
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
