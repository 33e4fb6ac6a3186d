import { ThrottledError } from '../kernel/errors.js'
import type { EngineLimits } from '../kernel/limits.js'
import type { Clock, Repositories } from '../ports/index.js'
import type { Reach } from '../tenancy/index.js'

const MINUTE_MS = 60_000

/** An action of a company with a rate limit. The name is that of the limit. */
type Action = 'destinationChangesPerMinute' | 'testEventsPerMinute' | 'resendsPerMinute'

/** Texts of the error message. */
const ACTION_TEXTS: Readonly<Record<Action, string>> = {
  destinationChangesPerMinute: 'create or change destinations',
  testEventsPerMinute: 'send test events',
  resendsPerMinute: 'resend deliveries',
}

/** Limits the rates of a company's actions on destinations and deliveries, for all processes that share a storage. */
export class CompanyRates {
  constructor(
    private readonly clock: Clock,
    private readonly limits: EngineLimits,
  ) {}

  /**
   * Counts one action. The host's own reach has no limit.
   * @param repositories those of the transaction of the action: a rollback also undoes the count
   * @throws ThrottledError where the company has reached the limit of a minute
   */
  async count({ rates }: Repositories, action: Action, companyId: number, { isLimited }: Reach): Promise<void> {
    if (!isLimited) return
    const most = this.limits[action]
    const limit = { most, windowMs: MINUTE_MS, now: this.clock.now() }
    const { isAllowed, retryAfterMs } = await rates.consume(`${action}:${companyId}`, limit)
    if (isAllowed) return
    const seconds = Math.ceil(retryAfterMs / 1_000)
    throw new ThrottledError(
      `the company ${companyId} may ${ACTION_TEXTS[action]} at most ${most} times a minute: retry in ${seconds} s`,
      seconds,
    )
  }
}
