import { describe, expect, it } from 'vitest'
import { MemoryStorage } from '../../../adapters/memory/index.js'
import {
  batched,
  createJobRecorder,
  type LeaseChange,
  type RecordOfJob,
  type Work,
} from '../../../src/jobs/job-handler.js'
import type { ClaimedJob, Repositories } from '../../../src/ports/index.js'

const KIND = 'some-kind'

/** Counts the committed transactions. */
class CountingStorage extends MemoryStorage {
  committed = 0

  override async transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    const result = await super.transaction(work)
    this.committed += 1
    return result
  }
}

async function withJobs(count: number): Promise<{ storage: CountingStorage; jobs: readonly ClaimedJob[] }> {
  const storage = new CountingStorage()
  const jobs = await storage.transaction(async (repositories) => {
    await repositories.jobs.enqueueAll(Array.from({ length: count }, (_, subject) => ({ kind: KIND, subject })))
    return await repositories.jobs.claim({ kinds: [KIND], leaseMs: 60_000, lanes: [{ lane: 0, most: count }] })
  })
  storage.committed = 0
  return { storage, jobs }
}

const recording = async (
  record: RecordOfJob,
  job: ClaimedJob | undefined,
  work: Work<string>,
  leaseChange: LeaseChange,
) => {
  if (job === undefined) throw new Error('there is no such job')
  return await record({ held: { job }, leaseChange, work })
}

const completing = async (record: RecordOfJob, job: ClaimedJob | undefined, work: Work<string>) =>
  await recording(record, job, work, { as: 'completed' })

const put = (key: string) => async (repositories: Repositories) => {
  await repositories.settings.put(key, 'yes')
  return key
}

describe('the record of a job in a batch', () => {
  it('is committed together with the others, and gets its own result', async () => {
    const { storage, jobs } = await withJobs(10)
    const record = createJobRecorder(storage, { isBatched: true, leaseMs: 1_000 })
    const results = await Promise.all(jobs.map((job, index) => completing(record, job, put(`key-${index}`))))
    expect(results).toEqual(jobs.map((_, index) => `key-${index}`))
    expect(storage.committed).toBe(1)
    for (const key of results) expect(await storage.read(({ settings }) => settings.get(String(key)))).toBe('yes')
    expect(await storage.read((repositories) => repositories.jobs.waiting([KIND]))).toEqual([])
  })

  it('shares one call with records of the same work, beside other work', async () => {
    const { storage, jobs } = await withJobs(6)
    const record = createJobRecorder(storage, { isBatched: true, leaseMs: 1_000 })
    const calls: (readonly string[])[] = []
    const shout = async (_: Repositories, words: readonly string[]) => {
      calls.push(words)
      return await Promise.resolve(words.map((word) => word.toUpperCase()))
    }
    const works = [batched(shout, 'a'), put('one'), batched(shout, 'b'), batched(shout, 'c'), put('two')]
    const results = await Promise.all(works.map((work, index) => completing(record, jobs[index], work)))
    expect(results).toEqual(['A', 'one', 'B', 'C', 'two'])
    expect(calls).toEqual([['a', 'b', 'c']])
  })

  it('fails only for its own error: a thrown error, or a lost lease', async () => {
    const { storage, jobs } = await withJobs(5)
    const record = createJobRecorder(storage, { isBatched: true, leaseMs: 1_000 })
    const failing = async (repositories: Repositories) => {
      await repositories.settings.put('half', 'done')
      throw new Error('no')
    }
    const stale = jobs.slice(3, 4).map((job) => ({ ...job, fencingToken: 0 }))[0]
    const settled = await Promise.allSettled([
      completing(record, jobs[0], put('first')),
      completing(record, jobs[1], failing),
      recording(record, jobs[2], put('one'), { as: 'extended', isProgress: true }),
      completing(record, stale, put('stale')),
      recording(record, jobs[4], put('two'), { as: 'released', delayMs: 60_000, isFailure: true }),
    ])
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'])
    expect(settled[1]).toMatchObject({ reason: { message: 'no' } })
    expect(settled[3]).toMatchObject({ reason: { code: 'ERR_LEASE_LOST' } })
    await storage.read(async ({ settings }) => {
      const keys = ['first', 'one', 'two', 'half', 'stale']
      expect(await Promise.all(keys.map((key) => settings.get(key)))).toEqual([
        'yes',
        'yes',
        'yes',
        undefined,
        undefined,
      ])
    })
    expect(await completing(record, jobs[1], put('later'))).toBe('later')
  })
})
