import type { ClaimedJob } from '../ports/index.js'

/** Shortest time after which a suspect that cannot begin is looked at again. */
const PAUSE_MS = 1_000

interface SuspectsOptions {
  readonly maxClaims: number
  readonly maxClaimsInCompany: number
  readonly quietMs: readonly number[]
}

/**
 * Jobs that were taken often without progress: each may be what ended the process. They run alone, take half of
 * the time at most, and begin the later in the life of a process the oftener it was ended: one that dies before
 * that was not ended by them.
 */
export class Suspects {
  readonly #options: SuspectsOptions
  #startedAt = performance.now()
  #nextAt = -Infinity

  constructor(options: SuspectsOptions) {
    this.#options = options
  }

  /** The worker's life begins. */
  start(): void {
    this.#startedAt = performance.now()
  }

  includes({ claims }: ClaimedJob): boolean {
    return claims > this.#options.maxClaimsInCompany
  }

  /** Whether it is to be given up: it has ended too many processes. */
  isLost({ claims }: ClaimedJob): boolean {
    return claims > this.#options.maxClaims
  }

  mayBegin(job: ClaimedJob): boolean {
    return this.#waitMs(job) <= 0
  }

  /** Milliseconds after which one that may not begin is to be taken again. */
  delayMs(job: ClaimedJob): number {
    return Math.max(PAUSE_MS, Math.ceil(this.#waitMs(job)))
  }

  /** One has begun: what is no suspect must not wait for a long row of them. */
  began(ended: Promise<void>): void {
    const beganAt = performance.now()
    void ended.then(() => {
      const endedAt = performance.now()
      this.#nextAt = endedAt + (endedAt - beganAt)
    })
  }

  #waitMs(job: ClaimedJob): number {
    // Nothing runs then.
    if (this.isLost(job)) return 0
    const { quietMs, maxClaimsInCompany } = this.#options
    const quiet = quietMs[Math.min(job.claims - maxClaimsInCompany, quietMs.length) - 1] ?? 0
    return Math.max(this.#nextAt, this.#startedAt + quiet) - performance.now()
  }
}
