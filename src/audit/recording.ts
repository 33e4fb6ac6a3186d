import { AlcoveError } from '../kernel/errors.js'
import type { AuditRecord, Clock, RateLimit, Repositories, Storage, Telemetry } from '../ports/index.js'
import { AUDIT_ACTIONS, type AuditAction, type AuditActions, type AuditActor } from './audit-entry.js'

/** A change, with its target and the details of its action. */
type AuditChange = {
  [Action in Exclude<AuditAction, RefusedAction>]: {
    readonly action: Action
    /** The company of the change; null for none, or for all companies. */
    readonly companyId: number | null
    readonly targetId: number | null
    readonly details: AuditActions[Action]
  }
}[Exclude<AuditAction, RefusedAction>]

/** Actions that are recorded only if they are refused. */
type RefusedAction = 'permission.toggled' | 'token.refused' | 'login.refused'

/**
 * Adds an entry to the audit trail, in the transaction of the change: both are committed, or none.
 *
 * @param repositories the repositories of the transaction that makes the change
 */
export async function recordChange(
  { audit }: Pick<Repositories, 'audit'>,
  by: AuditActor,
  now: Date,
  change: AuditChange,
): Promise<void> {
  await audit.append(toDoneRecord(by, now, change))
}

/** As {@link recordChange}, for many changes, in their order. */
export async function recordChanges(
  { audit }: Pick<Repositories, 'audit'>,
  by: AuditActor,
  now: Date,
  changes: readonly AuditChange[],
): Promise<void> {
  await audit.appendAll(changes.map((change) => toDoneRecord(by, now, change)))
}

function toDoneRecord(
  by: AuditActor,
  now: Date,
  { action, companyId, targetId, details }: AuditChange,
): Omit<AuditRecord, 'id'> {
  const targetType = AUDIT_ACTIONS[action]
  return toAuditRecord(by, now, { action, outcome: 'done', companyId, targetType, targetId, details: { ...details } })
}

/** Client ids, addresses and request ids are cut at this length, because hosts may pass texts of any length. */
const MAX_CHARACTERS = 255

/** Adds the actor and the time to an entry. */
function toAuditRecord(
  { kind, userId, companyId, clientId, remoteAddress, requestId }: AuditActor,
  now: Date,
  event: Pick<AuditRecord, 'action' | 'outcome' | 'companyId' | 'targetType' | 'targetId' | 'details'>,
): Omit<AuditRecord, 'id'> {
  return {
    ...event,
    time: now.toISOString(),
    actorKind: kind,
    actorUserId: userId ?? null,
    actorCompanyId: companyId ?? null,
    clientId: clientId?.slice(0, MAX_CHARACTERS) ?? null,
    remoteAddress: remoteAddress?.slice(0, MAX_CHARACTERS) ?? null,
    requestId: requestId?.slice(0, MAX_CHARACTERS) ?? null,
  }
}

const MINUTE_MS = 60_000
/** Entries of refusals in a minute: for one counter, such as a company, and in total. */
const MAX_PER_COUNTER = 30
const MAX_TOTAL = 300
const TOTAL_COUNTER = 'audit:refused:all'

interface Refusal {
  readonly action: AuditAction
  /** The company of the target; null if it is unknown. */
  readonly companyId: number | null
  readonly targetId: number | null
  /** An error code of the engine, or a word of a closed set. */
  readonly reason: string
}

/**
 * Records refused actions, after the transaction that failed. It limits the entries for each counter and in total, for
 * all processes together, so that nobody can fill the audit trail with repeated attempts.
 */
export class AuditRefusals {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
  ) {}

  /**
   * Runs work, and records an error that means missing rights.
   * @throws the errors of `work`
   */
  async watch<T>(by: AuditActor, action: AuditAction, targetId: number | null, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof AlcoveError && RIGHTS_ERRORS.has(error.code)) {
        const companyId = by.companyId ?? null
        const refusal = { action, companyId, targetId, reason: error.code }
        await this.record(`company:${companyId}`, async () => ({ by, refusal }))
      }
      throw error
    }
  }

  /**
   * Never rejects: a failure to record must not change the answer. It reports the failure to telemetry.
   *
   * @param counter name of the counter, at most 200 characters
   * @param describe returns the entry; it is called only if the limits allow one
   */
  async record(
    counter: string,
    describe: (repositories: Repositories) => Promise<{ readonly by: AuditActor; readonly refusal: Refusal }>,
  ): Promise<void> {
    try {
      await this.#record(`audit:refused:${counter}`, describe)
    } catch (error) {
      this.telemetry.record({ name: 'audit.refusal.unrecorded', level: 'error', error })
    }
  }

  async #record(name: string, describe: Parameters<AuditRefusals['record']>[1]): Promise<void> {
    const now = this.clock.now()
    const ownLimit: RateLimit = { most: MAX_PER_COUNTER, windowMs: MINUTE_MS, now }
    const totalLimit: RateLimit = { most: MAX_TOTAL, windowMs: MINUTE_MS, now }
    // A read costs less than a transaction that writes.
    const isAllowed = await this.storage.read(async ({ rates }) => {
      return (await rates.peek(name, ownLimit)).isAllowed && (await rates.peek(TOTAL_COUNTER, totalLimit)).isAllowed
    })
    if (!isAllowed) return
    const record = async (repositories: Repositories): Promise<void> => {
      const { rates, audit } = repositories
      if (!(await rates.consume(name, ownLimit)).isAllowed) return
      if (!(await rates.consume(TOTAL_COUNTER, totalLimit)).isAllowed) return
      const { by, refusal } = await describe(repositories)
      await audit.append(toRefusedRecord(by, now, refusal))
    }
    await this.storage.transaction(record, { isolation: 'read committed', isWriteFirst: true })
  }
}

const RIGHTS_ERRORS: ReadonlySet<string> = new Set(['ERR_FORBIDDEN', 'ERR_LAST_MANAGER'])

function toRefusedRecord(
  by: AuditActor,
  now: Date,
  { action, companyId, targetId, reason }: Refusal,
): Omit<AuditRecord, 'id'> {
  const targetType = AUDIT_ACTIONS[action]
  return toAuditRecord(by, now, { action, outcome: 'refused', companyId, targetType, targetId, details: { reason } })
}
