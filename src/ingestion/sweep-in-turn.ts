import type { JobHandler, JobRun } from '../jobs/index.js'
import type { NewJob, Repositories, Storage } from '../ports/index.js'
import { enqueueMissingWords } from './enqueue-words.js'
import type { Sweep } from './sweep.js'
import type { StartCheck } from './verify/start-check.js'

/** There is one of these jobs. */
export const SWEEP_JOB: NewJob = { kind: 'sweep', subject: 1 }
const EVERY_MS = 3_600_000

/**
 * The sweep, and the look whether all is well, where many processes share a database: one of them does it, and an hour
 * goes by before the next does. At each start of each process everything would be looked at all the time.
 */
export class SweepInTurn implements JobHandler {
  readonly kind: string = SWEEP_JOB.kind
  readonly #storage: Storage
  readonly #sweep: Sweep
  readonly #startCheck: StartCheck

  constructor(storage: Storage, sweep: Sweep, startCheck: StartCheck) {
    this.#storage = storage
    this.#sweep = sweep
    this.#startCheck = startCheck
  }

  async run(job: JobRun): Promise<void> {
    await this.#sweep.run(job.signal)
    await enqueueMissingWords(this.#storage, job.signal)
    await this.#startCheck.run(job.signal)
    job.signal.throwIfAborted()
    await job.complete(again)
  }

  /** Whatever it was that failed, an hour later it may not. */
  async fail(repositories: Repositories): Promise<void> {
    await again(repositories)
  }
}

async function again({ jobs }: Repositories): Promise<void> {
  await jobs.enqueue(SWEEP_JOB, { delayMs: EVERY_MS })
}
