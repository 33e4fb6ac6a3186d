/**
 * Named locks for processes that work on the same thing, such as a folder.
 *
 * # Behaviour
 * - One caller at a time holds the lock of a name, among all processes that share the lock store, and within this
 *   process. Locks of different names are independent.
 * - The lock is released when the work resolves or rejects, and when the holder's process ends in any way.
 * - Not re-entrant: the work must not wait for the same lock.
 * - A holder that loses its connection to the lock store is not notified. The protected data must therefore survive two
 *   holders at the same time, in rare cases.
 * - After {@link close} every call rejects with a `ClosedError` (`ERR_CLOSED`).
 */
export interface ProcessLocks {
  /** Waits for the lock of this name, then runs the work. @returns the result of the work, or rejects with its error */
  hold<T>(name: string, work: () => Promise<T>): Promise<T>

  /** Runs the work only if the lock of this name is free. @returns true after the work; false if the lock was held */
  tryToHold(name: string, work: () => Promise<void>): Promise<boolean>

  /** Waits until no lock is held, then frees connections. A second call does nothing. */
  close(): Promise<void>
}
