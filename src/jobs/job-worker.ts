import type { ClaimedJob, NewJob, Repositories, Storage, Telemetry } from '../ports/index.js'
import { AlcoveError, CrashedError, LeaseLostError } from '../shared/errors.js'

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
  /**
   * A transaction that is refused where somebody else holds the job by now. With `isProgress` the
   * next run goes on from here: the job is not one that ends every process that takes it.
   * @throws LeaseLostError; nothing is changed then
   */
  transaction<T>(
    work: (repositories: Repositories) => Promise<T>,
    options?: { readonly isProgress?: boolean },
  ): Promise<T>
  /** As {@link transaction}, and removes the job in it. */
  complete<T>(work: (repositories: Repositories) => Promise<T>): Promise<T>
}

export interface JobWorkerOptions {
  readonly handlers: readonly JobHandler[]
  /** Jobs under way at a time; default 1. */
  readonly concurrency?: number
  /** How long a job is held without a sign of life; default 30 s. */
  readonly leaseMs?: number
  /** Longest wait between two looks for jobs of other processes; default 1 s. */
  readonly pollMs?: number
  /** Failures after which a transient error is final; default 5. */
  readonly maxFailures?: number
  /** Pause after the first failure, the second and so on, the last for all after it; default half a second to a minute. */
  readonly retryDelaysMs?: readonly number[]
  /** Times that a job is taken without any progress before it is taken for the end of every process; default 10. */
  readonly maxClaims?: number
}

const IDLE_POLL_MS = 20
/** A job that was taken more often without progress runs alone: what ends the process must not take others with it. */
const CLAIMS_IN_COMPANY = 2
const RETRY_DELAYS_MS = [500, 2_000, 10_000, 30_000, 60_000]

/**
 * Takes jobs by lease, keeps the lease alive while they run, and tries again
 * what failed for a passing reason. Any number of workers may share a storage.
 */
export class JobWorker {
  readonly #storage: Storage
  readonly #telemetry: Telemetry
  readonly #handlers: ReadonlyMap<string, JobHandler>
  readonly #concurrency: number
  readonly #leaseMs: number
  readonly #pollMs: number
  readonly #maxFailures: number
  readonly #retryDelaysMs: readonly number[]
  readonly #maxClaims: number
  readonly #running = new Map<number, RunningJob>()
  #stopping: AbortController | undefined
  #loop: Promise<void> | undefined
  #wake: () => void = () => undefined

  constructor(storage: Storage, telemetry: Telemetry, options: JobWorkerOptions) {
    this.#storage = storage
    this.#telemetry = telemetry
    this.#handlers = new Map(options.handlers.map((handler) => [handler.kind, handler]))
    this.#concurrency = options.concurrency ?? 1
    this.#leaseMs = options.leaseMs ?? 30_000
    this.#pollMs = options.pollMs ?? 1_000
    this.#maxFailures = options.maxFailures ?? 5
    this.#retryDelaysMs = options.retryDelaysMs ?? RETRY_DELAYS_MS
    this.#maxClaims = options.maxClaims ?? 10
  }

