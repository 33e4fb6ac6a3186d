import { InvalidInputError } from '../../kernel/errors.js'

/** An address in its two stored forms. */
export interface EmailAddress {
  /** As typed, without white space around it. */
  readonly email: string
  /** For comparisons: case folded, with the domain in its ASCII form. */
  readonly emailKey: string
}

const MAX_LENGTH = 320

/**
 * Reads an e-mail address. Two spellings of one address have the same `emailKey`.
 * @throws InvalidInputError if the text is not an address
 */
export function parseEmailAddress(input: string): EmailAddress {
  const email = input.trim()
  const at = email.lastIndexOf('@')
  const local = email.slice(0, at)
  const domain = email.slice(at + 1)
  const isPlain = at > 0 && email.length <= MAX_LENGTH && !/[\s\p{Cc}<>]/u.test(email) && !local.includes('@')
  const asciiDomain = isPlain ? toAsciiDomain(domain) : undefined
  if (asciiDomain === undefined)
    throw new InvalidInputError('email', 'must be an e-mail address such as name@example.com')
  return { email, emailKey: `${foldCase(local)}@${asciiDomain}` }
}

function toAsciiDomain(domain: string): string | undefined {
  if (domain === '' || /[/?#@:%\\[\]]/.test(domain)) return undefined
  const url = `http://${domain}/`
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : undefined
}

/** Folds case. Upper case comes first: it makes `ß` equal to `ss`, and the two forms of sigma equal. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}
