import type { JobHandler, JobRun } from '../jobs/index.js'
import { DELIVER_EVENT } from '../outbox/index.js'
import type { Clock, Repositories } from '../ports/index.js'
import { PURGE_COMPANY } from '../tenancy-authorization/index.js'
import { inSteps } from './in-steps.js'
import { removeContextsOf } from './purge-account.js'
import { untilNoBackup } from './until-no-backup.js'

/** Few enough that nobody waits long for the database. */
const ROWS_AT_ONCE = 200
const AGAIN_MS = 60_000

/**
 * Removes what is left of a deleted company, in steps, each of which is done or not: its contexts, whose files,
 * vectors and words have jobs of their own; then deliveries to its destinations, its events, and its destinations.
 */
export class PurgeCompany implements JobHandler {
  readonly kind: string = PURGE_COMPANY
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async run(run: JobRun): Promise<void> {
    const companyId = run.subject
    await untilNoBackup((work) => run.transaction(work), run.signal)
    if (await run.transaction(({ companies }) => companies.isDeleted(companyId))) {
      await this.#removeContexts(run)
      await this.#endDestinations(run)
      await inSteps(run, async ({ deliveries }) => {
        return (await deliveries.removeOfCompany(companyId, ROWS_AT_ONCE)) > 0 ? 'more' : 'done'
      })
      let after = 0
      await inSteps(run, async ({ deliveries }) => {
        const last = await deliveries.removeEventsOfCompany(companyId, { after, limit: ROWS_AT_ONCE })
        after = last ?? after
        return last === undefined ? 'done' : 'more'
      })
      await run.transaction(({ destinations }) => destinations.deleteOfCompany(companyId))
    }
    await run.complete(async () => undefined)
  }

  /** What is left of a company must not stay. */
  async fail({ jobs }: Repositories, subject: number): Promise<void> {
    await jobs.enqueue({ kind: PURGE_COMPANY, subject }, { delayMs: AGAIN_MS })
  }

  /** No context is made any more: the accounts are deleted. */
  async #removeContexts(run: JobRun): Promise<void> {
    for (const accountId of await run.transaction(({ accounts }) => accounts.listIds(run.subject))) {
      await removeContextsOf(run, accountId, this.#clock)
    }
  }

  /** The signing secrets go, and what was on its way. */
  async #endDestinations(run: JobRun): Promise<void> {
    for (const id of await run.transaction(({ destinations }) => destinations.idsOfCompany(run.subject))) {
      await inSteps(run, async ({ jobs, destinations }) => {
        await jobs.cancelLane(DELIVER_EVENT, id)
        await destinations.remove(id, this.#clock.now().toISOString())
        return 'done'
      })
    }
  }
}
