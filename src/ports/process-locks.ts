/**
 * Locks that processes hold in turn which work on the same thing, such as a folder.
 *
 * # Behaviour
 * - One holds the lock of a name at a time, among all processes that share what the locks are kept in, this one
 *   included. Locks of different names have nothing to do with each other.
 * - It is given back when the work ends, whichever way, and when the process of its holder ends, however it does.
 * - Not re-entrant: the work must not wait for the same lock.
 * - A holder that is cut off from what the locks are kept in does not learn of it: what is protected must bear two at
 *   a time, if seldom.
 */
export interface ProcessLocks {
  /** Waits until nobody holds the lock of this name, and works. */
  hold<T>(name: string, work: () => Promise<T>): Promise<T>

  /** Works, unless somebody holds the lock of this name. @returns whether it did */
  tryToHold(name: string, work: () => Promise<void>): Promise<boolean>

  /** Frees connections, once nothing is held. A second call does nothing; others reject with `ERR_CLOSED`. */
  close(): Promise<void>
}
