import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryStorage, MemoryTelemetry } from '../../../adapters/memory/index.js'
import { type JobRun, JobWorker, UnwritableDisk } from '../../../src/jobs/index.js'
import { InvalidInputError, StorageFullError } from '../../../src/kernel/errors.js'
import { gate } from '../engine/word-engine.js'
import { HookedStorage } from '../outbox/hooked-storage.js'

const FULL = new StorageFullError('the disk is full')

let storage: MemoryStorage
let disk: UnwritableDisk
let workers: JobWorker[]
/** Calls of repositories that fail, as on a full disk. */
let refused: readonly string[]

beforeEach(() => {
  storage = new MemoryStorage()
  disk = new UnwritableDisk()
  workers = []
  refused = []
})

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
})

async function enqueue(kind: string, ...subjects: readonly number[]): Promise<void> {
  await storage.transaction(({ jobs }) => jobs.enqueueAll(subjects.map((subject) => ({ kind, subject }))))
}

/** @param kind the kind of the jobs */
function start(kind: string, run: (run: JobRun) => Promise<void>, failed?: (subject: number) => void): JobWorker {
  const hooked = new HookedStorage(storage, (call, go) => {
    if (refused.includes(call)) throw FULL
    return go()
  })
  const handler = { kind, run, fail: async () => undefined, ...(failed && { failed }) }
  const options = { handlers: [handler], unwritableDisk: disk, concurrency: 2, pollMs: 20, leaseMs: 500 }
  const worker = new JobWorker(hooked, new MemoryTelemetry(), options)
  workers.push(worker)
  worker.start()
  return worker
}

const noted = async (): Promise<void> => await vi.waitFor(() => expect(disk.error).toBe(FULL))
const forgotten = async (): Promise<void> =>
  await vi.waitFor(() => expect(disk.error).toBeUndefined(), { timeout: 20_000 })

describe('a full disk is the reason of a wait', () => {
  it.each([
    ['a claim fails on it', ['jobs.claim'], false],
    ['the outcome of a job cannot be recorded', ['jobs.release', 'jobs.extend'], true],
  ])('while %s, and no longer when a job then runs for minutes', async (_, calls, isFullForJob) => {
    refused = calls
    const running = gate()
    const end = gate()
    await enqueue('test', 1)
    start('test', async (run) => {
      if (isFullForJob && refused.length > 0) throw FULL
      running.open()
      await end.opened
      await run.complete(async () => undefined)
    })
    await noted()
    refused = []
    await running.opened
    expect(disk.error).toBeUndefined()
    end.open()
  })

  it('until a job is completed, whatever other jobs end, and is forgotten before that job tells its end', async () => {
    let isFull = true
    let atTheEnd: unknown = FULL
    const second = gate()
    const ended = gate()
    const failed: number[] = []
    await enqueue('test', 1, 2)
    start(
      'test',
      async (run) => {
        if (run.subject === 2) {
          await second.opened
          throw new InvalidInputError('file', 'is no file')
        }
        if (isFull) throw FULL
        await run.complete(async () => undefined)
        atTheEnd = disk.error
        ended.open()
      },
      (subject) => failed.push(subject),
    )
    await noted()
    second.open()
    await vi.waitFor(() => expect(failed).toEqual([2]))
    expect(disk.error).toBe(FULL)
    isFull = false
    await ended.opened
    expect(atTheEnd).toBeUndefined()
  })

  it('until the jobs that wait are cancelled', async () => {
    await enqueue('test', 1)
    start('test', () => Promise.reject(FULL))
    await noted()
    await storage.transaction(({ jobs }) => jobs.cancelAll([{ kind: 'test', subject: 1 }]))
    await forgotten()
  })

  it('for one worker, whatever jobs another one completes', async () => {
    await enqueue('test', 1)
    start('test', () => Promise.reject(FULL))
    await noted()
    await enqueue('other', 1)
    const other = start('other', async (run) => run.complete(async () => undefined))
    expect(await other.whenIdle()).toBe('done')
    expect(disk.error).toBe(FULL)
  })
})
