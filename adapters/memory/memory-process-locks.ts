import { ClosedError, type ProcessLocks } from '../../src/ports/index.js'

/** By name of the lock: a promise that settles when its last holder or waiter has finished. */
export type MemoryLockTable = Map<string, Promise<unknown>>

/** Locks between parts of one process that share a table. */
export class MemoryProcessLocks implements ProcessLocks {
  readonly #table: MemoryLockTable
  #isClosed = false

  /** @param table the table that all users of the locks share */
  constructor(table: MemoryLockTable = new Map()) {
    this.#table = table
  }

  async hold<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#refuseIfClosed()
    const working = (this.#table.get(name) ?? Promise.resolve()).then(work)
    const finished = working.then(
      () => undefined,
      () => undefined,
    )
    this.#table.set(name, finished)
    try {
      return await working
    } finally {
      if (this.#table.get(name) === finished) this.#table.delete(name)
    }
  }

  async tryToHold(name: string, work: () => Promise<void>): Promise<boolean> {
    this.#refuseIfClosed()
    if (this.#table.has(name)) return false
    await this.hold(name, work)
    return true
  }

  close(): Promise<void> {
    this.#isClosed = true
    return Promise.resolve()
  }

  #refuseIfClosed(): void {
    if (this.#isClosed) throw new ClosedError('the locks')
  }
}
