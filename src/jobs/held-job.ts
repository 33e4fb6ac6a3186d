import type { ClaimedJob, JobRepository, Repositories, TransactionOptions } from '../ports/index.js'
import { LeaseLostError } from '../shared/errors.js'
import type { JobRun } from './job-handler.js'

/** Whoever records something of a job holds its row: nobody else can take it, or cancel it, before that is committed. */
export const WITH_JOB_HELD: TransactionOptions = { isolation: 'read committed' }

/** Does small pieces of work in a transaction. */
export type Transact = <T>(work: (repositories: Repositories) => Promise<T>) => Promise<T>

/** A job that a worker holds: whatever it records is refused once somebody else holds it. */
export class HeldJob implements JobRun {
  readonly subject: number
  readonly signal: AbortSignal
  readonly #transact: Transact
  #job: ClaimedJob
  readonly #leaseMs: number

  constructor(transact: Transact, job: ClaimedJob, leaseMs: number, signal: AbortSignal) {
    this.#transact = transact
    this.#job = job
    this.#leaseMs = leaseMs
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

  async transaction<T>(
    work: (repositories: Repositories) => Promise<T>,
    options: { readonly isProgress?: boolean } = {},
  ): Promise<T> {
    return await this.#fenced((jobs) => jobs.extend(this.#job, this.#leaseMs, options), work)
  }

  async complete<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    return await this.#fenced((jobs) => jobs.complete(this.#job), work)
  }

  async postpone<T>(work: (repositories: Repositories) => Promise<T>, delayMs: number): Promise<T> {
    return await this.#fenced((jobs) => jobs.release(this.#job, { delayMs, failed: true }), work)
  }

  async #fenced<T>(
    hold: (jobs: JobRepository) => Promise<boolean>,
    work: (repositories: Repositories) => Promise<T>,
  ): Promise<T> {
    this.signal.throwIfAborted()
    return await this.#transact(async (repositories) => {
      if (!(await hold(repositories.jobs))) throw leaseLost(this.#job)
      return await work(repositories)
    })
  }
}

export function leaseLost(job: ClaimedJob): LeaseLostError {
  return new LeaseLostError(`the job ${job.id} is no longer held by this worker`)
}
