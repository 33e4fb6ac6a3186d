import { expect, vi } from 'vitest'
import type { TestDatabase } from './database.js'
import { HookedStorage } from './hooked-storage.js'
import { HangingTransport, type OutboxEngine, outboxEngine } from './outbox-engine.js'

/** The longest wait for a step of a relay. */
export const WAIT = { timeout: 30_000, interval: 10 }

/** The relays of a test, on one database. */
export class RunningRelays {
  readonly #engines: OutboxEngine[] = []

  constructor(private readonly database: TestDatabase) {}

  async start(options: Parameters<typeof outboxEngine>[1] = {}): Promise<OutboxEngine> {
    const engine = await outboxEngine(options.storage ?? this.database.storage(), options)
    this.#engines.push(engine)
    return engine
  }

  /** Starts a relay with a request in progress, which claims nothing more. */
  async startHanging(): Promise<HangingTransport> {
    const hanging = new HangingTransport()
    let isPaused = false
    const storage = new HookedStorage(this.database.storage(), (call, go) => {
      // Without the second one, a look from before the pause could claim what is released after it.
      return isPaused && (call === 'jobs.waiting' || call === 'jobs.claim') ? [] : go()
    })
    const relay = await this.start({ httpTransport: hanging, storage })
    await relay.destinations(1)
    await relay.record()
    await vi.waitFor(() => expect(hanging.hanging).toBe(1), WAIT)
    isPaused = true
    return hanging
  }

  /** Closes the relays, and disposes of the database. */
  async close(): Promise<void> {
    await Promise.all(this.#engines.map(({ engine }) => engine.close()))
    await this.database.dispose()
  }
}
