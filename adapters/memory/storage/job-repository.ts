import type { ClaimedJob, JobRepository, WaitingLane } from '../../../src/ports/index.js'
import type { MemoryTables, StoredJob } from './tables.js'

const fromNow = (ms: number): number => Date.now() + Math.round(ms)

const NEW = { leaseExpiresMs: 0, fencingToken: 0, failures: 0, claims: 0 }

export function jobRepository({ jobs }: MemoryTables): JobRepository {
  const held = (job: ClaimedJob) => {
    const stored = jobs.get(job.id)
    return stored?.fencingToken === job.fencingToken ? stored : undefined
  }
  const readyMs = (job: StoredJob) => Math.max(job.dueMs, job.leaseExpiresMs)
  const byDue = (one: StoredJob, other: StoredJob) => one.dueMs - other.dueMs || one.id - other.id
  const take = (job: StoredJob, leaseExpiresMs: number): ClaimedJob => {
    const taken = { fencingToken: job.fencingToken + 1, claims: job.claims + 1 }
    jobs.update(job.id, { ...taken, leaseExpiresMs })
    const { id, kind, subject, lane, companyId, failures } = job
    return { id, kind, subject, lane, companyId, failures, ...taken }
  }
  const enqueueAll: JobRepository['enqueueAll'] = async (added, { delayMs = 0 } = {}) => {
    for (const { kind, subject, lane = 0, companyId = 0 } of added) {
      if (jobs.find((job) => job.kind === kind && job.subject === subject)) continue
      jobs.insert({ kind, subject, lane, companyId, dueMs: fromNow(delayMs), ...NEW })
    }
  }
  const extendAll: JobRepository['extendAll'] = async (extended, leaseMs, { isProgress = false } = {}) => {
    const living = extended.filter((job) => held(job) !== undefined)
    for (const { id } of living) jobs.update(id, { leaseExpiresMs: fromNow(leaseMs), ...(isProgress && { claims: 0 }) })
    return living.length === extended.length
  }
  const completeAll: JobRepository['completeAll'] = async (done) => {
    const living = done.filter((job) => held(job) !== undefined)
    for (const { id } of living) jobs.delete(id)
    return living.length === done.length
  }
  const remove = (cancelled: readonly StoredJob[]): number => {
    for (const { id } of cancelled) jobs.delete(id)
    return cancelled.length
  }
  return {
    enqueue: async (job, options) => await enqueueAll([job], options),
    enqueueAll,
    subjects: async (kind, { after, limit }) =>
      jobs
        .filter((job) => job.kind === kind && job.subject > after)
        .map(({ subject }) => subject)
        .sort((one, other) => one - other)
        .slice(0, limit),
    waiting: async (kinds) => {
      const lanes = new Map<number, WaitingLane>()
      const inOrder = jobs
        .filter(({ kind }) => kinds.includes(kind))
        .sort((one, other) => readyMs(one) - readyMs(other))
      for (const job of inOrder) {
        const { lane, companyId } = job
        if (!lanes.has(lane)) lanes.set(lane, { lane, companyId, dueInMs: Math.max(0, readyMs(job) - Date.now()) })
      }
      return [...lanes.values()]
    },
    claim: async ({ kinds, leaseMs, lanes }) => {
      const now = Date.now()
      const due = jobs.filter((job) => kinds.includes(job.kind) && readyMs(job) <= now).sort(byDue)
      const taken =
        lanes?.flatMap(({ lane, most }) => due.filter((job) => job.lane === lane).slice(0, most)) ?? due.slice(0, 1)
      return taken.map((job) => take(job, fromNow(leaseMs))).sort((one, other) => one.id - other.id)
    },
    extend: async (job, leaseMs, options) => await extendAll([job], leaseMs, options),
    extendAll,
    complete: async (job) => await completeAll([job]),
    completeAll,
    release: async (job, { delayMs, failed }) => {
      const stored = held(job)
      if (stored === undefined) return false
      return jobs.update(job.id, {
        dueMs: fromNow(delayMs),
        leaseExpiresMs: 0,
        failures: job.failures + (failed ? 1 : 0),
        claims: failed ? 0 : Math.max(0, stored.claims - 1),
      })
    },
    isHeld: async ({ kind, subject }) =>
      jobs.find((job) => job.kind === kind && job.subject === subject && job.leaseExpiresMs > Date.now()) !== undefined,
    cancel: async ({ kind, subject }) => remove(jobs.filter((job) => job.kind === kind && job.subject === subject)) > 0,
    cancelLane: async (kind, lane) => {
      remove(jobs.filter((job) => job.kind === kind && job.lane === lane))
    },
    releaseAll: async (kinds) => {
      for (const { id } of jobs.filter(({ kind }) => kinds?.includes(kind) ?? true)) {
        jobs.update(id, { leaseExpiresMs: 0 })
      }
    },
  }
}
