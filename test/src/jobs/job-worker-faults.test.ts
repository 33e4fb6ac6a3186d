import { afterEach, describe, expect, it, vi } from 'vitest'
import { MemoryStorage, MemoryTelemetry } from '../../../adapters/memory/index.js'
import { type JobHandler, JobWorker } from '../../../src/jobs/index.js'
import { StorageError, StorageFullError } from '../../../src/kernel/errors.js'
import { type Hook, HookedStorage } from '../outbox/hooked-storage.js'

type Options = Partial<Omit<ConstructorParameters<typeof JobWorker>[2], 'handlers'>>

const workers: JobWorker[] = []

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
})

/** A storage in which a test makes calls fail, a job in it, and a worker. */
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
    /** Claims every job, and crashes. */
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

describe('a job whose process crashed', () => {
  const DELAYED = { maxClaims: 4, maxSharedClaims: 1, poisonStartDelaysMs: [200, 600] }

  it('waits longer after each crash before it starts; other jobs do not wait', async () => {
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
    expect([...at.keys()]).toEqual([2, 1])
    expect(at.get(1)).toBeGreaterThanOrEqual(195)
  })

  it('is not blamed for processes that are stopped before they run it', async () => {
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

  it('fails at once after too many crashes', async () => {
    const { enqueue, crash, start } = setUp(DELAYED)
    await enqueue(1)
    await crash(4)
    const failures: unknown[] = []
    const ran = vi.fn()
    start({ run: async () => void ran(), fail: async (_repositories, _subject, error) => void failures.push(error) })
    await vi.waitFor(() => expect(failures).toMatchObject([{ code: 'ERR_CRASHED' }]), { timeout: 400 })
    expect(ran).not.toHaveBeenCalled()
  })

  it('is advised to record progress soon', async () => {
    const { enqueue, crash, start } = setUp()
    await enqueue(1)
    await crash(1)
    const repeated: boolean[] = []
    const worker = start({
      run: async (run) => {
        repeated.push(run.isRepeated)
        await run.complete(async () => undefined)
      },
    })
    await enqueue(2)
    await worker.whenIdle()
    expect(repeated.sort()).toEqual([false, true])
  })
})

/** True for each call that renews a lease. */
function isHeartbeat(call: string): boolean {
  return call === 'jobs.extend' || call === 'jobs.extendAll'
}

describe('a database that is unavailable', () => {
  const away = new StorageError('another process has locked the database for too long', { isTransient: true })

  it('for longer than a lease lets the run continue under its next claim, and starts no second run', async () => {
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

  it('during the record of a failure delays that record, and does not count as a crash', async () => {
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

  it('delays a job for any length of time, and does not count as a failure of the job', async () => {
    const { enqueue, start } = setUp({ maxFailures: 2, retryDelaysMs: [0], pollMs: 20 })
    await enqueue(1)
    const failed = vi.fn()
    let times = 0
    const worker = start({
      run: async (run) => {
        times += 1
        if (times <= 2) throw full
        // The job may still fail once.
        if (times === 3) throw new Error('a hiccup')
        await run.complete(async () => undefined)
      },
      failed,
    })
    await vi.waitFor(async () => expect(await worker.whenIdle()).toBe('done'), { timeout: 20_000 })
    expect(times).toBe(4)
    expect(failed).not.toHaveBeenCalled()
  })

  it('does not delay the end of a wait for all jobs, once all have tried', async () => {
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
    // A later job is tried before the waiting caller gets an answer.
    await enqueue(4)
    worker.wake()
    expect(await worker.whenIdle()).toBe('full')
    expect(tried).toContain(4)
  })

  it('that also refuses the outcome of a job delays no waiting caller, and loses no job', async () => {
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

  it('that refuses even a claim delays no waiting caller for long', async () => {
    const { interfere, enqueue, start } = setUp({ pollMs: 20, maxSpaceWaitMs: 500 })
    await enqueue(1)
    interfere((call, go) => {
      if (call === 'jobs.claim') throw full
      return go()
    })
    const worker = start({ run: async () => undefined })
    expect(await worker.whenIdle()).toBe('full')
  })

  it('stops the worker from trying one job after the other', async () => {
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

describe('work without a limit of failures', () => {
  it('is retried after any error, and a caller can wait for it', async () => {
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
