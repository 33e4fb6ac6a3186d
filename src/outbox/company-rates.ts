import { ThrottledError } from '../kernel/errors.js'
import type { EngineLimits } from '../kernel/limits.js'
import type { Clock, Repositories } from '../ports/index.js'
import type { Reach } from '../tenancy/index.js'

const MINUTE_MS = 60_000

/** What a company may do so many times in a minute, by the name of its limit. */
type Action = 'destinationChangesPerMinute' | 'testEventsPerMinute' | 'resendsPerMinute'

/** How a refusal names them. */
const ACTIONS: Readonly<Record<Action, string>> = {
  destinationChangesPerMinute: 'makes or changes destinations',
  testEventsPerMinute: 'sends test events',
  resendsPerMinute: 'sends deliveries again',
}

/** Counts, for all processes on a storage together, what a company does with destinations and deliveries. */
export class CompanyRates {
  readonly #clock: Clock
  readonly #limits: EngineLimits

  constructor(clock: Clock, limits: EngineLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /**
   * Counts one action. The host's own reach is not limited.
   * @param repositories those of the transaction that the action is done in: a rollback takes the count back
   * @throws ThrottledError where the company has had as many in a minute as it may
   */
  async take({ rates }: Repositories, action: Action, companyId: number, { isLimited }: Reach): Promise<void> {
    if (!isLimited) return
    const most = this.#limits[action]
    const limit = { most, windowMs: MINUTE_MS, now: this.#clock.now() }
    const { isAllowed, retryAfterMs } = await rates.take(`${action}:${companyId}`, limit)
    if (isAllowed) return
    const seconds = Math.ceil(retryAfterMs / 1_000)
    throw new ThrottledError(
      `the company ${companyId} ${ACTIONS[action]} at most ${most} times in a minute: try again in ${seconds} s`,
      seconds,
    )
  }
}
