import type { ClaimedJob, NewJob, Storage, Telemetry } from '../ports/index.js'
import { AlcoveError, CrashedError, LeaseLostError } from '../shared/errors.js'
import { FairShares } from './fair-shares.js'
import { GroupCommit } from './group-commit.js'
import { HeldJob, leaseLost, type Transact } from './held-job.js'
import type { JobHandler } from './job-handler.js'
import { type JobWorkerOptions, withDefaults } from './job-worker-options.js'

const IDLE_POLL_MS = 20
const SUSPECT_PAUSE_MS = 1_000

/**
 * Takes jobs by lease, keeps the lease alive while they run, and tries again
 * what failed for a passing reason. Any number of workers may share a storage.
 */
export class JobWorker {
  readonly #storage: Storage
  readonly #telemetry: Telemetry
  readonly #handlers: ReadonlyMap<string, JobHandler>
  readonly #options: Required<JobWorkerOptions>
  readonly #transact: Transact
  readonly #running = new Set<RunningJob>()
  readonly #fairShares = new FairShares()
  #nextSuspectAt = -Infinity
  #stopping: AbortController | undefined
  #lastClaimAt = -Infinity
  #loop: Promise<void> | undefined
  #wake: () => void = () => undefined

  constructor(storage: Storage, telemetry: Telemetry, options: JobWorkerOptions) {
    this.#storage = storage
    this.#telemetry = telemetry
    this.#handlers = new Map(options.handlers.map((handler) => [handler.kind, handler]))
    this.#options = withDefaults(options)
    const group = this.#options.isGrouped ? new GroupCommit(storage) : storage
    this.#transact = async (work) => await group.transaction(work)
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

  /** Takes no more jobs; aborts and gives back those that do not end in time. */
  async stop(): Promise<void> {
    this.#stopping?.abort()
    this.#wake()
    await this.#loop
    await this.#drain()
    for (const { abort } of this.#running) abort.abort(new LeaseLostError('the worker stops'))
    await Promise.all([...this.#running].map(({ ended }) => ended))
    this.#loop = undefined
  }

  /** Aborts a job that runs here: it was cancelled. */
  abandon({ kind, subject }: NewJob): void {
    for (const { job, abort } of this.#running) {
      if (job.kind === kind && job.subject === subject) abort.abort(leaseLost(job))
    }
  }

  async #drain(): Promise<void> {
    if (this.#options.drainMs === 0) return
    const ended = Promise.all([...this.#running].map(({ ended }) => ended))
    await pause(
      this.#options.drainMs,
      ended.then(() => undefined),
    )
  }

  /** Resolves once none of this worker's jobs is due or running. */
  async whenIdle(): Promise<void> {
    const kinds = [...this.#handlers.keys()]
    for (;;) {
      await Promise.all([...this.#running].map(({ ended }) => ended))
      const waiting = await this.#storage.read(({ jobs }) => jobs.waiting(kinds))
      if (waiting.every(({ dueInMs }) => dueInMs > 0) && this.#running.size === 0) return
      this.#wake()
      await pause(IDLE_POLL_MS)
    }
  }

  async #run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      // Made before looking: a call to wake while looking is not lost. `stop` wakes too.
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      const waitMs = this.#isFull ? this.#options.pollMs : await this.#take(stopping)
      if (waitMs > 0) await pause(Math.min(waitMs, this.#options.pollMs), woken)
    }
  }

  get #isFull(): boolean {
    return this.#running.size >= this.#options.concurrency || [...this.#running].some(({ job }) => this.#isSuspect(job))
  }

  /** A job that was taken often without progress may be what ended the process. */
  #isSuspect(job: ClaimedJob): boolean {
    return job.claims > this.#options.maxClaimsInCompany
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
      const leaseMs = this.#options.leaseMs
      const claimed = await this.#storage.transaction(({ jobs }) => jobs.claim({ kinds, leaseMs, lanes }))
      for (const job of claimed) if (!this.#isSuspect(job)) void this.#begin(job)
      await this.#beginSuspect(claimed.filter((job) => this.#isSuspect(job)))
      this.#lastClaimAt = performance.now()
      return claimed.length === 0 ? this.#options.pollMs : 0
    } catch (error) {
      this.#telemetry.record({ name: 'jobs.claim.failed', level: 'error', error })
      return this.#options.pollMs
    }
  }

  /**
   * Begins one suspect, after those that run; the others go back. Suspects take half of the time at most:
   * what is none must not wait for a long row of them.
   */
  async #beginSuspect(suspects: readonly ClaimedJob[]): Promise<void> {
    const now = performance.now()
    const first = now < this.#nextSuspectAt ? undefined : suspects[0]
    if (first !== undefined) {
      const ended = this.#begin(first)
      void ended.then(() => {
        const endedAt = performance.now()
        this.#nextSuspectAt = endedAt + (endedAt - now)
      })
    }
    const others = suspects.filter((job) => job !== first)
    if (others.length === 0) return
    const delayMs = Math.max(SUSPECT_PAUSE_MS, Math.ceil(this.#nextSuspectAt - now))
    await this.#storage.transaction(async ({ jobs }) => {
      for (const job of others) await jobs.release(job, { delayMs, failed: false })
    })
  }

  #begin(job: ClaimedJob): Promise<void> {
    // Its lease ran out while it was under way here: it begins anew.
    for (const before of this.#running) if (before.job.id === job.id) before.abort.abort(leaseLost(job))
    const abort = new AbortController()
    const others = this.#isSuspect(job) ? [...this.#running].map(({ ended }) => ended) : []
    const ended = this.#work(job, abort, others).finally(() => {
      this.#running.delete(running)
      this.#wake()
    })
    const running: RunningJob = { job, abort, ended }
    this.#running.add(running)
    return ended
  }

  async #work(job: ClaimedJob, abort: AbortController, others: readonly Promise<void>[]): Promise<void> {
    const handler = this.#handlers.get(job.kind)
    if (handler === undefined) return
    const heartbeat = setInterval(() => void this.#extend(job, abort), this.#options.leaseMs / 3)
    try {
      await Promise.all(others)
      if (job.claims > this.#options.maxClaims) {
        throw new CrashedError(
          `The process ended ${this.#options.maxClaims} times while it worked on this, and got no further`,
        )
      }
      abort.signal.throwIfAborted()
      await handler.run(new HeldJob(this.#transact, job, this.#options.leaseMs, abort.signal))
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
      const isHeld = await this.#storage.transaction(({ jobs }) => jobs.extend(job, this.#options.leaseMs))
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
    const isFinal = isPermanent(error) || job.failures + 1 >= this.#options.maxFailures
    this.#telemetry.record({ name: 'jobs.failed', level: isFinal ? 'error' : 'warn', fields, error })
    if (!isFinal) {
      const delayMs = this.#options.retryDelaysMs[Math.min(job.failures, this.#options.retryDelaysMs.length - 1)] ?? 0
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

/** The engine's own errors know; anything else is taken for a passing fault. */
function isPermanent(error: unknown): boolean {
  return error instanceof AlcoveError && !error.isTransient
}

async function pause(ms: number, woken: Promise<void> = new Promise(() => undefined)): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([woken, waited])
  clearTimeout(timer)
}
