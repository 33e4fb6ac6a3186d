import { type ErrorReason, errorReason } from '../kernel/errors.js'
import { retryAfterMs } from '../kernel/scheduling/retry-after.js'
import type { AttemptOutcome, DeliveryStatus, HttpOutcome, RetrySchedule } from '../ports/index.js'

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]

/**
 * Pauses before the second attempt, the third one and so on. `standard`: specification, Delivery rules, 3. `long`:
 * eleven attempts over about 24 hours.
 */
const RETRY_DELAYS_MS: Readonly<Record<RetrySchedule, readonly number[]>> = {
  standard: [500, 2 * SECOND],
  long: [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 6 * HOUR, 10 * HOUR],
}

/** Largest random change of a pause, as a fraction. It spreads retries over time. */
const JITTER = 0.15

/** Longest pause that a destination can ask for. */
const LONGEST_RETRY_AFTER_MS = 6 * HOUR

/** The effect of an attempt on its delivery. */
export interface Settlement {
  readonly outcome: AttemptOutcome
  readonly httpStatus: number | null
  /** Null after a success. */
  readonly error: string | null
  /** The error for programs; null without one. */
  readonly reason: ErrorReason | null
  readonly status: DeliveryStatus
  /** Milliseconds until the next attempt; `undefined` where this attempt is the last one. */
  readonly retryInMs: number | undefined
  /** True if the destination answered 410, and asks for long retries: it is to be disabled. */
  readonly isGone: boolean
  /** True if an attempt of a long schedule is the last one, although a later one could succeed. */
  readonly isExhausted: boolean
}

interface Attempt {
  readonly outcome: HttpOutcome
  /** Number of recorded attempts, including this one. */
  readonly attempts: number
  readonly retry: RetrySchedule
  readonly now: Date
  /** From 0 to 1, for the jitter. */
  readonly random: number
}

/**
 * Decides the effect of an attempt: 2xx is a success. Connection errors, timeouts and 5xx are retried. Any other outcome
 * is final, also 3xx and `blocked`: a retry would give the same result. Specification: Delivery rules.
 *
 * A destination that asks for `long` retries also gets another attempt after 408, 425 and 429. `Retry-After` makes its
 * pauses longer, and never shorter: otherwise a few minutes could use up all attempts.
 */
export function settleAttempt({ outcome, attempts, retry, now, random }: Attempt): Settlement {
  const isLong = retry === 'long'
  const { isTransient, ...result } = resultOf(outcome, isLong)
  const isFinal = { retryInMs: undefined, isGone: false, isExhausted: false }
  if (result.outcome === 'success') return { ...result, ...isFinal, status: 'succeeded' }
  const delayMs = RETRY_DELAYS_MS[retry][attempts - 1]
  if (isTransient && delayMs !== undefined) {
    const wishMs = isLong && outcome.kind === 'response' ? retryAfterMs(outcome.retryAfter, now) : undefined
    const askedMs = Math.min(wishMs ?? 0, LONGEST_RETRY_AFTER_MS)
    const retryInMs = Math.max(delayMs * (1 - JITTER + 2 * JITTER * random), askedMs * (1 + JITTER * random))
    return { ...result, ...isFinal, status: 'pending', retryInMs: Math.round(retryInMs) }
  }
  const status = result.outcome === 'blocked' ? 'blocked' : 'failed'
  return {
    ...result,
    status,
    ...isFinal,
    isGone: isLong && result.httpStatus === 410,
    isExhausted: isLong && isTransient,
  }
}

type AttemptResult = Pick<Settlement, 'outcome' | 'httpStatus' | 'error' | 'reason'> & { readonly isTransient: boolean }

/** Statuses of 4xx that ask for another attempt: Request Timeout, Too Early, Too Many Requests. */
const TRANSIENT_4XX: readonly number[] = [408, 425, 429]

function resultOf(outcome: HttpOutcome, isLong: boolean): AttemptResult {
  if (outcome.kind !== 'response') {
    const { kind, error, reason = null } = outcome
    return { outcome: kind, httpStatus: null, error, reason, isTransient: kind !== 'blocked' }
  }
  const { httpStatus } = outcome
  if (httpStatus >= 200 && httpStatus < 300) {
    return { outcome: 'success', httpStatus, error: null, reason: null, isTransient: false }
  }
  const is5xx = httpStatus >= 500 && httpStatus < 600
  const isTransient = is5xx || (isLong && TRANSIENT_4XX.includes(httpStatus))
  return { outcome: 'http_error', httpStatus, ...errorOf(httpStatus, isLong), isTransient }
}

function errorOf(status: number, isLong: boolean): Pick<AttemptResult, 'error' | 'reason'> {
  const error = `the destination answered ${status}`
  if (status >= 300 && status < 400) {
    return { error: `${error}; redirects are not followed`, reason: errorReason('answered-redirect', { status }) }
  }
  if (isLong && status === 410) {
    return { error: `${error}: its URL is gone`, reason: errorReason('answered-gone', { status }) }
  }
  return { error, reason: errorReason('answered', { status }) }
}
