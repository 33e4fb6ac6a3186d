import type { Repositories } from '../ports/index.js'
import type { Work } from './record.js'

/** Runs the jobs of one kind. */
export interface JobHandler {
  readonly kind: string
  /**
   * Runs a job, and removes it by {@link JobRun.complete} in the transaction that records its outcome. After an error,
   * the job becomes due again later, unless the error is permanent or the job has failed too often.
   */
  run(run: JobRun): Promise<void>
  /** Records the final failure of a job. This runs in the transaction that removes the job. */
  fail(repositories: Repositories, subject: number, error: unknown): Promise<void>
  /** Called after {@link fail} is committed. */
  failed?(subject: number, error: unknown): void
}

/** A job while this worker holds it. */
export interface JobRun {
  readonly subject: number
  /** Aborted when the worker stops, or the lease is lost. */
  readonly signal: AbortSignal
  /** True where an earlier run may have crashed the process: the handler should record progress soon. */
  readonly isRepeated: boolean
  /**
   * Runs a transaction. It is refused if another worker holds the job by then. With `isProgress`, the next run
   * continues from here, and the engine does not treat the job as one that crashes every process.
   * @throws LeaseLostError; then nothing is changed
   */
  transaction<T>(work: Work<T>, options?: { readonly isProgress?: boolean }): Promise<T>
  /** As {@link transaction}. Also removes the job. */
  complete<T>(work: Work<T>): Promise<T>
  /** As {@link transaction}. Also releases the job, which becomes due again after `delayMs`. */
  postpone<T>(work: Work<T>, delayMs: number): Promise<T>
}
