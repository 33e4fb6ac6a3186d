import { randomUUID } from 'node:crypto'

import { join } from 'node:path'
import type { Transporter } from 'nodemailer'
import { InvalidInputError, isError, type Mail, MailError, type Mailer, untilAborted } from '../../src/ports/index.js'
import { makeFolder, replacePrivateFile } from '../node-kit/index.js'

export interface SmtpMailerOptions {
  /** `smtp://user:password@host:587` or `smtps://…`. Query parameters are options of nodemailer. */
  readonly url: string
  /** The sender, such as `Support <support@example.com>`. */
  readonly from: string
}

const DEFAULT_FROM = 'Alcove <alcove@localhost>'

/**
 * Writes each mail to a folder, as an .eml file that every mail program opens. For tests, and for hosts that send mails
 * themselves.
 */
export class FolderMailer implements Mailer {
  readonly isImmediate = true
  readonly keepsMails = true
  readonly #folder: string
  readonly #from: string

  /** @param folder created with the first mail */
  constructor(folder: string, options: { readonly from?: string } = {}) {
    this.#folder = folder
    this.#from = options.from ?? DEFAULT_FROM
  }

  async send(mail: Mail): Promise<void> {
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
    try {
      const { message } = await transport.sendMail({ from: this.#from, ...mail })
      await makeFolder(this.#folder)
      // The name begins with the time, so that a list by name is in the order of writing.
      const name = `${new Date().toISOString().replaceAll(':', '')}-${randomUUID().slice(0, 8)}.eml`
      await replacePrivateFile(join(this.#folder, name), message as Buffer)
    } catch (error) {
      throw new MailError('the mail could not be written to the mail folder: check that the process may write there', {
        cause: error,
        isTransient: true,
      })
    }
  }

  async close(): Promise<void> {
    // There are no open resources between two mails.
  }
}

const TIMEOUT_MS = 20_000

/** Sends mails by SMTP. */
export class SmtpMailer implements Mailer {
  readonly isImmediate = false
  readonly #options: SmtpMailerOptions
  #transport: Promise<Transporter> | undefined

  /**
   * @throws InvalidInputError if the URL is no address of an SMTP server. The message never quotes it: it may have a
   * password.
   */
  constructor(options: SmtpMailerOptions) {
    if (!URL.canParse(options.url) || !/^smtps?:$/.test(new URL(options.url).protocol)) {
      throw new InvalidInputError('smtpUrl', 'must be an address such as smtp://user:password@mail.example.com:587')
    }
    this.#options = options
  }

  async send(mail: Mail, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    signal?.throwIfAborted()
    const transport = await this.#connected()
    const sending = transport.sendMail({ from: this.#options.from, ...mail }).catch((error: unknown) => {
      throw toMailError(error)
    })
    // An abort does not wait for a server that does not answer.
    await untilAborted(sending, signal)
  }

  async close(): Promise<void> {
    const transport = await this.#transport?.catch(() => undefined)
    this.#transport = undefined
    transport?.close()
  }

  async #connected(): Promise<Transporter> {
    this.#transport ??= this.#connect().catch((error: unknown) => {
      // The next mail tries again.
      this.#transport = undefined
      throw new MailError('the mail could not be sent, because the mail program could not be started', {
        cause: error,
        isTransient: true,
      })
    })
    return await this.#transport
  }

  async #connect(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      url: this.#options.url,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
    })
  }
}

/**
 * A status 5xx is final (RFC 5321, section 4.2.1); all else is transient. The server's text may have addresses, so it
 * is left out.
 */
function toMailError(error: unknown): MailError {
  const status = isError(error) && 'responseCode' in error ? Number(error.responseCode) : undefined
  const isFinal = status !== undefined && status >= 500
  const reason = status === undefined ? 'no answer' : `status ${status}`
  return new MailError(`the mail server did not accept the mail (${reason})`, { cause: error, isTransient: !isFinal })
}
