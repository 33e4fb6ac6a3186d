import { pause } from '../kernel/abort.js'
import { BACKUP_JOB, type Storage } from '../ports/index.js'

const POLL_MS = 500

/**
 * Waits until no backup is in progress. A backup also copies files, vectors and words that are deleted after its start,
 * so these must stay until it finishes. It leaves out data that was deleted before, so a backup that starts after this
 * wait does no harm.
 *
 * @param read reads the jobs, in a job's own transactions or in those of a storage
 * @throws the signal's reason
 */
export async function untilNoBackup(read: Storage['read'], signal: AbortSignal): Promise<void> {
  while (await read(({ jobs }) => jobs.isHeld(BACKUP_JOB))) await pause(POLL_MS, signal)
}
