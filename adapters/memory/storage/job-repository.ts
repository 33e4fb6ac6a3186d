import type { ClaimedJob, JobRepository } from '../../../src/ports/index.js'
import type { MemoryTables, StoredJob } from './tables.js'

export function jobRepository({ jobs }: MemoryTables): JobRepository {
  const held = (job: ClaimedJob) => {
    const stored = jobs.get(job.id)
    return stored?.fencingToken === job.fencingToken ? stored : undefined
  }
  const readyMs = (job: StoredJob) => Math.max(job.dueMs, job.leaseExpiresMs)
  return {
    enqueue: async (job, { delayMs = 0 } = {}) => {
      if (jobs.find(({ kind, subject }) => kind === job.kind && subject === job.subject)) return
      jobs.insert({ ...job, dueMs: Date.now() + delayMs, leaseExpiresMs: 0, fencingToken: 0, failures: 0, claims: 0 })
    },
    claim: async ({ kinds, leaseMs }) => {
      const now = Date.now()
      const due = jobs.filter((job) => kinds.includes(job.kind) && readyMs(job) <= now)
      const job = due.sort((one, other) => one.dueMs - other.dueMs || one.id - other.id)[0]
      if (job === undefined) return undefined
      const fencingToken = job.fencingToken + 1
      const claims = job.claims + 1
      jobs.update(job.id, { fencingToken, leaseExpiresMs: now + leaseMs, claims })
      return { id: job.id, kind: job.kind, subject: job.subject, fencingToken, failures: job.failures, claims }
    },
    extend: async (job, leaseMs, { isProgress = false } = {}) =>
      held(job) !== undefined &&
      jobs.update(job.id, { leaseExpiresMs: Date.now() + leaseMs, ...(isProgress && { claims: 0 }) }),
    complete: async (job) => held(job) !== undefined && jobs.delete(job.id),
    release: async (job, { delayMs, failed }) => {
      const stored = held(job)
      if (stored === undefined) return false
      return jobs.update(job.id, {
        dueMs: Date.now() + delayMs,
        leaseExpiresMs: 0,
        failures: job.failures + (failed ? 1 : 0),
        claims: failed ? 0 : Math.max(0, stored.claims - 1),
      })
    },
    cancel: async (job) => {
      const stored = jobs.find(({ kind, subject }) => kind === job.kind && subject === job.subject)
      return stored !== undefined && jobs.delete(stored.id)
    },
    releaseAll: async () => {
      for (const { id } of jobs.filter()) jobs.update(id, { leaseExpiresMs: 0 })
    },
    nextDueInMs: async (kinds) => {
      const waiting = jobs.filter((job) => kinds.includes(job.kind)).map(readyMs)
      return waiting.length === 0 ? undefined : Math.max(0, Math.min(...waiting) - Date.now())
    },
  }
}
