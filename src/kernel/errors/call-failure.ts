import { AlcoveError, type ErrorCode } from './alcove-error.js'
import { ThrottledError } from './call-errors.js'

/** A failed call of a model or an agent, in words for the caller. */
export interface CallFailure {
  /** One sentence that ends in the code. */
  readonly sentence: string
  readonly code: string
  /** True if the caller can do nothing about it: the log has the error. */
  readonly isInternal: boolean
}

/** Errors whose message is for the caller. Messages of others may name files, tables and servers. */
const FOR_CALLERS: ReadonlySet<ErrorCode> = new Set([
  'ERR_INVALID_INPUT',
  'ERR_UNAUTHENTICATED',
  'ERR_FORBIDDEN',
  'ERR_CONTEXT_NOT_FOUND',
  'ERR_DOCUMENT_NOT_FOUND',
  'ERR_NOT_READY',
  'ERR_DOCUMENT_FAILED',
  'ERR_THROTTLED',
  'ERR_UNSUPPORTED',
  'ERR_CLOSED',
  // The folder of the command line, whose user is the caller.
  'ERR_DATA_DIR_LOCKED',
])

const MODEL_FAILURES: ReadonlySet<ErrorCode> = new Set([
  'ERR_MODEL_UNKNOWN',
  'ERR_MODEL_MISSING',
  'ERR_MODEL_CHANGED',
  'ERR_MODEL_UNSUPPORTED',
  'ERR_MODEL_REFUSED',
])

/** Describes an error without what is inside the engine. */
export function describeFailure(error: unknown): CallFailure {
  if (!(error instanceof AlcoveError)) {
    return failure('internal failure: see the log of the server', 'ERR_INTERNAL', true)
  }
  const { code, isTransient, message } = error
  if (error instanceof ThrottledError) {
    return failure(`${message}: retry in ${error.retryAfterSeconds} s`, code, false)
  }
  if (FOR_CALLERS.has(code)) return failure(message, code, false)
  if (MODEL_FAILURES.has(code)) {
    return failure('the embedding model of the server does not work: see the log of the server', code, true)
  }
  if (isTransient) return failure('the server is not available now: retry later', code, true)
  return failure('internal failure: see the log of the server', code, true)
}

function failure(text: string, code: string, isInternal: boolean): CallFailure {
  return { sentence: `${text} (${code})`, code, isInternal }
}
