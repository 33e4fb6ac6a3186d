import type { Repositories } from '../ports/index.js'
import type { Work } from './record.js'

/** Does the jobs of one kind. */
export interface JobHandler {
  readonly kind: string
  /**
   * Does the job and removes it, in the transaction that records its outcome, by {@link JobRun.complete}.
   * An error makes it due again later, unless it is permanent or has failed too often.
   */
  run(run: JobRun): Promise<void>
  /** Records that the job has failed for good. In one transaction with the job's removal. */
  fail(repositories: Repositories, subject: number, error: unknown): Promise<void>
  /** Told after {@link fail} was committed. */
  failed?(subject: number, error: unknown): void
}

/** A job while this worker holds it. */
export interface JobRun {
  readonly subject: number
  /** Aborted when the worker stops, or the lease is lost. */
  readonly signal: AbortSignal
  /** Whether an earlier run may have ended the process: progress should be recorded soon. */
  readonly isRepeated: boolean
  /**
   * A transaction that is refused where somebody else holds the job by now. With `isProgress` the
   * next run goes on from here: the job is not one that ends every process that takes it.
   * @throws LeaseLostError; nothing is changed then
   */
  transaction<T>(work: Work<T>, options?: { readonly isProgress?: boolean }): Promise<T>
  /** As {@link transaction}, and removes the job in it. */
  complete<T>(work: Work<T>): Promise<T>
  /** As {@link transaction}, and gives the job back in it, to be due again in `delayMs`. */
  postpone<T>(work: Work<T>, delayMs: number): Promise<T>
}
