import type { JobHandler, JobRun } from '../jobs/index.js'
import { pause } from '../kernel/abort.js'
import type { Clock, NewJob, Repositories } from '../ports/index.js'

const EVERY_MS = 3_600_000
const DAY_MS = 86_400_000
/** Few enough that nobody waits long for the database. */
const ROWS_AT_ONCE = 200
const PAUSE_MS = 50

/** The job that removes old entries; there is one of it. */
export const TRIM_AUDIT: NewJob = { kind: 'trim-audit', subject: 1 }

/** Removes old entries of the audit trail: every hour, a few rows at a time. */
export class TrimAudit implements JobHandler {
  readonly kind: string = TRIM_AUDIT.kind
  readonly #clock: Clock
  readonly #retentionDays: number

  constructor(clock: Clock, retentionDays: number) {
    this.#clock = clock
    this.#retentionDays = retentionDays
  }

  async run(job: JobRun): Promise<void> {
    const before = new Date(this.#clock.now().getTime() - this.#retentionDays * DAY_MS).toISOString()
    for (;;) {
      const removed = await job.transaction(({ audit }) => audit.removeOlderThan(before, ROWS_AT_ONCE), {
        isProgress: true,
      })
      if (removed === 0) break
      await pause(PAUSE_MS)
    }
    await job.complete(again)
  }

  /** Failures may be transient: it is tried again in an hour, so that the trail does not grow for ever. */
  async fail(repositories: Repositories): Promise<void> {
    await again(repositories)
  }
}

async function again({ jobs }: Repositories): Promise<void> {
  await jobs.enqueue(TRIM_AUDIT, { delayMs: EVERY_MS })
}
