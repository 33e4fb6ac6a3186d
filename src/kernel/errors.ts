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
  | 'ERR_FILE_MISSING'
  | 'ERR_MODEL_UNKNOWN'
  | 'ERR_MODEL_MISSING'
  | 'ERR_MODEL_CHANGED'
  | 'ERR_MODEL_UNSUPPORTED'
  | 'ERR_VECTOR_INVALID'
  | 'ERR_VECTORS_DAMAGED'
  | 'ERR_LEASE_LOST'
  | 'ERR_CRASHED'
  | 'ERR_STORAGE'
  | 'ERR_STORAGE_FULL'
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

/** The base class of all errors that the engine throws on purpose. */
export abstract class AlcoveError extends Error {
  /** A stable code. Callers may switch on it. */
  abstract readonly code: ErrorCode
  /** True where the same call may succeed later, without any change. */
  readonly isTransient: boolean = false

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = new.target.name
  }
}

/** True for a failure of the moment that the work did not cause, such as a database that is unavailable. */
export function isTransientError(error: unknown): boolean {
  return error instanceof AlcoveError && error.isTransient
}

/** An argument, a field or an option is invalid. `field` names it. */
export class InvalidInputError extends AlcoveError {
  readonly code = 'ERR_INVALID_INPUT'
  /** Path of the field, such as `starterPrompts[2]`; empty for the whole input. */
  readonly field: string

  constructor(field: string, problem: string, options?: { readonly cause?: unknown }) {
    super(field === '' ? problem : `${field}: ${problem}`, options)
    this.field = field
  }
}

/** The principal does not exist, or no longer exists. */
export class UnauthenticatedError extends AlcoveError {
  readonly code = 'ERR_UNAUTHENTICATED'
}

/** The password is correct, but the user also has one-time passwords. Ask for a code, and check both in one call. */
export class OneTimePasswordRequiredError extends AlcoveError {
  readonly code = 'ERR_OTP_REQUIRED'

  constructor() {
    super('a one-time password is required: pass the current code of the authenticator app, or a recovery code, as otp')
  }
}

/** The principal exists, but it lacks the right for this call. */
export class ForbiddenError extends AlcoveError {
  readonly code = 'ERR_FORBIDDEN'
  /** The capability that the caller's role has but its scope leaves out. Otherwise `undefined`. */
  readonly scope: string | undefined

  constructor(message: string, options: { readonly scope?: string } = {}) {
    super(message)
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
  readonly code: Extract<ErrorCode, `ERR_${string}_NOT_FOUND`>

  constructor(kind: ResourceKind, id: number | string) {
    super(`no ${kind} with the id ${String(id)}`)
    this.code = NOT_FOUND_CODES[kind]
  }
}

/** Something that must be unique exists already. */
export class AlreadyExistsError extends AlcoveError {
  readonly code = 'ERR_ALREADY_EXISTS'
}

/** Users of several companies have this address and this password. The caller must name the company. */
export class CompanyRequiredError extends AlcoveError {
  readonly code = 'ERR_COMPANY_REQUIRED'

  constructor() {
    super('several companies have a user with this address and password: name the company')
  }
}

/** After this change, no user could manage the company. */
export class LastManagerError extends AlcoveError {
  readonly code = 'ERR_LAST_MANAGER'

