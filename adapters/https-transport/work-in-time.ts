import { ClosedError, withAnySignal } from '../../src/ports/index.js'

/** A piece of work was not done in its time. */
export class DeadlineError extends Error {}

/**
 * Work that ends at a deadline, when its caller gives it up, or when all of it is closed. By a timer that is held here: a
 * signal of `AbortSignal.timeout` can be collected as garbage in Node 20 before it fires.
 */
export class WorkInTime {
  readonly #deadlineMs: number
  readonly #underWay = new Set<AbortController>()
  #isClosed = false

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs
  }

  /**
   * @param work must end soon after its signal is aborted
   * @throws what `work` throws; once cut off, DeadlineError, ClosedError or the reason of the caller's signal
   */
  async run<T>(work: (signal: AbortSignal) => Promise<T>, caller: AbortSignal | undefined): Promise<T> {
    caller?.throwIfAborted()
    if (this.#isClosed) throw new ClosedError('the transport')
    const cut = new AbortController()
    const timer = setTimeout(() => cut.abort(new DeadlineError()), this.#deadlineMs)
    this.#underWay.add(cut)
    try {
      return await withAnySignal([cut.signal, caller], async (signal) => {
        return await work(signal).catch((error: unknown) => {
          throw signal.aborted ? (signal.reason as Error) : error
        })
      })
    } finally {
      clearTimeout(timer)
      this.#underWay.delete(cut)
    }
  }

  /** Cuts off what is under way; nothing begins any more. */
  close(): void {
    this.#isClosed = true
    for (const cut of this.#underWay) cut.abort(new ClosedError('the transport'))
  }
}
