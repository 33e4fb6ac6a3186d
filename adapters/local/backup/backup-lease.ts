import { BackupFailedError, BackupRunningError } from '../../../src/index.js'
import { BACKUP_JOB, type ClaimedJob, type Storage } from '../../../src/ports/index.js'

/** How long files, vectors and words are kept after the last sign of life of whoever copies them. */
const LEASE_MS = 20_000
const BEAT_MS = LEASE_MS / 4

/**
 * Keeps files, vectors and words of a data folder in their place while they are copied: whoever clears away waits. It
 * runs out by itself when its process dies. One at a time.
 */
export class BackupLease {
  readonly #storage: Storage
  readonly #job: ClaimedJob
  readonly #lost = new AbortController()
  readonly #heartbeat: ReturnType<typeof setInterval>

  private constructor(storage: Storage, job: ClaimedJob) {
    this.#storage = storage
    this.#job = job
    this.#heartbeat = setInterval(() => {
      // A database that is busy is asked again; the end is told by `confirm` in any case.
      this.confirm().catch(() => undefined)
    }, BEAT_MS)
  }

  /** @throws BackupRunningError where somebody holds it */
  static async take(storage: Storage): Promise<BackupLease> {
    const [job] = await storage.transaction(async ({ jobs }) => {
      await jobs.enqueue(BACKUP_JOB)
      return await jobs.claim({ kinds: [BACKUP_JOB.kind], leaseMs: LEASE_MS })
    })
    if (job !== undefined) return new BackupLease(storage, job)
    throw new BackupRunningError(
      `another backup of this folder is being made: wait for its end, or where it was killed, ${LEASE_MS / 1_000} seconds`,
    )
  }

  /** Aborted when it is lost. */
  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /** @throws BackupFailedError where it ran out in between, so that what was to be copied may be gone */
  async confirm(): Promise<void> {
    const isHeld = await this.#storage.transaction(
      async ({ jobs }) => (await jobs.isHeld(BACKUP_JOB)) && (await jobs.extend(this.#job, LEASE_MS)),
    )
    if (!isHeld) this.#lost.abort(lost())
    this.#lost.signal.throwIfAborted()
  }

  async release(): Promise<void> {
    clearInterval(this.#heartbeat)
    // What fails here runs out by itself.
    await this.#storage.transaction(({ jobs }) => jobs.complete(this.#job)).catch(() => undefined)
  }
}

function lost(): BackupFailedError {
  return new BackupFailedError(
    `the backup stood still for more than ${LEASE_MS / 1_000} seconds, so that what it copies may have been removed: make it again`,
  )
}
