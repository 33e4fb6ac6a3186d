import { CrashedError, DiskUnwritableError, LeaseLostError } from '../kernel/errors.js'
import { idlePause, pause } from '../kernel/scheduling/abort.js'
import type { ClaimedJob, NewJob, Storage, Telemetry } from '../ports/index.js'
import { FairShares } from './fair-shares.js'
import { createJobRecorder, type JobHandler, type RecordOfJob, WITH_JOB_HELD } from './job-handler.js'
import { PoisonJobs } from './poison-jobs.js'
import { Backoff, type JobEnvironment, type Progress, progressOf, RunningJob, type RunOutcome } from './running-job.js'
import { UnwritableDisk } from './unwritable-disk.js'

const IDLE_POLL_MS = 20
/** Interval of the checks that no wait is longer than it should be: the clock of the database may be set back. */
const BOUND_WAITS_MS = 10_000
/** Longest wait for running jobs before a second check: in the meantime a job may have found a disk full. */
const RUNNING_POLL_MS = 500
/** Shortest time between two polls for companies without a running job, while all other places are taken. */
const NEWCOMER_POLL_MS = 100

/**
 * Claims jobs for the time of a lease, renews the lease while they run, and retries them after transient errors. Any
 * number of workers may share a storage.
 */
export class JobWorker {
  readonly #handlers: ReadonlyMap<string, JobHandler>
  readonly #options: Required<JobWorkerOptions>
  readonly #environment: JobEnvironment
  readonly #running = new Set<RunningJob>()
  readonly #fairShares = new FairShares()
  readonly #poisonJobs: PoisonJobs
  readonly #fullDiskBackoff = new Backoff()
  /** The outcome of the last run. Also `full` where a claim failed on a full disk. */
  #lastOutcome: RunOutcome = 'done'
  #isClaiming = false
  #stopping: AbortController | undefined
  #lastClaimAt = -Infinity
  #boundedAt = -Infinity
  #lastPollAt = -Infinity
  #loop: Promise<void> | undefined
  #wake: () => void = () => undefined

