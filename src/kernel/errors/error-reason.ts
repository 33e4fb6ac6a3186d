/** All codes of reasons. They are stable. */
export const ERROR_REASON_CODES = [
  // The value of a field.
  'required',
  'empty',
  'not-one-line',
  'too-long',
  'too-long-with-first-name',
  'too-many-bytes',
  'too-many-elements',
  'too-short',
  'not-in-list',
  'not-an-integer',
  'integer-out-of-range',
  'integer-too-small',
  'number-out-of-range',
  'number-not-below',
  'null-character',
  'half-character',
  'angle-bracket',
  'text-direction',
  'web-address',
  'not-an-email-address',
  'not-a-single-character',
  'not-a-function-name',
  'not-unique',
  'same-user',
  'unknown-model',
  'not-a-date',
  'not-in-the-future',
  'no-event-type',
  // The URL of a destination.
  'not-https',
  'no-host',
  'url-characters',
  'url-credentials',
  'url-fragment',
  'url-host-or-port',
  'url-host-name',
  'url-too-long',
  // A destination that is not contacted.
  'address-not-public',
  'address-of-machine',
  'address-of-engine',
  'address-denied',
  'address-malformed',
  'name-not-public',
  'name-of-machine',
  'name-of-engine',
  'name-denied',
  'name-malformed',
  'name-with-too-many-addresses',
  'name-unresolved',
  'name-unresolved-in-time',
  'name-not-resolved-to-public',
  'local-name',
  'name-without-host',
  'refused-port',
] as const

export type ErrorReasonCode = (typeof ERROR_REASON_CODES)[number]

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
