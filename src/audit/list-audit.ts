import type { z } from 'zod'
import { ForbiddenError, InvalidInputError, NotFoundError } from '../kernel/errors.js'
import { choiceSchema, idSchema, integerSchema, objectSchema, textSchema, validate } from '../kernel/validate.js'
import type { AuditFilter, AuditRecord, Repositories, Storage } from '../ports/index.js'
import { AUDIT_ACTIONS, type AuditAction } from './audit-actions.js'
import { type AuditEntry, type AuditPage, toEntry } from './audit-entry.js'

/** Which entries are listed; default all within reach. */
export interface AuditQuery {
  /** Entries of this company alone. */
  readonly companyId?: number
  readonly action?: AuditAction
  /** Entries of what this user did. */
  readonly userId?: number
  /** The earliest time: ISO 8601. */
  readonly from?: string
  /** The time before which entries end: ISO 8601. */
  readonly to?: string
  /** 1 to 1,000; default 100. */
  readonly limit?: number
  /** `nextCursor` of the page before. */
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

/** Whose entries somebody may read. */
interface AuditReach {
  /** The company that it begins with, and goes down from; `undefined` for everything there is. */
  readonly companyId: number | undefined
  /** Which of these companies are within. */
  within(repositories: Repositories, companyIds: readonly number[]): Promise<ReadonlySet<number>>
}

/** Shows the audit trail. */
export class ListAudit {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /**
   * The newest first. By what means and from where somebody acted is shown to those who reach the company for which
   * they acted: a company does not learn the addresses of those above it.
   *
   * @throws InvalidInputError
   * @throws ForbiddenError within a limited reach, where the company is out of it or missing
   * @throws NotFoundError without a limit, where the company is missing and has left no entry
   */
  async execute(query: AuditQuery, reach: AuditReach): Promise<AuditPage> {
    const filter = toFilter(validate(auditQuerySchema, query))
    return await this.#storage.read(async (repositories) => {
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

  /** All of them, the newest first, read page by page. `limit` is how many at most. @throws as {@link execute} */
  async *entries(
    { limit = Infinity, ...query }: AuditQuery,
    authorize: () => Promise<AuditReach>,
  ): AsyncGenerator<AuditEntry> {
    let [left, from]: [number, Pick<AuditQuery, 'cursor'>] = [limit, {}]
    while (left > 0) {
      const page = await this.execute({ ...query, ...from, limit: Math.min(left, MAX_LIMIT) }, await authorize())
      yield* page.items
      if (page.nextCursor === null) return
      left -= page.items.length
      from = { cursor: page.nextCursor }
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

/** Of a company that was deleted, those above it and the host still read what there is. */
async function requireReached(repositories: Repositories, reach: AuditReach, companyId?: number): Promise<void> {
  if (companyId === undefined || (await reach.within(repositories, [companyId])).has(companyId)) return
  const within = reach.companyId === undefined ? {} : { withinCompanyId: reach.companyId }
  if ((await repositories.audit.list({ companyId, ...within, limit: 1 })).length > 0) return
  if (reach.companyId !== undefined) throw new ForbiddenError(`the company ${companyId} is not accessible`)
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
    const isOfReader = actorKind === 'anonymous' || (actorCompanyId !== null && reached.has(actorCompanyId))
    return toEntry(record, reach.companyId === undefined || isOfReader)
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
  throw new InvalidInputError('cursor', 'must be the nextCursor of a page before')
}
