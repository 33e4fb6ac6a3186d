import type { PermissionDetails, Repositories, Storage, UserRecord } from '../../ports/index.js'
import { parseId } from '../../shared/validate.js'
import type { AccessRecorder } from '../access/access-recorder.js'
import type { TenantAccess } from '../access/authorizer.js'
import { type Reach, requireCompany } from '../access/reach.js'
import { type OtpMethod, otpMethodOf, otpMethods } from '../one-time-passwords/otp-method.js'
import { toListedUser, type UserWithPermissions } from '../records.js'

/** Lists the users of a company, with their permissions on accounts that the caller reaches. */
export class ListUsers {
  readonly #storage: Storage
  readonly #recorder: AccessRecorder

  constructor(storage: Storage, recorder: AccessRecorder) {
    this.#storage = storage
    this.#recorder = recorder
  }

  /**
   * @param companyId default: the caller's own
   * @throws InvalidInputError @throws ForbiddenError where the company is out of reach, or missing
   */
  async execute({ principal, reach }: TenantAccess, companyId?: number): Promise<UserWithPermissions[]> {
    const id = parseId(companyId ?? principal.companyId, 'cid')
    await this.#recorder.flush()
    return await this.#storage.read(async (repositories) => {
      await requireCompany(repositories, reach, id)
      const users = await repositories.users.list({ companyId: id })
      const permissions = await repositories.permissions.listDetails({ companyId: id })
      const otpMethod = await otpMethods(repositories, { companyId: id })
      return await join(repositories, reach, users, otpMethod, permissions)
    })
  }

  /** One user, as the list shows it. */
  async one({ reach }: TenantAccess, userId: number): Promise<UserWithPermissions | undefined> {
    return await this.#storage.read(async (repositories) => {
      const user = await repositories.users.get(userId)
      const users = user === undefined ? [] : [user]
      const permissions = await repositories.permissions.listDetails({ userId })
      const otpMethod = await otpMethodOf(repositories, userId)
      return (await join(repositories, reach, users, () => otpMethod, permissions))[0]
    })
  }
}

async function join(
  repositories: Repositories,
  reach: Reach,
  users: readonly UserRecord[],
  otpMethod: (userId: number) => OtpMethod,
  permissions: readonly PermissionDetails[],
): Promise<UserWithPermissions[]> {
  const reached = await reach.within(
    repositories,
    permissions.map(({ account }) => account.companyId),
  )
  const ofUser = new Map<number, PermissionDetails[]>(users.map(({ id }) => [id, []]))
  for (const permission of permissions) {
    if (reached.has(permission.account.companyId)) ofUser.get(permission.userId)?.push(permission)
  }
  return users.map((user) => toListedUser(user, otpMethod(user.id), ofUser.get(user.id) ?? []))
}
