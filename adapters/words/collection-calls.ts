import { ClosedError } from '../../src/ports/index.js'
import { KeyedQueue } from '../node-kit/index.js'

/** The calls of an index that are in progress. */
export class CollectionCalls {
  readonly #queue = new KeyedQueue()
  readonly #running = new Set<Promise<unknown>>()
  #isClosed = false

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** @throws ClosedError */
  refuseIfClosed(): void {
    if (this.#isClosed) throw new ClosedError('the word index')
  }

  /** Runs the writes of one collection in the order of the calls. */
  async runInTurn<T>(collection: string, work: () => Promise<T>): Promise<T> {
    return await this.track(this.#queue.run(collection, work))
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
