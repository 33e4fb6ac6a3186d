import type { AuditActor } from '../../audit/index.js'
import { type ErrorReason, errorReason, ForbiddenError, UnauthenticatedError } from '../../kernel/errors.js'
import type { AccessRecord, Clock, Repositories, Storage, Telemetry } from '../../ports/index.js'
import {
  actorOf,
  type Capability,
  findUsableUser,
  isCompanyEnabled,
  narrowToScope,
  type Principal,
} from './principal.js'
import { type Reach, reachOf } from './reach.js'

const TENANT = 'tenant'

/** Decides whether a principal may do something. It reads the current rows at every call. */
export class Authorizer {
  constructor(
    private readonly storage: Storage,
    private readonly recorder: AccessRecorder,
  ) {}

  /**
   * @param application the application that offers the operation
   * @throws UnauthenticatedError if the user, the user's company or the principal's company is missing or disabled
   * @throws ForbiddenError
   *   - if the user has no enabled permission on the account with that capability
   *   - if the principal's scope lacks the capability
   *   - if the role, the account or its company is disabled
   *   - if the account belongs to another application or is out of the company's reach
   */
  async authorize(principal: Principal, application: string, capability: Capability): Promise<Access> {
    const found = await this.storage.read(async (repositories) => {
      const access = await findAccess(repositories, principal)
      if (access !== undefined) await requireReached(repositories, principal, access.account)
      return access
    })
    const { permission, role, account } = requireAllowed(principal, found, application, capability)
    this.recorder.record(permission.id)
    return new Access(principal, narrowToScope(role.capabilities, principal.scope), account.companyId)
  }

  /**
   * Checks that a principal may manage users and permissions of its company and those below. The account decides:
   *
   * - If the principal's account is one of the application `tenant`, that account counts.
   * - Otherwise the account of that application with the lowest id counts on which the user has an enabled permission.
   *
   * @throws UnauthenticatedError @throws ForbiddenError
   */
  async authorizeTenant(principal: Principal, capability: Capability = 'tenant:manage'): Promise<TenantAccess> {
    const { access, permissionId } = await this.storage.read((repositories) =>
      readTenantAccess(repositories, principal, capability),
    )
    this.recorder.record(permissionId)
    return access
  }

  /**
   * Checks with the current rows that a principal may continue any operation. Long answers call it.
   *
   * @param application the application whose permission counts. Default: none, the user and the company are enough
   * @throws UnauthenticatedError @throws ForbiddenError as {@link authorize}, without the capability
   */
  async renew(principal: Principal, application?: string): Promise<void> {
    await this.storage.read(async (repositories) => {
      const own = await findAccess(repositories, principal)
      if (application === undefined) return
      const access = application === TENANT ? await findTenantAccess(repositories, principal) : own
      if (access === undefined || !givesAccess(access) || access.account.application !== application) {
        throw new ForbiddenError(
          'the permission, the role or the account of this principal is disabled or deleted',
          errorReason('access-disabled'),
        )
      }
      if (application !== TENANT) await requireReached(repositories, principal, access.account)
    })
  }
}

/** A principal that may perform the requested operation. */
export class Access {
  readonly principal: Principal
  /** The company of the principal's account. */
  readonly companyId: number

  constructor(
    principal: Principal,
    private readonly capabilities: readonly string[],
    companyId: number,
  ) {
    this.principal = principal
    this.companyId = companyId
  }

  /** The principal as the audit trail records it. */
  get by(): AuditActor {
    return actorOf(this.principal)
  }

  can(capability: Capability): boolean {
    return this.capabilities.includes(capability)
  }
}

/** The user that `createdBy` of a permission records. */
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

/** True if the permission, its role, its account and the account's company are all enabled. */
export function givesAccess({ permission, role, account }: AccessRecord): boolean {
  return !permission.isDisabled && !role.isDisabled && account.isActive && !account.isCompanyDisabled
}

/**
 * The first part of a principal that is missing or disabled; `undefined` if both are enabled. Reads the company or the
 * user only if `access` does not include them.
 */
export async function findMissing(
  repositories: Repositories,
  { companyId, userId }: Pick<Principal, 'companyId' | 'userId'>,
  access: AccessRecord | undefined,
): Promise<'company' | 'user' | undefined> {
  const partOfCompany = [access?.user, access?.account].find((part) => part?.companyId === companyId)
  const isCompanyMissing = partOfCompany?.isCompanyDisabled ?? !(await isCompanyEnabled(repositories, companyId))
  if (isCompanyMissing) return 'company'
  if (access === undefined) return (await findUsableUser(repositories, userId)) === undefined ? 'user' : undefined
  return access.user.isDisabled || access.user.isCompanyDisabled ? 'user' : undefined
}

async function findAccess(repositories: Repositories, principal: Principal): Promise<AccessRecord | undefined> {
  const access = await repositories.permissions.findAccess(principal.userId, principal.accountId)
  const missing = await findMissing(repositories, principal, access)
  if (missing !== undefined) {
    throw new UnauthenticatedError(`the ${missing} ${principal[`${missing}Id`]} does not exist, or is disabled`)
  }
  return access
}

