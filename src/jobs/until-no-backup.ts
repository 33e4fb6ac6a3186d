import { pause } from '../kernel/abort.js'
import { BACKUP_JOB, type Storage } from '../ports/index.js'

const LOOK_EVERY_MS = 500

/**
 * Waits for the end of a backup: it copies files, vectors and words of what is deleted after it has begun.
 * What was deleted before, it leaves out; so a backup that begins after this has ended does not matter.
 *
 * @param look at the jobs: a job's own transactions, or those of a storage
 * @throws the signal's reason
 */
export async function untilNoBackup(look: Storage['read'], signal: AbortSignal): Promise<void> {
  while (await look(({ jobs }) => jobs.isHeld(BACKUP_JOB))) await pause(LOOK_EVERY_MS, signal)
}
