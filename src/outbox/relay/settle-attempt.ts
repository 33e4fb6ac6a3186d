import type { AttemptOutcome, DeliveryStatus, HttpOutcome } from '../../ports/index.js'

/** Attempts of a delivery. Specification: Delivery rules, 3. */
const MAX_ATTEMPTS = 3

/** Pauses before the second and the third attempt. */
const RETRY_DELAYS_MS = [500, 2_000]

/** Largest random change of a pause, as a fraction. It spreads retries over time. */
const JITTER = 0.15

/** The effect of an attempt on its delivery. */
export interface Settlement {
  readonly outcome: AttemptOutcome
  readonly httpStatus: number | null
  /** Null after a success. */
  readonly error: string | null
  readonly status: DeliveryStatus
  /** Milliseconds until the next attempt; `undefined` where this attempt is the last one. */
  readonly retryInMs: number | undefined
}

/**
 * Decides the effect of an attempt: 2xx is a success. Connection errors, timeouts and 5xx are retried. Any other outcome
 * is final, also 3xx and `blocked`: a retry would give the same result. Specification: Delivery rules.
 *
 * @param attempts number of recorded attempts, including this one
 * @param random from 0 to 1, for the jitter
 */
export function settleAttempt(outcome: HttpOutcome, attempts: number, random: number): Settlement {
  const { isTransient, ...result } = attemptResultOf(outcome)
  if (result.outcome === 'success') return { ...result, status: 'succeeded', retryInMs: undefined }
  const delayMs = RETRY_DELAYS_MS[attempts - 1]
  if (isTransient && attempts < MAX_ATTEMPTS && delayMs !== undefined) {
    const retryInMs = Math.round(delayMs * (1 - JITTER + 2 * JITTER * random))
    return { ...result, status: 'pending', retryInMs }
  }
  return { ...result, status: result.outcome === 'blocked' ? 'blocked' : 'failed', retryInMs: undefined }
}

type AttemptResult = Pick<Settlement, 'outcome' | 'httpStatus' | 'error'> & { readonly isTransient: boolean }

function attemptResultOf(outcome: HttpOutcome): AttemptResult {
  if (outcome.kind !== 'response') {
    return { outcome: outcome.kind, httpStatus: null, error: outcome.error, isTransient: outcome.kind !== 'blocked' }
  }
  const { httpStatus } = outcome
  if (httpStatus >= 200 && httpStatus < 300) return { outcome: 'success', httpStatus, error: null, isTransient: false }
  const isRedirect = httpStatus >= 300 && httpStatus < 400
  const error = `the destination answered ${httpStatus}${isRedirect ? '; redirects are not followed' : ''}`
  return { outcome: 'http_error', httpStatus, error, isTransient: httpStatus >= 500 && httpStatus < 600 }
}
