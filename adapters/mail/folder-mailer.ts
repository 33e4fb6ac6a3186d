import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Mail, MailError, type Mailer } from '../../src/ports/index.js'

const DEFAULT_FROM = 'Alcove <alcove@localhost>'

/**
 * Writes each mail to a folder, as an .eml file that every mail program opens. For tests, and for hosts that send mails
 * themselves.
 */
export class FolderMailer implements Mailer {
  readonly isImmediate = true
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
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      // The name begins with the time, so that a list by name is in the order of writing.
      const name = `${new Date().toISOString().replaceAll(':', '')}-${randomUUID().slice(0, 8)}.eml`
      const temporary = join(this.#folder, `.${name}`)
      await writeFile(temporary, message as Buffer, { mode: 0o600 })
      await rename(temporary, join(this.#folder, name))
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
