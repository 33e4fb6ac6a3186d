import { z } from 'zod'
import type { JobHandler, JobRun } from '../jobs/index.js'
import { randomToken, sha256Hex } from '../kernel/crypto.js'
import { latestEnd } from '../kernel/lifetimes.js'
import { closedObjectSchema, validate } from '../kernel/validate.js'
import type {
  Clock,
  DestinationMailSubject,
  ExpiryRange,
  LinkMailSubject,
  LinkPurpose,
  Mail,
  Mailer,
  MailRecord,
  MailSubject,
  MailWriter,
  NoticeMailSubject,
  Repositories,
  Storage,
} from '../ports/index.js'
import { findUsableUser } from './access/principal.js'
import { isSafeInMail } from './users/identity.js'

/** The kind of job that sends a mail. */
export const SEND_MAIL = 'send-mail'

const LINK_LIFETIME_MS: Record<LinkPurpose, number> = { invitation: 7 * 86_400_000, reset: 3_600_000 }

/** The longest lifetime of a link that sets a password. */
export const MAX_LINK_LIFETIME_MS: number = Math.max(...Object.values(LINK_LIFETIME_MS))

/** The times between which a valid link expires. */
export function expiryOfLinks(now: Date): ExpiryRange {
  return { after: now.toISOString(), until: latestEnd(now, MAX_LINK_LIFETIME_MS).toISOString() }
}

/** The texts of mails, and the address of their links. */
export interface MailSettings {
  /**
   * The page where users choose a password; `{token}` stands for the token. Default: the REST server's own page at its
   * default address.
   */
  readonly setupUrl?: string | (() => string)
  /** Default: the engine's texts, in English. */
  readonly writer?: MailWriter
}

interface WrittenMail {
  readonly mail: Mail
  /** Hash of the token in the mail's link; undefined without a link. */
  readonly tokenHash?: string
}

/** The job that sends a stored mail. It creates the link now, so that no secret waits in the database. */
export class SendMail implements JobHandler {
  readonly kind: string = SEND_MAIL

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly mailer: Mailer,
    private readonly settings: MailSettings,
  ) {}

  async run(job: JobRun): Promise<void> {
    await this.send(job.subject, job.signal)
    await job.complete(async ({ mails }) => {
      await mails.remove(job.subject)
    })
  }

  async fail({ mails }: Repositories, subject: number): Promise<void> {
    await mails.remove(subject)
  }

  /** @throws MailError; the link of the unsent mail is then removed */
  async send(mailId: number, signal?: AbortSignal): Promise<void> {
    const written = await this.storage.transaction((repositories) => this.#write(repositories, mailId))
    if (written === undefined) return
    try {
      await this.mailer.send(written.mail, signal === undefined ? {} : { signal })
    } catch (error) {
      const { tokenHash } = written
      if (tokenHash !== undefined) {
        await this.storage.transaction(({ passwordTokens }) => passwordTokens.remove(tokenHash))
      }
      throw error
    }
  }

  async #write(repositories: Repositories, mailId: number): Promise<WrittenMail | undefined> {
    const mail = await repositories.mails.get(mailId)
    if (mail === undefined) return undefined
    // The user may have been deleted or disabled since the mail was stored.
    const user = await findUsableUser(repositories, mail.userId)
    const company = user && (await repositories.companies.get(user.companyId))
    if (user === undefined || company === undefined) return undefined
    // A user of the host's login may have no address, or have lost it since.
    if (user.email === '') return undefined
    // Names of companies may be links, and a user's name may be older than a rule of this version.
    const name = isSafeInMail(user.name) ? user.name : ''
    const subject = {
      user: { name, email: user.email },
      companyName: isSafeInMail(company.name) ? company.name : `company ${company.id}`,
    }
    const to = { name, address: user.email }
    const { purpose } = mail
    const write = this.settings.writer ?? writeMail
    if (purpose === 'password-changed')
      return { mail: { to, ...write({ ...subject, purpose, happened: mail.created }) } }
    if (purpose === 'destination-failing' || purpose === 'destination-disabled') {
      const destination = await destinationOf(repositories, mail.destinationId)
      if (destination === undefined) return undefined
      return { mail: { to, ...write({ ...subject, purpose, happened: mail.created, destination }) } }
    }
    const { tokenHash, ...link } = await this.#createLink(repositories, { userId: user.id, purpose })
    return { mail: { to, ...write({ ...subject, purpose, ...link }) }, tokenHash }
  }

  async #createLink(
    { passwordTokens }: Repositories,
    { userId, purpose }: Pick<MailRecord, 'userId'> & { readonly purpose: LinkPurpose },
  ): Promise<{ readonly link: string; readonly expires: string; readonly tokenHash: string }> {
    const now = this.clock.now()
    const expires = new Date(now.getTime() + LINK_LIFETIME_MS[purpose]).toISOString()
    const token = randomToken(24)
    await passwordTokens.removeExpired(expiryOfLinks(now))
    const tokenHash = await sha256Hex(token)
    await passwordTokens.insert({ userId, tokenHash, expires })
    return { link: fillSetupUrl(this.settings.setupUrl, token), expires, tokenHash }
  }
}

/** @returns undefined if the destination was deleted since the mail was stored */
async function destinationOf(
  { destinations }: Repositories,
  destinationId: number | null,
): Promise<DestinationMailSubject['destination'] | undefined> {
  const destination = destinationId === null ? undefined : await destinations.get(destinationId)
  if (destination === undefined) return undefined
  const { id, name, url, failingSince } = destination
  return { id, name: name !== null && isSafeInMail(name) ? name : null, host: new URL(url).host, failingSince }
}

