import { AlcoveError, DiskUnwritableError, isTransientError, LeaseLostError, ModelError } from '../kernel/errors.js'
import { pause } from '../kernel/scheduling/abort.js'
import { type ClaimedJob, type Storage, type Telemetry, tracerOf, type WaitingLane } from '../ports/index.js'
import {
  type JobHandler,
  type JobRun,
  type LeaseChange,
  leaseLost,
  type RecordOfJob,
  WITH_JOB_HELD,
  type Work,
} from './job-handler.js'
import type { UnwritableDisk } from './unwritable-disk.js'

/** Pauses between attempts to record a failure. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [50, 5_000]

/** The parts of a worker that its running jobs use. */
export interface JobEnvironment {
  readonly storage: Storage
  readonly telemetry: Telemetry
  readonly record: RecordOfJob
  /** For all jobs that find a disk full. */
  readonly fullDiskBackoff: Backoff
  /** The jobs note the disk for which they wait by this environment. The worker forgets it. */
  readonly unwritableDisk: UnwritableDisk
  readonly options: {
    readonly leaseMs: number
    readonly maxFailures: number
    readonly retryDelaysMs: readonly number[]
  }
}

/** The result of a run: `full` where a disk was full. */
export type RunOutcome = 'done' | 'failed' | 'full' | 'aborted'

/** One run of a job: keeps its lease, runs its handler, and records a failure. */
export class RunningJob {
  readonly #held: HeldJob
  readonly #abort = new AbortController()
  readonly finished: Promise<RunOutcome>
  #isUnrecorded = false

  /** @param prepare awaited before the handler runs, while the lease is held; its error is the error of the run */
  constructor(
    private readonly environment: JobEnvironment,
    private readonly handler: JobHandler,
    job: ClaimedJob,
    prepare: () => Promise<void>,
  ) {
    this.#held = new HeldJob(environment.record, job, this.#abort.signal)
    this.finished = this.#run(prepare)
  }

  get job(): ClaimedJob {
    return this.#held.job
  }

  get isAborted(): boolean {
    return this.#abort.signal.aborted
  }

  /** True where the handler has finished, but a full disk prevents the record of the outcome. */
  get isWaitingForSpace(): boolean {
    return this.#isUnrecorded
  }

  abort(error: LeaseLostError = leaseLost(this.job)): void {
    this.#abort.abort(error)
  }

  /** Continues under a new claim of the same worker, if no other worker has held the job since. @returns true if so */
  renew(job: ClaimedJob): boolean {
    if (this.isAborted || job.fencingToken !== this.job.fencingToken + 1) return false
    this.#held.renew(job)
    return true
  }

  /** Extends the lease. Aborts the run if the lease is lost or the job is deleted. */
  async extend(): Promise<void> {
    const { storage, telemetry, options } = this.environment
    const { job } = this
    try {
      const isHeld = await storage.transaction(({ jobs }) => jobs.extend(job, options.leaseMs), WITH_JOB_HELD)
      if (!isHeld && job === this.job) this.abort()
    } catch (error) {
      telemetry.record({ name: 'jobs.extend.failed', level: 'warn', error })
    }
  }

