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
