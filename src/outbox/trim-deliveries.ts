import type { JobHandler, JobRun } from '../jobs/index.js'
import { pause } from '../kernel/abort.js'
import type { Clock, Repositories } from '../ports/index.js'
import { TRIM_DELIVERIES } from './event.js'

const EVERY_MS = 3_600_000
const DAY_MS = 86_400_000
/** Few enough that nobody waits long for the database. */
const ROWS_AT_ONCE = 200
const PAUSE_MS = 50
const PROGRESS = { isProgress: true }

/** There is one of these jobs. */
export const TRIM_SUBJECT = 1

/**
 * Removes old deliveries from the log with what only they referred to, counters whose windows have ended, and revoked
 * tokens that have expired: every hour, a few rows at a time.
 */
export class TrimDeliveries implements JobHandler {
  readonly kind: string = TRIM_DELIVERIES
  readonly #clock: Clock
  readonly #retentionDays: number

  constructor(clock: Clock, retentionDays: number) {
    this.#clock = clock
    this.#retentionDays = retentionDays
  }

  async run(job: JobRun): Promise<void> {
    const before = new Date(this.#clock.now().getTime() - this.#retentionDays * DAY_MS).toISOString()
    for (;;) {
      const removed = await job.transaction(({ deliveries }) => deliveries.removeOld({ before, limit: ROWS_AT_ONCE }), {
        isProgress: true,
      })
      if (removed === 0) break
      await pause(PAUSE_MS)
    }
    const now = this.#clock.now()
    const ended = { now, limit: ROWS_AT_ONCE }
    while ((await job.transaction(({ rates }) => rates.removeEnded(ended), PROGRESS)) > 0) {
      await pause(PAUSE_MS)
    }
    while ((await job.transaction(({ revokedTokens }) => revokedTokens.removeExpired(ended), PROGRESS)) > 0) {
      await pause(PAUSE_MS)
    }
    await job.complete(again)
  }

  /** Whatever it was that failed, the log must not grow for ever. */
  async fail(repositories: Repositories): Promise<void> {
    await again(repositories)
  }
}

async function again({ jobs }: Repositories): Promise<void> {
  await jobs.enqueue({ kind: TRIM_DELIVERIES, subject: TRIM_SUBJECT }, { delayMs: EVERY_MS })
}
