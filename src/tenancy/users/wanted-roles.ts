import { z } from 'zod'
import { InvalidInputError } from '../../kernel/errors.js'
import { choiceSchema, idSchema, objectSchema, textSchema } from '../../kernel/validate.js'
import type { AccountRecord, PermissionRecord, Repositories } from '../../ports/index.js'
import type { Actor } from '../access/authorizer.js'
import type { Rights } from '../access/rights.js'
import { requireUsableRole } from '../access/rights-check.js'
import { APPLICATION_KEYS } from '../records.js'

/** The role that a user must have on an account. */
export interface WantedRole {
  /** Key of the application: its first account of the company is meant. Default: `assistant`. */
  readonly application?: string | undefined
  /** An account by its id, instead of the application. */
  readonly accountId?: number | undefined
  /** Name of a role, such as `Reader`, or its id. Null: the user must have no role on the account. */
  readonly role: string | number | null
}

const ROLE_NAME = textSchema({ min: 1, max: 255, isLine: true })

export const wantedRolesSchema: z.ZodType<readonly WantedRole[]> = z
  .array(
    objectSchema({
      application: choiceSchema(APPLICATION_KEYS).optional(),
      accountId: idSchema().optional(),
      role: z.union([ROLE_NAME, idSchema(), z.null()], { error: 'must be the name or the id of a role, or null' }),
    }),
    { error: 'must be an array of { application, role }' },
  )
  .max(100, { error: 'must have at most 100 roles' })

/** A wanted role with the records that it means. */
interface RolePlan {
  readonly account: AccountRecord
  /** Null for none. */
  readonly roleId: number | null
  readonly permission: PermissionRecord | undefined
}

/**
 * Finds the permissions that must change, so that a user has the wanted roles. A suspended permission stays suspended.
 *
 * @param user `id` undefined for a user that is yet to be added
 * @throws InvalidInputError for an account or a role that does not exist or is not named clearly, and for two roles on
 *   one account
 */
export async function planRoles(
  repositories: Repositories,
  user: { readonly id: number | undefined; readonly companyId: number },
  roles: readonly WantedRole[],
): Promise<readonly RolePlan[]> {
  const permissions = user.id === undefined ? [] : await repositories.permissions.list({ userId: user.id })
  const plans: RolePlan[] = []
  for (const [index, wanted] of roles.entries()) {
    const field = `roles[${index}]`
    const account = await findAccount(repositories, user.companyId, wanted, field)
    if (plans.some((plan) => plan.account.id === account.id))
      throw new InvalidInputError(field, `is a second role on the account ${account.id}: a user has one role on each`)
    const roleId = await findRole(repositories, account, wanted.role, field)
    plans.push({ account, roleId, permission: permissions.find(({ accountId }) => accountId === account.id) })
  }
  return plans.filter(({ roleId, permission }) => (permission?.roleId ?? null) !== roleId)
}

/** Makes the changes of {@link planRoles}. @throws as the methods of {@link Rights} */
export async function applyRoles(
  rights: Rights,
  plans: readonly RolePlan[],
  { userId, actor, created }: { readonly userId: number; readonly actor: Actor; readonly created: string },
): Promise<void> {
  for (const { account, roleId, permission } of plans) {
    if (roleId === null) await rights.revoke(permission?.id ?? 0)
    else if (permission !== undefined) await rights.changeRole(permission.id, roleId)
    else await rights.grant({ userId, accountId: account.id, roleId, created }, actor)
  }
}

async function findAccount(
  { accounts }: Repositories,
  companyId: number,
  { application, accountId }: WantedRole,
  field: string,
): Promise<AccountRecord> {
  if (accountId === undefined) {
    const key = application ?? 'assistant'
    const account = (await accounts.list({ companyId })).find((one) => one.application === key)
    if (account !== undefined) return account
    throw new InvalidInputError(`${field}.application`, `the company ${companyId} has no account of ${key}`)
  }
  const account = await accounts.get(accountId)
  if (account === undefined) throw new InvalidInputError(`${field}.accountId`, `there is no account ${accountId}`)
  if (application === undefined || application === account.application) return account
  throw new InvalidInputError(`${field}.application`, `the account ${accountId} is one of ${account.application}`)
}

/** By name, a role of the account's company comes before a system-wide one. @throws InvalidInputError */
async function findRole(
  repositories: Repositories,
  account: AccountRecord,
  role: WantedRole['role'],
  field: string,
): Promise<number | null> {
  if (role === null) return null
  if (typeof role === 'number') return (await requireUsableRole(repositories, role, account, `${field}.role`)).id
  const { companyId, application } = account
  const usable = (await repositories.roles.list({ usableBy: companyId })).filter(
    ({ applications, isDisabled }) => !isDisabled && applications.includes(application),
  )
  const named = usable.filter(({ name }) => name === role)
  const own = named.filter((one) => one.companyId !== null)
  const [found, ...others] = own.length > 0 ? own : named
  if (found === undefined) {
    const names = [...new Set(usable.map(({ name }) => name))].join(', ')
    throw new InvalidInputError(`${field}.role`, `there is no such role for ${application}; expected one of ${names}`)
  }
  if (others.length === 0) return found.id
  throw new InvalidInputError(`${field}.role`, 'is the name of several roles: use the id of one')
}
