/**
 * Runs work with a signal that is aborted as soon as one of several signals is aborted, with the same reason.
 *
 * This function holds a controller until the work settles. It does not use `AbortSignal.any`: in Node 20, garbage
 * collection can remove such a signal before it fires.
 */
export async function withAnySignal<T>(
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const listeners = signals.flatMap((signal) => {
    if (signal === undefined) return []
    const abort = (): void => controller.abort(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    return [{ signal, abort }]
  })
  try {
    return await work(controller.signal)
  } finally {
    for (const { signal, abort } of listeners) signal.removeEventListener('abort', abort)
  }
}

/**
 * Waits for a promise, or until a signal is aborted. Unlike a race against one long-lived promise, the wait leaves no
 * reference behind that keeps the result in memory.
 *
 * @throws the signal's reason
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await promise
  return await new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    // Remove the listener before the waiting code continues: then a loop over 1,000 quick items has one listener.
    const removeListener = (): void => signal.removeEventListener('abort', abort)
    promise.finally(removeListener).then(resolve, reject)
  })
}

/**
 * Yields the items of a source until a signal is aborted, also while the next item does not arrive. The source's
 * `return` is called then, but its result is not awaited.
 *
 * @throws the signal's reason
 */
export async function* itemsUntilAborted<Item>(
  items: AsyncIterable<Item>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await untilAborted(Promise.resolve(iterator.next()), signal)
      if (next.done === true) return
      yield next.value
    }
  } finally {
    void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}

/**
 * Waits for some milliseconds. A promise that settles ends the wait early.
 * @throws the signal's reason, as soon as the signal is aborted
 */
export async function pause(ms: number, until?: Promise<unknown> | AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  try {
    if (until instanceof AbortSignal) await untilAborted(timeout, until)
    else await Promise.race(until === undefined ? [timeout] : [timeout, until])
  } finally {
    clearTimeout(timer)
  }
}

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

/** Longest work without a pause on the host's event loop. It is well below 50 ms, the longest acceptable block. */
const SLICE_MS = 10

/** Splits long work into slices, so that the host's event loop runs between them. */
export class TimeSlice {
  readonly #restMs: number
  #startedAt = performance.now()

  /** @param restMs pause after each slice, for work that is not urgent; default 0 */
  constructor(restMs: number = 0) {
    this.#restMs = restMs
  }

  /** Lets the event loop run if the slice is over, and starts the next slice. */
  async pauseIfOver(): Promise<void> {
    if (performance.now() - this.#startedAt < SLICE_MS) return
    await new Promise((resolve) => {
      setTimeout(resolve, this.#restMs)
    })
    this.#startedAt = performance.now()
  }
}
