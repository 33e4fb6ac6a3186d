import { ForbiddenError, InvalidInputError } from '../../kernel/errors.js'
import { parseId } from '../../kernel/validate.js'
import type { AccountRecord, Repositories, Storage } from '../../ports/index.js'
import type { TenantAccess } from '../access/authorizer.js'
import { covers, requireCompany } from '../access/reach.js'
import { APPLICATIONS } from '../records.js'

/** One choice (specification, Option item). */
export interface OptionItem {
  readonly value: number
  readonly title: string
  readonly selected: boolean
}

/** The choices for a permission, as far as the path narrows them; later ones are empty. */
export interface PermissionOptions {
  readonly applications: readonly OptionItem[]
  readonly regions: readonly OptionItem[]
  readonly accounts: readonly OptionItem[]
  readonly roles: readonly OptionItem[]
  readonly users: readonly OptionItem[]
}

/** What is chosen already. Each step needs the one before. */
export interface PermissionOptionsPath {
  /** Value of an application. */
  readonly type?: number
  readonly region?: number
  readonly account?: number
  /** Company whose accounts are offered; default the caller's own. */
  readonly customerId?: number
  /** Whether disabled accounts are offered too; default false. */
  readonly all?: boolean
}

/** What a permission can be made of, step by step. */
export class ListPermissionOptions {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /**
   * @throws InvalidInputError for a choice that the step before did not offer
   * @throws ForbiddenError where the company or the account is out of reach, or missing
   */
  async execute({ principal, reach }: TenantAccess, path: PermissionOptionsPath = {}): Promise<PermissionOptions> {
    const { type, region, account, all = false } = path
    const companyId = parseId(path.customerId ?? principal.companyId, 'cid')
    return await this.#storage.read(async (repositories) => {
      await requireCompany(repositories, reach, companyId)
      const owned = (await repositories.accounts.list({ companyId })).filter(({ isActive }) => all || isActive)
      const applications = APPLICATIONS.filter(({ key }) => owned.some(({ application }) => application === key))
      const options = { ...EMPTY, applications: items(applications, type) }
      if (type === undefined) return options
      const key = APPLICATIONS.find(({ id }) => id === type)?.key
      if (key === undefined) throw new InvalidInputError('type', 'must be the value of an application')
      const inApplication = owned.filter(({ application }) => application === key)
      const regions = await regionsOf(repositories, inApplication)
      const withRegions = { ...options, regions: items(regions, region) }
      if (region === undefined) return withRegions
      if (!(await repositories.regions.list()).some(({ id }) => id === region)) {
        throw new InvalidInputError('region', 'must be the value of a region')
      }
      const inRegion = inApplication.filter(({ regionId }) => regionId === region)
      const withAccounts = { ...withRegions, accounts: items(inRegion, account) }
      if (account === undefined) return withAccounts
      const chosen = inRegion.find(({ id }) => id === account)
      if (chosen === undefined) return await refuseAccount(repositories, reach, account)
      return { ...withAccounts, ...(await rolesAndUsers(repositories, reach, chosen)) }
    })
  }
}

const EMPTY: PermissionOptions = { applications: [], regions: [], accounts: [], roles: [], users: [] }

function items(choices: readonly { readonly id: number; readonly name: string }[], chosen?: number): OptionItem[] {
  return choices.map(({ id, name }) => ({ value: id, title: name, selected: id === chosen }))
}

async function regionsOf({ regions }: Repositories, accounts: readonly AccountRecord[]) {
  const used = new Set(accounts.map(({ regionId }) => regionId))
  return (await regions.list()).filter(({ id }) => used.has(id))
}

/**
 * Those of the account's company; roles also system-wide, as far as they are valid for the application and the caller
 * may grant them.
 */
async function rolesAndUsers(
  { roles, users }: Repositories,
  reach: TenantAccess['reach'],
  { companyId, application }: AccountRecord,
) {
  const usable = (await roles.list({ usableBy: companyId })).filter(
    ({ applications, capabilities, isDisabled }) =>
      !isDisabled && applications.includes(application) && reach.mayGrant(capabilities),
  )
  const people = (await users.list({ companyId })).map(({ id, name, email }) => ({ id, name: name || email }))
  return { roles: items(usable), users: items(people) }
}

/** Unknown accounts and foreign ones are forbidden alike (decision 22). */
async function refuseAccount(
  repositories: Repositories,
  reach: TenantAccess['reach'],
  accountId: number,
): Promise<never> {
  const account = await repositories.accounts.get(accountId)
  if (account === undefined || !(await covers(reach, repositories, account.companyId))) {
    throw new ForbiddenError(`the account ${accountId} does not belong to an accessible company`)
  }
  throw new InvalidInputError('account', 'must be one of the accounts of this application and region')
}
