import type { Telemetry } from '../../src/ports/index.js'

/** How upkeep behaves. */
export interface UpkeepOptions {
  /** Puts one collection in order, in steps that leave nothing half done. Breaks off between two of them where `isOver` says so. */
  readonly tidy: (collection: string, isOver: IsOver) => Promise<void>
  /** Whether an error says that somebody has dropped the collection: that is no failure. */
  readonly isGone: (error: unknown, collection: string) => boolean
  /** Milliseconds after which upkeep that failed is tried again. */
  readonly retryMs: number
  readonly telemetry: Telemetry | undefined
}

/** Says whether work should be broken off. Asked before each step. */
export type IsOver = () => boolean

/** Puts collections in order in the background, one at a time; what fails is tried again later. */
export class Upkeep {
  readonly #options: UpkeepOptions
  /** Collections that wait for their turn, or have it. */
  readonly #turns = new Map<string, Promise<void>>()
  /** Collections that have changed since their turn began. */
  readonly #again = new Set<string>()
  readonly #postponed = new Set<string>()
  #pause: NodeJS.Timeout | undefined
  #last: Promise<void> = Promise.resolve()
  #isClosed = false
  /** Why the last upkeep failed, unless one has succeeded since. */
  error: Error | undefined

  constructor(options: UpkeepOptions) {
    this.#options = options
  }

  /** Puts a collection in order soon, unless that is to be done already. */
  begin(collection: string): void {
    if (this.#isClosed || this.#postponed.has(collection)) return
    if (this.#turns.has(collection)) {
      this.#again.add(collection)
      return
    }
    const turn = this.#last.then(async () => {
      this.#again.delete(collection)
      try {
        await this.#tryToTidy(collection)
      } finally {
        this.#turns.delete(collection)
        if (this.#again.delete(collection)) this.begin(collection)
      }
    })
    // What goes wrong is noted there; if even that fails, the next turn comes all the same.
    this.#last = turn.catch(() => undefined)
    this.#turns.set(collection, this.#last)
  }

  forget(collection: string): void {
    this.#postponed.delete(collection)
  }

  /** Puts these collections in order now, and waits for it. */
  async finish(collections: Iterable<string>): Promise<void> {
    await this.#idle()
    for (const collection of collections) this.begin(collection)
    await this.#idle()
  }

  async #idle(): Promise<void> {
    while (this.#turns.size > 0) await Promise.all(this.#turns.values())
  }

  /** Breaks off after the step that is under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#pause)
    await this.#idle()
  }

  async #tryToTidy(collection: string): Promise<void> {
    if (this.#isClosed) return
    try {
      await this.#options.tidy(collection, () => this.#isClosed)
      this.error = undefined
    } catch (error) {
      this.#noteFailure(collection, error)
    }
  }

  #noteFailure(collection: string, error: unknown): void {
    if (this.#options.isGone(error, collection) || this.#isClosed) return
    this.error = error instanceof Error ? error : new Error(String(error))
    this.#options.telemetry?.record({
      name: 'words.maintenance.failed',
      level: 'warn',
      fields: { collection },
      error,
    })
    this.#tryLater(collection)
  }

  #tryLater(collection: string): void {
    this.#postponed.add(collection)
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined
      const collections = [...this.#postponed]
      this.#postponed.clear()
      for (const each of collections) this.begin(each)
    }, this.#options.retryMs).unref()
  }
}
