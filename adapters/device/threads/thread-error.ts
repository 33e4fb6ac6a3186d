import {
  AlcoveError,
  type ErrorCode,
  InvalidInputError,
  ModelError,
  type ModelErrorCode,
  messageOf,
  NativePartError,
  UnsupportedError,
} from '../../../src/ports/index.js'

/** An error on its way between threads, where it loses its class. */
export interface ThreadError {
  readonly code: ErrorCode | undefined
  readonly message: string
}

const MODEL_CODES: ReadonlySet<ErrorCode> = new Set<ModelErrorCode>([
  'ERR_MODEL_MISSING',
  'ERR_MODEL_CHANGED',
  'ERR_MODEL_UNSUPPORTED',
])

export function toThreadError(error: unknown): ThreadError {
  return { code: error instanceof AlcoveError ? error.code : undefined, message: messageOf(error) }
}

/** Restores the class of an error. */
export function fromThreadError({ code, message }: ThreadError): Error {
  if (code !== undefined && MODEL_CODES.has(code)) return new ModelError(code as ModelErrorCode, message)
  if (code === 'ERR_INVALID_INPUT') return new InvalidInputError('', message)
  if (code === 'ERR_NATIVE_PART') return new NativePartError(message)
  if (code === 'ERR_UNSUPPORTED') return new UnsupportedError(message)
  return new Error(message)
}
