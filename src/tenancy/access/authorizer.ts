import type { AuditActor } from '../../audit/index.js'
import { ForbiddenError, UnauthenticatedError } from '../../kernel/errors.js'
import type { AccessRecord, Repositories, Storage } from '../../ports/index.js'
import type { AccessRecorder } from './access-recorder.js'
import { actorOf, type Capability, findUsableUser, isCompanyOpen, narrowed, type Principal } from './principal.js'
import { type Reach, reachOf } from './reach.js'

const TENANT = 'tenant'

/** Decides, from live state, whether a principal may do something. */
export class Authorizer {
  readonly #storage: Storage
  readonly #recorder: AccessRecorder

  constructor(storage: Storage, recorder: AccessRecorder) {
    this.#storage = storage
    this.#recorder = recorder
  }

  /**
   * @param application the application that offers what is to be done
   * @throws UnauthenticatedError where the user, the user's company or the company is gone or disabled
   * @throws ForbiddenError where the user has no enabled permission on the account with that
   *   capability, or the principal's scope leaves it out, or the role, the account or its company is disabled, or the
   *   account is another application's or out of the company's reach
   */
  async authorize(principal: Principal, application: string, capability: Capability): Promise<Access> {
    const access = await this.#storage.read(async (repositories) => {
      const found = await findAccess(repositories, principal)
      if (found !== undefined) await requireReached(repositories, principal, found.account)
      return found
    })
    const { role, account } = this.#require(principal, access, application, capability)
    return new Access(principal, narrowed(role.capabilities, principal.scope), account.companyId)
  }

  /**
   * Whether a principal may manage users and permissions of its company and those below. Its account
   * decides where it is one of the application `tenant`; otherwise the account of that application
   * with the lowest id on which the user has an enabled permission (decision 13).
   *
   * @throws UnauthenticatedError @throws ForbiddenError
   */
  async authorizeTenant(principal: Principal, capability: Capability = 'tenant:manage'): Promise<TenantAccess> {
    const { access, permissionId } = await this.#storage.read((repositories) =>
      readTenantAccess(repositories, principal, capability),
    )
    this.#recorder.note(permissionId)
    return access
  }

  #require(
    principal: Principal,
    access: AccessRecord | undefined,
    application: string,
    capability: Capability,
  ): AccessRecord {
    const open = requireOpen(principal, access, application, capability)
    this.#recorder.note(open.permission.id)
    return open
  }
}

/** A principal that may do what it asked for. */
export class Access {
  readonly principal: Principal
  /** The company of the account in which it acts. */
  readonly companyId: number
  readonly #capabilities: readonly string[]

  constructor(principal: Principal, capabilities: readonly string[], companyId: number) {
    this.principal = principal
    this.companyId = companyId
    this.#capabilities = capabilities
  }

  /** Who acts, for the audit trail. */
  get by(): AuditActor {
    return actorOf(this.principal)
  }

  can(capability: Capability): boolean {
    return this.#capabilities.includes(capability)
  }
}

/** Who does something, as `createdBy` records it. */
export interface Actor {
  readonly id: number
  readonly email: string
}

/** A principal that may manage users and permissions. */
export interface TenantAccess {
  readonly principal: Principal
  readonly actor: Actor
  readonly reach: Reach
}

/** Whether a permission gives access at all: it and its role are enabled, its account and that one's company active. */
export function isOpen({ permission, role, account }: AccessRecord): boolean {
  return !permission.isDisabled && !role.isDisabled && account.isActive && !account.isCompanyDisabled
}

/** What of a principal does not exist, or is disabled. Where its row of access names them, nobody need look. */
export async function missingOf(
  repositories: Repositories,
  { companyId, userId }: Pick<Principal, 'companyId' | 'userId'>,
  access: AccessRecord | undefined,
): Promise<'company' | 'user' | undefined> {
  const named = [access?.user, access?.account].find((one) => one?.companyId === companyId)
  const isCompanyGone = named?.isCompanyDisabled ?? !(await isCompanyOpen(repositories, companyId))
  if (isCompanyGone) return 'company'
  if (access === undefined) return (await findUsableUser(repositories, userId)) === undefined ? 'user' : undefined
  return access.user.isDisabled || access.user.isCompanyDisabled ? 'user' : undefined
}

