import { type JobHandler, type JobRun, removeInBatches } from '../jobs/index.js'
import type { Clock, NewJob, Repositories } from '../ports/index.js'

const EVERY_MS = 3_600_000
const DAY_MS = 86_400_000

/** The job that removes old entries; a database has only one. */
export const TRIM_AUDIT: NewJob = { kind: 'trim-audit', subject: 1 }

/** Removes old entries of the audit trail: every hour, in small batches. */
export class TrimAudit implements JobHandler {
  readonly kind: string = TRIM_AUDIT.kind
  readonly #clock: Clock
  readonly #retentionDays: number

  constructor(clock: Clock, retentionDays: number) {
    this.#clock = clock
    this.#retentionDays = retentionDays
  }

  async run(job: JobRun): Promise<void> {
    const oldestKept = new Date(this.#clock.now().getTime() - this.#retentionDays * DAY_MS).toISOString()
    await removeInBatches(job, ({ audit }, limit) => audit.removeOlderThan(oldestKept, limit))
    await job.complete(enqueueNextRun)
  }

  /** A failure may be transient: the next run is in an hour, so that the trail does not grow forever. */
  async fail(repositories: Repositories): Promise<void> {
    await enqueueNextRun(repositories)
  }
}

async function enqueueNextRun({ jobs }: Repositories): Promise<void> {
  await jobs.enqueue(TRIM_AUDIT, { delayMs: EVERY_MS })
}
