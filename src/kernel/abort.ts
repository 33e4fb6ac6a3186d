/**
 * Does work with a signal that is aborted as soon as one of several is, with its reason.
 *
 * By a controller that is held here until the work has ended: a signal of `AbortSignal.any` can be collected as garbage
 * in Node 20 before it fires.
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
 * What a promise gives, unless a signal is aborted before. Unlike a race against one long-lived promise,
 * it leaves nothing behind that would keep what was waited for.
 *
 * @throws the signal's reason
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await promise
  return await new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    // At once, before whoever waits goes on: of a thousand quick items, one listener.
    const settled = (): void => signal.removeEventListener('abort', abort)
    promise.finally(settled).then(resolve, reject)
  })
}

/** Ends a wait for items that do not come once a signal is aborted. The source is told then, but not waited for. */
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
 * Waits so long, or until something has woken it.
 * @throws the reason of a signal, at once when it is aborted
 */
export async function pause(ms: number, until?: Promise<unknown> | AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  try {
    if (until instanceof AbortSignal) await untilAborted(waited, until)
    else await Promise.race(until === undefined ? [waited] : [waited, until])
  } finally {
    clearTimeout(timer)
  }
}
