import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { KnexStorage } from '../../../adapters/knex/index.js'
import { MemoryStorage, MemoryTelemetry } from '../../../adapters/memory/index.js'
import { JobWorker } from '../../../src/jobs/index.js'
import type { Storage } from '../../../src/ports/index.js'
import { DATABASES, type TestDatabase } from '../outbox/database.js'

const MONTH_MS = 30 * 86_400_000
const KINDS = ['test']

/** A storage whose clock can be set back. */
interface SteppedStorage {
  readonly storage: Storage
  /** Leaves the stored times as a clock that is set back by a month leaves them. */
  readonly setBack: () => Promise<void>
  readonly close: () => Promise<void>
}

const STORAGES = [
  ...DATABASES.map(({ name, open }) => ({
    name,
    open: async (): Promise<SteppedStorage> => {
      const database: TestDatabase = await open()
      const storage = new KnexStorage({ knex: database.knex, keepKnex: true })
      await storage.open()
      const later = (column: string) =>
        database.knex.raw('case when ?? = 0 then 0 else ?? + ? end', [column, column, MONTH_MS])
      return {
        storage,
        setBack: async () => {
          const times = { due_ms: later('due_ms'), lease_expires_ms: later('lease_expires_ms') }
          await database.knex('alcove_jobs').update(times)
        },
        close: async () => {
          await storage.close()
          await database.dispose()
        },
      }
    },
  })),
  {
    name: 'memory',
    open: async (): Promise<SteppedStorage> => ({
      storage: new MemoryStorage(),
      setBack: async () => {
        const now = Date.now.bind(Date)
        vi.spyOn(Date, 'now').mockImplementation(() => now() - MONTH_MS)
      },
      close: async () => undefined,
    }),
  },
]

// O11
describe.each(STORAGES)('a clock that is set back, on $name', ({ open }) => {
  let stepped: SteppedStorage
  let worker: JobWorker | undefined

  beforeEach(async () => {
    stepped = await open()
  })

  afterEach(async () => {
    await worker?.stop()
    vi.restoreAllMocks()
    await stepped.close()
  })

  it('lets no job wait for longer than its pause, and no lease last longer than it was given', async () => {
    const { storage, setBack } = stepped
    await storage.transaction(({ jobs }) => jobs.enqueue({ kind: 'test', subject: 1, lane: 1 }, { delayMs: 60_000 }))
    await storage.transaction(({ jobs }) => jobs.enqueue({ kind: 'test', subject: 2, lane: 2 }))
    await storage.transaction(({ jobs }) => jobs.claim({ kinds: KINDS, leaseMs: 30_000 }))
    expect(await storage.read(({ jobs }) => jobs.isAnyOverlong(KINDS))).toBe(false)
    await setBack()
    expect(await storage.read(({ jobs }) => jobs.isAnyOverlong(['other']))).toBe(false)
    expect(await storage.read(({ jobs }) => jobs.isAnyOverlong(KINDS))).toBe(true)
    await storage.transaction(({ jobs }) => jobs.boundWaits(KINDS))
    const waits = await storage.read(({ jobs }) => jobs.waiting(KINDS))
    const ofLane = (lane: number): number => waits.find((one) => one.lane === lane)?.dueInMs ?? -1
    expect(ofLane(1)).toBeGreaterThan(30_000)
    expect(ofLane(1)).toBeLessThanOrEqual(60_000)
    expect(ofLane(2)).toBeGreaterThan(5_000)
    expect(ofLane(2)).toBeLessThanOrEqual(30_000)
    expect(await storage.read(({ jobs }) => jobs.isHeld({ kind: 'test', subject: 2 }))).toBe(true)
    expect(await storage.read(({ jobs }) => jobs.isAnyOverlong(KINDS))).toBe(false)
  })

  it('runs a job that waits for its next attempt soon after a restart', async () => {
    const { storage, setBack } = stepped
    await storage.transaction(({ jobs }) => jobs.enqueue({ kind: 'test', subject: 7 }))
    const [claimed] = await storage.transaction(({ jobs }) => jobs.claim({ kinds: KINDS, leaseMs: 30_000 }))
    if (claimed === undefined) throw new Error('missing')
    await storage.transaction(({ jobs }) => jobs.release(claimed, { delayMs: 500, failed: true }))
    await setBack()
    const done = new Promise<number>((resolve) => {
      const handler = {
        kind: 'test',
        run: async (run: { readonly subject: number; complete(work: () => Promise<void>): Promise<void> }) => {
          await run.complete(async () => undefined)
          resolve(run.subject)
        },
        fail: async () => undefined,
      }
      worker = new JobWorker(storage, new MemoryTelemetry(), { handlers: [handler] })
      worker.start()
    })
    expect(await done).toBe(7)
  })
})
