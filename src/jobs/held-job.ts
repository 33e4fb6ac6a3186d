import type { ClaimedJob } from '../ports/index.js'
import type { JobRun } from './job-handler.js'
import type { Hold, RecordOfJob, Work } from './record.js'

/** A job that a worker holds: whatever it records is refused once somebody else holds it. */
export class HeldJob implements JobRun {
  readonly subject: number
  readonly signal: AbortSignal
  readonly #record: RecordOfJob
  #job: ClaimedJob

  constructor(record: RecordOfJob, job: ClaimedJob, signal: AbortSignal) {
    this.#record = record
    this.#job = job
    this.subject = job.subject
    this.signal = signal
  }

  /** The job as this worker holds it now. */
  get job(): ClaimedJob {
    return this.#job
  }

  get isRepeated(): boolean {
    return this.#job.claims > 1
  }

  /** Goes on under a new claim: the lease ran out, and nobody else has held the job in between. */
  renew(job: ClaimedJob): void {
    this.#job = job
  }

  async transaction<T>(work: Work<T>, options: { readonly isProgress?: boolean } = {}): Promise<T> {
    return await this.#fenced({ as: 'extended', isProgress: options.isProgress ?? false }, work)
  }

  async complete<T>(work: Work<T>): Promise<T> {
    return await this.#fenced({ as: 'completed' }, work)
  }

  async postpone<T>(work: Work<T>, delayMs: number): Promise<T> {
    return await this.#fenced({ as: 'released', delayMs }, work)
  }

  async #fenced<T>(hold: Hold, work: Work<T>): Promise<T> {
    this.signal.throwIfAborted()
    return (await this.#record({ held: this, hold, work })) as T
  }
}
