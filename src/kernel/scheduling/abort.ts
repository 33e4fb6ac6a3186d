import { isAbortSignal } from '../realms.js'
/**
 * Runs work with a signal that is aborted as soon as one of several signals is aborted, with the same reason.
 *
 * This function holds a controller until the work settles. It does not use `AbortSignal.any`: in Node 20, garbage
 * collection can remove such a signal before it fires.
 *
 * @throws what the work throws
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
  await waitFor(ms, until, () => undefined)
}

/** As {@link pause}, but the wait alone does not keep a process of Node alive. */
export async function idlePause(ms: number, until: Promise<unknown>): Promise<void> {
  await waitFor(ms, until, (timer) => {
    // Other platforms have numbers in place of timers.
    if (typeof timer === 'object') (timer as { readonly unref?: () => void }).unref?.()
  })
}

async function waitFor(
  ms: number,
  until: Promise<unknown> | AbortSignal | undefined,
  started: (timer: unknown) => void,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  started(timer)
  try {
    if (isAbortSignal(until)) await untilAborted(timeout, until)
    else await Promise.race(until === undefined ? [timeout] : [timeout, until])
  } finally {
    clearTimeout(timer)
  }
}