  constructor(
    private readonly storage: Storage,
    private readonly telemetry: Telemetry,
    options: JobWorkerOptions,
  ) {
    this.#handlers = new Map(options.handlers.map((handler) => [handler.kind, handler]))
    this.#options = withDefaults(options)
    this.#poisonJobs = new PoisonJobs(this.#options)
    const { unwritableDisk } = this.#options
    const recordOnly = createJobRecorder(storage, this.#options)
    const record: RecordOfJob = async (work) => {
      const result = await recordOnly(work)
      // Before the caller tells that the job is done. Another outcome does not show that all disks take data.
      if (work.leaseChange.as === 'completed') unwritableDisk.forget(this.#environment)
      return result
    }
    const fullDiskBackoff = this.#fullDiskBackoff
    this.#environment = { storage, telemetry, record, fullDiskBackoff, unwritableDisk, options: this.#options }
  }

  start(): void {
    if (this.#loop !== undefined) return
    this.#stopping = new AbortController()
    this.#poisonJobs.start()
    this.#loop = this.#run(this.#stopping.signal)
  }

  /** Polls for jobs at once. Call this after a job is committed. */
  wake(): void {
    this.#wake()
  }

  handles(kind: string): boolean {
    return this.#handlers.has(kind)
  }

  get kinds(): readonly string[] {
    return [...this.#handlers.keys()]
  }

  /** Kinds of the jobs that run here now. */
  get runningKinds(): readonly string[] {
    return [...this.#running].map(({ job }) => job.kind)
  }

  /** Claims no further jobs. Aborts and releases the jobs that do not finish within `drainMs`. */
  async stop(): Promise<void> {
    this.#stopping?.abort()
    this.#wake()
    await this.#loop
    const finished = Promise.all([...this.#running].map((running) => running.finished))
    if (this.#options.drainMs > 0) await pause(this.#options.drainMs, finished)
    for (const running of this.#running) running.abort(new LeaseLostError('the worker is stopping'))
    await finished
    this.#loop = undefined
  }

  /** Aborts the run of a job that was cancelled. */
  abandon({ kind, subject }: NewJob): void {
    for (const running of this.#running) {
      if (running.job.kind === kind && running.job.subject === subject) running.abort()
    }
  }

  /** Resolves once no cancelled job runs here. */
  async whenAbandoned(): Promise<void> {
    await Promise.all(
      [...this.#running].map(async (running) => {
        if (!running.isAborted) await running.extend()
        if (running.isAborted) await running.finished
      }),
    )
  }

  /**
   * Resolves once no job of this worker's kinds is left, or all remaining jobs wait for a later retry: they have failed,
   * or have found a disk full.
   */
  async whenIdle(): Promise<Progress> {
    const { kinds } = this
    const startedAt = performance.now()
    for (;;) {
      const busy = [...this.#running].filter(({ isWaitingForSpace }) => !isWaitingForSpace)
      if (busy.length > 0) await pause(RUNNING_POLL_MS, Promise.all(busy.map(({ finished }) => finished)))
      const waiting = await this.storage.read(({ jobs }) => jobs.waiting(kinds))
      const [isDiskFull, isFailing] = [this.#isDiskFull, this.#lastOutcome === 'failed']
      if (!this.#isClaiming && [...this.#running].every(({ isWaitingForSpace }) => isWaitingForSpace)) {
        const isWaitOver = performance.now() - startedAt > this.#options.maxSpaceWaitMs
        const progress = progressOf({ waiting, isDiskFull, isFailing, isWaitOver })
        if (progress !== undefined) return progress
      }
      if (!isDiskFull) this.#wake()
      await pause(IDLE_POLL_MS)
    }
  }

  get #isDiskFull(): boolean {
    return this.#lastOutcome === 'full' || [...this.#running].some(({ isWaitingForSpace }) => isWaitingForSpace)
  }

  async #run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      // Create this promise before the poll, so that no call of `wake` during the poll is lost. `stop` wakes too.
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      const pauseMs = this.#options.isPausedByFullDisk ? this.#fullDiskBackoff.remainingMs : 0
      const waitMs =
        pauseMs ||
        (this.#isFullyUsed ? this.#options.pollMs : this.#newcomerWaitMs || (await this.#startJobs(stopping)))
      if (waitMs > 0) await idlePause(Math.min(waitMs, this.#options.pollMs), woken)
    }
  }

  get #isFullyUsed(): boolean {
    const { size } = this.#running
    return size >= this.#places || [...this.#running].some(({ job }) => this.#poisonJobs.includes(job))
  }

  get #places(): number {
    return this.#options.concurrency + this.#options.newcomerPlaces
  }

  /** Each call of `wake` leads to a poll. It is in vain as long as only places for newcomers are free and none comes. */
  get #newcomerWaitMs(): number {
    if (this.#running.size < this.#options.concurrency) return 0
    return Math.max(0, NEWCOMER_POLL_MS - (performance.now() - this.#lastPollAt))
  }

  /** Claims and starts jobs. @returns milliseconds until the next poll; 0 after a claim */
  async #startJobs(stopping: AbortSignal): Promise<number> {
    const { kinds } = this
    const earlyMs = this.#options.claimIntervalMs - (performance.now() - this.#lastClaimAt)
    if (earlyMs > 0) await pause(earlyMs)
    try {
      await this.#boundWaits()
      // This poll needs only a read. A claim needs a write, so it follows only when a job is due.
      this.#lastPollAt = performance.now()
      const waiting = await this.storage.read(({ jobs }) => jobs.waiting(kinds))
      if (stopping.aborted) return this.#options.pollMs
      const running = [...this.#running].map(({ job }) => job)
      const free = this.#places - running.length
      const { concurrencyPerLane: mostPerLane, newcomerPlaces } = this.#options
      const lanes = this.#fairShares.deal(waiting, { free, mostPerLane, newcomerPlaces, running })
      const { unwritableDisk } = this.#options
      // Nothing is left of the jobs that waited: they were deleted, or have failed for good.
      if (waiting.length === 0 && running.length === 0) unwritableDisk.forget(this.#environment)
      // A due job of a full lane starts when another job of the lane finishes: that wakes the worker.
      if (lanes.length === 0) {
        unwritableDisk.forget(this)
        return waiting.reduce((ms, { dueInMs }) => Math.min(ms, dueInMs || ms), this.#options.pollMs)
      }
      const { leaseMs } = this.#options
      this.#isClaiming = true
      const { isAnyClaimed, kept } = await this.storage.transaction(async ({ jobs }) => {
        const claimed = await jobs.claim({ kinds, leaseMs, lanes })
        // Keep one poison job at most. Release the others; their claims do not count.
        const poisonJobs = claimed.filter((job) => this.#poisonJobs.includes(job) && !this.#isRunning(job))
        const keptPoisonJob = poisonJobs.find((job) => this.#poisonJobs.canStart(job))
        const released = poisonJobs.filter((job) => job !== keptPoisonJob)
        for (const job of released) {
          await jobs.release(job, { delayMs: this.#poisonJobs.delayMs(job), failed: false })
        }
        return { isAnyClaimed: claimed.length > 0, kept: claimed.filter((job) => !released.includes(job)) }
      }, WITH_JOB_HELD)
      unwritableDisk.forget(this)
      // The poison job comes last: it waits for the jobs that start before it.
      for (const isPoison of [false, true]) {
        for (const job of kept) if (this.#poisonJobs.includes(job) === isPoison) this.#startJob(job)
      }
      this.#lastClaimAt = performance.now()
      return isAnyClaimed ? 0 : this.#options.pollMs
    } catch (error) {
      this.telemetry.record({ name: 'jobs.claim.failed', level: 'error', error })
      if (error instanceof DiskUnwritableError) {
        this.#lastOutcome = 'full'
        this.#options.unwritableDisk.note(this, error)
      }
      return this.#options.pollMs
    } finally {
      this.#isClaiming = false
    }
  }

  async #boundWaits(): Promise<void> {
    if (performance.now() - this.#boundedAt < BOUND_WAITS_MS) return
    const { kinds } = this
    if (await this.storage.read(({ jobs }) => jobs.isAnyOverlong(kinds))) {
      await this.storage.transaction(({ jobs }) => jobs.boundWaits(kinds), WITH_JOB_HELD)
      this.telemetry.record({ name: 'jobs.waits.bounded', level: 'warn' })
    }
    this.#boundedAt = performance.now()
  }

  #isRunning({ id }: ClaimedJob): boolean {
    return [...this.#running].some(({ job }) => job.id === id)
  }

  #startJob(job: ClaimedJob): void {
    const handler = this.#handlers.get(job.kind)
    if (handler === undefined) return
    // If the lease expired during a run here, that run continues under the new claim, or a new run follows it.
    const earlierRuns = [...this.#running].filter((running) => running.job.id === job.id)
    if (earlierRuns.some((running) => running.renew(job))) return
    for (const running of earlierRuns) running.abort()
    const isPoison = this.#poisonJobs.includes(job)
    const awaited = (isPoison ? [...this.#running] : earlierRuns).map(({ finished }) => finished)
    const running = new RunningJob(this.#environment, handler, job, async () => {
      await Promise.all(awaited)
      if (this.#poisonJobs.isHopeless(job)) throw crashedError(this.#options.maxClaims)
    })
    this.#running.add(running)
    const finished = running.finished.then((outcome) => {
      this.#running.delete(running)
      this.#lastOutcome = outcome
      if (outcome === 'done') this.#fullDiskBackoff.reset()
      this.#wake()
    })
    if (isPoison) this.#poisonJobs.trackRun(finished)
  }
}

function crashedError(times: number): CrashedError {
  return new CrashedError(`The process crashed ${times} times while it worked on this, and made no progress`)
}

interface JobWorkerOptions {
  readonly handlers: readonly JobHandler[]
  /** Running jobs at a time; default 1. */
  readonly concurrency?: number
  /** Further running jobs at a time, of companies that have no other running job; default 0. */
  readonly newcomerPlaces?: number
  /** Running jobs of one lane at a time; default `concurrency`. */
  readonly concurrencyPerLane?: number
  /** Length of a lease, in milliseconds. A process that crashes holds its jobs for this long. Default 30,000. */
  readonly leaseMs?: number
  /** Longest time between two polls for jobs of other processes; default 1,000. */
  readonly pollMs?: number
  /** Failures after which a transient error is final; default 5. `Infinity`: no error is final. */
  readonly maxFailures?: number
  /**
   * Pause after the first failure, after the second one and so on. The last pause applies to all later failures.
   * Default: from half a second to a minute.
   */
  readonly retryDelaysMs?: readonly number[]
  /** Claims of a job without any progress, after which the job fails as one that crashes every process; default 10. */
  readonly maxClaims?: number
  /**
   * Claims of a job without any progress, after which the job is a poison job. It then runs alone, so that a crash
   * stops no other job. Default 2.
   */
  readonly maxSharedClaims?: number
  /**
   * Shortest time from the start of this worker to the start of a poison job: after the first claim beyond
   * `maxSharedClaims`, after the second one and so on. The last value applies to all later claims. Default: no delay.
   * A process that is killed often for another reason does not live that long, so the job is not blamed. A job that
   * does crash the process does so only rarely.
   */
  readonly poisonStartDelaysMs?: readonly number[]
  /**
   * True where a full disk pauses all jobs, because each job does much work before it finds the disk full. False where
   * only the jobs wait that have found it full. Default true.
   */
  readonly isPausedByFullDisk?: boolean
  /** Longest wait of a caller on a full disk for jobs that are due once more; default 10 s. */
  readonly maxSpaceWaitMs?: number
  /** Learns for which disk the jobs wait. Several workers may share it. Default: one of its own. */
  readonly unwritableDisk?: UnwritableDisk
  /** True to commit the records of small jobs in batches; default false. */
  readonly isBatched?: boolean
  /** Shortest time between two claims, so that one claim takes several jobs when many finish; default 0. */
  readonly claimIntervalMs?: number
  /** Time that running jobs have to finish after `stop`, before they are aborted; default 0. */
  readonly drainMs?: number
}

const RETRY_DELAYS_MS = [500, 2_000, 10_000, 30_000, 60_000]

function withDefaults(options: JobWorkerOptions): Required<JobWorkerOptions> {
  const { concurrency = 1 } = options
  return {
    concurrency,
    newcomerPlaces: 0,
    concurrencyPerLane: concurrency,
    leaseMs: 30_000,
    pollMs: 1_000,
    maxFailures: 5,
    retryDelaysMs: RETRY_DELAYS_MS,
    maxClaims: 10,
    maxSharedClaims: 2,
    poisonStartDelaysMs: [],
    isPausedByFullDisk: true,
    maxSpaceWaitMs: 10_000,
    unwritableDisk: new UnwritableDisk(),
    isBatched: false,
    claimIntervalMs: 0,
    drainMs: 0,
    ...options,
  }
}
