import { afterEach, describe, expect, it, vi } from 'vitest'
import { MemoryStorage, MemoryTelemetry } from '../../adapters/memory/index.js'
import { type JobHandler, JobWorker } from '../../src/jobs/index.js'
import { StorageError, StorageFullError } from '../../src/kernel/errors.js'
import { type Hook, HookedStorage } from '../outbox/hooked-storage.js'
import { WALL_CLOCK } from '../wall-clock.js'

type Options = Partial<Omit<ConstructorParameters<typeof JobWorker>[2], 'handlers'>>

const workers: JobWorker[] = []

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
})

/** A storage whose calls a test may fail, a job in it, and a worker. */
function setUp(options: Options = {}) {
  const inner = new MemoryStorage()
  let hook: Hook = (_call, go) => go()
  const storage = new HookedStorage(inner, (call, go) => hook(call, go))
  return {
    storage: inner,
    interfere: (next: Hook): void => {
      hook = next
    },
    enqueue: async (...subjects: readonly number[]): Promise<void> => {
      await inner.transaction(({ jobs }) => jobs.enqueueAll(subjects.map((subject) => ({ kind: 'test', subject }))))
    },
    /** Takes everything, and dies. */
    crash: async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        await inner.transaction(async ({ jobs }) => {
          await jobs.claim({ kinds: ['test'], leaseMs: 60_000, lanes: [{ lane: 0, most: 100 }] })
          await jobs.releaseAll()
        })
      }
    },
    start: (handler: Partial<JobHandler> & Pick<JobHandler, 'run'>): JobWorker => {
      const complete: JobHandler = { kind: 'test', fail: async () => undefined, ...handler }
      const worker = new JobWorker(storage, new MemoryTelemetry(), { handlers: [complete], ...options })
      workers.push(worker)
      worker.start()
      return worker
    },
  }
}

async function claimsOf(storage: MemoryStorage): Promise<number | undefined> {
  const [job] = await storage.transaction(({ jobs }) => jobs.claim({ kinds: ['test'], leaseMs: 1_000 }))
  return job?.claims
}

describe('a job that may have ended the process', () => {
  const DELAYED = { maxClaims: 4, maxSharedClaims: 1, poisonStartDelaysMs: [200, 600] }

  it('waits the longer in the life of a process the oftener it was taken; others do not', WALL_CLOCK, async () => {
    const { enqueue, crash, start } = setUp({ ...DELAYED, concurrency: 2 })
    await enqueue(1)
    await crash(1)
    await enqueue(2)
    const began = performance.now()
    const at = new Map<number, number>()
    start({
      run: async (run) => {
        at.set(run.subject, performance.now() - began)
        await run.complete(async () => undefined)
      },
    })
    await vi.waitFor(() => expect(at.size).toBe(2), { timeout: 5_000 })
    expect(at.get(2)).toBeLessThan(190)
    expect(at.get(1)).toBeGreaterThanOrEqual(195)
  })

  it('is not blamed by processes that somebody else ends before they have taken it', async () => {
    const { storage, enqueue, crash, start } = setUp(DELAYED)
    await enqueue(1)
    await crash(2)
    const ran = vi.fn()
    for (let life = 0; life < 10; life += 1) {
      const worker = start({ run: async () => void ran() })
      await new Promise((resolve) => setTimeout(resolve, 50))
      await worker.stop()
    }
    expect(ran).not.toHaveBeenCalled()
    await vi.waitFor(async () => expect(await claimsOf(storage)).toBe(3), { timeout: 5_000 })
  })

  it('is given up at once where it has ended too many', async () => {
    const { enqueue, crash, start } = setUp(DELAYED)
    await enqueue(1)
    await crash(4)
    const failures: unknown[] = []
    const ran = vi.fn()
    start({ run: async () => void ran(), fail: async (_repositories, _subject, error) => void failures.push(error) })
    await vi.waitFor(() => expect(failures).toMatchObject([{ code: 'ERR_CRASHED' }]), { timeout: 400 })
    expect(ran).not.toHaveBeenCalled()
  })

  it('is told that it should record progress soon', async () => {
    const { enqueue, crash, start } = setUp()
    await enqueue(1)
    await crash(1)
    const told: boolean[] = []
    const worker = start({
      run: async (run) => {
        told.push(run.isRepeated)
        await run.complete(async () => undefined)
      },
    })
    await enqueue(2)
    await worker.whenIdle()
    expect(told.sort()).toEqual([false, true])
  })
})

/** And whatever else keeps a lease. */
function isHeartbeat(call: string): boolean {
  return call === 'jobs.extend' || call === 'jobs.extendAll'
}

