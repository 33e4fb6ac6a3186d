import type { ClaimedJob } from '../ports/index.js'

/** Shortest delay before a poison job that cannot start is claimed a second time. */
const MIN_DELAY_MS = 1_000

interface PoisonJobOptions {
  readonly maxClaims: number
  readonly maxSharedClaims: number
  readonly poisonStartDelaysMs: readonly number[]
}

/**
 * Rules for poison jobs: jobs that were claimed several times without progress, so that each may have crashed the
 * process. A poison job runs alone, and all of them together take at most half of the time. The more often it was
 * claimed, the longer a new process waits before it starts the job. A process that ends before that was not crashed by
 * the job.
 */
export class PoisonJobs {
  #workerStartedAt = performance.now()
  #nextStartAt = -Infinity

  constructor(private readonly options: PoisonJobOptions) {}

  /** Call this when the worker starts. */
  start(): void {
    this.#workerStartedAt = performance.now()
  }

  includes({ claims }: ClaimedJob): boolean {
    return claims > this.options.maxSharedClaims
  }

  /** True for a job that has crashed too many processes: it fails without another run. */
  isHopeless({ claims }: ClaimedJob): boolean {
    return claims > this.options.maxClaims
  }

  canStart(job: ClaimedJob): boolean {
    return this.#waitMs(job) <= 0
  }

  /** Milliseconds until the next claim of a job that cannot start now. */
  delayMs(job: ClaimedJob): number {
    return Math.max(MIN_DELAY_MS, Math.ceil(this.#waitMs(job)))
  }

  /** Delays the next poison job by the time that this run takes: other jobs must not wait for a long row of them. */
  trackRun(finished: Promise<void>): void {
    const startedAt = performance.now()
    void finished.then(() => {
      const finishedAt = performance.now()
      this.#nextStartAt = finishedAt + (finishedAt - startedAt)
    })
  }

  #waitMs(job: ClaimedJob): number {
    // A hopeless job does not run, so it does not wait.
    if (this.isHopeless(job)) return 0
    const { poisonStartDelaysMs, maxSharedClaims } = this.options
    const index = Math.min(job.claims - maxSharedClaims, poisonStartDelaysMs.length) - 1
    const startDelayMs = poisonStartDelaysMs[index] ?? 0
    return Math.max(this.#nextStartAt, this.#workerStartedAt + startDelayMs) - performance.now()
  }
}
