import { pause } from '../kernel/abort.js'
import { CrashedError, LeaseLostError, StorageFullError } from '../kernel/errors.js'
import type { ClaimedJob, NewJob, Storage, Telemetry } from '../ports/index.js'
import { Rest } from './backoff.js'
import { FairShares } from './fair-shares.js'
import type { JobHandler } from './job-handler.js'
import { recorder, WITH_JOB_HELD } from './record.js'
import { type Ending, type JobSurroundings, type Progress, progressAt, RunningJob } from './running-job.js'
import { Suspects } from './suspects.js'

const IDLE_POLL_MS = 20
/** A job under way may come to wait for room. */
const IDLE_LOOK_MS = 500

/**
 * Takes jobs by lease, keeps the lease alive while they run, and tries again
 * what failed for a passing reason. Any number of workers may share a storage.
 */
export class JobWorker {
  readonly #storage: Storage
  readonly #telemetry: Telemetry
  readonly #handlers: ReadonlyMap<string, JobHandler>
  readonly #options: Required<JobWorkerOptions>
  readonly #surroundings: JobSurroundings
  readonly #running = new Set<RunningJob>()
  readonly #fairShares = new FairShares()
  readonly #suspects: Suspects
  readonly #rest = new Rest()
  /** Of the last job; `full` also where none can be taken. */
  #lastEnding: Ending = 'done'
  #isTaking = false
  #stopping: AbortController | undefined
  #lastClaimAt = -Infinity
  #loop: Promise<void> | undefined
  #wake: () => void = () => undefined

