/** A mail to one person. */
export interface Mail {
  readonly to: { readonly name: string; readonly address: string }
  readonly subject: string
  /** The content as plain text. */
  readonly text: string
  /** The same content as HTML. */
  readonly html: string
}

/** Sends mails. Concurrent calls are allowed. */
export interface Mailer {
  /**
   * True if sending takes milliseconds and hardly ever fails, such as writing a file: then the caller waits for it.
   * False if a durable job sends the mails.
   */
  readonly isImmediate: boolean
  /**
   * True if no mail reaches its receiver by itself: the operator finds it, such as in a folder, and passes it on.
   * Default: false.
   */
  readonly keepsMails?: boolean
  /**
   * Sends one mail.
   *
   * @param options.signal aborts the call, which then rejects with the signal's reason. The mail may have been sent.
   *   Default: no signal
   * @throws MailError `isTransient` says whether a retry may succeed
   */
  send(mail: Mail, options?: { readonly signal?: AbortSignal }): Promise<void>
  /** Frees connections. A second call does nothing. */
  close(): Promise<void>
}

/** Purposes of mails with a link. */
export type LinkPurpose = 'invitation' | 'reset'

/** Purposes of mails about a destination of webhooks. */
export type DestinationMailPurpose = 'destination-failing' | 'destination-disabled'

/** Purposes of mails that only report a fact. */
export type NoticePurpose = 'password-changed' | DestinationMailPurpose

/** The purpose of a mail. */
export type MailPurpose = LinkPurpose | NoticePurpose

/** The facts of a mail. `purpose` decides which of them there are. */
export type MailSubject = LinkMailSubject | NoticeMailSubject | DestinationMailSubject

interface AnyMailSubject {
  /** The receiver. The name is empty if a mail must not show it, for example because it has a web address in it. */
  readonly user: { readonly name: string; readonly email: string }
  /** The company's name, or text such as `company 7` if a mail must not show the name. */
  readonly companyName: string
}

/** The facts of a mail with a link. */
export interface LinkMailSubject extends AnyMailSubject {
  readonly purpose: LinkPurpose
  /** The URL of the link. It works once. */
  readonly link: string
  /** The time when the link expires, ISO 8601. */
  readonly expires: string
  readonly happened?: undefined
  readonly destination?: undefined
}

/** The facts of a mail that only reports. It has no link, so that users learn to follow no link in such a mail. */
export interface NoticeMailSubject extends AnyMailSubject {
  readonly purpose: Exclude<NoticePurpose, DestinationMailPurpose>
  /** The time of the reported fact, ISO 8601. */
  readonly happened: string
  readonly link?: undefined
  readonly expires?: undefined
  readonly destination?: undefined
}

/**
 * The facts of a mail about a destination that asks for long retries: its deliveries have failed for a day, or it
 * answered 410 and is disabled. It has no link either.
 */
export interface DestinationMailSubject extends AnyMailSubject {
  readonly purpose: DestinationMailPurpose
  /** The time of the mail's reason, ISO 8601. */
  readonly happened: string
  readonly destination: {
    readonly id: number
    /** Null without a name, or if a mail must not show it. */
    readonly name: string | null
    /** The host of its URL. The rest of the URL may be secret. */
    readonly host: string
    /** The end of the first failed attempt since the last success, ISO 8601; null if an attempt has succeeded since. */
    readonly failingSince: string | null
  }
  readonly link?: undefined
  readonly expires?: undefined
}

/** Writes the text of a mail. A host can provide its own writer. */
export type MailWriter = (subject: MailSubject) => Pick<Mail, 'subject' | 'text' | 'html'>
