import { BackupFailedError, BackupRunningError } from '../../../src/index.js'
import { BACKUP_JOB, type ClaimedJob, type Storage } from '../../../src/ports/index.js'

/** The time for which engines keep deleted files, vectors and words after the last heartbeat of the backup. */
const LEASE_MS = 20_000
const HEARTBEAT_MS = LEASE_MS / 4

/**
 * Stops engines from removing files, vectors and words while a backup copies them. Only one backup has it at a time.
 * It expires by itself after its process dies.
 */
export class BackupLease {
  readonly #lost = new AbortController()
  readonly #heartbeat: ReturnType<typeof setInterval>

  private constructor(
    private readonly storage: Storage,
    private readonly job: ClaimedJob,
  ) {
    this.#heartbeat = setInterval(() => {
      // If the database is busy, the next heartbeat retries. The last `confirm` reports a lost lease in any case.
      this.confirm().catch(() => undefined)
    }, HEARTBEAT_MS)
  }

  /** @throws BackupRunningError if another backup has it */
  static async take(storage: Storage): Promise<BackupLease> {
    const [job] = await storage.transaction(async ({ jobs }) => {
      await jobs.enqueue(BACKUP_JOB)
      return await jobs.claim({ kinds: [BACKUP_JOB.kind], leaseMs: LEASE_MS })
    })
    if (job !== undefined) return new BackupLease(storage, job)
    throw new BackupRunningError(
      `another backup of this folder runs: wait until it ends; if it was killed, wait ${LEASE_MS / 1_000} seconds`,
    )
  }

  /** Aborted when the lease is lost. */
  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /** @throws BackupFailedError if the lease expired: engines may have removed data that is not copied yet */
  async confirm(): Promise<void> {
    const isHeld = await this.storage.transaction(
      async ({ jobs }) => (await jobs.isHeld(BACKUP_JOB)) && (await jobs.extend(this.job, LEASE_MS)),
    )
    if (!isHeld) this.#lost.abort(leaseLost())
    this.#lost.signal.throwIfAborted()
  }

  async release(): Promise<void> {
    clearInterval(this.#heartbeat)
    // If this fails, the lease expires by itself.
    await this.storage.transaction(({ jobs }) => jobs.complete(this.job)).catch(() => undefined)
  }
}

function leaseLost(): BackupFailedError {
  return new BackupFailedError(
    `the backup paused for more than ${LEASE_MS / 1_000} seconds, and engines may have removed data in that time: retry the backup`,
  )
}