/** Reads the tenant access of a principal, and the permission that gives it. See {@link Authorizer.authorizeTenant}. */
async function readTenantAccess(
  repositories: Repositories,
  principal: Principal,
  capability: Capability,
): Promise<{ readonly access: TenantAccess; readonly permissionId: number }> {
  const found = await findTenantAccess(repositories, principal)
  const { user, role, account, permission } = requireAllowed(principal, found, TENANT, capability)
  const topCompanyId = await findTopCompany(repositories, principal, account)
  if (topCompanyId === undefined) {
    throw new ForbiddenError(
      `the account ${account.id} does not belong to the company ${principal.companyId}`,
      errorReason('account-of-other-company', { account: account.id, company: principal.companyId }),
    )
  }
  const reach = reachOf(topCompanyId, {
    userId: user.id,
    by: actorOf(principal),
    capabilities: narrowToScope(role.capabilities, principal.scope),
    sight: principal.sight ?? 'user',
    targets: principal.targets,
    renew: async (current) => (await readTenantAccess(current, principal, capability)).access.reach,
  })
  return { access: { principal, actor: { id: user.id, email: user.email }, reach }, permissionId: permission.id }
}

async function findTenantAccess(repositories: Repositories, principal: Principal): Promise<AccessRecord | undefined> {
  const ownAccess = await findAccess(repositories, principal)
  if (ownAccess?.account.application === TENANT) return ownAccess
  const tenantAccesses = await repositories.permissions.listAccess(principal.userId, TENANT)
  return tenantAccesses.find(givesAccess) ?? ownAccess
}

/**
 * The topmost company that a principal manages: its own, or the company of its account if that lies below. The lower
 * one counts, so that nobody hands on more than they have. `undefined` if neither company contains the other.
 */
async function findTopCompany(
  { companies }: Repositories,
  { companyId }: Principal,
  account: AccessRecord['account'],
): Promise<number | undefined> {
  if (await companies.isWithin(account.companyId, companyId)) return account.companyId
  return (await companies.isWithin(companyId, account.companyId)) ? companyId : undefined
}

/** A principal acts for a company, and so only on accounts of that company and of those below it. */
async function requireReached(
  { companies }: Repositories,
  { companyId }: Principal,
  account: AccessRecord['account'],
): Promise<void> {
  if (account.companyId === companyId || (await companies.isWithin(account.companyId, companyId))) return
  throw new ForbiddenError(
    `the account ${account.id} does not belong to the company ${companyId} or one below it`,
    errorReason('account-not-below-company', { account: account.id, company: companyId }),
  )
}

/** @throws ForbiddenError */
function requireAllowed(
  principal: Principal,
  access: AccessRecord | undefined,
  application: string,
  capability: Capability,
): AccessRecord {
  const { accountId, scope } = principal
  if (access === undefined) {
    throw new ForbiddenError(
      `no permission on the account ${accountId}`,
      errorReason('no-permission', { account: accountId }),
    )
  }
  const refusal = refusalOf(access, application, capability)
  if (refusal !== undefined) throw new ForbiddenError(...refusal)
  if (narrowToScope([capability], scope).length === 0) {
    throw new ForbiddenError(
      `the scope does not have the capability ${capability}`,
      errorReason('scope-without-capability', { capability }),
      { scope: capability },
    )
  }
  return access
}

function refusalOf(
  { account, permission, role }: AccessRecord,
  wanted: string,
  capability: Capability,
): readonly [message: string, reason: ErrorReason] | undefined {
  const { id, application } = account
  if (permission.isDisabled) {
    return [`the permission on the account ${id} is disabled`, errorReason('permission-disabled', { account: id })]
  }
  if (role.isDisabled) {
    const reason = errorReason('role-of-permission-disabled', { account: id })
    return [`the role of the permission on the account ${id} is disabled`, reason]
  }
  if (!account.isActive) {
    return [`the account ${id} is disabled`, errorReason('account-disabled', { account: id })]
  }
  if (account.isCompanyDisabled) {
    return [`the company of the account ${id} is disabled`, errorReason('company-of-account-disabled', { account: id })]
  }
  if (application !== wanted) {
    const reason = errorReason('account-of-other-application', { account: id, application, wanted })
    return [`the account ${id} belongs to the application ${application}, not ${wanted}`, reason]
  }
  if (!role.applications.includes(wanted)) {
    const reason = errorReason('role-of-other-application', { application: wanted })
    return [`the role is not valid for the application ${wanted}`, reason]
  }
  if (!role.capabilities.includes(capability)) {
    const reason = errorReason('role-without-capability', { capability })
    return [`the role does not have the capability ${capability}`, reason]
  }
  return undefined
}

const FLUSH_AFTER_MS = 500

/**
 * Records the time of the latest request under each permission. It collects the times of half a second and writes them
 * together, because a write for every request would cost more than most requests.
 */
export class AccessRecorder {
  /** Times (ISO 8601) by permission id. */
  #pending = new Map<number, string>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
  ) {}

  record(permissionId: number): void {
    this.#pending.set(permissionId, this.clock.now().toISOString())
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_AFTER_MS)
  }

  /** Writes the pending times. Reports a failure to telemetry only, because no request depends on it. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#pending.size === 0) return
    const pending = this.#pending
    this.#pending = new Map()
    try {
      await this.storage.transaction(async ({ permissions }) => {
        for (const [id, lastAccess] of pending) await permissions.touch(id, lastAccess)
      })
    } catch (error) {
      this.telemetry.record({ name: 'tenancy.access.unrecorded', level: 'warn', error })
    }
  }
}
