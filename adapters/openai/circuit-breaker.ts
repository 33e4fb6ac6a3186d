import { setTimeout as wait } from 'node:timers/promises'
import { ModelError } from '../../src/ports/index.js'

/** Failures in a row after which the server counts as away. */
const FAILURES = 5
/** The first pause without requests, and the longest one. Each pause is twice as long as the one before it. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 30_000]
/** A server may wish a longer pause than this. It is asked again after this time all the same. */
const LONGEST_WISH_MS = 600_000

/**
 * Spares a server that is away: after some failures in a row there are pauses without requests. After each pause, one
 * request is the trial. Its success ends the pauses.
 */
export class CircuitBreaker {
  #failures = 0
  #pauseMs = FIRST_PAUSE_MS
  #until = 0
  #trial: Promise<void> | undefined
  #endTrial: () => void = () => undefined
  #reason = ''

  /** True if the last requests failed so often, or so clearly, that the server counts as away. */
  get isOpen(): boolean {
    return this.#reason !== ''
  }

  /** Milliseconds until the next request may start. */
  get remainingMs(): number {
    return Math.max(0, this.#until - performance.now())
  }

  /**
   * Asks for leave to send a request. The caller then calls {@link succeed}, {@link fail} or {@link giveUp}.
   *
   * @throws ModelError `ERR_MODEL_UNAVAILABLE` during a pause, and while a trial runs
   */
  enter(): void {
    if (!this.isOpen) return
    if (this.remainingMs > 0 || this.#trial !== undefined) throw this.#error()
    this.#trial = new Promise((resolve) => {
      this.#endTrial = resolve
    })
  }

  /** Waits until the trial that runs has ended, at most `longestMs`. @throws the signal's reason */
  async trialEnd(longestMs: number, signal: AbortSignal): Promise<void> {
    if (this.#trial === undefined || longestMs <= 0) return
    await Promise.race([this.#trial, wait(longestMs, undefined, { signal, ref: false })])
  }

  /** The server has answered. */
  succeed(): void {
    this.#failures = 0
    this.#pauseMs = FIRST_PAUSE_MS
    this.#until = 0
    this.#reason = ''
    this.#finishTrial()
  }

  /** The caller abandoned its request: nothing is known. */
  giveUp(): void {
    this.#finishTrial()
  }

  /**
   * @param message the reason, a sentence for users
   * @param options.wishMs the pause that the server wishes
   * @param options.isClear true for a failure that needs no second one, such as a refused connection
   */
  fail(
    message: string,
    { wishMs, isClear }: { readonly wishMs?: number | undefined; readonly isClear: boolean },
  ): void {
    this.#finishTrial()
    this.#failures += 1
    if (!isClear && wishMs === undefined && this.#failures < FAILURES && !this.isOpen) return
    // Requests that ran together fail together. They make one pause.
    if (this.remainingMs > 0 && wishMs === undefined) return
    this.#reason = message
    this.#until = performance.now() + Math.max(this.#pauseMs, Math.min(wishMs ?? 0, LONGEST_WISH_MS))
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
  }

  #finishTrial(): void {
    this.#trial = undefined
    this.#endTrial()
  }

  #error(): ModelError {
    return new ModelError('ERR_MODEL_UNAVAILABLE', this.#reason, { retryAfterMs: Math.max(1, this.remainingMs) })
  }
}