describe('a database that is away', () => {
  const away = new StorageError('another process has locked the database for too long', { isTransient: true })

  it('for longer than a lease: the run goes on under its next claim, and is not begun twice', async () => {
    const { storage, interfere, enqueue, start } = setUp({ leaseMs: 60, concurrency: 2, pollMs: 20 })
    let heartbeats = 0
    interfere((call, go) => {
      if (!isHeartbeat(call)) return go()
      heartbeats += 1
      throw away
    })
    await enqueue(1)
    const began = vi.fn()
    const worker = start({
      run: async (run) => {
        began()
        await new Promise((resolve) => setTimeout(resolve, 400))
        run.signal.throwIfAborted()
        interfere((_call, go) => go())
        await run.complete(({ settings }) => settings.put('done', 'yes'))
      },
    })
    await worker.whenIdle()
    expect(began).toHaveBeenCalledOnce()
    expect(heartbeats).toBeGreaterThan(3)
    expect(await storage.read(({ settings }) => settings.get('done'))).toBe('yes')
  })

  it('when a failure is to be recorded: it is recorded later, and does not look like a crash', async () => {
    const { storage, interfere, enqueue, start } = setUp({ leaseMs: 100, retryDelaysMs: [60_000], pollMs: 20 })
    let refused = 0
    interfere((call, go) => {
      if ((call === 'jobs.release' || isHeartbeat(call)) && refused < 4) {
        refused += 1
        throw away
      }
      return go()
    })
    await enqueue(1)
    const ran = vi.fn()
    start({
      run: async () => {
        ran()
        throw new Error('a hiccup')
      },
    })
    await vi.waitFor(async () => {
      const [lane] = await storage.read(({ jobs }) => jobs.waiting(['test']))
      expect(lane?.dueInMs).toBeGreaterThan(50_000)
    })
    expect(refused).toBe(4)
    expect(ran).toHaveBeenCalledOnce()
  })
})

describe('a full disk', () => {
  const full = new StorageFullError('the disk is full')

  it('is waited for, however long it is full; it is no failure of the job', async () => {
    const { enqueue, start } = setUp({ maxFailures: 2, retryDelaysMs: [0], pollMs: 20 })
    await enqueue(1)
    const failed = vi.fn()
    let times = 0
    const worker = start({
      run: async (run) => {
        times += 1
        if (times <= 2) throw full
        // One failure is left to it still.
        if (times === 3) throw new Error('a hiccup')
        await run.complete(async () => undefined)
      },
      failed,
    })
    await vi.waitFor(async () => expect(await worker.whenIdle()).toBe('done'), { timeout: 20_000 })
    expect(times).toBe(4)
    expect(failed).not.toHaveBeenCalled()
  })

  it('is not waited for by who waits for all jobs, once all have tried', async () => {
    const { storage, enqueue, start } = setUp({ pollMs: 20, isPausedByFullDisk: false })
    await enqueue(1, 2, 3)
    const tried = new Set<number>()
    const worker = start({
      run: async (run) => {
        tried.add(run.subject)
        throw full
      },
    })
    expect(await worker.whenIdle()).toBe('full')
    expect(tried).toEqual(new Set([1, 2, 3]))
    expect(await storage.read(({ jobs }) => jobs.subjects('test', { after: 0, limit: 9 }))).toEqual([1, 2, 3])
    // One that comes later is tried before anybody is told.
    await enqueue(4)
    worker.wake()
    expect(await worker.whenIdle()).toBe('full')
    expect(tried).toContain(4)
  })

  it('where what came of a job cannot be recorded either: nobody waits for that, and it is not lost', async () => {
    const { interfere, enqueue, start } = setUp({ pollMs: 20, leaseMs: 500 })
    await enqueue(1)
    let isFull = true
    interfere((call, go) => {
      if (isFull && (call === 'jobs.release' || isHeartbeat(call))) throw full
      return go()
    })
    const done: number[] = []
    const worker = start({
      run: async (run) => {
        if (isFull) throw full
        await run.complete(async () => void done.push(run.subject))
      },
    })
    expect(await worker.whenIdle()).toBe('full')
    isFull = false
    await vi.waitFor(() => expect(done).toEqual([1]), { timeout: 20_000 })
    expect(await worker.whenIdle()).toBe('done')
  })

  it('where not even a job can be taken: nobody waits for long', async () => {
    const { interfere, enqueue, start } = setUp({ pollMs: 20 })
    await enqueue(1)
    interfere((call, go) => {
      if (call === 'jobs.claim') throw full
      return go()
    })
    const worker = start({ run: async () => undefined })
    expect(await worker.whenIdle()).toBe('full')
  })

  it('is not tried again by one job after the other', async () => {
    const { enqueue, start } = setUp({ pollMs: 20 })
    await enqueue(...Array.from({ length: 50 }, (_, subject) => subject))
    const ran = vi.fn()
    start({
      run: async () => {
        ran()
        throw full
      },
    })
    await new Promise((resolve) => setTimeout(resolve, 800))
    expect(ran).toHaveBeenCalledOnce()
  })
})

describe('work that must be done in the end', () => {
  it('is tried again after any error, and waited for', async () => {
    const { enqueue, start } = setUp({ maxFailures: Infinity, retryDelaysMs: [10], pollMs: 10 })
    await enqueue(1)
    let times = 0
    const fail = vi.fn(async () => undefined)
    const worker = start({
      run: async (run) => {
        times += 1
        if (times < 8) throw new StorageError('the disk is read-only', { isTransient: false })
        await run.complete(async () => undefined)
      },
      fail,
    })
    await worker.whenIdle()
    expect(times).toBe(8)
    expect(fail).not.toHaveBeenCalled()
  })
})
