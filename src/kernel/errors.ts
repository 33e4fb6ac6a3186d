/** Every stable code an error of the engine can carry. */
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

/** The root of every error that the engine throws on purpose. */
export abstract class AlcoveError extends Error {
  /** Stable; callers may switch on it. */
  abstract readonly code: ErrorCode
  /** Whether the same call may succeed later without any change. */
  readonly isTransient: boolean = false

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = new.target.name
  }
}

/** Whether something failed only for a while, such as a database that is away, by no fault of what was to be done. */
export function isPassing(error: unknown): boolean {
  return error instanceof AlcoveError && error.isTransient
}

/** An argument, a field or an option is not what it must be; `field` names it. */
export class InvalidInputError extends AlcoveError {
  readonly code = 'ERR_INVALID_INPUT'
  /** Path of the field, such as `starterPrompts[2]`; empty for the whole input. */
  readonly field: string

  constructor(field: string, problem: string, options?: { readonly cause?: unknown }) {
    super(field === '' ? problem : `${field}: ${problem}`, options)
    this.field = field
  }
}

/** The principal does not exist, or no longer. */
export class UnauthenticatedError extends AlcoveError {
  readonly code = 'ERR_UNAUTHENTICATED'
}

/** The password is right, and the user has one-time passwords: ask for a code, and check both together. */
export class OneTimePasswordRequiredError extends AlcoveError {
  readonly code = 'ERR_OTP_REQUIRED'

  constructor() {
    super('a one-time password is required: pass the current code of the authenticator app, or a recovery code, as otp')
  }
}

/** The principal exists but may not do this. */
export class ForbiddenError extends AlcoveError {
  readonly code = 'ERR_FORBIDDEN'
  /** The capability that the caller's role has, and the scope of the caller leaves out; otherwise `undefined`. */
  readonly scope: string | undefined

  constructor(message: string, options: { readonly scope?: string } = {}) {
    super(message)
    this.scope = options.scope
  }
}

/** What kind of thing was looked for in vain. */
type MissingThing =
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

