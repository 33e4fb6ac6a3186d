import type { Telemetry } from '../../src/ports/index.js'
import { asError } from '../../src/ports/index.js'

/** The pause before maintenance that failed is retried. */
const RETRY_MS = 60_000

/** Options of background maintenance. */
export interface MaintenanceOptions {
  /**
   * Maintains one collection, in steps that are complete in themselves. Stops between two steps if `isStopped` returns
   * true.
   */
  readonly maintain: (collection: string, isStopped: IsStopped) => Promise<void>
  /** True if an error means that another process has dropped the collection, which is no failure. */
  readonly isDropped: (error: unknown, collection: string) => boolean
  readonly telemetry: Telemetry | undefined
}

/** Returns true if work must stop. Called before each step. */
export type IsStopped = () => boolean

/** Maintains collections in the background, one at a time. Failed work is retried later. */
export class BackgroundMaintenance {
  /** Collections that wait for their turn, or have it. */
  readonly #turns = new Map<string, Promise<void>>()
  /** Collections that have changed since their turn started. */
  readonly #changed = new Set<string>()
  readonly #postponed = new Set<string>()
  /** Timers of collections whose maintenance is due later. */
  readonly #later = new Map<string, NodeJS.Timeout>()
  #retryTimer: NodeJS.Timeout | undefined
  #last: Promise<void> = Promise.resolve()
  #isClosed = false
  /** The error of the last maintenance; `undefined` once maintenance has succeeded. */
  error: Error | undefined

  constructor(private readonly options: MaintenanceOptions) {}

  /** Schedules maintenance of a collection, unless it is scheduled already. */
  schedule(collection: string): void {
    if (this.#isClosed || this.#postponed.has(collection)) return
    if (this.#turns.has(collection)) {
      this.#changed.add(collection)
      return
    }
    const turn = this.#last.then(async () => {
      this.#changed.delete(collection)
      try {
        await this.#tryToMaintain(collection)
      } finally {
        this.#turns.delete(collection)
        if (this.#changed.delete(collection)) this.schedule(collection)
      }
    })
    // The turn records its own failure. If that fails too, the next turn still comes.
    this.#last = turn.catch(() => undefined)
    this.#turns.set(collection, this.#last)
  }

  /** Schedules maintenance of a collection after a pause. */
  scheduleLater(collection: string, delayMs: number): void {
    if (this.#isClosed || this.#later.has(collection)) return
    const timer = setTimeout(() => {
      this.#later.delete(collection)
      this.schedule(collection)
    }, delayMs)
    this.#later.set(collection, timer.unref())
  }

  forget(collection: string): void {
    this.#postponed.delete(collection)
    clearTimeout(this.#later.get(collection))
    this.#later.delete(collection)
  }

  /** Maintains these collections now, and waits for it. */
  async finish(collections: Iterable<string>): Promise<void> {
    await this.#waitUntilIdle()
    for (const collection of collections) this.schedule(collection)
    await this.#waitUntilIdle()
  }

  async #waitUntilIdle(): Promise<void> {
    while (this.#turns.size > 0) await Promise.all(this.#turns.values())
  }

  /** Stops after the step in progress. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retryTimer)
    for (const timer of this.#later.values()) clearTimeout(timer)
    await this.#waitUntilIdle()
  }

  async #tryToMaintain(collection: string): Promise<void> {
    if (this.#isClosed) return
    try {
      await this.options.maintain(collection, () => this.#isClosed)
      this.error = undefined
    } catch (error) {
      this.#noteFailure(collection, error)
    }
  }

  #noteFailure(collection: string, error: unknown): void {
    if (this.options.isDropped(error, collection) || this.#isClosed) return
    this.error = asError(error)
    this.options.telemetry?.record({
      name: 'words.maintenance.failed',
      level: 'warn',
      fields: { collection },
      error,
    })
    this.#retryLater(collection)
  }

  #retryLater(collection: string): void {
    this.#postponed.add(collection)
    this.#retryTimer ??= setTimeout(() => {
      this.#retryTimer = undefined
      const collections = [...this.#postponed]
      this.#postponed.clear()
      for (const name of collections) this.schedule(name)
    }, RETRY_MS).unref()
  }
}
