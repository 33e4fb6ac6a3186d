import { z } from 'zod'
import { errorReason, ForbiddenError, InvalidInputError } from '../../kernel/errors.js'
import { idSchema, objectSchema, parseId, validate } from '../../kernel/validate.js'
import type { AccountRecord, Clock, PermissionRecord, Repositories, Storage } from '../../ports/index.js'
import { APPLICATIONS, type Permission, toPermission } from '../records.js'
import type { Actor, TenantAccess } from './authorizer.js'
import { covers, type Reach, requireCompany } from './reach.js'
import { Rights } from './rights.js'

/** Body of `POST /permission`. */
export const newPermissionSchema: z.ZodType<NewPermission & { readonly disabled: boolean }> = objectSchema({
  userIdentityId: idSchema(),
  appAccountId: idSchema(),
  appRoleId: idSchema(),
  disabled: z.boolean({ error: 'must be true or false' }).default(false),
})

export interface NewPermission {
  readonly userIdentityId: number
  readonly appAccountId: number
  readonly appRoleId: number
  /** Default false. */
  readonly disabled?: boolean
}

/** Body of `PUT /permission`. */
export const permissionChangeSchema: z.ZodType<PermissionChange> = objectSchema({
  id: idSchema(),
  appRoleId: idSchema(),
})

export interface PermissionChange {
  readonly id: number
  readonly appRoleId: number
}

/**
 * Permissions of users on application accounts. Missing permissions, and those on accounts out of reach, get the same
 * answer. Each method also throws the errors of the {@link Rights} method that it calls.
 */
export class Permissions {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
  ) {}

  /** All permissions, ordered by id: for the host. */
  async list(): Promise<Permission[]> {
    return (await this.storage.read(({ permissions }) => permissions.list())).map(toPermission)
  }

  /**
   * Gives a user a role on an application account. Checks in this order: input, account, user, role, the caller's own
   * capabilities, pair.
   *
   * @throws InvalidInputError @throws ForbiddenError @throws NotFoundError @throws AlreadyExistsError as
   *   {@link Rights.grant}
   */
  async grant(input: NewPermission, actor: Actor, reach: Reach): Promise<Permission> {
    const { userIdentityId, appAccountId, appRoleId, disabled } = validate(newPermissionSchema, input)
    return await this.#change(reach, async (rights, now) => {
      const granted = {
        userId: userIdentityId,
        accountId: appAccountId,
        roleId: appRoleId,
        isDisabled: disabled,
        created: now.toISOString(),
      }
      return await rights.grant(granted, actor)
    })
  }

  /** @throws InvalidInputError @throws NotFoundError @throws ForbiddenError @throws LastManagerError */
  async changeRole(input: PermissionChange, reach: Reach): Promise<Permission> {
    const { id, appRoleId } = validate(permissionChangeSchema, input)
    return await this.#change(reach, async (rights) => await rights.changeRole(id, appRoleId))
  }

  /**
   * Flips `disabled`. Two calls at the same time leave it as it was.
   * @throws NotFoundError @throws ForbiddenError @throws LastManagerError
   */
  async toggle(permissionId: number, reach: Reach): Promise<Permission> {
    const id = parseId(permissionId, 'permId')
    return await this.#change(reach, async (rights) => await rights.toggle(id))
  }

  /** @returns the removed permission @throws NotFoundError @throws ForbiddenError @throws LastManagerError */
  async revoke(permissionId: number, reach: Reach): Promise<Permission> {
    const id = parseId(permissionId, 'permId')
    return await this.#change(reach, async (rights) => await rights.revoke(id))
  }

  async #change(reach: Reach, change: (rights: Rights, now: Date) => Promise<PermissionRecord>): Promise<Permission> {
    return await this.storage.transaction(async (repositories) => {
      const now = this.clock.now()
      return toPermission(await change(await Rights.of(repositories, reach, now), now))
    })
  }
}

/** One choice. Specification: Option item. */
export interface OptionItem {
  readonly value: number
  readonly title: string
  readonly selected: boolean
}

/** The choices for a permission. The lists of the steps after the path are empty. */
export interface PermissionOptions {
  readonly applications: readonly OptionItem[]
  readonly regions: readonly OptionItem[]
  readonly accounts: readonly OptionItem[]
  readonly roles: readonly OptionItem[]
  readonly users: readonly OptionItem[]
}

