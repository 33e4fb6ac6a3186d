import type { ErrorReason } from './error-reason.js'

/** All codes of errors. They are stable. */
export type ErrorCode =
  | 'ERR_INVALID_INPUT'
  | 'ERR_UNAUTHENTICATED'
  | 'ERR_OTP_REQUIRED'
  | 'ERR_FORBIDDEN'
  | 'ERR_CONTEXT_NOT_FOUND'
  | 'ERR_DOCUMENT_NOT_FOUND'
  | 'ERR_COMPANY_NOT_FOUND'
  | 'ERR_ACCOUNT_NOT_FOUND'
  | 'ERR_ROLE_NOT_FOUND'
  | 'ERR_USER_NOT_FOUND'
  | 'ERR_PERMISSION_NOT_FOUND'
  | 'ERR_API_KEY_NOT_FOUND'
  | 'ERR_ALREADY_EXISTS'
  | 'ERR_LAST_MANAGER'
  | 'ERR_IN_USE'
  | 'ERR_ALREADY_INITIALIZED'
  | 'ERR_NOT_INITIALIZED'
  | 'ERR_QUOTA_EXCEEDED'
  | 'ERR_LIMIT_REACHED'
  | 'ERR_UNSUPPORTED_FORMAT'
  | 'ERR_WRONG_TYPE'
  | 'ERR_EMPTY_FILE'
  | 'ERR_NO_TEXT'
  | 'ERR_ENCRYPTED'
  | 'ERR_CORRUPT_FILE'
  | 'ERR_UNDECODABLE_TEXT'
  | 'ERR_EXTRACTION_LIMIT'
  | 'ERR_EXTRACTION_TIMEOUT'
  | 'ERR_NOT_READY'
  | 'ERR_DOCUMENT_FAILED'
  | 'ERR_FILE_MISSING'
  | 'ERR_MODEL_UNKNOWN'
  | 'ERR_MODEL_MISSING'
  | 'ERR_MODEL_CHANGED'
  | 'ERR_MODEL_UNSUPPORTED'
  | 'ERR_MODEL_UNAVAILABLE'
  | 'ERR_MODEL_REFUSED'
  | 'ERR_VECTOR_INVALID'
  | 'ERR_VECTORS_DAMAGED'
  | 'ERR_LEASE_LOST'
  | 'ERR_CRASHED'
  | 'ERR_STORAGE'
  | 'ERR_STORAGE_FULL'
  | 'ERR_STORAGE_READ_ONLY'
  | 'ERR_SCHEMA_TOO_NEW'
  | 'ERR_SCHEMA_TOO_OLD'
  | 'ERR_DATA_DIR_LOCKED'
  | 'ERR_DATA_DIR_UNUSABLE'
  | 'ERR_DATA_DIR_MISMATCH'
  | 'ERR_BACKUP_RUNNING'
  | 'ERR_BACKUP_FAILED'
  | 'ERR_BACKUP_INVALID'
  | 'ERR_MIGRATION_FAILED'
  | 'ERR_UNSUPPORTED'
  | 'ERR_NATIVE_PART'
  | 'ERR_TOKEN_REQUEST'
  | 'ERR_COMPANY_REQUIRED'
  | 'ERR_THROTTLED'
  | 'ERR_MAIL'
  | 'ERR_SIGNING_KEY'
  | 'ERR_SECRET_KEY'
  | 'ERR_SECRET_UNREADABLE'
  | 'ERR_PAYLOAD_CORRUPT'
  | 'ERR_DESTINATION_REFUSED'
  | 'ERR_DESTINATION_NOT_FOUND'
  | 'ERR_DELIVERY_NOT_FOUND'
  | 'ERR_WEBHOOK_SIGNATURE'
  | 'ERR_WEBHOOK_MALFORMED'
  | 'ERR_INTERNAL'
  | 'ERR_CLOSED'

/** The names of the engine's classes of an error, in every copy of this package and in every realm. */
const CLASS_NAMES = Symbol.for('alcove.error')

/** The parts of an error beside its message. */
export interface ErrorDetails {
  readonly cause?: unknown
  /** Default: none. */
  readonly reason?: ErrorReason | undefined
}

/**
 * The base class of all errors that the engine throws on purpose.
 *
 * `instanceof` of these classes also recognises errors of another copy of the package, or of another realm. A test runner
 * loads the package once for each file, and a host may have it twice.
 */
export abstract class AlcoveError extends Error {
  /** The name of the class in every copy of the package. A bundler may shorten the name of the function. */
  static readonly className: string = 'AlcoveError'
  /** A stable code. Callers may switch on it. */
  abstract readonly code: ErrorCode
  /** True where the same call may succeed later, without any change. */
  readonly isTransient: boolean = false
  /** The message for programs; `undefined` for a message that nobody needs in another language. */
  readonly reason: ErrorReason | undefined

  constructor(message: string, options: ErrorDetails = {}) {
    super(message, options)
    this.name = nameOf(new.target) ?? new.target.name
    this.reason = options.reason
    Object.defineProperty(this, CLASS_NAMES, { value: namesOfClasses(new.target) })
  }

  /** True for an error of the class, or of the class of the same name in another copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true
    const name = nameOf(this)
    if (name === undefined || typeof value !== 'object' || value === null || !(CLASS_NAMES in value)) return false
    return Array.isArray(value[CLASS_NAMES]) && value[CLASS_NAMES].includes(name)
  }
}

/** @returns the name of a class of the engine; `undefined` for a class of a host, which has no name of its own here */
function nameOf(errorClass: typeof AlcoveError): string | undefined {
  return Object.hasOwn(errorClass, 'className') ? errorClass.className : undefined
}

function namesOfClasses(errorClass: typeof AlcoveError): readonly string[] {
  const name = nameOf(errorClass)
  const names = name === undefined ? [] : [name]
  if (errorClass === AlcoveError) return names
  return [...names, ...namesOfClasses(Object.getPrototypeOf(errorClass) as typeof AlcoveError)]
}

/** True for a failure of the moment that the work did not cause, such as a database that is unavailable. */
export function isTransientError(error: unknown): boolean {
  return error instanceof AlcoveError && error.isTransient
}
