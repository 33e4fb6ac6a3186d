import type { JobHandler } from './job-handler.js'

export interface JobWorkerOptions {
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
export function withDefaults(options: JobWorkerOptions): Required<JobWorkerOptions> {
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