async function findAccess(repositories: Repositories, principal: Principal): Promise<AccessRecord | undefined> {
  const found = await repositories.permissions.findAccess(principal.userId, principal.accountId)
  const missing = await missingOf(repositories, principal, found)
  if (missing !== undefined) {
    throw new UnauthenticatedError(`the ${missing} ${principal[`${missing}Id`]} does not exist, or is disabled`)
  }
  return found
}

/** What a principal manages, as {@link Authorizer.authorizeTenant} says, and by which permission. */
async function readTenantAccess(
  repositories: Repositories,
  principal: Principal,
  capability: Capability,
): Promise<{ readonly access: TenantAccess; readonly permissionId: number }> {
  const found = await findTenantAccess(repositories, principal)
  const { user, role, account, permission } = requireOpen(principal, found, TENANT, capability)
  const top = await topOf(repositories, principal, account)
  if (top === undefined) {
    throw new ForbiddenError(`the account ${account.id} does not belong to the company ${principal.companyId}`)
  }
  const reach = reachOf(top, {
    userId: user.id,
    by: actorOf(principal),
    capabilities: narrowed(role.capabilities, principal.scope),
    renewed: async (others) => (await readTenantAccess(others, principal, capability)).access.reach,
  })
  return { access: { principal, actor: { id: user.id, email: user.email }, reach }, permissionId: permission.id }
}

async function findTenantAccess(repositories: Repositories, principal: Principal): Promise<AccessRecord | undefined> {
  const named = await findAccess(repositories, principal)
  if (named?.account.application === TENANT) return named
  const others = await repositories.permissions.listAccess(principal.userId, TENANT)
  return others.find(isOpen) ?? named
}

/**
 * The company from which downwards a principal manages: its own, or the one of its account where that
 * lies below. Whoever grants a permission hands on no more than they have; `undefined` for neither.
 */
async function topOf(
  { companies }: Repositories,
  { companyId }: Principal,
  account: AccessRecord['account'],
): Promise<number | undefined> {
  if (await companies.isWithin(account.companyId, companyId)) return account.companyId
  return (await companies.isWithin(companyId, account.companyId)) ? companyId : undefined
}

/** A principal acts for a company, and so on accounts of it and of those below it. */
async function requireReached(
  { companies }: Repositories,
  { companyId }: Principal,
  account: AccessRecord['account'],
): Promise<void> {
  if (account.companyId === companyId || (await companies.isWithin(account.companyId, companyId))) return
  throw new ForbiddenError(`the account ${account.id} does not belong to the company ${companyId} or one below it`)
}

/** @throws ForbiddenError */
function requireOpen(
  principal: Principal,
  access: AccessRecord | undefined,
  application: string,
  capability: Capability,
): AccessRecord {
  if (access === undefined) throw new ForbiddenError(`no permission on the account ${principal.accountId}`)
  const refusal = refuse(access, application, capability)
  if (refusal !== undefined) throw new ForbiddenError(refusal)
  if (narrowed([capability], principal.scope).length === 0) {
    throw new ForbiddenError(`the scope does not have the capability ${capability}`, { scope: capability })
  }
  return access
}

function refuse(access: AccessRecord, application: string, capability: Capability): string | undefined {
  const { account, permission, role } = access
  if (permission.isDisabled) return `the permission on the account ${account.id} is disabled`
  if (role.isDisabled) return `the role of the permission on the account ${account.id} is disabled`
  if (!account.isActive) return `the account ${account.id} is disabled`
  if (account.isCompanyDisabled) return `the company of the account ${account.id} is disabled`
  if (account.application !== application) {
    return `the account ${account.id} belongs to the application ${account.application}, not ${application}`
  }
  if (!role.applications.includes(application)) return `the role is not valid for the application ${application}`
  if (!role.capabilities.includes(capability)) return `the role does not have the capability ${capability}`
  return undefined
}
