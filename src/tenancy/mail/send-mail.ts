import type { JobHandler, JobRun } from '../../jobs/index.js'
import { InvalidInputError } from '../../kernel/errors.js'
import { randomToken, sha256Hex } from '../../kernel/random.js'
import type {
  Clock,
  LinkPurpose,
  Mail,
  Mailer,
  MailRecord,
  MailSubject,
  MailWriter,
  Repositories,
  Storage,
} from '../../ports/index.js'
import { findUsableUser } from '../access/principal.js'
import { isSafeInMail } from '../users/person-name.js'
import { writeMail } from './default-mail-writer.js'

/** The kind of job that sends a mail. */
export const SEND_MAIL = 'send-mail'

const LINK_LIVES_MS: Record<LinkPurpose, number> = { invitation: 7 * 86_400_000, reset: 3_600_000 }

/** How mails are worded, and where their links lead. */
export interface MailSettings {
  /**
   * Where users choose a password; `{token}` stands for the token. Default: the REST server's own page
   * at its default address.
   */
  readonly setupUrl?: string | (() => string)
  /** Default: the engine's own words, in English. */
  readonly writer?: MailWriter
}

interface WrittenMail {
  readonly mail: Mail
  /** Hash of the token in the mail's link; none without a link. */
  readonly tokenHash?: string
}

/** Sends a mail that waits. Its link is made now, so that no secret is kept meanwhile. */
export class SendMail implements JobHandler {
  readonly kind: string = SEND_MAIL
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #mailer: Mailer
  readonly #settings: MailSettings

  constructor(storage: Storage, clock: Clock, mailer: Mailer, settings: MailSettings) {
    this.#storage = storage
    this.#clock = clock
    this.#mailer = mailer
    this.#settings = settings
  }

  async run(job: JobRun): Promise<void> {
    await this.send(job.subject, job.signal)
    await job.complete(async ({ mails }) => {
      await mails.remove(job.subject)
    })
  }

  async fail({ mails }: Repositories, subject: number): Promise<void> {
    await mails.remove(subject)
  }

  /** @throws MailError; the link of a mail that was not sent is none */
  async send(mailId: number, signal?: AbortSignal): Promise<void> {
    const written = await this.#storage.transaction((repositories) => this.#write(repositories, mailId))
    if (written === undefined) return
    try {
      await this.#mailer.send(written.mail, signal === undefined ? {} : { signal })
    } catch (error) {
      const { tokenHash } = written
      if (tokenHash !== undefined) {
        await this.#storage.transaction(({ passwordTokens }) => passwordTokens.remove(tokenHash))
      }
      throw error
    }
  }

  async #write(repositories: Repositories, mailId: number): Promise<WrittenMail | undefined> {
    const mail = await repositories.mails.get(mailId)
    if (mail === undefined) return undefined
    // No mail, and no link, for somebody who was deleted or disabled since it was written.
    const user = await findUsableUser(repositories, mail.userId)
    const company = user && (await repositories.companies.get(user.companyId))
    if (user === undefined || company === undefined) return undefined
    // Rows of before the rules for names may hold anything.
    const name = isSafeInMail(user.name) ? user.name : ''
    const about = {
      user: { name, email: user.email },
      companyName: isSafeInMail(company.name) ? company.name : `company ${company.id}`,
    }
    const to = { name, address: user.email }
    const { purpose } = mail
    if (purpose === 'password-changed')
      return { mail: { to, ...this.#word({ ...about, purpose, happened: mail.created }) } }
    const { tokenHash, ...link } = await this.#makeLink(repositories, { userId: user.id, purpose })
    return { mail: { to, ...this.#word({ ...about, purpose, ...link }) }, tokenHash }
  }

  #word(subject: MailSubject): ReturnType<MailWriter> {
    return (this.#settings.writer ?? writeMail)(subject)
  }

  async #makeLink(
    { passwordTokens }: Repositories,
    { userId, purpose }: Pick<MailRecord, 'userId'> & { readonly purpose: LinkPurpose },
  ): Promise<{ readonly link: string; readonly expires: string; readonly tokenHash: string }> {
    const now = this.#clock.now()
    const expires = new Date(now.getTime() + LINK_LIVES_MS[purpose]).toISOString()
    const token = randomToken(24)
    await passwordTokens.removeExpired(now.toISOString())
    const tokenHash = await sha256Hex(token)
    await passwordTokens.insert({ userId, tokenHash, expires })
    return { link: fillSetupUrl(this.#settings.setupUrl, token), expires, tokenHash }
  }
}

const PLACE = '{token}'
const DEFAULT_SETUP_URL = `http://127.0.0.1:8787/auth/setup?token=${PLACE}`

/** @throws InvalidInputError for a template without a place for the token, or that is no address */
export function checkSetupUrl(template: string): void {
  const filled = template.replaceAll(PLACE, 'token')
  if (!template.includes(PLACE) || !URL.canParse(filled) || !/^https?:/i.test(filled)) {
    throw new InvalidInputError('setupUrl', `must be a web address with ${PLACE} in it, such as ${DEFAULT_SETUP_URL}`)
  }
}

function fillSetupUrl(template: string | (() => string) = DEFAULT_SETUP_URL, token: string): string {
  return (typeof template === 'string' ? template : template()).replaceAll(PLACE, token)
}