const TOKEN_PLACEHOLDER = '{token}'
const DEFAULT_SETUP_URL = `http://127.0.0.1:8787/auth/setup?token=${TOKEN_PLACEHOLDER}`

const SETTINGS = closedObjectSchema({
  setupUrl: z
    .custom<MailSettings['setupUrl']>((value) => typeof value === 'function' || isSetupUrl(value), {
      error: `must be a web address with ${TOKEN_PLACEHOLDER} in it, such as ${DEFAULT_SETUP_URL}`,
    })
    .optional(),
  writer: z.custom<MailWriter>((value) => typeof value === 'function', { error: 'must be a function' }).optional(),
})

/** @throws InvalidInputError also if the template has no `{token}`, or is not a web address */
export function checkMailSettings(settings: unknown, root: string): void {
  validate(SETTINGS, settings, root)
}

function isSetupUrl(template: unknown): boolean {
  if (typeof template !== 'string' || !template.includes(TOKEN_PLACEHOLDER)) return false
  return /^https?:/i.test(template) && URL.canParse(template.replaceAll(TOKEN_PLACEHOLDER, 'token'))
}

function fillSetupUrl(template: string | (() => string) = DEFAULT_SETUP_URL, token: string): string {
  return (typeof template === 'string' ? template : template()).replaceAll(TOKEN_PLACEHOLDER, token)
}

/** The engine's default texts, in English. */
const writeMail: MailWriter = (subject) => {
  if (subject.link !== undefined) return linkMail(subject)
  return subject.destination === undefined ? noticeMail(subject) : destinationMail(subject)
}

function linkMail(subject: LinkMailSubject): Pick<Mail, 'subject' | 'text' | 'html'> {
  const { title, reason, instruction, button, footnote } = textsOf(subject)
  const greeting = greetingOf(subject)
  const validity = `The link works once, until ${minuteOf(subject.expires)}.`
  return {
    subject: title,
    text: [greeting, '', reason, instruction, '', subject.link, '', validity, footnote, ''].join('\n'),
    html: htmlOf(title, [
      escapeHtml(greeting),
      `${escapeHtml(reason)} ${instruction}`,
      `<a href="${escapeHtml(subject.link)}">${button}</a>`,
      `${escapeHtml(validity)} ${escapeHtml(footnote)}`,
    ]),
  }
}

/** A mail without a link. */
function noticeMail(subject: NoticeMailSubject): Pick<Mail, 'subject' | 'text' | 'html'> {
  const title = 'Your password was changed'
  const paragraphs = [
    greetingOf(subject),
    `The password of ${subject.user.email} at ${subject.companyName} was changed on ${minuteOf(subject.happened)}.`,
    'If you changed it, there is nothing to do. If you did not, request a new password where you log in, and tell an administrator of your company.',
  ]
  return plainMail(title, paragraphs)
}

function destinationMail(subject: DestinationMailSubject): Pick<Mail, 'subject' | 'text' | 'html'> {
  const { companyName, purpose, happened, destination } = subject
  const { id, name, host, failingSince } = destination
  const which = `The webhook destination ${id}${name === null ? '' : ` (${name})`} of ${companyName}, on ${host},`
  if (purpose === 'destination-disabled') {
    return plainMail('A webhook destination is disabled', [
      greetingOf(subject),
      `${which} answered 410 (Gone) on ${minuteOf(happened)}. It is disabled: it gets no events any more.`,
      'If this is right, delete the destination. If not, correct the receiver, enable the destination, and resend the failed deliveries of its log.',
    ])
  }
  const since = failingSince === null ? '' : ` No attempt has succeeded since ${minuteOf(failingSince)}.`
  return plainMail('A webhook destination fails', [
    greetingOf(subject),
    `${which} has failed for a day.${since}`,
    'Correct the receiver, then resend the failed deliveries of its log. New events are still sent. There is no further mail about it before an attempt succeeds.',
  ])
}

function plainMail(title: string, paragraphs: readonly string[]): Pick<Mail, 'subject' | 'text' | 'html'> {
  return {
    subject: title,
    text: `${paragraphs.join('\n\n')}\n`,
    html: htmlOf(title, paragraphs.map(escapeHtml)),
  }
}

function textsOf({ purpose, companyName, user }: LinkMailSubject) {
  if (purpose === 'invitation') {
    return {
      title: `You are invited to ${companyName}`,
      reason: `An account for ${user.email} was created at ${companyName}.`,
      instruction: 'Choose a password to complete it:',
      button: 'Choose a password',
      footnote: 'If you did not expect this mail, ignore it.',
    }
  }
  return {
    title: 'Reset your password',
    reason: `A new password was requested for ${user.email} at ${companyName}.`,
    instruction: 'Choose it here:',
    button: 'Choose a new password',
    footnote: 'If you did not request it, ignore this mail: your password does not change.',
  }
}

function greetingOf({ user }: MailSubject): string {
  return user.name === '' ? 'Hello,' : `Hello ${user.name},`
}

/** @param time ISO 8601, UTC */
function minuteOf(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}

function htmlOf(title: string, paragraphs: readonly string[]): string {
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body>`,
    ...paragraphs.map((paragraph) => `<p>${paragraph}</p>`),
    '</body></html>',
    '',
  ].join('\n')
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
