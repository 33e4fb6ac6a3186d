import type { z } from 'zod'
import { type AuditActor, recordChange } from '../../audit/index.js'
import { randomToken } from '../../kernel/crypto.js'
import { errorReason, InvalidInputError } from '../../kernel/errors.js'
import {
  booleanSchema,
  idSchema,
  NOT_ONE_LINE,
  objectSchema,
  type RuleProblem,
  ruleProblem,
  textSchema,
} from '../../kernel/validate.js'
import type { PasswordHasher, Repositories, UserRecord } from '../../ports/index.js'
import { isUserUsable } from '../access/principal.js'

const MAX_NAME_LENGTH = 100

const SHORT_TEXT = textSchema({ max: MAX_NAME_LENGTH })

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
    const problem = problemOf(value)
    if (problem !== undefined) check.addIssue({ code: 'custom', ...problem })
  })
  // Sets `maxLength` in the JSON Schema.
  return name.meta({ maxLength: MAX_NAME_LENGTH })
}

/** @returns the problem of a name that will appear in mails, or `undefined` */
function problemOf(name: string): RuleProblem | undefined {
  if (LINE_BREAKS.test(name)) return NOT_ONE_LINE
  if (/[<>]/.test(name)) return ANGLE_BRACKET
  if (OVERRIDES.test(name)) {
    return ruleProblem('must not contain characters that change the direction of text', 'text-direction')
  }
  const visible = name.replaceAll(INVISIBLE, '').normalize('NFKC').replaceAll(FULL_STOPS, '.')
  if (/[<>]/.test(visible)) return ANGLE_BRACKET
  if (LINK.test(visible) || DOMAIN.test(visible)) {
    return ruleProblem('must be a name, without web addresses: put a space after each full stop', 'web-address')
  }
  return undefined
}

const ANGLE_BRACKET = ruleProblem('must not contain < or >', 'angle-bracket')

const NAME = personNameSchema()

/** True if the name of a user or a company obeys the rules of {@link personNameSchema}. Stored names need not. */
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
    `must have at most ${MAX_NAME_LENGTH} characters together with the first name, or come with a shorter name`,
    { reason: errorReason('too-long-with-first-name', { max: MAX_NAME_LENGTH }) },
  )
}

/** An address in its two stored forms. */
export interface EmailAddress {
  /** As typed, without white space around it. */
  readonly email: string
  /** For comparisons: case folded, with the domain in its ASCII form. */
  readonly emailKey: string
}

const MAX_EMAIL_LENGTH = 320

/**
 * Reads an e-mail address. Two spellings of one address have the same `emailKey`.
 * @throws InvalidInputError if the text is not an address
 */
