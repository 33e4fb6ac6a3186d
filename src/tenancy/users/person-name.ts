import type { z } from 'zod'
import { InvalidInputError } from '../../kernel/errors.js'
import { textSchema } from '../../kernel/validate.js'

const MAX_CHARACTERS = 100

const SHORT_TEXT = textSchema({ max: MAX_CHARACTERS })

/**
 * Invisible characters, which could hide a full stop between two others. Joiners that scripts need are not among them.
 */
const INVISIBLE = /[\u00AD\u200B\u2060-\u2064\uFEFF]/gu

/** Full stops that browsers treat as `.`, and that NFKC does not change. */
const FULL_STOPS = /[\u3002\uFF61]/gu

const OVERRIDES = /[\u202A-\u202E\u2066-\u2069]/u

const LINE_BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** A full stop after a non-space and before two letters or digits (`evil.com`), a path (`a.b/c`) or a digit (`1.2`). */
const DOMAIN = /[^\s.]\.(?:[\p{L}\p{N}\p{M}_-]{2}|[\p{L}\p{N}]+[/:?#\\]|\p{N})/u

/** Other texts that mail clients turn into links: a scheme, `//`, `www.`, a Windows path. */
const LINK = /:\/|\/\/|\\\\|\bwww\.|\b(?:mailto|tel|sms|data|javascript|file|https?|ftp):/iu

/**
 * A name of a person, or a part of one: at most 100 characters in one line. It contains nothing that a mail client
 * turns into a link, because names appear in mails from the operator's own domain.
 */
export function personNameSchema(): z.ZodType<string> {
  const name = SHORT_TEXT.superRefine((value, check) => {
    const message = problemOf(value)
    if (message !== undefined) check.addIssue({ code: 'custom', message })
  })
  // Sets `maxLength` in the JSON Schema.
  return name.meta({ maxLength: MAX_CHARACTERS })
}

const NAME = personNameSchema()

/** True if the name of a user or a company obeys the rules of {@link personNameSchema}. Stored names can be older. */
export function isSafeInMail(name: string): boolean {
  return NAME.safeParse(name).success
}

/**
 * Joins a first and a last name.
 * @throws InvalidInputError if the result is too long for a name
 */
export function joinNames(firstName: string, lastName: string): string {
  const name = `${firstName} ${lastName}`.trim()
  if (SHORT_TEXT.safeParse(name).success) return name
  throw new InvalidInputError(
    'lastName',
    `must have at most ${MAX_CHARACTERS} characters together with the first name, or come with a shorter name`,
  )
}

/** @returns the problem of a name that will appear in mails, or `undefined` */
function problemOf(name: string): string | undefined {
  if (LINE_BREAKS.test(name)) return 'must be one line, without control characters'
  if (/[<>]/.test(name)) return 'must not contain < or >'
  if (OVERRIDES.test(name)) return 'must not contain characters that change the direction of text'
  const visible = name.replaceAll(INVISIBLE, '').normalize('NFKC').replaceAll(FULL_STOPS, '.')
  if (/[<>]/.test(visible)) return 'must not contain < or >'
  if (LINK.test(visible) || DOMAIN.test(visible)) {
    return 'must be a name, without web addresses: put a space after each full stop'
  }
  return undefined
}
