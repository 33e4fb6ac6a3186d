import pLimit, { type LimitFunction } from 'p-limit'
import { ClosedError } from '../../src/ports/index.js'

/** The calls of an index that are in progress. */
export class CollectionCalls {
  /** By collection. */
  readonly #queues = new Map<string, LimitFunction>()
  readonly #running = new Set<Promise<unknown>>()
  #isClosed = false

  /** @param index the name of the index, for the error of a closed one */
  constructor(private readonly index: string) {}

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** @throws ClosedError */
  refuseIfClosed(): void {
    if (this.#isClosed) throw new ClosedError(this.index)
  }

  /** Runs the writes of one collection in the order of the calls, and those of different collections at the same time. */
  async runInTurn<T>(collection: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(collection) ?? pLimit(1)
    this.#queues.set(collection, queue)
    try {
      return await this.track(queue(work))
    } finally {
      if (queue.activeCount + queue.pendingCount === 0) this.#queues.delete(collection)
    }
  }

  async track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work)
    try {
      return await work
    } finally {
      this.#running.delete(work)
    }
  }

  /** Refuses further calls. */
  refuse(): void {
    this.#isClosed = true
  }

  /** Waits for the calls in progress. */
  async waitForCalls(): Promise<void> {
    await Promise.allSettled(this.#running)
  }
}
