import type { Repositories, UserRecord } from '../../ports/index.js'

/** Whether a company exists and is enabled. */
export async function isCompanyOpen({ companies }: Repositories, companyId: number): Promise<boolean> {
  return (await companies.get(companyId))?.isDisabled === false
}

/** The user, unless they or their company are disabled: then there is none, as far as rights, logins and mails go. */
export async function ifUsable(
  repositories: Repositories,
  user: UserRecord | undefined,
): Promise<UserRecord | undefined> {
  if (user === undefined || user.isDisabled) return undefined
  return (await isCompanyOpen(repositories, user.companyId)) ? user : undefined
}

/** As {@link ifUsable}, of the user with an id. */
export async function findUsableUser(repositories: Repositories, userId: number): Promise<UserRecord | undefined> {
  return await ifUsable(repositories, await repositories.users.get(userId))
}
