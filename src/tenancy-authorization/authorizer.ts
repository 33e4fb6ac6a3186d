import type { AccessRecord, Storage } from '../ports/index.js'
import { ForbiddenError, UnauthenticatedError } from '../shared/errors.js'
import type { Capability } from './capability.js'
import type { Principal } from './principal.js'

/** Decides, from live state, whether a principal may do something on its account. */
export class Authorizer {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /**
   * @param application the application that offers what is to be done
   * @throws UnauthenticatedError where the user is gone
   * @throws ForbiddenError where the user has no enabled permission on the account with that
   *   capability, or the account is disabled or another application's
   */
  async authorize(principal: Principal, application: string, capability: Capability): Promise<Access> {
    const access = await this.#storage.read(async ({ permissions, users }) => {
      const found = await permissions.findAccess(principal.userId, principal.accountId)
      if (found === undefined && (await users.get(principal.userId)) === undefined) {
        throw new UnauthenticatedError(`the user ${principal.userId} does not exist`)
      }
      return found
    })
    if (access === undefined) throw new ForbiddenError(`no permission on the account ${principal.accountId}`)
    const refusal = refuse(access, application, capability)
    if (refusal !== undefined) throw new ForbiddenError(refusal)
    return new Access(principal, access.role.capabilities)
  }
}

/** A principal that may do what it asked for. */
export class Access {
  readonly principal: Principal
  readonly #capabilities: readonly string[]

  constructor(principal: Principal, capabilities: readonly string[]) {
    this.principal = principal
    this.#capabilities = capabilities
  }

  can(capability: Capability): boolean {
    return this.#capabilities.includes(capability)
  }
}

function refuse(access: AccessRecord, application: string, capability: Capability): string | undefined {
  const { account, permission, role } = access
  if (permission.isDisabled) return `the permission on the account ${account.id} is disabled`
  if (!account.isActive) return `the account ${account.id} is disabled`
  if (account.application !== application) {
    return `the account ${account.id} belongs to the application ${account.application}, not ${application}`
  }
  if (!role.applications.includes(application)) return `the role is not valid for the application ${application}`
  if (!role.capabilities.includes(capability)) return `the role does not have the capability ${capability}`
  return undefined
}