  constructor(companyId: number) {
    super(
      `nobody else can manage the company ${companyId}: first give a role with tenant:manage on its tenant account to ` +
        'a user who has completed the setup or has an API key',
    )
  }
}

/** Something cannot be disabled or deleted, because it is in use. The message says what uses it. */
export class InUseError extends AlcoveError {
  readonly code = 'ERR_IN_USE'
}

/** `init` was called on a data folder that already has an API key. */
export class AlreadyInitializedError extends AlcoveError {
  readonly code = 'ERR_ALREADY_INITIALIZED'
}

/** The data folder is not initialised. Run `alcove init`. */
export class NotInitializedError extends AlcoveError {
  readonly code = 'ERR_NOT_INITIALIZED'
}

/** The document is larger than the free part of its context's `settings.maxSizeBytes`. */
export class QuotaExceededError extends AlcoveError {
  readonly code = 'ERR_QUOTA_EXCEEDED'
}

/** A company or context has reached a limit. The message names the limit. */
export class LimitReachedError extends AlcoveError {
  readonly code = 'ERR_LIMIT_REACHED'
}

/** Codes of documents without usable text. */
export type ExtractionErrorCode = Extract<
  ErrorCode,
  | 'ERR_UNSUPPORTED_FORMAT'
  | 'ERR_WRONG_TYPE'
  | 'ERR_EMPTY_FILE'
  | 'ERR_NO_TEXT'
  | 'ERR_ENCRYPTED'
  | 'ERR_CORRUPT_FILE'
  | 'ERR_UNDECODABLE_TEXT'
  | 'ERR_EXTRACTION_LIMIT'
  | 'ERR_EXTRACTION_TIMEOUT'
>

/** The engine cannot extract text from a file. A retry does not help. */
export class ExtractionError extends AlcoveError {
  readonly code: ExtractionErrorCode

