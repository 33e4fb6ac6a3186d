import { AlcoveError } from '../kernel/errors.js'
import type { AuditRecord, Clock, RateLimit, Repositories, Storage, Telemetry } from '../ports/index.js'
import { AUDIT_ACTIONS, type AuditAction } from './audit-actions.js'
import type { AuditActor } from './audit-entry.js'
import { toAuditRecord } from './record-change.js'

const MINUTE_MS = 60_000
/** Entries of refusals in a minute: of one counter, such as a company, and of all together. */
const MOST_OF_ONE = 30
const MOST_IN_ALL = 300
const ALL = 'audit:refused:all'

/** What was refused, and why. */
interface Refusal {
  readonly action: AuditAction
  /** The company that it concerns; null where nobody knows. */
  readonly companyId: number | null
  readonly targetId: number | null
  /** A code of the engine, or a word of a closed set. */
  readonly reason: string
}

/**
 * Records what was refused, after the transaction that was refused. The entries are bounded for each counter and in
 * all, for all processes together: nobody makes the audit trail grow by trying again and again.
 */
export class AuditRefusals {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #telemetry: Telemetry

  constructor(storage: Storage, clock: Clock, telemetry: Telemetry) {
    this.#storage = storage
    this.#clock = clock
    this.#telemetry = telemetry
  }

  /**
   * Does some work, and records a refusal that is for want of rights.
   * @throws what the work throws
   */
  async watch<T>(by: AuditActor, action: AuditAction, targetId: number | null, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof AlcoveError && WANT_OF_RIGHTS.has(error.code)) {
        const companyId = by.companyId ?? null
        const refusal = { action, companyId, targetId, reason: error.code }
        await this.record(`company:${companyId}`, async () => ({ by, refusal }))
      }
      throw error
    }
  }

  /**
   * Never rejects: a refusal stays what it is where it cannot be recorded.
   *
   * @param counter for whom refusals are counted, at most 200 characters
   * @param describe says what to record, where it is recorded at all
   */
  async record(
    counter: string,
    describe: (repositories: Repositories) => Promise<{ readonly by: AuditActor; readonly refusal: Refusal }>,
  ): Promise<void> {
    try {
      await this.#record(`audit:refused:${counter}`, describe)
    } catch (error) {
      this.#telemetry.record({ name: 'audit.refusal.unrecorded', level: 'error', error })
    }
  }

  async #record(name: string, describe: Parameters<AuditRefusals['record']>[1]): Promise<void> {
    const now = this.#clock.now()
    const [ofOne, ofAll]: [RateLimit, RateLimit] = [
      { most: MOST_OF_ONE, windowMs: MINUTE_MS, now },
      { most: MOST_IN_ALL, windowMs: MINUTE_MS, now },
    ]
    // A look costs less than a transaction that writes.
    const isRoom = await this.#storage.read(async ({ rates }) => {
      return (await rates.peek(name, ofOne)).isAllowed && (await rates.peek(ALL, ofAll)).isAllowed
    })
    if (!isRoom) return
    const record = async (repositories: Repositories): Promise<void> => {
      const { rates, audit } = repositories
      if (!(await rates.take(name, ofOne)).isAllowed || !(await rates.take(ALL, ofAll)).isAllowed) return
      const { by, refusal } = await describe(repositories)
      await audit.append(toRefused(by, now, refusal))
    }
    await this.#storage.transaction(record, { isolation: 'read committed', isWriteFirst: true })
  }
}

const WANT_OF_RIGHTS: ReadonlySet<string> = new Set(['ERR_FORBIDDEN', 'ERR_LAST_MANAGER'])

function toRefused(
  by: AuditActor,
  now: Date,
  { action, companyId, targetId, reason }: Refusal,
): Omit<AuditRecord, 'id'> {
  const targetType = AUDIT_ACTIONS[action]
  return toAuditRecord(by, now, { action, outcome: 'refused', companyId, targetType, targetId, details: { reason } })
}
