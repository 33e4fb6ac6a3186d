import type { JobHandler, JobRun } from '../jobs/index.js'
import { pause } from '../kernel/abort.js'
import type { Clock, Repositories } from '../ports/index.js'
import { TRIM_DELIVERIES } from './event.js'

const INTERVAL_MS = 3_600_000
const DAY_MS = 86_400_000
/** A small number, so that nobody waits long for the database. */
const ROWS_PER_TRANSACTION = 200
const PAUSE_MS = 50

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
    await removeAll(job, ({ deliveries }) => deliveries.removeOld({ before, limit: ROWS_PER_TRANSACTION }))
    const ended = { now: this.#clock.now(), limit: ROWS_PER_TRANSACTION }
    await removeAll(job, ({ rates }) => rates.removeEnded(ended))
    await removeAll(job, ({ revokedTokens }) => revokedTokens.removeExpired(ended))
    await job.complete(enqueueNext)
  }

  /** Enqueues the next run after any error: otherwise the log would grow without limit. */
  async fail(repositories: Repositories): Promise<void> {
    await enqueueNext(repositories)
  }
}

/** @param remove returns the number of removed rows */
async function removeAll(job: JobRun, remove: (repositories: Repositories) => Promise<number>): Promise<void> {
  while ((await job.transaction(remove, { isProgress: true })) > 0) await pause(PAUSE_MS)
}

async function enqueueNext({ jobs }: Repositories): Promise<void> {
  await jobs.enqueue({ kind: TRIM_DELIVERIES, subject: TRIM_SUBJECT }, { delayMs: INTERVAL_MS })
}
