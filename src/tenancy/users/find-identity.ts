import type { PasswordHasher, Repositories, UserRecord } from '../../ports/index.js'
import { ifUsable } from '../access/principal.js'
import { parseEmailAddress } from './email-address.js'

/** Identities whose passwords one login compares: each takes as long as a hash does. */
const MOST_COMPARED = 8

/** An address as somebody gives it, of a user of one company, or of users of all where none is named. */
export interface IdentityName {
  readonly email: string
  readonly companyId: number | undefined
}

/**
 * Lists the usable users of an address: an identity belongs to its company.
 * @returns those with a password first, then by id, so that an invitation to another company keeps nobody out
 */
export async function listIdentities(
  repositories: Repositories,
  { email, companyId }: IdentityName,
): Promise<readonly UserRecord[]> {
  const emailKey = keyOf(email)
  if (emailKey === undefined) return []
  const { users } = repositories
  if (companyId !== undefined) {
    const user = await ifUsable(repositories, await users.findByEmailKey(companyId, emailKey))
    return user === undefined ? [] : [user]
  }
  const known = await users.listByEmailKey(emailKey)
  const usable = await Promise.all(known.map(async (user) => await ifUsable(repositories, user)))
  const identities = usable.filter((user) => user !== undefined)
  const hasNone = (user: UserRecord): number => Number(user.passwordHash === null)
  return identities.toSorted((one, other) => hasNone(one) - hasNone(other) || one.id - other.id)
}

/**
 * Compares a password with those of the first eight identities that have one.
 *
 * @param decoy what it is compared with where none has one, so that this takes as long
 * @returns the identities that have this password
 */
export async function identitiesWithPassword(
  hasher: PasswordHasher,
  identities: readonly UserRecord[],
  { password, decoy }: { readonly password: string; readonly decoy: string },
): Promise<readonly UserRecord[]> {
  const compared = identities.filter(({ passwordHash }) => passwordHash !== null).slice(0, MOST_COMPARED)
  if (compared.length === 0) await hasher.verify(decoy, password)
  const found: UserRecord[] = []
  for (const identity of compared) {
    if (await hasher.verify(identity.passwordHash ?? decoy, password)) found.push(identity)
  }
  return found
}

/** Counts wrong passwords by address, and by company where one is named: naming one locks nobody of another out. */
export function counterOf({ email, companyId }: IdentityName): string {
  return `${companyId ?? ''}\0${keyOf(email) ?? email.trim().toLowerCase()}`
}

function keyOf(email: string): string | undefined {
  try {
    return parseEmailAddress(email).emailKey
  } catch {
    return undefined
  }
}
