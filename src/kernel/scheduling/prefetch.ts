/**
 * Reads one item ahead: the source makes the next item while the caller uses the last one. Throws an error in place of
 * the item that failed. If the caller stops early, it closes the source.
 */
export async function* prefetch<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]()
  let next = toOutcome(iterator.next())
  try {
    for (;;) {
      const outcome = await next
      if ('error' in outcome) throw outcome.error
      if (outcome.value.done === true) return
      next = toOutcome(iterator.next())
      yield outcome.value.value
    }
  } finally {
    await next
    await iterator.return?.()
  }
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown }

/** Never rejects: a rejection before the caller awaits it would be unhandled. */
async function toOutcome<T>(promise: Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await promise }
  } catch (error) {
    return { error }
  }
}
