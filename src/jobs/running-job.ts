import { pause } from '../kernel/abort.js'
import { AlcoveError, isPassing, LeaseLostError, StorageFullError } from '../kernel/errors.js'
import type { ClaimedJob, Storage, Telemetry, WaitingLane } from '../ports/index.js'
import type { Rest } from './backoff.js'
import type { JobHandler, JobRun } from './job-handler.js'
import { type Hold, leaseLost, type RecordOfJob, WITH_JOB_HELD, type Work } from './record.js'

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [50, 5_000]

/** What a run of a job needs of its worker. */
export interface JobSurroundings {
  readonly storage: Storage
  readonly telemetry: Telemetry
  readonly record: RecordOfJob
  /** Of those that find a disk full. */
  readonly rest: Rest
  readonly options: {
    readonly leaseMs: number
    readonly maxFailures: number
    readonly retryDelaysMs: readonly number[]
  }
}

/** How a run ended: `full` where a disk had no room. */
export type Ending = 'done' | 'failed' | 'full' | 'aborted'

/** A job under way: its heartbeat, its end, and what is recorded of that. */
export class RunningJob {
  readonly #surroundings: JobSurroundings
  readonly #handler: JobHandler
  readonly #held: HeldJob
  readonly #abort = new AbortController()
  readonly ended: Promise<Ending>
  #isUnrecorded = false

  /** @param ready waited for before it begins, with its lease held; what it throws is how the run ends */
  constructor(surroundings: JobSurroundings, handler: JobHandler, job: ClaimedJob, ready: () => Promise<void>) {
    this.#surroundings = surroundings
    this.#handler = handler
    this.#held = new HeldJob(surroundings.record, job, this.#abort.signal)
    this.ended = this.#work(ready)
  }

  get job(): ClaimedJob {
    return this.#held.job
  }

  get isAborted(): boolean {
    return this.#abort.signal.aborted
  }

  /** Whether it is over, and cannot be recorded before there is room on a disk. */
  get waitsForRoom(): boolean {
    return this.#isUnrecorded
  }

  abort(error: LeaseLostError = leaseLost(this.job)): void {
    this.#abort.abort(error)
  }

  /** Goes on under another claim of this worker's, if it is the next one after its own. @returns whether it does */
  renew(job: ClaimedJob): boolean {
    if (this.isAborted || job.fencingToken !== this.job.fencingToken + 1) return false
    this.#held.renew(job)
    return true
  }

  /** Keeps the lease; aborts the run where it is lost, or the job is gone. */
  async extend(): Promise<void> {
    const { storage, telemetry, options } = this.#surroundings
    const { job } = this
    try {
      const isHeld = await storage.transaction(({ jobs }) => jobs.extend(job, options.leaseMs), WITH_JOB_HELD)
      if (!isHeld && job === this.job) this.abort()
    } catch (error) {
      telemetry.record({ name: 'jobs.extend.failed', level: 'warn', error })
    }
  }

  async #work(ready: () => Promise<void>): Promise<Ending> {
    const heartbeat = setInterval(() => void this.extend(), this.#surroundings.options.leaseMs / 3)
    try {
      await ready()
      this.#abort.signal.throwIfAborted()
      await this.#handler.run(this.#held)
      return 'done'
    } catch (error) {
      return await this.#settlePatiently(error)
    } finally {
      clearInterval(heartbeat)
    }
  }

  /**
   * Tries again while the database is away: a run of which nothing is known looks like one that has ended
   * its process.
   */
  async #settlePatiently(error: unknown): Promise<Ending> {
    const { signal } = this.#abort
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const wasAborted = signal.aborted
      try {
        return await this.#settle(error)
      } catch (failure) {
        // Otherwise the lease runs out, and the job is taken again.
        this.#surroundings.telemetry.record({ name: 'jobs.settle.failed', level: 'error', error: failure })
        this.#isUnrecorded = failure instanceof StorageFullError
        if (wasAborted || !isPassing(failure)) return 'failed'
        await pause(pauseMs, aborted)
      }
    }
  }

  async #settle(error: unknown): Promise<Ending> {
    const { storage, telemetry, options, rest } = this.#surroundings
    const { job } = this
    if (this.isAborted || error instanceof LeaseLostError) {
      await storage.transaction(({ jobs }) => jobs.release(job, { delayMs: 0, failed: false }), WITH_JOB_HELD)
      return 'aborted'
    }
    const isFinal = options.maxFailures < Infinity && (isPermanent(error) || job.failures + 1 >= options.maxFailures)
    const fields = { kind: job.kind, subject: job.subject, failures: job.failures + 1 }
    const isFull = error instanceof StorageFullError
    telemetry.record({ name: 'jobs.failed', level: isFinal && !isFull ? 'error' : 'warn', fields, error })
    if (isFull) {
      // That says nothing about the job: it is none of its failures. Those that have not tried yet come first.
      const delayMs = rest.begin()
      await storage.transaction(({ jobs }) => jobs.release(job, { delayMs, failed: false }), WITH_JOB_HELD)
      return 'full'
    }
    if (!isFinal) {
      const delayMs = options.retryDelaysMs[Math.min(job.failures, options.retryDelaysMs.length - 1)] ?? 0
      await storage.transaction(({ jobs }) => jobs.release(job, { delayMs, failed: true }), WITH_JOB_HELD)
      return 'failed'
    }
    await storage.transaction(async (repositories) => {
      if (await repositories.jobs.complete(job)) await this.#handler.fail(repositories, job.subject, error)
    }, WITH_JOB_HELD)
    this.#handler.failed?.(job.subject, error)
    return 'failed'
  }
}

/** The engine's own errors know; anything else is taken for a passing fault. */
function isPermanent(error: unknown): boolean {
  return error instanceof AlcoveError && !error.isTransient
}

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

/** A retry that is so near is waited for by who waits for all jobs. */
const NEAR_MS = 5_000
/** On a full disk nobody waits longer than that for jobs that may be tried once more. */
const LONGEST_WAIT_FOR_ROOM_MS = 10_000

/** How far a worker has come: all jobs are `done`; or those that are left have found a disk `full`, or have `failed`. */
export type Progress = 'done' | 'full' | 'failed'

/** What is known of a worker of which nothing runs at the moment. */
interface Standstill {
  readonly waiting: readonly WaitingLane[]
  /** Whether the last thing that it tried found a disk full. */
  readonly isWithoutRoom: boolean
  /** Whether the last job has failed. */
  readonly isFailing: boolean
  /** How long somebody waits for the end of all jobs. */
  readonly waitedMs: number
}

/** How far it has come; `undefined` where more is to be done soon. */
export function progressAt({ waiting, isWithoutRoom, isFailing, waitedMs }: Standstill): Progress | undefined {
  if (waiting.length === 0) return 'done'
  const dueInMs = Math.min(...waiting.map((lane) => lane.dueInMs))
  // What has found no room is due a while later: all have tried.
  if (isWithoutRoom && (dueInMs > 0 || waitedMs > LONGEST_WAIT_FOR_ROOM_MS)) return 'full'
  return isFailing && dueInMs > NEAR_MS ? 'failed' : undefined
}