  constructor(storage: Storage, telemetry: Telemetry, options: JobWorkerOptions) {
    this.#storage = storage
    this.#telemetry = telemetry
    this.#handlers = new Map(options.handlers.map((handler) => [handler.kind, handler]))
    this.#options = withDefaults(options)
    this.#suspects = new Suspects(this.#options)
    const record = recorder(storage, this.#options)
    this.#surroundings = { storage, telemetry, record, rest: this.#rest, options: this.#options }
  }

  start(): void {
    if (this.#loop !== undefined) return
    this.#stopping = new AbortController()
    this.#suspects.start()
    this.#loop = this.#run(this.#stopping.signal)
  }

  /** Looks for jobs at once: one was just committed. */
  wake(): void {
    this.#wake()
  }

  /** Whether it does such jobs. */
  handles(kind: string): boolean {
    return this.#handlers.has(kind)
  }

  /** Takes no more jobs; aborts and gives back those that do not end in time. */
  async stop(): Promise<void> {
    this.#stopping?.abort()
    this.#wake()
    await this.#loop
    const ended = Promise.all([...this.#running].map((running) => running.ended))
    if (this.#options.drainMs > 0) await pause(this.#options.drainMs, ended)
    for (const running of this.#running) running.abort(new LeaseLostError('the worker stops'))
    await ended
    this.#loop = undefined
  }

  /** Aborts a job that runs here: it was cancelled. */
  abandon({ kind, subject }: NewJob): void {
    for (const running of this.#running) {
      if (running.job.kind === kind && running.job.subject === subject) running.abort()
    }
  }

  /** Resolves once no run of a cancelled job is under way here any longer. */
  async whenAbandoned(): Promise<void> {
    await Promise.all(
      [...this.#running].map(async (running) => {
        if (!running.isAborted) await running.extend()
        if (running.isAborted) await running.ended
      }),
    )
  }

  /**
   * Resolves once there is no job of this worker's kinds, or all there are wait for a while: they have failed, or
   * have found a disk full.
   */
  async whenIdle(): Promise<Progress> {
    const kinds = [...this.#handlers.keys()]
    const began = performance.now()
    for (;;) {
      const busy = [...this.#running].filter(({ waitsForRoom }) => !waitsForRoom)
      if (busy.length > 0) await pause(IDLE_LOOK_MS, Promise.all(busy.map(({ ended }) => ended)))
      const waiting = await this.#storage.read(({ jobs }) => jobs.waiting(kinds))
      const [isWithoutRoom, isFailing] = [this.#isWithoutRoom, this.#lastEnding === 'failed']
      if (!this.#isTaking && [...this.#running].every(({ waitsForRoom }) => waitsForRoom)) {
        const waitedMs = performance.now() - began
        const progress = progressAt({ waiting, isWithoutRoom, isFailing, waitedMs })
        if (progress !== undefined) return progress
      }
      if (!isWithoutRoom) this.#wake()
      await pause(IDLE_POLL_MS)
    }
  }

  get #isWithoutRoom(): boolean {
    return this.#lastEnding === 'full' || [...this.#running].some(({ waitsForRoom }) => waitsForRoom)
  }

  async #run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      // Made before looking: a call to wake while looking is not lost. `stop` wakes too.
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      const restMs = this.#options.isPausedByFullDisk ? this.#rest.leftMs : 0
      const waitMs = restMs || (this.#isFull ? this.#options.pollMs : await this.#take(stopping))
      if (waitMs > 0) await pause(Math.min(waitMs, this.#options.pollMs), woken)
    }
  }

  get #isFull(): boolean {
    const { size } = this.#running
    return size >= this.#options.concurrency || [...this.#running].some(({ job }) => this.#suspects.includes(job))
  }

  /** Begins the next jobs. @returns how long to wait before the next look, 0 after a job. */
  async #take(stopping: AbortSignal): Promise<number> {
    const kinds = [...this.#handlers.keys()]
    const early = this.#options.claimIntervalMs - (performance.now() - this.#lastClaimAt)
    if (early > 0) await pause(early)
    try {
      // Looking costs a read; only what is due is worth a write.
      const waiting = await this.#storage.read(({ jobs }) => jobs.waiting(kinds))
      if (stopping.aborted) return this.#options.pollMs
      const running = [...this.#running].map(({ job }) => job)
      const free = this.#options.concurrency - running.length
      const lanes = this.#fairShares.deal(waiting, { free, mostPerLane: this.#options.concurrencyPerLane, running })
      // What is due in a lane that is full is begun when one of its jobs ends, which wakes.
      if (lanes.length === 0)
        return waiting.reduce((ms, { dueInMs }) => Math.min(ms, dueInMs || ms), this.#options.pollMs)
      const { leaseMs } = this.#options
      this.#isTaking = true
      const { isAny, taken } = await this.#storage.transaction(async ({ jobs }) => {
        const claimed = await jobs.claim({ kinds, leaseMs, lanes })
        // One suspect at a time; the others go back as if nobody had taken them.
        const suspects = claimed.filter((job) => this.#suspects.includes(job) && !this.#isRunning(job))
        const first = suspects.find((job) => this.#suspects.mayBegin(job))
        const others = suspects.filter((job) => job !== first)
        for (const job of others) {
          await jobs.release(job, { delayMs: this.#suspects.delayMs(job), failed: false })
        }
        return { isAny: claimed.length > 0, taken: claimed.filter((job) => !others.includes(job)) }
      }, WITH_JOB_HELD)
      // Suspects come last, to wait for those that begin with them.
      for (const isSuspect of [false, true]) {
        for (const job of taken) if (this.#suspects.includes(job) === isSuspect) this.#begin(job)
      }
      this.#lastClaimAt = performance.now()
      return isAny ? 0 : this.#options.pollMs
    } catch (error) {
      this.#telemetry.record({ name: 'jobs.claim.failed', level: 'error', error })
      if (error instanceof StorageFullError) this.#lastEnding = 'full'
      return this.#options.pollMs
    } finally {
      this.#isTaking = false
    }
  }

  #isRunning({ id }: ClaimedJob): boolean {
    return [...this.#running].some(({ job }) => job.id === id)
  }

  #begin(job: ClaimedJob): void {
    const handler = this.#handlers.get(job.kind)
    if (handler === undefined) return
    // Its lease ran out while it was under way here: it goes on, or begins anew once that has ended.
    const before = [...this.#running].filter((running) => running.job.id === job.id)
    if (before.some((running) => running.renew(job))) return
    for (const running of before) running.abort()
    const isSuspect = this.#suspects.includes(job)
    const awaited = (isSuspect ? [...this.#running] : before).map(({ ended }) => ended)
    const running = new RunningJob(this.#surroundings, handler, job, async () => {
      await Promise.all(awaited)
      if (this.#suspects.isLost(job)) throw crashed(this.#options.maxClaims)
    })
    this.#running.add(running)
    const ended = running.ended.then((ending) => {
      this.#running.delete(running)
      this.#note(ending)
      this.#wake()
    })
    if (isSuspect) this.#suspects.began(ended)
  }

  #note(ending: Ending): void {
    this.#lastEnding = ending
    if (ending === 'done') this.#rest.end()
  }
}

function crashed(times: number): CrashedError {
  return new CrashedError(`The process ended ${times} times while it worked on this, and got no further`)
}

interface JobWorkerOptions {
  readonly handlers: readonly JobHandler[]
  /** Jobs under way at a time; default 1. */
  readonly concurrency?: number
  /** Of one lane; default as many as at all. */
  readonly concurrencyPerLane?: number
  /** How long a job is held without a sign of life; default 30 s. */
  readonly leaseMs?: number
  /** Longest wait between two looks for jobs of other processes; default 1 s. */
  readonly pollMs?: number
  /** Failures after which a transient error is final; default 5. `Infinity`: no error is final. */
  readonly maxFailures?: number
  /** Pause after the first failure, the second and so on, the last for all after it; default half a second to a minute. */
  readonly retryDelaysMs?: readonly number[]
  /** Times that a job is taken without any progress before it is taken for the end of every process; default 10. */
  readonly maxClaims?: number
  /** Times that it is taken so beside others, before it runs alone: it must not take others with it; default 2. */
  readonly maxClaimsInCompany?: number
  /**
   * How long this worker must have lived before it begins a job that runs alone: after the first claim too many,
   * the second and so on, the last for all after it; default none. A process that somebody else ends all the time
   * does not get so far, and then it is not the job that has ended it. A job that does end it does so seldom.
   */
  readonly quietMs?: readonly number[]
  /**
   * Whether a full disk stops all jobs for a while, because each does much before it finds out; default true.
   * Otherwise only those wait that have found it full.
   */
  readonly isPausedByFullDisk?: boolean
  /** Whether what small jobs record at about the same time is committed together; default false. */
  readonly isGrouped?: boolean
  /** Shortest time between two claims, so that they take several jobs each where many end; default 0. */
  readonly claimIntervalMs?: number
  /** How long jobs under way may go on when the worker stops, before they are aborted; default 0. */
  readonly drainMs?: number
}

const RETRY_DELAYS_MS = [500, 2_000, 10_000, 30_000, 60_000]

/** Options with their defaults. */
function withDefaults(options: JobWorkerOptions): Required<JobWorkerOptions> {
  const { concurrency = 1 } = options
  return {
    concurrency,
    concurrencyPerLane: concurrency,
    leaseMs: 30_000,
    pollMs: 1_000,
    maxFailures: 5,
    retryDelaysMs: RETRY_DELAYS_MS,
    maxClaims: 10,
    maxClaimsInCompany: 2,
    quietMs: [],
    isPausedByFullDisk: true,
    isGrouped: false,
    claimIntervalMs: 0,
    drainMs: 0,
    ...options,
  }
}
