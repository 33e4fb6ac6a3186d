import { type JobHandler, type JobRun, removeInBatches } from '../jobs/index.js'
import type { Clock, Repositories } from '../ports/index.js'
import { TRIM_DELIVERIES } from './event.js'

const INTERVAL_MS = 3_600_000
const DAY_MS = 86_400_000

/** The subject of the only job of this kind. */
export const TRIM_SUBJECT = 1

/**
 * Removes old deliveries with the rows that only they refer to, rate counters whose windows are over, and revoked tokens
 * that have expired. Runs every hour, and removes a few rows at a time.
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
    await removeInBatches(job, ({ deliveries }, limit) => deliveries.removeOld({ before, limit }))
    const now = this.#clock.now()
    await removeInBatches(job, ({ rates }, limit) => rates.removeEnded({ now, limit }))
    await removeInBatches(job, ({ revokedTokens }, limit) => revokedTokens.removeExpired({ now, limit }))
    await job.complete(enqueueNext)
  }

  /** Enqueues the next run after any error: otherwise the log would grow without limit. */
  async fail(repositories: Repositories): Promise<void> {
    await enqueueNext(repositories)
  }
}

async function enqueueNext({ jobs }: Repositories): Promise<void> {
  await jobs.enqueue({ kind: TRIM_DELIVERIES, subject: TRIM_SUBJECT }, { delayMs: INTERVAL_MS })
}
