import { pause } from './abort.js'

export interface RetryOptions {
  readonly backoff: {
    /** Pause before the first retry, in milliseconds. Each further pause is twice as long. */
    readonly firstMs: number
    /** Longest pause. Default: no limit. */
    readonly longestMs?: number
    /** Default: no limit. */
    readonly maxRetries?: number
    /** Milliseconds since the call of {@link retry} after which an error is final. Default: no limit. */
    readonly patienceMs?: number
    /** True for a random part of each pause, so that callers that failed together do not retry together. */
    readonly isRandom?: boolean
  }
  /** True for an error after which a later try may succeed. */
  readonly isTransient: (error: unknown) => boolean
  /** Called before each retry, after the pause. Its error ends the retries. */
  readonly beforeRetry?: () => Promise<void> | void
  /** An abort allows no further retry after the next failure. It interrupts neither a pause nor the work. */
  readonly signal?: AbortSignal
}

/**
 * Runs work until it succeeds. Waits longer before each retry.
 *
 * @returns the result of the first try that succeeds
 * @throws the error of the last try, when it is not transient, no retry is left or the signal is aborted
 */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { backoff, isTransient, beforeRetry, signal } = options
  const { firstMs, longestMs = Infinity, maxRetries = Infinity, patienceMs = Infinity, isRandom = false } = backoff
  const startedAt = performance.now()
  for (let retries = 0; ; retries += 1) {
    try {
      return await work()
    } catch (error) {
      const isOver = retries >= maxRetries || performance.now() - startedAt > patienceMs
      if (isOver || signal?.aborted === true || !isTransient(error)) throw error
      const pauseMs = Math.min(firstMs * 2 ** retries, longestMs)
      await pause(isRandom ? Math.random() * pauseMs : pauseMs)
      await beforeRetry?.()
    }
  }
}
