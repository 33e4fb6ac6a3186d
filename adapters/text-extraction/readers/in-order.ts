/**
 * Works on several items at the same time, and yields the results in the order of the items. It takes an item only when
 * a place is free.
 */
export async function* inOrder<Item, Result>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item, index: number) => Promise<Result>,
): AsyncGenerator<Result> {
  let running: readonly Promise<Result>[] = []
  let index = 0
  for (const item of items) {
    const result = work(item, index)
    // Its error is thrown in its turn.
    result.catch(() => undefined)
    index += 1
    const [first, ...others] = [...running, result]
    if (running.length + 1 >= atOnce) {
      running = others
      yield await first
    } else running = [...running, result]
  }
  for (const result of running) yield await result
}
