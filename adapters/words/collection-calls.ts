import pLimit, { type LimitFunction } from 'p-limit'
import { ClosedError } from '../../src/ports/index.js'

/** The calls of an index that are under way. */
export class CollectionCalls {
  readonly #turns = new Map<string, LimitFunction>()
  readonly #underWay = new Set<Promise<unknown>>()
  #isClosed = false

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** @throws ClosedError */
  refuseIfClosed(): void {
    if (this.#isClosed) throw new ClosedError('the word index')
  }

  /** Writes of one collection happen in the order of the calls. */
  async inTurn<T>(collection: string, work: () => Promise<T>): Promise<T> {
    const turn = this.#turns.get(collection) ?? pLimit(1)
    this.#turns.set(collection, turn)
    try {
      return await this.tracked(turn(work))
    } finally {
      if (turn.activeCount + turn.pendingCount === 0) this.#turns.delete(collection)
    }
  }

  async tracked<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work)
    try {
      return await work
    } finally {
      this.#underWay.delete(work)
    }
  }

  /** From now on calls are refused. */
  refuse(): void {
    this.#isClosed = true
  }

  /** Waits for the calls under way. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay)
  }
}