/** The choices of the earlier steps. Each step needs the one before. */
export interface PermissionOptionsPath {
  /** Value of an application. */
  readonly type?: number
  readonly region?: number
  readonly account?: number
  /** Company whose accounts are listed. Default: the caller's own. */
  readonly customerId?: number
  /** True to list disabled accounts too. Default: false. */
  readonly all?: boolean
}

/** Lists the parts from which a permission can be made, step by step. */
export class ListPermissionOptions {
  constructor(private readonly storage: Storage) {}

  /**
   * @throws InvalidInputError for a choice that the step before did not list
   * @throws ForbiddenError if the company or the account is missing or out of reach
   */
  async execute({ principal, reach }: TenantAccess, path: PermissionOptionsPath = {}): Promise<PermissionOptions> {
    const { type, region, account, all = false } = path
    const companyId = parseId(path.customerId ?? principal.companyId, 'cid')
    return await this.storage.read(async (repositories) => {
      await requireCompany(repositories, reach, companyId)
      const accounts = (await repositories.accounts.list({ companyId })).filter(({ isActive }) => all || isActive)
      const applications = APPLICATIONS.filter(({ key }) => accounts.some(({ application }) => application === key))
      const withApplications = { ...EMPTY, applications: toItems(applications, type) }
      if (type === undefined) return withApplications
      const key = APPLICATIONS.find(({ id }) => id === type)?.key
      if (key === undefined) throw new InvalidInputError('type', 'must be the value of an application')
      const inApplication = accounts.filter(({ application }) => application === key)
      const regions = await regionsOf(repositories, inApplication)
      const withRegions = { ...withApplications, regions: toItems(regions, region) }
      if (region === undefined) return withRegions
      if (!(await repositories.regions.list()).some(({ id }) => id === region)) {
        throw new InvalidInputError('region', 'must be the value of a region')
      }
      const inRegion = inApplication.filter(({ regionId }) => regionId === region)
      const withAccounts = { ...withRegions, accounts: toItems(inRegion, account) }
      if (account === undefined) return withAccounts
      const chosenAccount = inRegion.find(({ id }) => id === account)
      if (chosenAccount === undefined) return await refuseAccount(repositories, reach, account)
      return { ...withAccounts, ...(await rolesAndUsers(repositories, reach, chosenAccount)) }
    })
  }
}

const EMPTY: PermissionOptions = { applications: [], regions: [], accounts: [], roles: [], users: [] }

function toItems(
  choices: readonly { readonly id: number; readonly name: string }[],
  selectedId?: number,
): OptionItem[] {
  return choices.map(({ id, name }) => ({ value: id, title: name, selected: id === selectedId }))
}

async function regionsOf({ regions }: Repositories, accounts: readonly AccountRecord[]) {
  const usedIds = new Set(accounts.map(({ regionId }) => regionId))
  return (await regions.list()).filter(({ id }) => usedIds.has(id))
}

/**
 * The users of the account's company, and the roles of that company and of the whole system. A role is left out if it
 * is disabled, not valid for the application, or has a capability that the caller may not grant.
 */
async function rolesAndUsers({ roles, users }: Repositories, reach: Reach, { companyId, application }: AccountRecord) {
  const grantableRoles = (await roles.list({ usableBy: companyId })).filter(
    ({ applications, capabilities, isDisabled }) =>
      !isDisabled && applications.includes(application) && reach.mayGrant(capabilities),
  )
  const namedUsers = (await users.list({ companyId })).map(({ id, name, email, externalId }) => ({
    id,
    name: name || email || (externalId ?? ''),
  }))
  return { roles: toItems(grantableRoles), users: toItems(namedUsers) }
}

/** Missing and foreign accounts get the same answer, so that the caller does not learn which ids exist. */
async function refuseAccount(repositories: Repositories, reach: Reach, accountId: number): Promise<never> {
  const account = await repositories.accounts.get(accountId)
  if (account === undefined || !(await covers(reach, repositories, account.companyId))) {
    throw new ForbiddenError(
      `the account ${accountId} does not belong to an accessible company`,
      errorReason('account-not-accessible', { account: accountId }),
    )
  }
  throw new InvalidInputError('account', 'must be one of the accounts of this application and region')
}
