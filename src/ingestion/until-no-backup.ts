import { BACKUP_JOB, type Repositories } from '../ports/index.js'
import { pause } from '../shared/pause.js'

const LOOK_EVERY_MS = 500

/** Whoever can look at the jobs: a job's own transactions, or a storage. */
type Look = <Result>(work: (repositories: Repositories) => Promise<Result>) => Promise<Result>

/**
 * Waits for the end of a backup: it copies files and vectors of what is deleted after it has begun. What
 * was deleted before, it leaves out; so a backup that begins after this has ended does not matter.
 *
 * @throws the signal's reason
 */
export async function untilNoBackup(look: Look, signal: AbortSignal): Promise<void> {
  while (await look(({ jobs }) => jobs.isHeld(BACKUP_JOB))) await pause(LOOK_EVERY_MS, signal)
}