  async #run(prepare: () => Promise<void>): Promise<RunOutcome> {
    const heartbeat = setInterval(() => void this.extend(), this.environment.options.leaseMs / 3)
    try {
      await prepare()
      this.#abort.signal.throwIfAborted()
      await this.#runHandler()
      return 'done'
    } catch (error) {
      return await this.#recordFailureWithRetries(error)
    } finally {
      clearInterval(heartbeat)
      this.environment.unwritableDisk.forget(this)
    }
  }

  /** The span of a run is a part of the trace that made the work necessary, never of what the worker did before. */
  async #runHandler(): Promise<void> {
    const { telemetry } = this.environment
    const { kind, subject, failures, companyId, traceparent } = this.job
    const startedAt = performance.now()
    await tracerOf(telemetry).span(
      this.handler.spanName ?? 'alcove.job',
      {
        parent: traceparent,
        labels: { 'alcove.job.kind': kind },
        attributes: { 'alcove.job.subject': subject, 'alcove.job.failures': failures, 'alcove.company.id': companyId },
      },
      async (span) => await this.handler.run(this.#held, span),
    )
    const durationMs = performance.now() - startedAt
    telemetry.record({ name: 'jobs.ran', level: 'debug', fields: { kind, subject }, durationMs })
  }

  /**
   * Retries while the database is unavailable: without a record, the run would look like one that has crashed its
   * process.
   */
  async #recordFailureWithRetries(error: unknown): Promise<RunOutcome> {
    const { signal } = this.#abort
    const { telemetry, unwritableDisk } = this.environment
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const wasAborted = signal.aborted
      try {
        return await this.#recordFailure(error)
      } catch (failure) {
        telemetry.record({ name: 'jobs.settle.failed', level: 'error', error: failure })
        this.#isUnrecorded = failure instanceof DiskUnwritableError
        if (failure instanceof DiskUnwritableError) unwritableDisk.note(this, failure)
        // Without a record, the lease expires, and a worker claims the job again.
        if (wasAborted || !isTransientError(failure)) return 'failed'
        await pause(pauseMs, aborted)
      }
    }
  }

  async #recordFailure(error: unknown): Promise<RunOutcome> {
    const { storage, telemetry, options, fullDiskBackoff, unwritableDisk } = this.environment
    const { job } = this
    if (this.isAborted || error instanceof LeaseLostError) {
      await storage.transaction(({ jobs }) => jobs.release(job, { delayMs: 0, failed: false }), WITH_JOB_HELD)
      return 'aborted'
    }
    const awayMs = awayMsOf(error)
    const mayBeFinal = awayMs === undefined && options.maxFailures < Infinity
    const isFinal = mayBeFinal && (isPermanent(error) || job.failures + 1 >= options.maxFailures)
    const fields = { kind: job.kind, subject: job.subject, failures: job.failures + 1 }
    const isFull = error instanceof DiskUnwritableError
    telemetry.record({ name: 'jobs.failed', level: isFinal && !isFull ? 'error' : 'warn', fields, error })
    if (isFull) {
      // A full disk does not count as a failure of the job. The delay lets jobs run first that have not tried yet.
      const delayMs = fullDiskBackoff.start()
      await storage.transaction(({ jobs }) => jobs.release(job, { delayMs, failed: false }), WITH_JOB_HELD)
      // A disk that has prevented the record takes data again.
      if (!this.#isUnrecorded) unwritableDisk.note(this.environment, error)
      return 'full'
    }
    if (awayMs !== undefined) {
      await storage.transaction(async (repositories) => {
        const isReleased = await repositories.jobs.release(job, { delayMs: awayMs, failed: false })
        if (isReleased) await this.handler.postponed?.(repositories, job.subject, error)
      }, WITH_JOB_HELD)
      return 'failed'
    }
    if (!isFinal) {
      const delayMs = options.retryDelaysMs[Math.min(job.failures, options.retryDelaysMs.length - 1)] ?? 0
      await storage.transaction(({ jobs }) => jobs.release(job, { delayMs, failed: true }), WITH_JOB_HELD)
      return 'failed'
    }
    await storage.transaction(async (repositories) => {
      if (await repositories.jobs.complete(job)) await this.handler.fail(repositories, job.subject, error)
    }, WITH_JOB_HELD)
    this.handler.failed?.(job.subject, error)
    return 'failed'
  }
}

/** Limits of the pause of a job whose model is away, in milliseconds. The model itself names the pause. */
const [SHORTEST_AWAY_MS, LONGEST_AWAY_MS] = [1_000, 60_000]

