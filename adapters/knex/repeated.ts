import { isConflict } from './errors.js'

/** One of many that write the same row comes through each time: all of them do in the end. */
const MOST_ATTEMPTS = 100
const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 100

/**
 * Does a transaction again that another one came between, after a pause of random length: nothing of it was written
 * (PostgreSQL, Serialization Failure Handling).
 */
export async function repeated<T>(transact: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact()
    } catch (error) {
      if (!isConflict(error) || attempt === MOST_ATTEMPTS) throw error
      const longestMs = Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS)
      await new Promise((resolve) => setTimeout(resolve, Math.random() * longestMs))
    }
  }
}
