import { ClosedError, withAnySignal } from '../../src/ports/index.js'

/** Work did not finish before its deadline. */
export class DeadlineError extends Error {}

/**
 * Runs work that ends at a deadline, when its caller aborts it, or when the transport is closed. It holds its own
 * timer, because Node 20 may collect a signal of `AbortSignal.timeout` before it fires.
 */
export class WorkInTime {
  readonly #deadlineMs: number
  readonly #running = new Set<AbortController>()
  #isClosed = false

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs
  }

  /**
   * @param work must end soon after its signal is aborted
   * @throws what `work` throws; after an abort: DeadlineError, ClosedError or the reason of the caller's signal
   */
  async run<T>(work: (signal: AbortSignal) => Promise<T>, caller: AbortSignal | undefined): Promise<T> {
    caller?.throwIfAborted()
    if (this.#isClosed) throw new ClosedError('the transport')
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(new DeadlineError()), this.#deadlineMs)
    this.#running.add(controller)
    try {
      return await withAnySignal([controller.signal, caller], async (signal) => {
        return await work(signal).catch((error: unknown) => {
          throw signal.aborted ? (signal.reason as Error) : error
        })
      })
    } finally {
      clearTimeout(timer)
      this.#running.delete(controller)
    }
  }

  /** Aborts the work in progress, and refuses further work. */
  close(): void {
    this.#isClosed = true
    for (const controller of this.#running) controller.abort(new ClosedError('the transport'))
  }
}