/** Milliseconds until a job whose model is away is due again; undefined for every other failure. */
function awayMsOf(error: unknown): number | undefined {
  if (!(error instanceof ModelError) || !error.isTransient || error.retryAfterMs === undefined) return undefined
  return Math.min(LONGEST_AWAY_MS, Math.max(SHORTEST_AWAY_MS, error.retryAfterMs))
}

/** The engine's own errors say so. Any other error counts as transient. */
function isPermanent(error: unknown): boolean {
  return error instanceof AlcoveError && !error.isTransient
}

/** A job that a worker holds. Its writes are refused once another worker holds the job. */
export class HeldJob implements JobRun {
  readonly subject: number
  readonly signal: AbortSignal
  #job: ClaimedJob

  constructor(
    private readonly record: RecordOfJob,
    job: ClaimedJob,
    signal: AbortSignal,
  ) {
    this.#job = job
    this.subject = job.subject
    this.signal = signal
  }

  /** The job under the latest claim of this worker. */
  get job(): ClaimedJob {
    return this.#job
  }

  get isRepeated(): boolean {
    return this.#job.claims > 1
  }

  /** Continues under a new claim: the lease expired, and no other worker has held the job since. */
  renew(job: ClaimedJob): void {
    this.#job = job
  }

  async transaction<T>(work: Work<T>, options: { readonly isProgress?: boolean } = {}): Promise<T> {
    return await this.#recordWork({ as: 'extended', isProgress: options.isProgress ?? false }, work)
  }

  async complete<T>(work: Work<T>): Promise<T> {
    return await this.#recordWork({ as: 'completed' }, work)
  }

  async postpone<T>(
    work: Work<T>,
    delayMs: number,
    { isFailure = true }: { readonly isFailure?: boolean } = {},
  ): Promise<T> {
    return await this.#recordWork({ as: 'released', delayMs, isFailure }, work)
  }

  async #recordWork<T>(leaseChange: LeaseChange, work: Work<T>): Promise<T> {
    this.signal.throwIfAborted()
    return (await this.record({ held: this, leaseChange, work })) as T
  }
}

/** A caller that waits for all jobs also waits for a retry that is due within this time. */
const NEAR_MS = 5_000

/** The state of a worker: all jobs are `done`, or the remaining jobs have found a disk `full` or have `failed`. */
export type Progress = 'done' | 'full' | 'failed'

/** The state of a worker without running jobs. */
interface IdleState {
  readonly waiting: readonly WaitingLane[]
  /** True where the last run or claim found a disk full. */
  readonly isDiskFull: boolean
  /** True where the last run failed. */
  readonly isFailing: boolean
  /** True where the caller waits no longer for jobs that are due once more on a full disk. */
  readonly isWaitOver: boolean
}

/** @returns `undefined` where a job is due soon */
export function progressOf({ waiting, isDiskFull, isFailing, isWaitOver }: IdleState): Progress | undefined {
  if (waiting.length === 0) return 'done'
  const dueInMs = Math.min(...waiting.map((lane) => lane.dueInMs))
  // A job that found the disk full is due later. If no job is due now, all of them have tried.
  if (isDiskFull && (dueInMs > 0 || isWaitOver)) return 'full'
  return isFailing && dueInMs > NEAR_MS ? 'failed' : undefined
}

/** Pauses of {@link Backoff}. */
const [FIRST_MS, LONGEST_MS] = [1_000, 60_000]

/** Pauses that double as long as no work succeeds. A success resets them. */
export class Backoff {
  #pauseMs = FIRST_MS
  #until = -Infinity

  /** Remaining milliseconds of the present pause. */
  get remainingMs(): number {
    return Math.max(0, this.#until - performance.now())
  }

  /** Starts a pause. Failures during a pause do not extend it. @returns its remaining milliseconds */
  start(): number {
    if (this.remainingMs === 0) {
      this.#until = performance.now() + this.#pauseMs
      this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_MS)
    }
    return this.remainingMs
  }

  reset(): void {
    this.#pauseMs = FIRST_MS
  }
}
