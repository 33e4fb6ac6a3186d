import { ThrottledError } from '../../kernel/errors.js'
import type { EngineLimits } from '../../kernel/limits.js'
import { sha256Hex } from '../../kernel/random.js'
import type { Clock, LinkPurpose, RateOutcome, Repositories, UserRecord } from '../../ports/index.js'

type MailLimits = Pick<EngineLimits, 'mailsPerAddressPerHour' | 'mailsPerCompanyPerHour' | 'mailsPerHour'>

const HOUR_MS = 3_600_000

/** Links that wait for one user, sent or not; more are not made. */
const MOST_LINKS = 5

const LINK_PURPOSES: readonly LinkPurpose[] = ['invitation', 'reset']

/** How long a link of a reset lives: after that there is room for another. */
const LINK_ROOM_SECONDS = 3_600

/** A mail that asks to be sent. */
interface MailRequest {
  readonly user: Pick<UserRecord, 'id' | 'companyId' | 'emailKey'>
  /** The company that causes the mail, whose limit counts; default the user's own. */
  readonly causedBy?: number | undefined
  /** Whether somebody unknown asks for it, as for a reset: the company has a counter of its own for these. */
  readonly isByStranger?: boolean | undefined
  /** Whether the mail only tells of something: it has no link, and a counter of its own for the address. */
  readonly isNotice: boolean
}

/**
 * Decides whether a mail may be sent: every mail passes here, in the transaction that makes it necessary. The counters
 * are rows of the storage, so that the limits hold among processes, and a rollback takes the counts back.
 *
 * - The address has a counter for each company: what one company does with an address tells another nothing of it.
 * - Strangers who ask for resets of a company's users leave it the mails that it sends itself.
 * - Counters are taken in the order address, company, all. The first one is a lock on the address until the transaction
 *   ends, so that links are counted one mail at a time.
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
   * @throws ThrottledError where the mail would be one too many
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

  async #take({ rates }: Repositories, name: string, most: number, what: string): Promise<void> {
    const outcome: RateOutcome = await rates.take(name, { most, windowMs: HOUR_MS, now: this.#clock.now() })
    if (outcome.isAllowed) return
    const seconds = Math.ceil(outcome.retryAfterMs / 1_000)
    throw new ThrottledError(
      `the limit of ${most} mails an hour for ${what} is reached: try again in ${seconds} seconds`,
      seconds,
    )
  }

  async #requireLink({ passwordTokens, mails }: Repositories, userId: number): Promise<void> {
    const sent = await passwordTokens.countOfUser(userId, this.#clock.now().toISOString())
    if (sent + (await mails.countOfUser(userId, LINK_PURPOSES)) < MOST_LINKS) return
    throw new ThrottledError(
      `${MOST_LINKS} links wait for this user already: use one of them, or try again later`,
      LINK_ROOM_SECONDS,
    )
  }
}
