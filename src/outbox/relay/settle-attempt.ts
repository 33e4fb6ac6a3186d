import type { AttemptOutcome, DeliveryStatus, HttpOutcome } from '../../ports/index.js'

/** Up to three attempts for each destination (specification, Delivery rules, 3). */
const MAX_ATTEMPTS = 3

/** Pauses before the second attempt and the third; each a little shorter or longer, so that they spread. */
const RETRY_DELAYS_MS = [500, 2_000]

const JITTER = 0.15

/** What an attempt means for its delivery. */
export interface Settlement {
  readonly outcome: AttemptOutcome
  readonly httpStatus: number | null
  /** Null after a success. */
  readonly error: string | null
  readonly status: DeliveryStatus
  /** Until the next attempt; `undefined` where there is none. */
  readonly retryInMs: number | undefined
}

/**
 * Settles what came of an attempt (specification, Delivery rules; reliability, decision 1): 2xx is success;
 * connection errors, timeouts and 5xx are tried again; everything else is final.
 *
 * @param attempts recorded attempts, this one included
 * @param random from 0 to 1, for the jitter
 */
export function settleAttempt(outcome: HttpOutcome, attempts: number, random: number): Settlement {
  const { isPassing, ...settled } = judge(outcome)
  if (settled.outcome === 'success') return { ...settled, status: 'succeeded', retryInMs: undefined }
  const delayMs = RETRY_DELAYS_MS[attempts - 1]
  if (isPassing && attempts < MAX_ATTEMPTS && delayMs !== undefined) {
    const retryInMs = Math.round(delayMs * (1 - JITTER + 2 * JITTER * random))
    return { ...settled, status: 'pending', retryInMs }
  }
  return { ...settled, status: settled.outcome === 'blocked' ? 'blocked' : 'failed', retryInMs: undefined }
}

type Judgement = Pick<Settlement, 'outcome' | 'httpStatus' | 'error'> & { readonly isPassing: boolean }

function judge(outcome: HttpOutcome): Judgement {
  if (outcome.kind !== 'response') {
    return { outcome: outcome.kind, httpStatus: null, error: outcome.error, isPassing: outcome.kind !== 'blocked' }
  }
  const { httpStatus } = outcome
  if (httpStatus >= 200 && httpStatus < 300) return { outcome: 'success', httpStatus, error: null, isPassing: false }
  const isRedirect = httpStatus >= 300 && httpStatus < 400
  const error = `the destination answered ${httpStatus}${isRedirect ? '; redirects are not followed' : ''}`
  return { outcome: 'http_error', httpStatus, error, isPassing: httpStatus >= 500 && httpStatus < 600 }
}
