import { ClosedError, type ProcessLocks } from '../../src/ports/index.js'

/** Who holds a name, and waits for it, ends with this. */
export type MemoryLockTable = Map<string, Promise<unknown>>

/** Locks among parts of one process that share a table. */
export class MemoryProcessLocks implements ProcessLocks {
  readonly #held: MemoryLockTable
  #isClosed = false

  /** @param table of all that share the locks */
  constructor(table: MemoryLockTable = new Map()) {
    this.#held = table
  }

  async hold<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#refuseIfClosed()
    const working = (this.#held.get(name) ?? Promise.resolve()).then(work)
    const ended = working.then(
      () => undefined,
      () => undefined,
    )
    this.#held.set(name, ended)
    try {
      return await working
    } finally {
      if (this.#held.get(name) === ended) this.#held.delete(name)
    }
  }

  async tryToHold(name: string, work: () => Promise<void>): Promise<boolean> {
    this.#refuseIfClosed()
    if (this.#held.has(name)) return false
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
