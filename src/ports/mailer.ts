/** A mail to one person. */
export interface Mail {
  readonly to: { readonly name: string; readonly address: string }
  readonly subject: string
  /** The same content twice: for those who read plain text, and for those who do not. */
  readonly text: string
  readonly html: string
}

/** Sends mails. */
export interface Mailer {
  /**
   * Whether sending is a matter of milliseconds that hardly ever fails, such as writing a file:
   * then a caller waits for it. Others are sent by a durable job.
   */
  readonly isImmediate: boolean
  /** @throws MailError; `isTransient` says whether trying again may help */
  send(mail: Mail, options?: { readonly signal?: AbortSignal }): Promise<void>
  /** Frees connections. A second call does nothing. */
  close(): Promise<void>
}

/** Why a mail is written. */
export type MailPurpose = 'invitation' | 'reset'

/** What there is to write about. */
export interface MailSubject {
  readonly purpose: MailPurpose
  /** The name is empty where it may not stand in a mail, such as one with a web address in it. */
  readonly user: { readonly name: string; readonly email: string }
  /** The company's name, or `company 7` where it may not stand in a mail. */
  readonly companyName: string
  /** Works once. */
  readonly link: string
  /** ISO 8601; when the link ends. */
  readonly expires: string
}

/** Words a mail. A host that has its own words gives its own. */
export type MailWriter = (subject: MailSubject) => Pick<Mail, 'subject' | 'text' | 'html'>
