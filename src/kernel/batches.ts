import { isTransientError } from './errors.js'

/** Splits a list into parts of at most `size` items. */
export function* inBatches<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

/** Runs work for each item, for at most `concurrency` items at a time. @returns the results in the order of the items */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const runNextItems = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index] as Item)
  }
  await Promise.all(Array.from({ length: concurrency }, runNextItems))
  return results
}

/** Large enough to share the cost of a round trip or a commit, small enough not to delay other users of the database. */
const MAX_BATCH_SIZE = 32

interface QueuedItem<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Collects items and handles them in batches: items that arrive while a batch is in progress form the next one.
 *
 * If a batch fails, each of its items is handled a second time, alone, so that no item fails because of another. The
 * work must therefore be safe to repeat. A transient error fails the whole batch at once: otherwise each item would
 * wait in turn for a database that is unavailable.
 */
export class Batcher<Item, Result> {
  #queue: QueuedItem<Item, Result>[] = []
  #isWorking = false

  /** @param work returns one result for each item, in their order */
  constructor(private readonly work: (items: readonly Item[]) => Promise<readonly Result[]>) {}

  /** Handles an item in the next batch. */
  async run(item: Item): Promise<Result> {
    return await new Promise<Result>((resolve, reject) => {
      this.#queue.push({ item, resolve, reject })
      if (!this.#isWorking) void this.#runAll()
    })
  }

  async #runAll(): Promise<void> {
    this.#isWorking = true
    // The first batch also takes items that are added in the same turn of the event loop.
    await Promise.resolve()
    while (this.#queue.length > 0) await this.#runBatch(this.#queue.splice(0, MAX_BATCH_SIZE))
    this.#isWorking = false
  }

  async #runBatch(batch: readonly QueuedItem<Item, Result>[]): Promise<void> {
    try {
      const results = await this.work(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (batch.length === 1 || isTransientError(error)) for (const { reject } of batch) reject(error)
      else for (const queued of batch) await this.#runBatch([queued])
    }
  }
}
