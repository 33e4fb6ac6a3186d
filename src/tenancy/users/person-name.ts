import type { z } from 'zod'
import { InvalidInputError } from '../../kernel/errors.js'
import { textSchema } from '../../kernel/validate.js'

const MOST_CHARACTERS = 100

const SHORT = textSchema({ max: MOST_CHARACTERS })

/** Characters that nobody sees, apart from those that scripts join letters with; they would hide a full stop's role. */
const INVISIBLE = /[\u00AD\u200B\u2060-\u2064\uFEFF]/gu

/** Full stops that a browser reads as one, and that NFKC leaves as they are. */
const FULL_STOPS = /[\u3002\uFF61]/gu

const OVERRIDES = /[\u202A-\u202E\u2066-\u2069]/u

const LINE_BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** A full stop between what is no space and two letters or digits (`evil.com`), or before a path (`a.b/c`), or in `1.2`. */
const DOMAIN = /[^\s.]\.(?:[\p{L}\p{N}\p{M}_-]{2}|[\p{L}\p{N}]+[/:?#\\]|\p{N})/u

/** What else a mail client makes a link of: a scheme, `//`, `www.`, a path of Windows. */
const LINK = /:\/|\/\/|\\\\|\bwww\.|\b(?:mailto|tel|sms|data|javascript|file|https?|ftp):/iu

/** @returns what is wrong with a name that is to stand in a mail, or `undefined` */
function problemOf(name: string): string | undefined {
  if (LINE_BREAKS.test(name)) return 'must be one line, without control characters'
  if (/[<>]/.test(name)) return 'must not contain < or >'
  if (OVERRIDES.test(name)) return 'must not contain characters that change the direction of text'
  const shown = name.replaceAll(INVISIBLE, '').normalize('NFKC').replaceAll(FULL_STOPS, '.')
  if (/[<>]/.test(shown)) return 'must not contain < or >'
  if (LINK.test(shown) || DOMAIN.test(shown)) {
    return 'must be a name, without web addresses: put a space after each full stop'
  }
  return undefined
}

/**
 * A name of a person, or part of one: at most 100 characters in one line, and nothing that a mail client makes a link
 * of, for names stand in mails from the operator's own domain.
 */
export function personNameSchema(): z.ZodType<string> {
  const name = SHORT.superRefine((value, check) => {
    const message = problemOf(value)
    if (message !== undefined) check.addIssue({ code: 'custom', message })
  })
  // What a JSON Schema of it says.
  return name.meta({ maxLength: MOST_CHARACTERS })
}

const NAME = personNameSchema()

/** Whether a name, of a user or a company and of whatever age, may stand in a mail: the rules of {@link personNameSchema}. */
export function isSafeInMail(name: string): boolean {
  return NAME.safeParse(name).success
}

/**
 * A first and a last name as one.
 * @throws InvalidInputError where both together are too long for a name
 */
export function joinedName(firstName: string, lastName: string): string {
  const name = `${firstName} ${lastName}`.trim()
  if (SHORT.safeParse(name).success) return name
  throw new InvalidInputError(
    'lastName',
    `must have at most ${MOST_CHARACTERS} characters together with the first name, or come with a shorter name`,
  )
}
