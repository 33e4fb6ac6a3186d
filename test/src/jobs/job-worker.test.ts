import { afterEach, describe, expect, it, vi } from 'vitest'
import { MemoryStorage, MemoryTelemetry } from '../../../adapters/memory/index.js'
import { type JobHandler, type JobRun, JobWorker } from '../../../src/jobs/index.js'
import { InvalidInputError, LeaseLostError } from '../../../src/kernel/errors.js'

const workers: JobWorker[] = []

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
})

describe('a job worker', () => {
  it('runs a job once, and removes it', async () => {
    const { storage, enqueue, start } = setUp()
    const done: number[] = []
    start({ run: async (run) => run.complete(async () => void done.push(run.subject)) })
    await enqueue(1)
    await enqueue(2)
    await vi.waitFor(() => {
      expect(done).toEqual([1, 2])
    })
    expect(await storage.read(({ jobs }) => jobs.waiting(['test']))).toEqual([])
  })

  it('claims a job that another process wrote, within a second', async () => {
    const { storage, start } = setUp()
    const done: number[] = []
    start({ run: async (run) => run.complete(async () => void done.push(run.subject)) })
    await new Promise((resolve) => setTimeout(resolve, 50))
    await storage.transaction(({ jobs }) => jobs.enqueue({ kind: 'test', subject: 9 }))
    await vi.waitFor(
      () => {
        expect(done).toEqual([9])
      },
      { timeout: 1_200 },
    )
  })

  it('retries after a transient error', async () => {
    const { enqueue, start } = setUp()
    let attempts = 0
    const failures: unknown[] = []
    start({
      run: async (run) => {
        attempts += 1
        if (attempts === 1) throw new Error('a hiccup')
        await run.complete(async () => undefined)
      },
      fail: async (_repositories, _subject, error) => void failures.push(error),
    })
    await enqueue(1)
    await vi.waitFor(() => {
      expect(attempts).toBe(2)
    }, 3_000)
    expect(failures).toEqual([])
  })

  it('records a permanent failure at once', async () => {
    const { storage, enqueue, start } = setUp()
    const failed: number[] = []
    let attempts = 0
    start({
      run: async () => {
        attempts += 1
        throw new InvalidInputError('file', 'is no file')
      },
      fail: async ({ settings }, subject) => settings.put('failed', String(subject)),
      failed: (subject) => failed.push(subject),
    })
    await enqueue(4)
    await vi.waitFor(() => {
      expect(failed).toEqual([4])
    })
    expect(attempts).toBe(1)
    expect(await storage.read(({ settings }) => settings.get('failed'))).toBe('4')
    expect(await storage.read(({ jobs }) => jobs.waiting(['test']))).toEqual([])
  })

  it('abandons a job whose transient error continues', async () => {
    const { enqueue, start } = setUp({ maxFailures: 2 })
    const failures: unknown[] = []
    start({
      run: async () => {
        throw new Error('still broken')
      },
      fail: async (_repositories, _subject, error) => void failures.push(error),
    })
    await enqueue(1)
    await vi.waitFor(() => {
      expect(failures).toHaveLength(1)
    }, 4_000)
  })

  it('abandons a job that crashes every process that claims it, and runs it alone before that', async () => {
    const { storage, enqueue, start } = setUp({ maxClaims: 3, concurrency: 2 })
    await enqueue(1)
    const crash = async (): Promise<void> => {
      await storage.transaction(async ({ jobs }) => {
        await jobs.claim({ kinds: ['test'], leaseMs: 60_000 })
        await jobs.releaseAll()
      })
    }
    for (let time = 0; time < 2; time += 1) await crash()
    await enqueue(2)
    const running = new Set<number>()
    const company: number[] = []
    const worker = start({
      run: async (run) => {
        running.add(run.subject)
        company.push(running.size)
        await new Promise((resolve) => setTimeout(resolve, 30))
        running.delete(run.subject)
        await run.complete(async () => undefined)
      },
    })
    await vi.waitFor(async () => {
      expect(await storage.read(({ jobs }) => jobs.waiting(['test']))).toEqual([])
    })
    expect(company).toEqual([1, 1])
    await worker.stop()

    const failures: unknown[] = []
    const ran = vi.fn()
    await enqueue(3)
    for (let time = 0; time < 3; time += 1) await crash()
    start({ run: ran, fail: async (_repositories, _subject, error) => void failures.push(error) })
    await vi.waitFor(() => {
      expect(failures).toMatchObject([{ code: 'ERR_CRASHED' }])
    })
    expect(ran).not.toHaveBeenCalled()
  })

  it('releases a job when it stops', async () => {
    const { storage, enqueue, start } = setUp()
    const began = vi.fn()
    const worker = start({
      run: async (run) => {
        began()
        await aborted(run)
      },
    })
    await enqueue(1)
    await vi.waitFor(() => {
      expect(began).toHaveBeenCalledOnce()
    })
    await worker.stop()
    const [job] = await storage.transaction(({ jobs }) => jobs.claim({ kinds: ['test'], leaseMs: 1_000 }))
    expect(job).toMatchObject({ subject: 1, failures: 0 })
  })

  it('aborts a job that another worker has claimed by now, and records nothing', async () => {
    const { storage, enqueue, start } = setUp({ leaseMs: 60 })
    const outcomes: unknown[] = []
    start({
      run: async (run) => {
        await storage.transaction(({ jobs }) => jobs.cancelAll([{ kind: 'test', subject: 1 }]))
        await aborted(run).catch((error: unknown) => outcomes.push(error))
        await run.transaction(({ settings }) => settings.put('written', 'yes'))
      },
    })
    await enqueue(1)
    await vi.waitFor(() => {
      expect(outcomes[0]).toBeInstanceOf(LeaseLostError)
    })
    expect(await storage.read(({ settings }) => settings.get('written'))).toBeUndefined()
  })

  it('renews the lease of a long job by its heartbeat', async () => {
    const { storage, enqueue, start } = setUp({ leaseMs: 60 })
    let isDone = false
    start({
      run: async (run) => {
        await new Promise((resolve) => setTimeout(resolve, 250))
        await run.complete(async () => undefined)
        isDone = true
      },
    })
    await enqueue(1)
    for (let check = 0; check < 6; check += 1) {
      await new Promise((resolve) => setTimeout(resolve, 30))
      expect(await storage.transaction(({ jobs }) => jobs.claim({ kinds: ['test'], leaseMs: 10 }))).toEqual([])
    }
    await vi.waitFor(() => {
      expect(isDone).toBe(true)
    })
  })

  it('runs no more jobs at a time than its concurrency', async () => {
    const { enqueue, start } = setUp({ concurrency: 2 })
    let running = 0
    let most = 0
    let done = 0
    start({
      run: async (run) => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setTimeout(resolve, 20))
        running -= 1
        await run.complete(async () => undefined)
        done += 1
      },
    })
    for (let subject = 1; subject <= 6; subject += 1) await enqueue(subject)
    await vi.waitFor(() => {
      expect(done).toBe(6)
    })
    expect(most).toBe(2)
  })
})