export function parseEmailAddress(input: string, field = 'email'): EmailAddress {
  const email = input.trim()
  const at = email.lastIndexOf('@')
  const local = email.slice(0, at)
  const domain = email.slice(at + 1)
  const isPlain = at > 0 && email.length <= MAX_EMAIL_LENGTH && !/[\s\p{Cc}<>]/u.test(email) && !local.includes('@')
  const asciiDomain = isPlain ? toAsciiDomain(domain) : undefined
  if (asciiDomain === undefined) {
    throw new InvalidInputError(field, 'must be an e-mail address such as name@example.com', {
      reason: errorReason('not-an-email-address'),
    })
  }
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

export const OPTIONAL_NAME: z.ZodType<string | undefined> = personNameSchema().optional()

/** An e-mail address, still to be parsed. */
export function emailSchema(): z.ZodType<string> {
  return textSchema({ min: 1, max: MAX_EMAIL_LENGTH })
}

/** The id that a host's login gives a user. */
export function externalIdSchema(): z.ZodType<string> {
  return textSchema({ min: 1, max: 255, isLine: true })
}

/**
 * The stored forms of no address. The key is unique within the company, as the external id is. No address has a `<`.
 */
export function noAddress(externalId: string): EmailAddress {
  return { email: '', emailKey: `<none>${externalId}` }
}

/** No mail server has this domain. */
const SERVICE_DOMAIN = '@alcove.invalid'

/** An address for the user of an API key that is no person. */
export function newServiceAddress(): EmailAddress {
  return parseEmailAddress(`service-${randomToken(9)}${SERVICE_DOMAIN}`)
}

/** True for a user who was made for an API key, and not for a person. */
export function isServiceUser({ emailKey, externalId, passwordHash }: UserRecord): boolean {
  return (
    emailKey.startsWith('service-') && emailKey.endsWith(SERVICE_DOMAIN) && externalId === null && passwordHash === null
  )
}

/** Body of `POST /tenant/user`. */
export const newUserSchema: z.ZodType<NewUser> = objectSchema({
  email: emailSchema(),
  customerId: idSchema().optional(),
  externalId: externalIdSchema().optional(),
  invite: booleanSchema().optional(),
  firstName: OPTIONAL_NAME,
  lastName: OPTIONAL_NAME,
  name: OPTIONAL_NAME,
})

export interface NewUser {
  readonly email: string
  /** Company of the user. Default: the caller's company. */
  readonly customerId?: number | undefined
  /** The id of the user in the host's own login; unique within the company. Default: none. */
  readonly externalId?: string | undefined
  /** False to send no invitation, for a host with its own login. Default: true. */
  readonly invite?: boolean | undefined
  /** At most 100 characters, in one line, without `<`, `>` and web addresses. The same holds for the other names. */
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  /** Full name. It is split at its last space if `firstName` and `lastName` are empty. */
  readonly name?: string | undefined
}

/** Inserts a user without any permission. */
export async function insertUser(
  repositories: Repositories,
  user: {
    readonly companyId: number
    readonly address: EmailAddress
    readonly externalId: string | null
    readonly created: string
    readonly isService?: boolean
  } & FullName,
  by: AuditActor,
): Promise<UserRecord> {
  const { address, isService = false, ...fields } = user
  const inserted = await repositories.users.insert({ ...fields, ...address, lastAccess: null, passwordHash: null })
  await recordChange(repositories, by, new Date(inserted.created), {
    action: 'user.added',
    companyId: inserted.companyId,
    targetId: inserted.id,
    details: { service: isService },
  })
  return inserted
}

export interface FullName {
  readonly firstName: string
  readonly lastName: string
  readonly name: string
}

/** Completes the names of a new user. Specification: Tenant API. */
export function completeNames(names: Pick<NewUser, 'firstName' | 'lastName' | 'name'>): FullName {
  const { firstName = '', lastName = '', name = '' } = names
  const fullName = name.trim()
  if (firstName !== '' || lastName !== '') {
    return { firstName, lastName, name: fullName === '' ? joinNames(firstName, lastName) : fullName }
  }
  const space = fullName.lastIndexOf(' ')
  if (space < 0) return { firstName: fullName, lastName: '', name: fullName }
  return { firstName: fullName.slice(0, space).trim(), lastName: fullName.slice(space + 1), name: fullName }
}

/** Passwords that one login compares: each comparison takes the time of a hash. */
const MAX_COMPARED = 8

/** The address of a login or reset. It means one company's user, or the users of all companies if none is named. */
export interface IdentityName {
  readonly email: string
  readonly companyId: number | undefined
}

/**
 * Lists the usable users of an address: at most one of each company.
 * @returns users with a password first, then by id, so that invitations to other companies cannot lock a user out
 */
export async function listIdentities(
  repositories: Repositories,
  { email, companyId }: IdentityName,
): Promise<readonly UserRecord[]> {
  const emailKey = emailKeyOf(email)
  if (emailKey === undefined) return []
  const { users } = repositories
  if (companyId !== undefined) {
    const user = await users.findByEmailKey(companyId, emailKey)
    return user !== undefined && (await isUserUsable(repositories, user)) ? [user] : []
  }
  const known = await users.listByEmailKey(emailKey)
  const areUsable = await Promise.all(known.map(async (user) => await isUserUsable(repositories, user)))
  const passwordRank = ({ passwordHash }: UserRecord): number => (passwordHash === null ? 1 : 0)
  return known
    .filter((_, index) => areUsable[index])
    .toSorted((left, right) => passwordRank(left) - passwordRank(right) || left.id - right.id)
}

/**
 * Compares a password with those of the first eight identities that have one.
 *
 * @param decoy a hash to compare with if no identity has a password, so that the call takes the same time
 * @returns the identities that have this password
 */
export async function identitiesWithPassword(
  hasher: PasswordHasher,
  identities: readonly UserRecord[],
  { password, decoy }: { readonly password: string; readonly decoy: string },
): Promise<readonly UserRecord[]> {
  const compared = identities.filter(({ passwordHash }) => passwordHash !== null).slice(0, MAX_COMPARED)
  if (compared.length === 0) await hasher.verify(decoy, password)
  const found: UserRecord[] = []
  for (const identity of compared) {
    if (await hasher.verify(identity.passwordHash ?? decoy, password)) found.push(identity)
  }
  return found
}

/** The name of the counter of wrong passwords. It includes the company, so that no user of another one is locked out. */
export function counterNameOf({ email, companyId }: IdentityName): string {
  return `${companyId ?? ''}\0${emailKeyOf(email) ?? email.trim().toLowerCase()}`
}

function emailKeyOf(email: string): string | undefined {
  try {
    return parseEmailAddress(email).emailKey
  } catch {
    return undefined
  }
}
