import { StorageError, StorageFullError } from '../../shared/errors.js'
import { pause } from '../../shared/pause.js'

/** Less than a lease: after that, the delivery may be another relay's, and is sent again. */
const PATIENCE_MS = 8_000
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [50, 1_000]

/**
 * Writes what has happened already, and tries again while the database is away for a moment: what cannot be
 * recorded must be sent once more.
 *
 * @throws StorageError where it stays away; whatever else the work throws, at once
 */
export async function patiently<T>(write: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const began = performance.now()
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await write()
    } catch (error) {
      const isAway = (error instanceof StorageError && error.isTransient) || error instanceof StorageFullError
      if (!isAway || signal.aborted || performance.now() - began > PATIENCE_MS) throw error
      await pause(pauseMs)
    }
  }
}
