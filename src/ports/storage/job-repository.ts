/** Work to be done once, durably: written in the transaction that makes it necessary. */
export interface NewJob {
  /** What is to be done; names the handler. */
  readonly kind: string
  /** What it is done to. One job for each kind and subject. */
  readonly subject: number
}

/** A job that this worker holds for a while. */
export interface ClaimedJob extends NewJob {
  readonly id: number
  /** Changes at every claim; what a worker records under an old one is refused. */
  readonly fencingToken: number
  /** How often it has failed before. */
  readonly failures: number
  /**
   * How often it was taken, this time included, since progress or a failure of it was recorded. What is
   * taken again and again without either ends the processes that take it.
   */
  readonly claims: number
}

/**
 * Jobs with leases. All times go by the database's clock, so a process with a
 * wrong clock neither steals nor stalls.
 */
export interface JobRepository {
  /**
   * Adds a job that is due in `delayMs`, by default at once; one of the same kind and subject that
   * waits is left as it is.
   */
  enqueue(job: NewJob, options?: { readonly delayMs?: number }): Promise<void>
  /**
   * Takes the job that has been due longest and that nobody holds.
   * Never the same job to two callers before its lease has expired.
   */
  claim(options: { readonly kinds: readonly string[]; readonly leaseMs: number }): Promise<ClaimedJob | undefined>
  /** Holds a job for another `leaseMs`; with `isProgress` its claims count anew. @returns false where the lease is lost. */
  extend(job: ClaimedJob, leaseMs: number, options?: { readonly isProgress?: boolean }): Promise<boolean>
  /** Removes a job that is done. @returns false where the lease is lost, and then changes nothing. */
  complete(job: ClaimedJob): Promise<boolean>
  /**
   * Gives a job back, to be due in `delayMs`. Its claims count anew where it has failed; otherwise
   * this claim does not count.
   * @returns false where the lease is lost
   */
  release(job: ClaimedJob, options: { readonly delayMs: number; readonly failed: boolean }): Promise<boolean>
  /** Removes a job whoever holds it. @returns whether there was one. */
  cancel(job: NewJob): Promise<boolean>
  /** Ends all leases: for an engine that knows that it is alone. */
  releaseAll(): Promise<void>
  /** Milliseconds until the next job of these kinds is due; 0 if one is, `undefined` if there is none. */
  nextDueInMs(kinds: readonly string[]): Promise<number | undefined>
}
