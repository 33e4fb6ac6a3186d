import type { AccessRecord, Repositories, UserRecord } from '../../ports/index.js'

/** The parts of a login or a token that a disabling ends for good. */
interface LoginHolder {
  readonly user: Pick<UserRecord, 'companyId' | 'loginEpoch'>
  /** The company of the API key; the user's own without a key. */
  readonly companyId: number
  /** Companies whose `loginEpoch` is known already. */
  readonly known: readonly { readonly companyId: number; readonly companyLoginEpoch: number }[]
}

/**
 * A number that grows when the user, its company or the company of the API key is disabled or enabled. Logins and tokens
 * keep the number of their time: with another one they have ended, so that no later enabling brings them back.
 */
export async function loginEpochOf(
  { companies }: Repositories,
  { user, companyId, known }: LoginHolder,
): Promise<number> {
  const ofCompany = async (id: number): Promise<number> => {
    const found = known.find((company) => company.companyId === id)
    return (found === undefined ? (await companies.get(id))?.loginEpoch : found.companyLoginEpoch) ?? 0
  }
  const ofUser = user.loginEpoch + (await ofCompany(user.companyId))
  return companyId === user.companyId ? ofUser : ofUser + (await ofCompany(companyId))
}

/** As {@link loginEpochOf}, for a token: most of the numbers come with its access. */
export async function tokenEpochOf(
  repositories: Repositories,
  { user, account }: AccessRecord,
  companyId: number,
): Promise<number> {
  return await loginEpochOf(repositories, { user, companyId, known: [user, account] })
}
