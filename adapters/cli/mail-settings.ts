import type { Option } from '@commander-js/extra-typings'
import { InvalidInputError, type MailSettings } from '../../src/index.js'
import type { Mailer } from '../../src/ports/index.js'
import { SmtpMailer } from '../mail/index.js'
import { option } from './options.js'

/** The values of the options of commands that send mails. */
export interface MailOptions {
  readonly smtpUrl?: string | undefined
  readonly mailFrom?: string | undefined
  readonly setupUrl?: string | undefined
  readonly publicUrl?: string | undefined
}

/** The options that each command that sends mails adds. */
export const MAIL_OPTIONS = {
  publicUrl: (): Option<'--public-url <url>'> =>
    option(
      '--public-url <url>',
      'URL under which clients and users reach the server: the issuer of tokens, and the base of links in mails',
    ),
  smtpUrl: (): Option<'--smtp-url <url>'> =>
    option('--smtp-url <url>', 'mail server, such as smtp://user:password@host:587; default: write .eml files'),
  mailFrom: (): Option<'--mail-from <address>'> =>
    option('--mail-from <address>', 'sender of mails; default: alcove@localhost'),
  setupUrl: (): Option<'--setup-url <template>'> =>
    option('--setup-url <template>', 'page where users set their password; contains {token}'),
}

/** The mail options for the engine. @param address returns the URL of the server, if the command starts one */
export function mailSettings(options: MailOptions, address?: () => string): { mail: MailSettings; mailer?: Mailer } {
  const { smtpUrl, mailFrom = 'alcove@localhost', publicUrl, setupUrl } = options
  const base = publicUrl === undefined ? undefined : checkPublicUrl(publicUrl)
  const page = (root: string): string => `${root}/auth/setup?token={token}`
  const template = setupUrl ?? (base === undefined ? undefined : page(base))
  const mailer = smtpUrl === undefined ? undefined : new SmtpMailer({ url: smtpUrl, from: mailFrom })
  if (template !== undefined) return { mail: { setupUrl: template }, ...(mailer && { mailer }) }
  return { mail: address === undefined ? {} : { setupUrl: () => page(address()) }, ...(mailer && { mailer }) }
}

/** @throws InvalidInputError */
export function checkPublicUrl(url: string): string {
  if (URL.canParse(url) && /^https?:[^?#\s]+$/.test(url)) return url.replace(/\/+$/, '')
  throw new InvalidInputError(
    'publicUrl',
    'must be an http or https URL without query, such as https://alcove.example.com',
  )
}
