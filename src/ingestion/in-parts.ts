import type { Page } from '../ports/index.js'

/** A list in parts of a size. */
export function* inParts<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

/** Numbers that ascend, page by page, until there are no more. */
export async function* pages(
  size: number,
  read: (page: Page) => Promise<readonly number[]>,
): AsyncGenerator<readonly number[]> {
  let after = 0
  for (;;) {
    const numbers = await read({ after, limit: size })
    if (numbers.length > 0) yield numbers
    if (numbers.length < size) return
    after = numbers.at(-1) ?? after
  }
}

/** Does work for each item, for a few at a time; gives the results in the order of the items. */
export async function forEachOf<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const go = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as Item)
  }
  await Promise.all(Array.from({ length: atOnce }, go))
  return results
}
