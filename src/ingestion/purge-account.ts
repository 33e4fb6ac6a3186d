import { PURGE_ACCOUNT, removeContext } from '../context/index.js'
import type { JobHandler, JobRun } from '../jobs/index.js'
import type { Clock, Repositories } from '../ports/index.js'
import { inSteps } from './in-steps.js'
import { untilNoBackup } from './until-no-backup.js'

const AGAIN_MS = 60_000

/** Deletes the contexts of a deleted account, which nobody reaches any more. */
export class PurgeAccount implements JobHandler {
  readonly kind: string = PURGE_ACCOUNT
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async run(run: JobRun): Promise<void> {
    const accountId = run.subject
    await untilNoBackup((work) => run.transaction(work), run.signal)
    const isDeleted = (await run.transaction(({ accounts }) => accounts.get(accountId))) === undefined
    if (isDeleted) await removeContextsOf(run, accountId, this.#clock)
    await run.complete(async () => undefined)
  }

  /** What is left of an account must not stay. */
  async fail({ jobs }: Repositories, subject: number): Promise<void> {
    await jobs.enqueue({ kind: PURGE_ACCOUNT, subject }, { delayMs: AGAIN_MS })
  }
}

/** Deletes the contexts of an account, one in a step: each may have megabytes of texts and thousands of documents. */
export async function removeContextsOf(run: JobRun, accountId: number, clock: Clock): Promise<void> {
  await inSteps(run, async (repositories) => {
    const { contexts } = repositories
    const [id] = await contexts.listIds({ accountId }, { after: 0, limit: 1 })
    if (id === undefined) return 'done'
    // An upload that is being settled holds it, and is a document by then.
    await contexts.lock(id)
    await removeContext(repositories, id, clock.now().toISOString())
    return 'more'
  })
}
