import type { PermissionDetails, Repositories, Storage, UserRecord } from '../../ports/index.js'
import { RowList } from '../../shared/row-list.js'
import { parseId } from '../../shared/validate.js'
import type { AccessRecorder } from '../access/access-recorder.js'
import type { TenantAccess } from '../access/authorizer.js'
import { type Reach, requireCompany } from '../access/reach.js'
import { otpMethods } from '../one-time-passwords/otp-method.js'
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
   * Reading it throws an InvalidInputError, or a ForbiddenError where the company is out of reach, or missing.
   *
   * @param authorize tells what the caller reaches now
   * @param companyId default: the caller's own
   */
  execute(authorize: () => Promise<TenantAccess>, companyId?: number): RowList<UserWithPermissions> {
    type Listing<T> = (repositories: Repositories, id: number, reach: Reach) => Promise<T>
    const read = async <T>(list: Listing<T>): Promise<T> => {
      const { principal, reach } = await authorize()
      const id = parseId(companyId ?? principal.companyId, 'cid')
      return await this.#storage.read(async (repositories) => {
        await requireCompany(repositories, reach, id)
        return await list(repositories, id, reach)
      })
    }
    return new RowList({
      read: async (page) => {
        await this.#recorder.flush()
        return await read(async (repositories, id, reach) => {
          return await join(repositories, reach, await repositories.users.list({ companyId: id }, page))
        })
      },
      ids: async (page) => await read(async ({ users }, id) => await users.listIds({ companyId: id }, page)),
    })
  }

  /** One user, as the list shows it. */
  async one({ reach }: TenantAccess, userId: number): Promise<UserWithPermissions | undefined> {
    return await this.#storage.read(async (repositories) => {
      const user = await repositories.users.get(userId)
      const users = user === undefined ? [] : [user]
      return (await join(repositories, reach, users))[0]
    })
  }
}

async function join(
  repositories: Repositories,
  reach: Reach,
  users: readonly UserRecord[],
): Promise<UserWithPermissions[]> {
  const userIds = users.map(({ id }) => id)
  const permissions = await repositories.permissions.listDetails(userIds)
  const otpMethod = await otpMethods(repositories, userIds)
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
