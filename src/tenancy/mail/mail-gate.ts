import { ThrottledError } from '../../kernel/errors.js'
import type { EngineLimits } from '../../kernel/limits.js'
import { sha256Hex } from '../../kernel/random.js'
import type { Clock, LinkPurpose, Repositories, UserRecord } from '../../ports/index.js'

type MailLimits = Pick<EngineLimits, 'mailsPerAddressPerHour' | 'mailsPerCompanyPerHour' | 'mailsPerHour'>

const HOUR_MS = 3_600_000

/** Unused links of one user, sent or not. */
const MAX_LINKS = 5

const LINK_PURPOSES: readonly LinkPurpose[] = ['invitation', 'reset']

/** Lifetime of a reset link: after this time a new link is possible. */
const RETRY_AFTER_SECONDS = 3_600

interface MailRequest {
  readonly user: Pick<UserRecord, 'id' | 'companyId' | 'emailKey'>
  /** The company that causes the mail. Its limit counts. Default: the user's company. */
  readonly causedBy?: number | undefined
  /** True if an unauthenticated client requests the mail, as for a reset. The company counts these separately. */
  readonly isByStranger?: boolean | undefined
  /** True for a mail without a link that only informs. The address has a separate counter for these. */
  readonly isNotice: boolean
}

/**
 * Limits mails. Every mail passes here, in the transaction that makes it necessary. The counters are rows of the
 * storage, so that the limits hold for all processes together, and a rollback undoes the counts.
 *
 * - An address has one counter for each company, so that a company learns nothing about the mails of another.
 * - Strangers who request resets cannot use up the mails that a company sends itself.
 * - Counters are taken in the order address, company, all. The first one locks the address until the transaction ends,
 *   so that parallel mails to one address are counted one after the other.
 */
export class MailGate {
  readonly #clock: Clock
  readonly #limits: MailLimits

  constructor(clock: Clock, limits: MailLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /**
   * Counts a mail.
   * @throws ThrottledError if the mail would exceed a limit
   */
  async admit(repositories: Repositories, request: MailRequest): Promise<void> {
    const { user, causedBy = user.companyId, isNotice, isByStranger = false } = request
    const { mailsPerAddressPerHour, mailsPerCompanyPerHour, mailsPerHour } = this.#limits
    const address = await sha256Hex(`${user.companyId}\0${user.emailKey}`)
    const counter = `mail:${isNotice ? 'notice' : 'address'}:${address}`
    await this.#take(repositories, counter, mailsPerAddressPerHour, 'this address')
    if (!isNotice) await this.#requireLink(repositories, user.id)
    const ofCompany = `mail:${isByStranger ? 'strangers-of-' : ''}company:${causedBy}`
    await this.#take(repositories, ofCompany, mailsPerCompanyPerHour, 'this company')
    await this.#take(repositories, 'mail:all', mailsPerHour, 'all companies together')
  }

  async #take({ rates }: Repositories, name: string, most: number, target: string): Promise<void> {
    const { isAllowed, retryAfterMs } = await rates.take(name, { most, windowMs: HOUR_MS, now: this.#clock.now() })
    if (isAllowed) return
    const seconds = Math.ceil(retryAfterMs / 1_000)
    throw new ThrottledError(
      `the limit of ${most} mails an hour for ${target} is reached: try again in ${seconds} seconds`,
      seconds,
    )
  }

  async #requireLink({ passwordTokens, mails }: Repositories, userId: number): Promise<void> {
    const sent = await passwordTokens.countOfUser(userId, this.#clock.now().toISOString())
    if (sent + (await mails.countOfUser(userId, LINK_PURPOSES)) < MAX_LINKS) return
    throw new ThrottledError(
      `this user already has ${MAX_LINKS} unused links: use one of them, or try again later`,
      RETRY_AFTER_SECONDS,
    )
  }
}