const MISSING_CODES: Record<MissingThing, Extract<ErrorCode, `ERR_${string}_NOT_FOUND`>> = {
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

/** Nothing has this id, or the caller may not know of it. */
export class NotFoundError extends AlcoveError {
  readonly code: Extract<ErrorCode, `ERR_${string}_NOT_FOUND`>

  constructor(thing: MissingThing, id: number | string) {
    super(`no ${thing} with the id ${String(id)}`)
    this.code = MISSING_CODES[thing]
  }
}

/** Something unique is there already. */
export class AlreadyExistsError extends AlcoveError {
  readonly code = 'ERR_ALREADY_EXISTS'
}

/** An address and a password are those of users of several companies: the caller names the company. */
export class CompanyRequiredError extends AlcoveError {
  readonly code = 'ERR_COMPANY_REQUIRED'

  constructor() {
    super('several companies have a user with this address and password: name the company')
  }
}

/** A change would leave a company that nobody can manage any more. */
export class LastManagerError extends AlcoveError {
  readonly code = 'ERR_LAST_MANAGER'

  constructor(companyId: number) {
    super(
      `nobody else can manage the company ${companyId}: first give a role with tenant:manage on its tenant account to ` +
        'a user who has completed the setup or has an API key',
    )
  }
}

/** Something cannot be disabled or deleted, because the engine or something else needs it; the message says what. */
export class InUseError extends AlcoveError {
  readonly code = 'ERR_IN_USE'
}

/** `init` on a data folder that has an API key. */
export class AlreadyInitializedError extends AlcoveError {
  readonly code = 'ERR_ALREADY_INITIALIZED'
}

/** A data folder that nobody has initialised. */
export class NotInitializedError extends AlcoveError {
  readonly code = 'ERR_NOT_INITIALIZED'
}

/** A document would not fit in what is left of its context's `maxSize`. */
export class QuotaExceededError extends AlcoveError {
  readonly code = 'ERR_QUOTA_EXCEEDED'
}

/** A company holds as many of something as it may; the message names the limit. */
export class LimitReachedError extends AlcoveError {
  readonly code = 'ERR_LIMIT_REACHED'
}

/** Codes of documents that cannot become text. */
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

/** A file cannot become text; trying again does not help. */
export class ExtractionError extends AlcoveError {
  readonly code: ExtractionErrorCode

  constructor(code: ExtractionErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** A document could not be processed. `code` says why, as the end of the document's `error` does. */
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

/** The bytes of a document are not in the file store. */
export class FileMissingError extends AlcoveError {
  readonly code = 'ERR_FILE_MISSING'
}

/** Codes of models that cannot be used. */
export type ModelErrorCode = Extract<
  ErrorCode,
  'ERR_MODEL_UNKNOWN' | 'ERR_MODEL_MISSING' | 'ERR_MODEL_CHANGED' | 'ERR_MODEL_UNSUPPORTED'
>

/** An embedding model is unknown, missing, changed or of a kind that its adapter cannot read. */
export class ModelError extends AlcoveError {
  readonly code: ModelErrorCode

  constructor(code: ModelErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** A vector of the wrong length, or with a component that is no finite number. */
export class VectorInvalidError extends AlcoveError {
  readonly code = 'ERR_VECTOR_INVALID'
}

/** The stored vectors of a collection are not what was written; they can be made again from the documents. */
export class VectorsDamagedError extends AlcoveError {
  readonly code = 'ERR_VECTORS_DAMAGED'
}

/** Somebody else holds the job by now; what was being done must not be recorded. */
export class LeaseLostError extends AlcoveError {
  readonly code = 'ERR_LEASE_LOST'
}

/** A process that did a job ended before it could record anything, again and again. */
export class CrashedError extends AlcoveError {
  readonly code = 'ERR_CRASHED'
}

/** The database or the file store failed; nothing of the work was kept. */
export class StorageError extends AlcoveError {
  readonly code = 'ERR_STORAGE'
  override readonly isTransient: boolean

  constructor(message: string, options: { readonly cause?: unknown; readonly isTransient: boolean }) {
    super(message, options)
    this.isTransient = options.isTransient
  }
}

/** A disk has no room for what is to be written; nothing of it was kept. */
export class StorageFullError extends AlcoveError {
  readonly code = 'ERR_STORAGE_FULL'
  override readonly isTransient = true
}

/** The database was written by a newer version of the engine. */
export class SchemaTooNewError extends AlcoveError {
  readonly code = 'ERR_SCHEMA_TOO_NEW'
}

/** Another process works on the data folder. */
export class DataDirLockedError extends AlcoveError {
  readonly code = 'ERR_DATA_DIR_LOCKED'
}

/** The data folder cannot be created, read or written. */
export class DataDirUnusableError extends AlcoveError {
  readonly code = 'ERR_DATA_DIR_UNUSABLE'
}

/** A data folder, a database and a bucket with files that do not belong together. */
export class DataDirMismatchError extends AlcoveError {
  readonly code = 'ERR_DATA_DIR_MISMATCH'
}

/** Another backup of the data folder is being made. */
export class BackupRunningError extends AlcoveError {
  readonly code = 'ERR_BACKUP_RUNNING'
  override readonly isTransient = true
}

/** A backup could not be made, or not be restored, for a reason outside of it, such as a full disk. Nothing of it is left. */
export class BackupFailedError extends AlcoveError {
  readonly code = 'ERR_BACKUP_FAILED'
}

/** A file is no backup, is damaged, or was made by a newer version. */
export class BackupInvalidError extends AlcoveError {
  readonly code = 'ERR_BACKUP_INVALID'
}

/** What was copied from one database to another is not what is there. The one it came from is as it was. */
export class MigrationFailedError extends AlcoveError {
  readonly code = 'ERR_MIGRATION_FAILED'
}

/** This adapter, or this way of opening the engine, cannot do what was asked. */
export class UnsupportedError extends AlcoveError {
  readonly code = 'ERR_UNSUPPORTED'
}

/** The engine or a part of it was closed. */
export class ClosedError extends AlcoveError {
  readonly code = 'ERR_CLOSED'

  constructor(what: string) {
    super(`${what} is closed`)
  }
}

/** Why a request for a token is refused (RFC 6749, section 5.2). */
export type TokenErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'

/** A request for a token is refused. */
export class TokenRequestError extends AlcoveError {
  readonly code = 'ERR_TOKEN_REQUEST'
  readonly error: TokenErrorCode

  constructor(error: TokenErrorCode, description: string) {
    super(description)
    this.error = error
  }
}

/** Too many failures; the same call may succeed after a while. */
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

/** The file with the signing keys cannot be used. */
export class SigningKeyError extends AlcoveError {
  readonly code = 'ERR_SIGNING_KEY'
}

/** The key that secrets are encrypted with is missing, cannot be used, or is not the one they were encrypted with. */
export class SecretKeyError extends AlcoveError {
  readonly code = 'ERR_SECRET_KEY'
}

/** One stored secret cannot be decrypted. */
export class SecretUnreadableError extends AlcoveError {
  readonly code = 'ERR_SECRET_UNREADABLE'
}

/** The stored bytes of an event are not those that were stored. */
export class PayloadCorruptError extends AlcoveError {
  readonly code = 'ERR_PAYLOAD_CORRUPT'
}

/** A destination that may not be contacted: its name, its port or one of its addresses is not public. */
export class DestinationRefusedError extends AlcoveError {
  readonly code = 'ERR_DESTINATION_REFUSED'
  /** Whether a look-up of the name said so, rather than the URL itself. */
  readonly isByLookUp: boolean

  constructor(message: string, options: { readonly cause?: unknown; readonly isByLookUp?: boolean } = {}) {
    super(message, options)
    this.isByLookUp = options.isByLookUp ?? false
  }
}

/** The name in a destination's URL does not resolve to any address now. */
export class UnresolvedDestinationError extends InvalidInputError {}

/** A request that claims to be a webhook does not carry the signature of its body: answer it with 401. */
export class WebhookSignatureError extends AlcoveError {
  readonly code = 'ERR_WEBHOOK_SIGNATURE'
}

/** A webhook with a valid signature has a body that is no event: answer it with 400. */
export class WebhookMalformedError extends AlcoveError {
  readonly code = 'ERR_WEBHOOK_MALFORMED'
}