  constructor(code: ExtractionErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** A document could not be processed. `code` is the code at the end of the document's `error`. */
export class DocumentFailedError extends AlcoveError {
  readonly code: ErrorCode
  /** The document's UUID. */
  readonly fileName: string

  constructor(document: { readonly fileName: string; readonly originalName: string; readonly error: string }) {
    super(`${document.originalName}: ${document.error}`)
    this.code = (/\((ERR_[A-Z_]+)\)$/.exec(document.error)?.[1] ?? 'ERR_INTERNAL') as ErrorCode
    this.fileName = document.fileName
  }
}

/** The file store does not have the bytes of a document. */
export class FileMissingError extends AlcoveError {
  readonly code = 'ERR_FILE_MISSING'
}

/** Codes of unusable models. */
export type ModelErrorCode = Extract<
  ErrorCode,
  'ERR_MODEL_UNKNOWN' | 'ERR_MODEL_MISSING' | 'ERR_MODEL_CHANGED' | 'ERR_MODEL_UNSUPPORTED'
>

/** An embedding model is unknown, missing or changed, or its adapter cannot read it. */
export class ModelError extends AlcoveError {
  readonly code: ModelErrorCode

  constructor(code: ModelErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** A vector has the wrong length, or a component that is not a finite number. */
export class VectorInvalidError extends AlcoveError {
  readonly code = 'ERR_VECTOR_INVALID'
}

/** The stored vectors of a collection are damaged. The engine can compute them from the documents once more. */
export class VectorsDamagedError extends AlcoveError {
  readonly code = 'ERR_VECTORS_DAMAGED'
}

/** Another worker holds the job now, or the job is cancelled. This worker must not record its work. */
export class LeaseLostError extends AlcoveError {
  readonly code = 'ERR_LEASE_LOST'
}

/** The process crashed several times while it ran a job, before it could record any progress. */
export class CrashedError extends AlcoveError {
  readonly code = 'ERR_CRASHED'
}

/** The database or the file store failed. It kept nothing of the work. */
export class StorageError extends AlcoveError {
  readonly code = 'ERR_STORAGE'
  override readonly isTransient: boolean

  constructor(message: string, options: { readonly cause?: unknown; readonly isTransient: boolean }) {
    super(message, options)
    this.isTransient = options.isTransient
  }
}

/** A disk is full. Nothing of the work was kept. */
export class StorageFullError extends AlcoveError {
  readonly code = 'ERR_STORAGE_FULL'
  override readonly isTransient = true
}

/** A newer version of the engine has written the database. */
export class SchemaTooNewError extends AlcoveError {
  readonly code = 'ERR_SCHEMA_TOO_NEW'
}

/** An unreleased version of the engine has made the database, and no migration leads from there. */
export class SchemaTooOldError extends AlcoveError {
  readonly code = 'ERR_SCHEMA_TOO_OLD'
}

/** Another process uses the data folder. */
export class DataDirLockedError extends AlcoveError {
  readonly code = 'ERR_DATA_DIR_LOCKED'
}

/** The data folder cannot be created, read or written. */
export class DataDirUnusableError extends AlcoveError {
  readonly code = 'ERR_DATA_DIR_UNUSABLE'
}

/** The data folder, the database and the bucket with files do not belong together. */
export class DataDirMismatchError extends AlcoveError {
  readonly code = 'ERR_DATA_DIR_MISMATCH'
}

/** Another backup of the data folder is in progress. */
export class BackupRunningError extends AlcoveError {
  readonly code = 'ERR_BACKUP_RUNNING'
  override readonly isTransient = true
}

/** A backup or a restore failed for an outside reason, such as a full disk. It leaves no files behind. */
export class BackupFailedError extends AlcoveError {
  readonly code = 'ERR_BACKUP_FAILED'
}

/** A file is not a backup, is damaged, or comes from a newer version. */
export class BackupInvalidError extends AlcoveError {
  readonly code = 'ERR_BACKUP_INVALID'
}

/** The copy of a database differs from its source. The source is unchanged. */
export class MigrationFailedError extends AlcoveError {
  readonly code = 'ERR_MIGRATION_FAILED'
}

/** This adapter, or this way of opening the engine, does not support the call. */
export class UnsupportedError extends AlcoveError {
  readonly code = 'ERR_UNSUPPORTED'
}

/** The engine or a part of it is closed. */
export class ClosedError extends AlcoveError {
  readonly code = 'ERR_CLOSED'

  constructor(subject: string) {
    super(`${subject} is closed`)
  }
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
  readonly code = 'ERR_TOKEN_REQUEST'
  readonly error: TokenErrorCode

  constructor(error: TokenErrorCode, description: string) {
    super(description)
    this.error = error
  }
}

/** The caller has reached a rate limit. The same call may succeed after `retryAfterSeconds`. */
export class ThrottledError extends AlcoveError {
  readonly code = 'ERR_THROTTLED'
  override readonly isTransient = true
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A mail could not be sent. */
export class MailError extends AlcoveError {
  readonly code = 'ERR_MAIL'
  override readonly isTransient: boolean

  constructor(message: string, options: { readonly cause?: unknown; readonly isTransient: boolean }) {
    super(message, options)
    this.isTransient = options.isTransient
  }
}

/** The file with the signing keys is unusable. */
export class SigningKeyError extends AlcoveError {
  readonly code = 'ERR_SIGNING_KEY'
}

/** The secret-encryption key is missing or unusable, or is not the key that the secrets are encrypted with. */
export class SecretKeyError extends AlcoveError {
  readonly code = 'ERR_SECRET_KEY'
}

/** A stored secret cannot be decrypted. */
export class SecretUnreadableError extends AlcoveError {
  readonly code = 'ERR_SECRET_UNREADABLE'
}

/** The stored bytes of an event are damaged. */
export class PayloadCorruptError extends AlcoveError {
  readonly code = 'ERR_PAYLOAD_CORRUPT'
}

/** The engine must not contact a destination: its name, its port or one of its addresses is not public. */
export class DestinationRefusedError extends AlcoveError {
  readonly code = 'ERR_DESTINATION_REFUSED'
  /** True where a look-up of the name is the reason. False where the URL itself is the reason. */
  readonly isByLookUp: boolean

  constructor(message: string, options: { readonly cause?: unknown; readonly isByLookUp?: boolean } = {}) {
    super(message, options)
    this.isByLookUp = options.isByLookUp ?? false
  }
}

/** The name in a destination's URL does not resolve to any address at present. */
export class UnresolvedDestinationError extends InvalidInputError {}

/** A request to a receiver does not have the signature of its body. Answer it with 401. */
export class WebhookSignatureError extends AlcoveError {
  readonly code = 'ERR_WEBHOOK_SIGNATURE'
}

/** A webhook has a valid signature, but its body is not an event. Answer it with 400. */
export class WebhookMalformedError extends AlcoveError {
  readonly code = 'ERR_WEBHOOK_MALFORMED'
}
