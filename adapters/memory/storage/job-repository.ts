import {
  type ClaimedJob,
  CRASHING_CLAIMS,
  type JobRepository,
  MAX_COUNTED_JOBS,
  type WaitingLane,
} from '../../../src/ports/index.js'
import type { MemoryTables, StoredJob } from './memory-tables.js'

const fromNow = (ms: number): number => Date.now() + Math.round(ms)

const NEW_JOB = { leaseExpiresMs: 0, fencingToken: 0, failures: 0, claims: 0 }

export function jobRepository({ jobs }: MemoryTables): JobRepository {
  const findHeld = (job: ClaimedJob) => {
    const stored = jobs.get(job.id)
    return stored?.fencingToken === job.fencingToken ? stored : undefined
  }
  const claimableAtMs = (job: StoredJob) => Math.max(job.dueMs, job.leaseExpiresMs)
  const byDue = (one: StoredJob, other: StoredJob) => one.dueMs - other.dueMs || one.id - other.id
  const isOverlong = (job: StoredJob) => claimableAtMs(job) > Date.now() + job.waitMs
  const claimJob = (job: StoredJob, leaseMs: number): ClaimedJob => {
    const claim = { fencingToken: job.fencingToken + 1, claims: job.claims + 1 }
    jobs.update(job.id, { ...claim, leaseExpiresMs: fromNow(leaseMs), waitMs: Math.round(leaseMs) })
    const { id, kind, subject, lane, companyId, failures, traceparent } = job
    return { id, kind, subject, lane, companyId, failures, traceparent, ...claim }
  }
  const enqueueAll: JobRepository['enqueueAll'] = async (newJobs, { delayMs = 0 } = {}) => {
    for (const { kind, subject, lane = 0, companyId = 0, traceparent = null } of newJobs) {
      if (jobs.find((job) => job.kind === kind && job.subject === subject)) continue
      jobs.insert({
        kind,
        subject,
        lane,
        companyId,
        traceparent,
        dueMs: fromNow(delayMs),
        waitMs: Math.round(delayMs),
        ...NEW_JOB,
      })
    }
  }
  const extendAll: JobRepository['extendAll'] = async (claimedJobs, leaseMs, { isProgress = false } = {}) => {
    const heldJobs = claimedJobs.filter((job) => findHeld(job) !== undefined)
    for (const { id } of heldJobs)
      jobs.update(id, {
        leaseExpiresMs: fromNow(leaseMs),
        waitMs: Math.round(leaseMs),
        ...(isProgress && { claims: 0 }),
      })
    return heldJobs.length === claimedJobs.length
  }
  const completeAll: JobRepository['completeAll'] = async (claimedJobs) => {
    const heldJobs = claimedJobs.filter((job) => findHeld(job) !== undefined)
    return jobs.deleteAll(heldJobs) === claimedJobs.length
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
      const sorted = jobs
        .filter(({ kind }) => kinds.includes(kind))
        .sort((one, other) => claimableAtMs(one) - claimableAtMs(other))
      for (const job of sorted) {
        const { lane, companyId } = job
        if (!lanes.has(lane))
          lanes.set(lane, { lane, companyId, dueInMs: Math.max(0, claimableAtMs(job) - Date.now()) })
      }
      return [...lanes.values()]
    },
    measure: async (kinds) => {
      const now = Date.now()
      return kinds.map((kind) => {
        const ofKind = jobs.filter((job) => job.kind === kind).slice(0, MAX_COUNTED_JOBS)
        const dueSinceMs = ofKind.map((job) => now - claimableAtMs(job)).filter((ms) => ms >= 0)
        return { kind, jobs: ofKind.length, due: dueSinceMs.length, oldestMs: Math.max(0, ...dueSinceMs) }
      })
    },
    countStates: async (kinds) => {
      const now = Date.now()
      return kinds.map((kind) => {
        const ofKind = jobs.filter((job) => job.kind === kind).slice(0, MAX_COUNTED_JOBS)
        const count = (passes: (job: StoredJob) => boolean): number => ofKind.filter(passes).length
        return {
          kind,
          waiting: count((job) => claimableAtMs(job) <= now),
          running: count(({ leaseExpiresMs }) => leaseExpiresMs > now),
          delayed: count(({ leaseExpiresMs, dueMs }) => leaseExpiresMs <= now && dueMs > now),
          retrying: count(({ failures }) => failures > 0),
          crashing: count(({ claims }) => claims >= CRASHING_CLAIMS),
        }
      })
    },
    claim: async ({ kinds, leaseMs, lanes }) => {
      const now = Date.now()
      const due = jobs.filter((job) => kinds.includes(job.kind) && claimableAtMs(job) <= now).sort(byDue)
      const claimed =
        lanes?.flatMap(({ lane, most }) => due.filter((job) => job.lane === lane).slice(0, most)) ?? due.slice(0, 1)
      return claimed.map((job) => claimJob(job, leaseMs)).sort((one, other) => one.id - other.id)
    },
    extend: async (job, leaseMs, options) => await extendAll([job], leaseMs, options),
    extendAll,
    complete: async (job) => await completeAll([job]),
    completeAll,
    release: async (job, { delayMs, failed }) => {
      const stored = findHeld(job)
      if (stored === undefined) return false
      return jobs.update(job.id, {
        dueMs: fromNow(delayMs),
        leaseExpiresMs: 0,
        waitMs: Math.round(delayMs),
        failures: job.failures + (failed ? 1 : 0),
        claims: failed ? 0 : Math.max(0, stored.claims - 1),
      })
    },
    isAnyOverlong: async (kinds) => jobs.find((job) => kinds.includes(job.kind) && isOverlong(job)) !== undefined,
    boundWaits: async (kinds) => {
      for (const job of jobs.filter(({ kind }) => kinds.includes(kind))) {
        if (!isOverlong(job)) continue
        const latestMs = fromNow(job.waitMs)
        const bounded = { dueMs: Math.min(job.dueMs, latestMs), leaseExpiresMs: Math.min(job.leaseExpiresMs, latestMs) }
        jobs.update(job.id, bounded)
      }
    },
    isHeld: async ({ kind, subject }) =>
      jobs.find((job) => job.kind === kind && job.subject === subject && job.leaseExpiresMs > Date.now()) !== undefined,
    cancelAll: async (cancelled) => {
      jobs.deleteAll(
        jobs.filter((job) => cancelled.some(({ kind, subject }) => job.kind === kind && job.subject === subject)),
      )
    },
    cancelLane: async (kind, lane) => {
      jobs.deleteAll(jobs.filter((job) => job.kind === kind && job.lane === lane))
    },
    releaseAll: async (kinds) => {
      for (const { id } of jobs.filter(({ kind }) => kinds?.includes(kind) ?? true)) {
        jobs.update(id, { leaseExpiresMs: 0 })
      }
    },
  }
}
