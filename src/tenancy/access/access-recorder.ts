import type { Clock, Storage, Telemetry } from '../../ports/index.js'

const FLUSH_AFTER_MS = 500

/**
 * Notes the latest request under each permission. A write for every request would
 * cost more than most requests: what is noted is written half a second later, together.
 */
export class AccessRecorder {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #telemetry: Telemetry
  #noted = new Map<number, string>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(storage: Storage, clock: Clock, telemetry: Telemetry) {
    this.#storage = storage
    this.#clock = clock
    this.#telemetry = telemetry
  }

  note(permissionId: number): void {
    this.#noted.set(permissionId, this.#clock.now().toISOString())
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_AFTER_MS)
  }

  /** Writes what is noted. A failure is told to telemetry: no request depends on it. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#noted.size === 0) return
    const noted = this.#noted
    this.#noted = new Map()
    try {
      await this.#storage.transaction(async ({ permissions }) => {
        for (const [id, lastAccess] of noted) await permissions.touch(id, lastAccess)
      })
    } catch (error) {
      this.#telemetry.record({ name: 'tenancy.access.unrecorded', level: 'warn', error })
    }
  }
}
