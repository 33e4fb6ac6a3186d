import type { ERROR_REASONS, ErrorReasonCode } from './error-reasons.js'

/** The reason of a refusal for programs. The message of the error says the same in English. */
export interface ErrorReason {
  readonly code: ErrorReasonCode
  /** The values in the sentence, by name, such as `max`. */
  readonly parameters: Readonly<Record<string, string | number>>
}

type ParameterName<Code extends ErrorReasonCode> = (typeof ERROR_REASONS)[Code][number]

type ReasonParameters<Code extends ErrorReasonCode> = {
  readonly [Name in ParameterName<Code> as Name extends `${string}?` ? never : Name]: string | number
} & {
  readonly [Name in ParameterName<Code> as Name extends `${infer Optional}?` ? Optional : never]?: string | number
}

/** The parameters of a reason, as the last argument of a function. None for a reason without parameters. */
export type ReasonArguments<Code extends ErrorReasonCode> = Code extends ErrorReasonCode
  ? (typeof ERROR_REASONS)[Code] extends readonly []
    ? readonly []
    : readonly [parameters: ReasonParameters<Code>]
  : never

/** @param values the parameters, which `ERROR_REASONS` names */
export function errorReason<Code extends ErrorReasonCode>(code: Code, ...values: ReasonArguments<Code>): ErrorReason {
  const [parameters = {}] = values as readonly [ErrorReason['parameters']?]
  return { code, parameters }
}
