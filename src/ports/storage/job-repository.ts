import type { Page } from './page.js'

/** Work that is stored and done once. The job is written in the transaction that makes the work necessary. */
export interface NewJob {
  /** The kind of work. It selects the handler. */
  readonly kind: string
  /** Id of the object of the work. There is at most one job for each kind and subject. */
  readonly subject: number
  /** Jobs of one lane wait for each other, and not for jobs of other lanes. Default: 0. */
  readonly lane?: number
  /** Id of the company that the work is for, so that companies take turns. Default: 0, which means no company. */
  readonly companyId?: number
  /**
   * The W3C `traceparent` of the span that made the work necessary: the span of the job continues its trace. Null for
   * work that repeats for ever, which begins a trace each time. Default: the span in which the caller runs.
   */
  readonly traceparent?: string | null
}

/**
 * The job that a backup holds while it copies the data folder. During that time, workers remove no files and vectors of
 * documents that are live, or that were deleted after the copy began. No worker claims this job.
 */
export const BACKUP_JOB: Readonly<Required<Pick<NewJob, 'kind' | 'subject'>>> = { kind: 'backup', subject: 1 }

/** A lane in which jobs wait. */
export interface WaitingLane {
  readonly lane: number
  /** Company of the job that has waited longest. */
  readonly companyId: number
  /** Milliseconds until a job of the lane can be claimed; 0 if one can be claimed now. */
  readonly dueInMs: number
}

/** The maximum number of jobs to claim from one lane. */
export interface LaneShare {
  readonly lane: number
  readonly most: number
}

/** A job that a worker has claimed for the time of its lease. */
export interface ClaimedJob extends Required<Omit<NewJob, 'traceparent'>> {
  readonly id: number
  /** As of {@link NewJob}; null without a trace. */
  readonly traceparent: string | null
  /** Changes at every claim. The repository refuses changes by a worker with an old token. */
  readonly fencingToken: number
  /** Number of earlier failures. */
  readonly failures: number
  /**
   * Number of claims, this one included, since the job last recorded progress or a failure. A job with many claims and
   * neither of both probably crashes the processes that run it: it is a poison job.
   */
  readonly claims: number
}

/** Maximum number of jobs of a kind that {@link JobRepository.measure} counts. */
export const MAX_COUNTED_JOBS = 100_000

/** The queue of the jobs of one kind. */
export interface QueueState {
  readonly kind: string
  /** Number of jobs, claimed or not. */
  readonly jobs: number
  /** Number of jobs that a worker can claim now. */
  readonly due: number
  /** Milliseconds since the job that has been due longest, and that no worker holds, became due; 0 without one. */
  readonly oldestMs: number
}

/** Claims without progress from which a job counts as one that may crash its processes. */
export const CRASHING_CLAIMS = 3

/** The jobs of one kind by their state. `waiting`, `running` and `delayed` are all of them. */
export interface JobStates {
  readonly kind: string
  /** Due, and no worker holds them. */
  readonly waiting: number
  /** A worker of any process holds them. */
  readonly running: number
  /** Due later: the first run, or another one after a failure. */
  readonly delayed: number
  /** Those of all states that have failed before. */
  readonly retrying: number
  /** Those of all states that were claimed {@link CRASHING_CLAIMS} times or more without progress. */
  readonly crashing: number
}

/** See {@link JobRepository.enqueue}. */
export interface EnqueueOptions {
  readonly delayMs?: number
  readonly isLocked?: boolean
}

/**
 * Jobs with leases.
 *
 * - All times use the database's clock, so a process with a wrong clock neither steals nor delays jobs.
 * - Durations are milliseconds. The repository rounds them to integers.
 * - A job keeps its latest wait: the time until it is due, or the length of its lease. So a wait that became longer,
 *   because the database's clock was set back, is found and bounded ({@link JobRepository.boundWaits}).
 * - A transaction that changes jobs and their subjects changes the jobs first. Transactions that lock in different
 *   orders would wait for each other.
 */
