/**
 * Keeps one item ahead: the next is being made while the last one is used.
 * Errors come where the item would have come; an early end ends the source.
 */
export async function* prefetch<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]()
  let next = settle(iterator.next())
  try {
    for (;;) {
      const result = await next
      if ('error' in result) throw result.error
      if (result.value.done === true) return
      next = settle(iterator.next())
      yield result.value.value
    }
  } finally {
    await next
    await iterator.return?.()
  }
}

type Settled<T> = { readonly value: T } | { readonly error: unknown }

/** A promise that never rejects: nobody may be waiting when it does. */
async function settle<T>(promise: Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await promise }
  } catch (error) {
    return { error }
  }
}
