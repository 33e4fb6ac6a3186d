import { AlcoveError, type ErrorCode, type ErrorDetails } from './alcove-error.js'

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
  static override readonly className: string = 'ExtractionError'
  readonly code: ExtractionErrorCode

  constructor(code: ExtractionErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** A document could not be processed. `code` is the code at the end of the document's `error`. */
export class DocumentFailedError extends AlcoveError {
  static override readonly className: string = 'DocumentFailedError'
  readonly code: ErrorCode
  /** The document's UUID. */
  readonly fileName: string

  constructor(document: { readonly fileName: string; readonly originalName: string; readonly error: string }) {
    super(`${document.originalName}: ${document.error}`)
    this.code = errorCodeOf(document.error)
    this.fileName = document.fileName
  }
}

/** The text of a document is not there: the document is still being processed, or has failed. */
export class TextUnavailableError extends AlcoveError {
  static override readonly className: string = 'TextUnavailableError'
  readonly code: Extract<ErrorCode, 'ERR_NOT_READY' | 'ERR_DOCUMENT_FAILED'>
  /** False if the document has failed. */
  override readonly isTransient: boolean

  /** @param document its `error` is null while it is being processed */
  constructor({ uuid, error }: { readonly uuid: string; readonly error: string | null }) {
    super(
      error === null
        ? `the document ${uuid} has no text yet: it is still being processed; read it once it is completed`
        : `the document ${uuid} has no text: it has failed: ${error}`,
    )
    this.code = error === null ? 'ERR_NOT_READY' : 'ERR_DOCUMENT_FAILED'
    this.isTransient = error === null
  }
}

/** A re-index has stopped for good. Its code is the one of the first document that could not be processed. */
export class ReindexFailedError extends AlcoveError {
  static override readonly className: string = 'ReindexFailedError'
  readonly code: ErrorCode

  /** @param error a sentence that ends in its code */
  constructor(error: string) {
    super(error)
    this.code = errorCodeOf(error)
  }
}

/** The file store does not have the bytes of a document. */
export class FileMissingError extends AlcoveError {
  static override readonly className: string = 'FileMissingError'
  readonly code = 'ERR_FILE_MISSING'
}

/** Codes of unusable models. */
export type ModelErrorCode = Extract<
  ErrorCode,
  | 'ERR_MODEL_UNKNOWN'
  | 'ERR_MODEL_MISSING'
  | 'ERR_MODEL_CHANGED'
  | 'ERR_MODEL_UNSUPPORTED'
  | 'ERR_MODEL_UNAVAILABLE'
  | 'ERR_MODEL_REFUSED'
>

/**
 * An embedding model is unknown, missing or changed, its adapter cannot read it, or its server refuses a request. Only
 * `ERR_MODEL_UNAVAILABLE` is transient. With `retryAfterMs`, the server of the model is away, and documents wait until
 * it is back. Without it, the server failed with these texts only, and the failure of the document counts.
 */
export class ModelError extends AlcoveError {
  static override readonly className: string = 'ModelError'
  readonly code: ModelErrorCode
  override readonly isTransient: boolean
  /** Milliseconds after which a retry makes sense, while the server of the model is away; otherwise undefined. */
  readonly retryAfterMs: number | undefined

  constructor(code: ModelErrorCode, message: string, options: ErrorDetails & { readonly retryAfterMs?: number } = {}) {
    super(message, options)
    this.code = code
    this.isTransient = code === 'ERR_MODEL_UNAVAILABLE'
    this.retryAfterMs = options.retryAfterMs
  }
}

/** A vector has the wrong length, or a component that is not a finite number. */
export class VectorInvalidError extends AlcoveError {
  static override readonly className: string = 'VectorInvalidError'
  readonly code = 'ERR_VECTOR_INVALID'
}

/** The stored vectors of a collection are damaged. The engine can compute them from the documents once more. */
export class VectorsDamagedError extends AlcoveError {
  static override readonly className: string = 'VectorsDamagedError'
  readonly code = 'ERR_VECTORS_DAMAGED'
}

/** The code in brackets at the end of a stored sentence; null without a sentence, `ERR_INTERNAL` for one without a code. */
export function errorCodeOf(sentence: string): ErrorCode
export function errorCodeOf(sentence: string | null): ErrorCode | null
export function errorCodeOf(sentence: string | null): ErrorCode | null {
  if (sentence === null) return null
  return (/\((ERR_\w+)\)\.?$/.exec(sentence)?.[1] as ErrorCode | undefined) ?? 'ERR_INTERNAL'
}
