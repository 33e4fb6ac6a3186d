import { pause } from '../kernel/abort.js'
import type { Repositories } from '../ports/index.js'
import type { JobRun } from './job-handler.js'

/** A small batch, so that other users of the database do not wait long. */
const ROWS_PER_BATCH = 200
const PAUSE_MS = 50

/**
 * Removes rows in small transactions with pauses, until no row is left.
 * @param remove removes at most `limit` rows, and returns the number of removed rows
 */
export async function removeInBatches(
  job: JobRun,
  remove: (repositories: Repositories, limit: number) => Promise<number>,
): Promise<void> {
  const removeBatch = (repositories: Repositories): Promise<number> => remove(repositories, ROWS_PER_BATCH)
  while ((await job.transaction(removeBatch, { isProgress: true })) > 0) await pause(PAUSE_MS)
}
