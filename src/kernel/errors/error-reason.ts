import type { ErrorReasonCode } from './error-reason-codes.js'

/** The reason of a refusal for programs. The message of the error says the same in English. */
export interface ErrorReason {
  readonly code: ErrorReasonCode
  /** The values in the sentence, by name, such as `max`. */
  readonly parameters: Readonly<Record<string, string | number>>
}

/** @param parameters default: none */
export function errorReason(code: ErrorReasonCode, parameters: ErrorReason['parameters'] = {}): ErrorReason {
  return { code, parameters }
}
