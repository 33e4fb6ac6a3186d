import { LRUCache } from 'lru-cache'

/** A purge follows a deletion by this time, so that one purge serves several deletions. */
const SHORTEST_MS = 2_000
const LONGEST_MS = 3_600_000
/** Purges of a collection take this share of the time at most: a purge reads all of its postings. */
const SHARE_OF_TIME = 0.02
const MAX_COLLECTIONS = 10_000

/** Decides when the postings of deleted chunks are removed: soon, and seldom where that takes long. */
export class PurgeTimes {
  readonly #next = new LRUCache<string, number>({ max: MAX_COLLECTIONS })
  #isIgnored = false

  /**
   * @param isLarge true if so much is deleted that a purge pays for itself
   * @returns the milliseconds until a purge may begin
   */
  waitMs(collection: string, isLarge: boolean): number {
    if (isLarge || this.#isIgnored) return 0
    const now = performance.now()
    const next = this.#next.get(collection)
    if (next !== undefined) return Math.max(0, next - now)
    this.#next.set(collection, now + SHORTEST_MS)
    return SHORTEST_MS
  }

  note(collection: string, durationMs: number): void {
    const pauseMs = Math.min(LONGEST_MS, durationMs / SHARE_OF_TIME)
    if (pauseMs <= SHORTEST_MS) this.#next.delete(collection)
    else this.#next.set(collection, performance.now() + pauseMs)
  }

  /** Lets each purge begin at once. */
  ignore(): void {
    this.#isIgnored = true
  }
}