  start(): void {
    if (this.#loop !== undefined) return
    this.#stopping = new AbortController()
    this.#loop = this.#run(this.#stopping.signal)
  }

  /** Looks for jobs at once: one was just committed. */
  wake(): void {
    this.#wake()
  }

  /** Takes no more jobs, aborts and gives back those under way. */
  async stop(): Promise<void> {
    this.#stopping?.abort()
    this.#wake()
    await this.#loop
    for (const { abort } of this.#running.values()) abort.abort(new LeaseLostError('the worker stops'))
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
    this.#loop = undefined
  }

  /** Aborts a job that runs here: it was cancelled. */
  abandon({ kind, subject }: NewJob): void {
    for (const { job, abort } of this.#running.values()) {
      if (job.kind === kind && job.subject === subject) abort.abort(leaseLost(job))
    }
  }

  /** Resolves once none of this worker's jobs is due or running. */
  async whenIdle(): Promise<void> {
    const kinds = [...this.#handlers.keys()]
    for (;;) {
      await Promise.all([...this.#running.values()].map(({ ended }) => ended))
      const dueInMs = await this.#storage.read(({ jobs }) => jobs.nextDueInMs(kinds))
      if (dueInMs !== 0 && this.#running.size === 0) return
      this.#wake()
      await pause(IDLE_POLL_MS, new Promise(() => undefined))
    }
  }

  async #run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      // Made before looking: a call to wake while looking is not lost. `stop` wakes too.
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      const waitMs = this.#isFull ? this.#pollMs : await this.#takeOne(stopping)
      if (waitMs > 0) await pause(Math.min(waitMs, this.#pollMs), woken)
    }
  }

  get #isFull(): boolean {
    return this.#running.size >= this.#concurrency || [...this.#running.values()].some(({ job }) => isSuspect(job))
  }

  /** Begins the next job. @returns how long to wait before the next look, 0 after a job. */
  async #takeOne(stopping: AbortSignal): Promise<number> {
    const kinds = [...this.#handlers.keys()]
    try {
      // Looking costs a read; only what is due is worth a write.
      const dueInMs = await this.#storage.read(({ jobs }) => jobs.nextDueInMs(kinds))
      if (dueInMs !== 0 || stopping.aborted) return dueInMs ?? this.#pollMs
      const job = await this.#storage.transaction(({ jobs }) => jobs.claim({ kinds, leaseMs: this.#leaseMs }))
      if (job === undefined) return this.#pollMs
      this.#begin(job)
      return 0
    } catch (error) {
      this.#telemetry.record({ name: 'jobs.claim.failed', level: 'error', error })
      return this.#pollMs
    }
  }

  #begin(job: ClaimedJob): void {
    const abort = new AbortController()
    const others = isSuspect(job) ? [...this.#running.values()].map(({ ended: end }) => end) : []
    const ended = this.#work(job, abort, others).finally(() => {
      this.#running.delete(job.id)
      this.#wake()
    })
    this.#running.set(job.id, { job, abort, ended })
  }

  async #work(job: ClaimedJob, abort: AbortController, others: readonly Promise<void>[]): Promise<void> {
    const handler = this.#handlers.get(job.kind)
    if (handler === undefined) return
    const heartbeat = setInterval(() => void this.#extend(job, abort), this.#leaseMs / 3)
    try {
      await Promise.all(others)
      if (job.claims > this.#maxClaims) {
        throw new CrashedError(`The process ended ${this.#maxClaims} times while it worked on this, and got no further`)
      }
      abort.signal.throwIfAborted()
      await handler.run(new HeldJob(this.#storage, job, this.#leaseMs, abort.signal))
    } catch (error) {
      await this.#settle(job, handler, error, abort.signal).catch((failure: unknown) => {
        // The lease runs out, and the job is taken again.
        this.#telemetry.record({ name: 'jobs.settle.failed', level: 'error', error: failure })
      })
    } finally {
      clearInterval(heartbeat)
    }
  }

  async #extend(job: ClaimedJob, abort: AbortController): Promise<void> {
    try {
      const isHeld = await this.#storage.transaction(({ jobs }) => jobs.extend(job, this.#leaseMs))
      if (!isHeld) abort.abort(leaseLost(job))
    } catch (error) {
      this.#telemetry.record({ name: 'jobs.extend.failed', level: 'warn', error })
    }
  }

  async #settle(job: ClaimedJob, handler: JobHandler, error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted || error instanceof LeaseLostError) {
      await this.#storage.transaction(({ jobs }) => jobs.release(job, { delayMs: 0, failed: false }))
      return
    }
    const fields = { kind: job.kind, subject: job.subject, failures: job.failures + 1 }
    const isFinal = isPermanent(error) || job.failures + 1 >= this.#maxFailures
    this.#telemetry.record({ name: 'jobs.failed', level: isFinal ? 'error' : 'warn', fields, error })
    if (!isFinal) {
      const delayMs = this.#retryDelaysMs[Math.min(job.failures, this.#retryDelaysMs.length - 1)] ?? 0
      await this.#storage.transaction(({ jobs }) => jobs.release(job, { delayMs, failed: true }))
      return
    }
    await this.#storage.transaction(async (repositories) => {
      if (await repositories.jobs.complete(job)) await handler.fail(repositories, job.subject, error)
    })
    handler.failed?.(job.subject, error)
  }
}

interface RunningJob {
  readonly job: ClaimedJob
  readonly abort: AbortController
  readonly ended: Promise<void>
}

class HeldJob implements JobRun {
  readonly subject: number
  readonly signal: AbortSignal
  readonly #storage: Storage
  readonly #job: ClaimedJob
  readonly #leaseMs: number

  constructor(storage: Storage, job: ClaimedJob, leaseMs: number, signal: AbortSignal) {
    this.#storage = storage
    this.#job = job
    this.#leaseMs = leaseMs
    this.subject = job.subject
    this.signal = signal
  }

  async transaction<T>(
    work: (repositories: Repositories) => Promise<T>,
    options: { readonly isProgress?: boolean } = {},
  ): Promise<T> {
    return await this.#fenced(({ jobs }) => jobs.extend(this.#job, this.#leaseMs, options), work)
  }

  async complete<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    return await this.#fenced(({ jobs }) => jobs.complete(this.#job), work)
  }

  async #fenced<T>(
    hold: (repositories: Repositories) => Promise<boolean>,
    work: (repositories: Repositories) => Promise<T>,
  ): Promise<T> {
    this.signal.throwIfAborted()
    return await this.#storage.transaction(async (repositories) => {
      if (!(await hold(repositories))) throw leaseLost(this.#job)
      return await work(repositories)
    })
  }
}

function leaseLost(job: ClaimedJob): LeaseLostError {
  return new LeaseLostError(`the job ${job.id} is no longer held by this worker`)
}

function isSuspect(job: ClaimedJob): boolean {
  return job.claims > CLAIMS_IN_COMPANY
}

/** The engine's own errors know; anything else is taken for a passing fault. */
function isPermanent(error: unknown): boolean {
  return error instanceof AlcoveError && !error.isTransient
}

async function pause(ms: number, woken: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([woken, waited])
  clearTimeout(timer)
}