export interface JobRepository {
  /**
   * Adds a job. Changes nothing if there is a job of the same kind and subject already.
   *
   * @param options.delayMs milliseconds until the job is due. Default: 0
   * @param options.isLocked true if nobody may complete or cancel the job before the end of this transaction, also if it
   *   existed already. Default: false
   */
  enqueue(job: NewJob, options?: EnqueueOptions): Promise<void>
  /** As {@link enqueue}, for many jobs. */
  enqueueAll(jobs: readonly NewJob[], options?: EnqueueOptions): Promise<void>
  /** Lists the subjects of the jobs of a kind, claimed or not, in ascending order. */
  subjects(kind: string, page: Page): Promise<readonly number[]>
  /** Lists the lanes with jobs of these kinds, claimed or not. Lanes whose job has been due longest come first. */
  waiting(kinds: readonly string[]): Promise<readonly WaitingLane[]>
  /**
   * Measures the queues of these kinds. Costs little however long they are: counts at most {@link MAX_COUNTED_JOBS}
   * jobs of a kind, and reads no jobs one by one.
   *
   * @returns one state for each kind, in the order of `kinds`
   */
  measure(kinds: readonly string[]): Promise<readonly QueueState[]>
  /**
   * Counts the jobs of these kinds by their state: at most {@link MAX_COUNTED_JOBS} of each kind. Reads their rows, so
   * it costs more than {@link measure}.
   *
   * @returns the states of each kind, in the order of `kinds`
   */
  countStates(kinds: readonly string[]): Promise<readonly JobStates[]>
  /**
   * Claims jobs that are due and that no other worker holds, from each lane those that have been due longest.
   * Concurrent callers never get the same job before its lease has expired.
   *
   * @param options.leaseMs duration of the claim in milliseconds
   * @param options.lanes the maximum number of jobs of each lane. Default: the one job of all lanes that has been due
   *   longest
   */
  claim(options: {
    readonly kinds: readonly string[]
    readonly leaseMs: number
    readonly lanes?: readonly LaneShare[]
  }): Promise<readonly ClaimedJob[]>
  /**
   * Renews the lease of a claimed job: it lasts `leaseMs` milliseconds from now.
   *
   * @param options.isProgress true to set the count of claims back. Default: false
   * @returns false if the lease is lost
   */
  extend(job: ClaimedJob, leaseMs: number, options?: { readonly isProgress?: boolean }): Promise<boolean>
  /** As {@link extend}, for many jobs. @returns false if one of the leases is lost: the caller rolls back the others */
  extendAll(jobs: readonly ClaimedJob[], leaseMs: number, options?: { readonly isProgress?: boolean }): Promise<boolean>
  /** Removes a job that is done. @returns false if the lease is lost; then nothing changes */
  complete(job: ClaimedJob): Promise<boolean>
  /**
   * As {@link complete}, for many jobs.
   *
   * @returns false if one of the leases is lost: the caller rolls back the others
   */
  completeAll(jobs: readonly ClaimedJob[]): Promise<boolean>
  /**
   * Ends a claim, so that any worker can claim the job once it is due.
   *
   * @param options.delayMs milliseconds until the job is due
   * @param options.failed true to count a failure and set the count of claims back. False: this claim does not count
   * @returns false if the lease is lost
   */
  release(job: ClaimedJob, options: { readonly delayMs: number; readonly failed: boolean }): Promise<boolean>
  /**
   * @returns true if a job of these kinds is due, or has a lease, for longer than its latest wait from now: the
   *   database's clock was set back
   */
  isAnyOverlong(kinds: readonly string[]): Promise<boolean>
  /**
   * Bounds the waits of jobs of these kinds: a job that is due, or has a lease, for longer than its latest wait now has
   * that wait from now on. Does nothing to other jobs.
   */
  boundWaits(kinds: readonly string[]): Promise<void>
  /** @returns true if a worker holds the job: it was claimed, and its lease has not expired */
  isHeld(job: Pick<NewJob, 'kind' | 'subject'>): Promise<boolean>
  /** Removes jobs, also if a worker holds them. Accepts any number of jobs, and ignores those that do not exist. */
  cancelAll(jobs: readonly Pick<NewJob, 'kind' | 'subject'>[]): Promise<void>
  /** As {@link cancelAll}, for all jobs of a kind in a lane, however many there are. */
  cancelLane(kind: string, lane: number): Promise<void>
  /**
   * Ends all leases of jobs of these kinds. Only for an engine that knows that no other engine uses the storage.
   *
   * @param kinds default: all kinds
   */
  releaseAll(kinds?: readonly string[]): Promise<void>
}
