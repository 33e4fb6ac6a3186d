import type { Clock, Mailer, MailPurpose, Repositories, Storage, Telemetry } from '../../ports/index.js'
import { SEND_MAIL, type SendMail } from './send-mail.js'

/** Time enough for whoever wrote the mail to send it; after that, the worker does. */
const IMMEDIATE_GRACE_MS = 30_000

/** Mails, written in the transaction that makes them necessary; none is lost, and none undoes what it tells of. */
export class MailQueue {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #mailer: Mailer
  readonly #sendMail: SendMail
  readonly #telemetry: Telemetry

  constructor(storage: Storage, clock: Clock, mailer: Mailer, sendMail: SendMail, telemetry: Telemetry) {
    this.#storage = storage
    this.#clock = clock
    this.#mailer = mailer
    this.#sendMail = sendMail
    this.#telemetry = telemetry
  }

  /** @returns the mail's id, for {@link committed} */
  async enqueue({ mails, jobs }: Repositories, userId: number, purpose: MailPurpose): Promise<number> {
    const { id } = await mails.insert({ userId, purpose, created: this.#clock.now().toISOString() })
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
