import type { JobRun } from '../jobs/index.js'
import { BACKUP_JOB } from '../ports/index.js'
import { untilAborted } from '../shared/until-aborted.js'

const LOOK_EVERY_MS = 500

/**
 * Waits for the end of a backup: it copies files and vectors of what is deleted after it has begun. What
 * was deleted before, it leaves out; so a backup that begins after this has ended does not matter.
 *
 * @throws the signal's reason where the job is aborted meanwhile
 */
export async function untilNoBackup(run: JobRun): Promise<void> {
  while (await run.transaction(({ jobs }) => jobs.isHeld(BACKUP_JOB))) {
    await untilAborted(new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS)), run.signal)
  }
}
