import { sha256Hex } from '../kernel/crypto.js'
import { ThrottledError } from '../kernel/errors.js'
import type { EngineLimits } from '../kernel/limits.js'
import type {
  Clock,
  LinkPurpose,
  Mailer,
  MailPurpose,
  NoticePurpose,
  Repositories,
  Storage,
  Telemetry,
  UserRecord,
  UsersFilter,
} from '../ports/index.js'
import { expiryOfLinks, SEND_MAIL, type SendMail } from './send-mail.js'

/** Time for the caller to send the mail itself. After that, the worker sends it. */
const IMMEDIATE_GRACE_MS = 30_000

interface NewMail<Purpose extends MailPurpose = LinkPurpose> {
  readonly user: Pick<UserRecord, 'id' | 'companyId' | 'emailKey'>
  readonly purpose: Purpose
  /** The company that causes the mail. Its limit counts. Default: the user's company. */
  readonly causedBy?: number | undefined
  /** True if an unauthenticated client requests the mail, as for a reset. The company counts these separately. */
  readonly isByStranger?: boolean
  /** The destination that the mail is about. Default: none. */
  readonly destinationId?: number
  /** True if no caller waits to send the mail by `afterCommit`: then the worker sends it at once. */
  readonly isUnattended?: boolean
}

/**
 * Stores each mail in the transaction that makes it necessary. So no mail is lost, and a mail that fails does not undo
 * the change.
 */
export class MailQueue {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly mailer: Mailer,
    private readonly sendMail: SendMail,
    private readonly telemetry: Telemetry,
    private readonly gate: MailGate,
  ) {}

  /**
   * @returns the mail's id, for {@link afterCommit}
   * @throws ThrottledError if the address, the company or all companies have reached their limit of the hour, or the
   *   user has five unused links; the caller must then roll the transaction back
   */
  async enqueue(repositories: Repositories, mail: NewMail): Promise<number> {
    await this.gate.admit(repositories, { ...mail, isNotice: false })
    return await this.#insert(repositories, mail)
  }

  /**
   * Queues a mail that only informs about a change. A mail that exceeds a limit is dropped, and the change stands.
   * @returns the mail's id, for {@link afterCommit}; `undefined` if the mail is dropped
   */
  async enqueueNotice(repositories: Repositories, mail: NewMail<NoticePurpose>): Promise<number | undefined> {
    try {
      await this.gate.admit(repositories, { ...mail, isNotice: true })
    } catch (error) {
      if (!(error instanceof ThrottledError)) throw error
      const fields = { userId: mail.user.id, purpose: mail.purpose }
      this.telemetry.record({ name: 'mail.dropped', level: 'warn', fields, error })
      return undefined
    }
    return await this.#insert(repositories, mail)
  }

  async #insert(repositories: Repositories, mail: NewMail<MailPurpose>): Promise<number> {
    const { mails, jobs } = repositories
    const { user, purpose, destinationId = null, isUnattended = false } = mail
    const created = this.clock.now().toISOString()
    const { id } = await mails.insert({ userId: user.id, purpose, destinationId, created })
    const delayMs = this.mailer.isImmediate && !isUnattended ? IMMEDIATE_GRACE_MS : 0
    await jobs.enqueue({ kind: SEND_MAIL, subject: id }, { delayMs })
    return id
  }

  /** Sends the mail now if the mailer is immediate. Call it after the transaction is committed. */
  async afterCommit(mailId: number): Promise<void> {
    if (!this.mailer.isImmediate) return
    try {
      await this.sendMail.send(mailId)
      await this.storage.transaction(async ({ mails, jobs }) => {
        await mails.remove(mailId)
        await jobs.cancelAll([{ kind: SEND_MAIL, subject: mailId }])
      })
    } catch (error) {
      // The job still exists: the worker retries.
      this.telemetry.record({ name: 'mail.delayed', level: 'warn', fields: { mailId }, error })
    }
  }
}

/** Makes all links of users invalid, and cancels their unsent mails. */
export async function cancelLinks(repositories: Repositories, users: UsersFilter): Promise<void> {
  const { mails, jobs, passwordTokens } = repositories
  const mailIds = await mails.removeOf(users)
  await jobs.cancelAll(mailIds.map((subject) => ({ kind: SEND_MAIL, subject })))
  if ('userId' in users) await passwordTokens.removeOfUser(users.userId)
  else await passwordTokens.removeOfCompany(users.companyId)
}

type MailLimits = Pick<EngineLimits, 'mailsPerAddressPerHour' | 'mailsPerCompanyPerHour' | 'mailsPerHour'>

const HOUR_MS = 3_600_000

/** Unused links of one user, sent or not. */
const MAX_LINKS = 5

const LINK_PURPOSES: readonly LinkPurpose[] = ['invitation', 'reset']

/** Lifetime of a reset link: after this time a new link is possible. */
const RETRY_AFTER_SECONDS = 3_600

interface MailRequest extends Omit<NewMail, 'purpose'> {
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
  constructor(
    private readonly clock: Clock,
    private readonly limits: MailLimits,
  ) {}

  /**
   * Counts a mail.
   * @throws ThrottledError if the mail would exceed a limit
   */
  async admit(repositories: Repositories, request: MailRequest): Promise<void> {
    const { user, causedBy = user.companyId, isNotice, isByStranger = false } = request
    const { mailsPerAddressPerHour, mailsPerCompanyPerHour, mailsPerHour } = this.limits
    const address = await sha256Hex(`${user.companyId}\0${user.emailKey}`)
    const counter = `mail:${isNotice ? 'notice' : 'address'}:${address}`
    await this.#take(repositories, counter, mailsPerAddressPerHour, 'this address')
    if (!isNotice) await this.#requireLink(repositories, user.id)
    const ofCompany = `mail:${isByStranger ? 'strangers-of-' : ''}company:${causedBy}`
    await this.#take(repositories, ofCompany, mailsPerCompanyPerHour, 'this company')
    await this.#take(repositories, 'mail:all', mailsPerHour, 'all companies together')
  }

  async #take({ rates }: Repositories, name: string, most: number, target: string): Promise<void> {
    const { isAllowed, retryAfterMs } = await rates.consume(name, { most, windowMs: HOUR_MS, now: this.clock.now() })
    if (isAllowed) return
    const seconds = Math.ceil(retryAfterMs / 1_000)
    throw new ThrottledError(
      `the limit of ${most} mails an hour for ${target} is reached: try again in ${seconds} seconds`,
      seconds,
    )
  }

  async #requireLink({ passwordTokens, mails }: Repositories, userId: number): Promise<void> {
    const sent = await passwordTokens.countOfUser(userId, expiryOfLinks(this.clock.now()))
    if (sent + (await mails.countOfUser(userId, LINK_PURPOSES)) < MAX_LINKS) return
    throw new ThrottledError(
      `this user already has ${MAX_LINKS} unused links: use one of them, or try again later`,
      RETRY_AFTER_SECONDS,
    )
  }
}
