import type { Page } from './document-records.js'

/** Work to be done once, durably: written in the transaction that makes it necessary. */
export interface NewJob {
  /** What is to be done; names the handler. */
  readonly kind: string
  /** What it is done to. One job for each kind and subject. */
  readonly subject: number
  /** Jobs of one lane wait for each other, not for those of other lanes; default 0. */
  readonly lane?: number
  /** On whose behalf it is done, so that companies can take turns; default 0, nobody's. */
  readonly companyId?: number
}

/**
 * Held while the folder is copied. Nothing that belongs to a document that is not deleted, or was deleted since the
 * copy began, is removed from files and vectors meanwhile. No worker takes it: whoever copies holds it.
 */
export const BACKUP_JOB: Readonly<Required<Pick<NewJob, 'kind' | 'subject'>>> = { kind: 'backup', subject: 1 }

/** A lane in which jobs wait. */
export interface WaitingLane {
  readonly lane: number
  /** Of the job that waits longest. */
  readonly companyId: number
  /** Milliseconds until the first of them can be claimed; 0 if one can. */
  readonly dueInMs: number
}

/** How many jobs of a lane are wanted. */
export interface LaneShare {
  readonly lane: number
  readonly most: number
}

/** A job that this worker holds for a while. */
export interface ClaimedJob extends Required<NewJob> {
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
 * wrong clock neither steals nor stalls. They are whole milliseconds: what is given is rounded.
 *
 * Where a transaction changes jobs and what they are about, it begins with the jobs: two that lock in
 * different orders would wait for each other.
 */
export interface JobRepository {
  /**
   * Adds a job that is due in `delayMs`, by default at once; one of the same kind and subject that
   * waits is left as it is.
   */
  enqueue(job: NewJob, options?: { readonly delayMs?: number }): Promise<void>
  /** As {@link enqueue}, for many. */
  enqueueAll(jobs: readonly NewJob[], options?: { readonly delayMs?: number }): Promise<void>
  /** Subjects of the jobs of a kind, held or not, in their order. */
  subjects(kind: string, page: Page): Promise<readonly number[]>
  /** The lanes in which jobs of these kinds wait or are held; first those whose job has been due longest. */
  waiting(kinds: readonly string[]): Promise<readonly WaitingLane[]>
  /**
   * Takes jobs that are due and that nobody holds: of each lane those that have been due longest, at
   * most as many as wanted of it. Without lanes, the one job that has been due longest.
   * Never the same job to two callers before its lease has expired.
   */
  claim(options: {
    readonly kinds: readonly string[]
    readonly leaseMs: number
    readonly lanes?: readonly LaneShare[]
  }): Promise<readonly ClaimedJob[]>
  /** Holds a job for another `leaseMs`; with `isProgress` its claims count anew. @returns false where the lease is lost. */
  extend(job: ClaimedJob, leaseMs: number, options?: { readonly isProgress?: boolean }): Promise<boolean>
  /** As {@link extend}, for many. @returns false where one of the leases is lost: whoever asked takes the rest back */
  extendAll(jobs: readonly ClaimedJob[], leaseMs: number, options?: { readonly isProgress?: boolean }): Promise<boolean>
  /** Removes a job that is done. @returns false where the lease is lost, and then changes nothing. */
  complete(job: ClaimedJob): Promise<boolean>
  /** As {@link complete}, for many. @returns false where one of the leases is lost: whoever asked takes the rest back */
  completeAll(jobs: readonly ClaimedJob[]): Promise<boolean>
  /**
   * Gives a job back, to be due in `delayMs`. Its claims count anew where it has failed; otherwise
   * this claim does not count.
   * @returns false where the lease is lost
   */
  release(job: ClaimedJob, options: { readonly delayMs: number; readonly failed: boolean }): Promise<boolean>
  /** Whether somebody holds a job: it was claimed, and its lease has not expired. */
  isHeld(job: Pick<NewJob, 'kind' | 'subject'>): Promise<boolean>
  /** Removes a job whoever holds it. @returns whether there was one. */
  cancel(job: Pick<NewJob, 'kind' | 'subject'>): Promise<boolean>
  /** As {@link cancel}, for all of a kind in a lane, however many they are. */
  cancelLane(kind: string, lane: number): Promise<void>
  /** Ends all leases on jobs of these kinds, by default of all: for an engine that knows that it is alone. */
  releaseAll(kinds?: readonly string[]): Promise<void>
}
