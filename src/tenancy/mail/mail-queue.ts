import { ThrottledError } from '../../kernel/errors.js'
import type { EngineLimits } from '../../kernel/limits.js'
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
} from '../../ports/index.js'
import type { MailGate } from './mail-gate.js'
import { SEND_MAIL, type SendMail } from './send-mail.js'

/** Time enough for whoever wrote the mail to send it; after that, the worker does. */
const IMMEDIATE_GRACE_MS = 30_000

/** A mail to be queued. */
interface NewMail<Purpose extends MailPurpose = LinkPurpose> {
  readonly user: Pick<UserRecord, 'id' | 'companyId' | 'emailKey'>
  readonly purpose: Purpose
  /** The company that causes the mail, whose limit counts; default the user's own. */
  readonly causedBy?: number | undefined
  /** Whether somebody unknown asks for it. */
  readonly isByStranger?: boolean
}

/** Mails, written in the transaction that makes them necessary; none is lost, and none undoes what it tells of. */
export class MailQueue {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #mailer: Mailer
  readonly #sendMail: SendMail
  readonly #telemetry: Telemetry
  readonly #gate: MailGate

  constructor(
    storage: Storage,
    clock: Clock,
    mailer: Mailer,
    sendMail: SendMail,
    telemetry: Telemetry,
    gate: MailGate,
  ) {
    this.#storage = storage
    this.#clock = clock
    this.#mailer = mailer
    this.#sendMail = sendMail
    this.#telemetry = telemetry
    this.#gate = gate
  }

  /**
   * @returns the mail's id, for {@link committed}
   * @throws ThrottledError where the address, the company or all companies have had their mails of the hour, or five
   *   links wait for the user; the transaction is to be rolled back then
   */
  async enqueue(repositories: Repositories, mail: NewMail): Promise<number> {
    await this.#gate.admit(repositories, { ...mail, isNotice: false })
    return await this.#insert(repositories, mail)
  }

  /**
   * Queues a mail that only tells of something. One that is over a limit is left out, and what it tells of stands.
   * @returns the mail's id, for {@link committed}; `undefined` where it is left out
   */
  async notify(repositories: Repositories, mail: NewMail<NoticePurpose>): Promise<number | undefined> {
    try {
      await this.#gate.admit(repositories, { ...mail, isNotice: true })
    } catch (error) {
      if (!(error instanceof ThrottledError)) throw error
      const fields = { userId: mail.user.id, purpose: mail.purpose }
      this.#telemetry.record({ name: 'mail.withheld', level: 'warn', fields, error })
      return undefined
    }
    return await this.#insert(repositories, mail)
  }

  async #insert(repositories: Repositories, { user, purpose }: NewMail<MailPurpose>): Promise<number> {
    const { mails, jobs } = repositories
    const { id } = await mails.insert({ userId: user.id, purpose, created: this.#clock.now().toISOString() })
    await jobs.enqueue({ kind: SEND_MAIL, subject: id }, { delayMs: this.#mailer.isImmediate ? IMMEDIATE_GRACE_MS : 0 })
    return id
  }

  /** To be called once the transaction is committed: sends the mail now if that is a matter of a moment. */
  async committed(mailId: number): Promise<void> {
    if (!this.#mailer.isImmediate) return
    try {
      await this.#sendMail.send(mailId)
      await this.#storage.transaction(async ({ mails, jobs }) => {
        await mails.remove(mailId)
        await jobs.cancel({ kind: SEND_MAIL, subject: mailId })
      })
    } catch (error) {
      // The job is there still: the worker tries again.
      this.#telemetry.record({ name: 'mail.delayed', level: 'warn', fields: { mailId }, error })
    }
  }
}

/** Ends the links that users have, and takes back mails that wait to be sent to them. */
export async function endLinks(repositories: Repositories, of: UsersFilter): Promise<void> {
  const { mails, jobs, passwordTokens } = repositories
  for (const subject of await mails.removeOf(of)) await jobs.cancel({ kind: SEND_MAIL, subject })
  if ('userId' in of) await passwordTokens.removeOfUser(of.userId)
  else await passwordTokens.removeOfCompany(of.companyId)
}
