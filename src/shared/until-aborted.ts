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
