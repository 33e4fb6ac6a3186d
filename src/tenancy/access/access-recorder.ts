import type { Clock, Storage, Telemetry } from '../../ports/index.js'

const FLUSH_AFTER_MS = 500

/**
 * Records the time of the latest request under each permission. It collects the times of half a second and writes them
 * together, because a write for every request would cost more than most requests.
 */
export class AccessRecorder {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #telemetry: Telemetry
  /** Times (ISO 8601) by permission id. */
  #pending = new Map<number, string>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(storage: Storage, clock: Clock, telemetry: Telemetry) {
    this.#storage = storage
    this.#clock = clock
    this.#telemetry = telemetry
  }

  record(permissionId: number): void {
    this.#pending.set(permissionId, this.#clock.now().toISOString())
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_AFTER_MS)
  }

  /** Writes the pending times. Reports a failure to telemetry only, because no request depends on it. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#pending.size === 0) return
    const pending = this.#pending
    this.#pending = new Map()
    try {
      await this.#storage.transaction(async ({ permissions }) => {
        for (const [id, lastAccess] of pending) await permissions.touch(id, lastAccess)
      })
    } catch (error) {
      this.#telemetry.record({ name: 'tenancy.access.unrecorded', level: 'warn', error })
    }
  }
}
