/** How often something may happen. */
export interface RateLimit {
  /** Events that are allowed in a window, 1 or more. */
  readonly most: number
  /** Length of a window in milliseconds. It begins with the first event after the window before. */
  readonly windowMs: number
  /** The time of the event. */
  readonly now: Date
}

/** The answer to one event. */
export interface RateOutcome {
  readonly isAllowed: boolean
  /** Milliseconds until the window ends: from then on the next event is allowed. 0 where this one is. */
  readonly retryAfterMs: number
}

/** Counters of events in windows of time, one for each name, which all processes on a storage share. */
export interface RateRepository {
  /**
   * Counts one event.
   *
   * - At most `most` events of a name are allowed in a window, however many callers ask at the same time.
   * - An event that is not allowed is not counted.
   * - A window that ends later than `windowMs` from `now` (a clock was set back) begins anew.
   * - A rollback takes the count back with the rest of its transaction.
   *
   * @param name what is counted, and for whom: at most 255 characters
   */
  take(name: string, limit: RateLimit): Promise<RateOutcome>
  /** Looks as {@link take} does, and counts nothing. */
  peek(name: string, limit: RateLimit): Promise<RateOutcome>
  /** Forgets a name: its next event begins a new window. Forgetting an unknown name does nothing. */
  forget(name: string): Promise<void>
  /** Removes counters whose windows have ended, at most `limit` of them. @returns how many were removed */
  removeEnded(options: { readonly now: Date; readonly limit: number }): Promise<number>
}
