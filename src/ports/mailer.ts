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

/** Purposes of mails that bring a link. */
export type LinkPurpose = 'invitation' | 'reset'

/** Purposes of mails that only tell of something. */
export type NoticePurpose = 'password-changed'

/** Purpose of a mail. */
export type MailPurpose = LinkPurpose | NoticePurpose

/** Facts to write a mail about; `purpose` tells which there are. */
export type MailSubject = LinkMailSubject | NoticeMailSubject

interface AnyMailSubject {
  /** The name is empty where it may not stand in a mail, such as one with a web address in it. */
  readonly user: { readonly name: string; readonly email: string }
  /** The company's name, or `company 7` where it may not stand in a mail. */
  readonly companyName: string
}

/** A mail with a link in it. */
export interface LinkMailSubject extends AnyMailSubject {
  readonly purpose: LinkPurpose
  /** Works once. */
  readonly link: string
  /** ISO 8601; when the link ends. */
  readonly expires: string
  readonly happened?: undefined
}

/** A mail that only tells of something. It brings no link, so that users learn to follow none in such a mail. */
export interface NoticeMailSubject extends AnyMailSubject {
  readonly purpose: NoticePurpose
  /** ISO 8601; when it happened. */
  readonly happened: string
  readonly link?: undefined
  readonly expires?: undefined
}

/** Words a mail. A host that has its own words gives its own. */
export type MailWriter = (subject: MailSubject) => Pick<Mail, 'subject' | 'text' | 'html'>
