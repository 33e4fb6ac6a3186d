import type { z } from 'zod'
import { type JobHandler, type JobRun, removeInBatches } from '../jobs/index.js'
import { errorReason, ForbiddenError, InvalidInputError, NotFoundError } from '../kernel/errors.js'
import { SLOW_READER_MS } from '../kernel/lists.js'
import { choiceSchema, idSchema, integerSchema, objectSchema, textSchema, validate } from '../kernel/validate.js'
import type { AuditFilter, AuditRecord, Clock, NewJob, Repositories, Storage } from '../ports/index.js'
import { AUDIT_ACTIONS, type AuditAction, type AuditEntry, type AuditPage, toEntry } from './audit-entry.js'

/** A filter of entries. Default: all entries within reach. */
export interface AuditQuery {
  /** Only entries of this company. */
  readonly companyId?: number
  readonly action?: AuditAction
  /** Only entries of actions by this user. */
  readonly userId?: number
  /** Earliest time, inclusive: ISO 8601. */
  readonly from?: string
  /** Latest time, exclusive: ISO 8601. */
  readonly to?: string
  /** 1 to 1,000; default 100. */
  readonly limit?: number
  /** `nextCursor` of the previous page. */
  readonly cursor?: string
}

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000

export const auditQuerySchema: z.ZodType<AuditQuery> = objectSchema({
  companyId: idSchema().optional(),
  action: choiceSchema(Object.keys(AUDIT_ACTIONS) as AuditAction[]).optional(),
  userId: idSchema().optional(),
  from: textSchema({ max: 40 }).optional(),
  to: textSchema({ max: 40 }).optional(),
  limit: integerSchema({ min: 1, max: MAX_LIMIT }).optional(),
  cursor: textSchema({ max: 40 }).optional(),
}) as z.ZodType<AuditQuery>

/** The companies whose entries the reader may read. */
interface AuditReach {
  /** The topmost company, which includes all companies below; `undefined` for all companies. */
  readonly companyId: number | undefined
  /** Returns those of these companies that exist and are within the reach. */
  within(repositories: Repositories, companyIds: readonly number[]): Promise<ReadonlySet<number>>
}

/** Reads the audit trail. */
export class ListAudit {
  constructor(private readonly storage: Storage) {}

  /**
   * A page, newest first. Client id, network address and request id are visible only to readers who reach the actor's
   * company: a company does not learn the addresses of actors above it.
   *
   * @throws InvalidInputError
   * @throws ForbiddenError within a limited reach, if the company is out of reach or missing
   * @throws NotFoundError without a limit, if the company is missing and has no entry
   */
  async execute(query: AuditQuery, reach: AuditReach): Promise<AuditPage> {
    const filter = toFilter(validate(auditQuerySchema, query))
    return await this.storage.read(async (repositories) => {
      await requireReached(repositories, reach, filter.companyId)
      const records = await repositories.audit.list({
        ...filter,
        ...(reach.companyId !== undefined && { withinCompanyId: reach.companyId }),
        limit: filter.limit + 1,
      })
      const items = await toEntries(repositories, reach, records.slice(0, filter.limit))
      return { items, nextCursor: records.length > filter.limit ? String(items.at(-1)?.id) : null }
    })
  }

  /** All entries, newest first, read page by page; at most `limit` of them. @throws as {@link execute} */
  async *entries(
    { limit = Infinity, ...query }: AuditQuery,
    authorize: () => Promise<AuditReach>,
  ): AsyncGenerator<AuditEntry> {
    let remaining = limit
    let start: Pick<AuditQuery, 'cursor'> = {}
    while (remaining > 0) {
      const page = await this.execute({ ...query, ...start, limit: Math.min(remaining, MAX_LIMIT) }, await authorize())
      let isSlow = false
      for (const entry of page.items) {
        const givenAt = performance.now()
        yield entry
        remaining -= 1
        start = { cursor: String(entry.id) }
        isSlow = performance.now() - givenAt > SLOW_READER_MS
        // The rest is read once more, with the rights of that moment.
        if (isSlow) break
      }
      if (page.nextCursor === null && !isSlow) return
    }
  }
}

function toFilter({ userId, from, to, limit = DEFAULT_LIMIT, cursor, companyId, action }: AuditQuery): AuditFilter {
  return {
    limit,
    ...(companyId !== undefined && { companyId }),
    ...(action !== undefined && { action }),
    ...(userId !== undefined && { actorUserId: userId }),
    ...(from !== undefined && { from: parseTime(from, 'from') }),
    ...(to !== undefined && { to: parseTime(to, 'to') }),
    ...(cursor !== undefined && { beforeId: parseCursor(cursor) }),
  }
}

/** A deleted company passes if it has entries within reach: companies above it and the host can still read them. */
async function requireReached(repositories: Repositories, reach: AuditReach, companyId?: number): Promise<void> {
  if (companyId === undefined || (await reach.within(repositories, [companyId])).has(companyId)) return
  const reachFilter = reach.companyId === undefined ? {} : { withinCompanyId: reach.companyId }
  if ((await repositories.audit.list({ companyId, ...reachFilter, limit: 1 })).length > 0) return
  if (reach.companyId !== undefined) {
    throw new ForbiddenError(
      `the company ${companyId} is not accessible`,
      errorReason('company-not-accessible', { company: companyId }),
    )
  }
  throw new NotFoundError('company', companyId)
}

async function toEntries(
  repositories: Repositories,
  reach: AuditReach,
  records: readonly AuditRecord[],
): Promise<AuditEntry[]> {
  const companyIds = new Set(records.flatMap(({ actorCompanyId }) => (actorCompanyId === null ? [] : [actorCompanyId])))
  const reached = await reach.within(repositories, [...companyIds])
  return records.map((record) => {
    const { actorKind, actorCompanyId } = record
    const isActorReached = actorKind === 'anonymous' || (actorCompanyId !== null && reached.has(actorCompanyId))
    return toEntry(record, reach.companyId === undefined || isActorReached)
  })
}

function parseTime(text: string, field: string): string {
  const time = new Date(text)
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time.toISOString()
  throw new InvalidInputError(field, 'must be a time such as 2030-01-31 or 2030-01-31T12:00:00Z')
}

function parseCursor(cursor: string): number {
  const id = Number(cursor)
  if (/^\d{1,16}$/.test(cursor) && Number.isSafeInteger(id) && id > 0) return id
  throw new InvalidInputError('cursor', 'must be the nextCursor of an earlier page')
}

const EVERY_MS = 3_600_000
const DAY_MS = 86_400_000

/** The job that removes old entries; a database has only one. */
export const TRIM_AUDIT: NewJob = { kind: 'trim-audit', subject: 1, traceparent: null }

/** Removes old entries of the audit trail: every hour, in small batches. */
export class TrimAudit implements JobHandler {
  readonly kind: string = TRIM_AUDIT.kind

  constructor(
    private readonly clock: Clock,
    private readonly retentionDays: number,
  ) {}

  async run(job: JobRun): Promise<void> {
    const oldestKept = new Date(this.clock.now().getTime() - this.retentionDays * DAY_MS).toISOString()
    await removeInBatches(job, ({ audit }, limit) => audit.removeOlderThan(oldestKept, limit))
    await job.complete(enqueueNextRun)
  }

  /** A failure may be transient: the next run is in an hour, so that the trail does not grow forever. */
  async fail(repositories: Repositories): Promise<void> {
    await enqueueNextRun(repositories)
  }
}

async function enqueueNextRun({ jobs }: Repositories): Promise<void> {
  await jobs.enqueue(TRIM_AUDIT, { delayMs: EVERY_MS })
}
