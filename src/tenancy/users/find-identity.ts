import type { PasswordHasher, Repositories, UserRecord } from '../../ports/index.js'
import { isUserUsable } from '../access/principal.js'
import { parseEmailAddress } from './email-address.js'

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