describe('jobs whose process crashed', () => {
  it('run alone, and leave at least half of the time to other jobs', async () => {
    const { storage, start } = setUp({ concurrency: 4, maxSharedClaims: 1 })
    const poisonJobs = Array.from({ length: 20 }, (_, subject) => ({ kind: 'test', subject, lane: subject }))
    await storage.transaction(({ jobs }) => jobs.enqueueAll(poisonJobs))
    for (let crash = 0; crash < 2; crash += 1) {
      await storage.transaction(async ({ jobs }) => {
        const lanes = poisonJobs.map(({ lane }) => ({ lane, most: 1 }))
        expect(await jobs.claim({ kinds: ['test'], leaseMs: 60_000, lanes })).toHaveLength(20)
        await jobs.releaseAll()
      })
    }
    await storage.transaction(({ jobs }) => jobs.enqueue({ kind: 'test', subject: 999, lane: 999 }))
    const order: number[] = []
    const running = new Set<number>()
    start({
      run: async (run) => {
        running.add(run.subject)
        if (run.subject < 20) expect(running.size).toBe(1)
        await new Promise((resolve) => setTimeout(resolve, 200))
        running.delete(run.subject)
        order.push(run.subject)
        await run.complete(async () => undefined)
      },
    })
    await vi.waitFor(
      () => {
        expect(order).toContain(999)
      },
      { timeout: 5_000 },
    )
    expect(order.indexOf(999)).toBeLessThan(3)
  })
})

describe('lanes of jobs', () => {
  it('run few jobs each at a time; a long job delays no other lane', async () => {
    const { storage, start } = setUp({ concurrency: 8, concurrencyPerLane: 2 })
    const job = (subject: number, lane: number) => ({ kind: 'test', subject, lane, companyId: 1 })
    // The first lane never ends, and has been due for the longest time.
    const stuck = Array.from({ length: 50 }, (_, index) => job(index, 1))
    const quick = Array.from({ length: 20 }, (_, index) => job(100 + index, 2))
    await storage.transaction(({ jobs }) => jobs.enqueueAll([...stuck, ...quick]))
    const done: number[] = []
    let hanging = 0
    start({
      run: async (run) => {
        if (run.subject < 100) {
          hanging += 1
          await aborted(run)
        }
        await run.complete(async () => undefined)
        done.push(run.subject)
      },
    })
    await vi.waitFor(() => {
      expect(done).toHaveLength(20)
    })
    expect(hanging).toBe(2)
  })

  it('of a company with one job are served beside those of a company with hundreds', async () => {
    const { storage, start } = setUp({ concurrency: 2 })
    const many = Array.from({ length: 200 }, (_, subject) => ({ kind: 'test', subject, lane: subject, companyId: 1 }))
    await storage.transaction(({ jobs }) =>
      jobs.enqueueAll([...many, { kind: 'test', subject: 999, lane: 999, companyId: 2 }]),
    )
    const done: number[] = []
    start({
      run: async (run) => {
        await run.complete(async () => undefined)
        done.push(run.subject)
      },
    })
    await vi.waitFor(() => {
      expect(done).toContain(999)
    })
    expect(done.indexOf(999)).toBeLessThan(10)
  })
})

type Options = Partial<Omit<ConstructorParameters<typeof JobWorker>[2], 'handlers'>>

function setUp(options: Options = {}) {
  const storage = new MemoryStorage()
  let worker: JobWorker | undefined
  return {
    storage,
    enqueue: async (subject: number): Promise<void> => {
      await storage.transaction(({ jobs }) => jobs.enqueue({ kind: 'test', subject }))
      worker?.wake()
    },
    start: (handler: Partial<JobHandler> & Pick<JobHandler, 'run'>): JobWorker => {
      const complete: JobHandler = { kind: 'test', fail: async () => undefined, ...handler }
      worker = new JobWorker(storage, new MemoryTelemetry(), { handlers: [complete], ...options })
      workers.push(worker)
      worker.start()
      return worker
    },
  }
}

async function aborted({ signal }: JobRun): Promise<never> {
  return await new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
}
