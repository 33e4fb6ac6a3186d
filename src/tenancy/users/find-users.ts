import { CompanyRequiredError, InvalidInputError, NotFoundError } from '../../kernel/errors.js'
import { idSchema, objectSchema, parseId, textSchema, validate } from '../../kernel/validate.js'
import type { Repositories, Storage, UserRecord } from '../../ports/index.js'
import type { TenantAccess } from '../access/authorizer.js'
import { covers, requireCompany } from '../access/reach.js'
import { toUser, type User, type UserWithPermissions } from '../records.js'
import { parseEmailAddress } from './identity.js'
import { otpMethodOf } from './second-factor.js'
import { type UserPrincipal, userPrincipals } from './user-principals.js'
import { withPermissions } from './users.js'

/** Names a user in exactly one way. */
export interface UserQuery {
  readonly id?: number | undefined
  /** In any spelling of the address. */
  readonly email?: string | undefined
  /** The id that the host's login gives the user, character by character. */
  readonly externalId?: string | undefined
  /** The company of the user. Default: of a host's query any company, otherwise the caller's own. */
  readonly companyId?: number | undefined
}

/** A user with all that a list of users leaves out. */
export interface UserDetails extends UserWithPermissions, Pick<User, 'customerId' | 'externalId' | 'disabled'> {}

const QUERY = objectSchema({
  id: idSchema().optional(),
  email: textSchema({ max: 320 }).optional(),
  externalId: textSchema({ max: 255 }).optional(),
  companyId: idSchema().optional(),
})

/** Looks up single users, by their ids and by what a host knows of them. */
export class FindUsers {
  constructor(private readonly storage: Storage) {}

  /** For the host. @throws InvalidInputError @throws NotFoundError */
  async get(userId: number): Promise<User> {
    const id = parseId(userId, 'id')
    const user = await this.find({ id })
    if (user === undefined) throw new NotFoundError('user', id)
    return user
  }

  /**
   * For the host.
   *
   * @throws InvalidInputError
   * @throws CompanyRequiredError if several companies have such a user, and the query names none
   */
  async find(query: UserQuery): Promise<User | undefined> {
    const checked = parseQuery(query)
    return await this.storage.read(async (repositories) => {
      const user = await findUser(repositories, checked)
      return user && toUser(user, await otpMethodOf(repositories, user.id))
    })
  }

  /** The principals of a user, for the host: see {@link userPrincipals}. @throws NotFoundError */
  async principals(userId: number): Promise<UserPrincipal[]> {
    const id = parseId(userId, 'id')
    return await this.storage.read(async (repositories) => {
      if ((await repositories.users.get(id)) === undefined) throw new NotFoundError('user', id)
      return await userPrincipals(repositories, id)
    })
  }

  /**
   * As {@link find}, for a principal that manages users.
   *
   * @returns the user with its permissions within reach; `undefined` also for a user out of reach
   * @throws InvalidInputError
   * @throws ForbiddenError if the company of the query is missing or out of reach
   */
  async findWithin({ principal, reach }: TenantAccess, query: UserQuery): Promise<UserDetails | undefined> {
    const { id, ...names } = parseQuery(query)
    const companyId = names.companyId ?? (id === undefined ? principal.companyId : undefined)
    return await this.storage.read(async (repositories) => {
      if (companyId !== undefined) await requireCompany(repositories, reach, companyId)
      const user = await findUser(repositories, { ...names, id, companyId })
      if (user === undefined || !(await covers(reach, repositories, user.companyId))) return undefined
      const [listed] = await withPermissions(repositories, reach, [user])
      const { customerId, externalId, disabled } = toUser(user, 'none')
      return listed && { ...listed, customerId, externalId, disabled }
    })
  }
}

function parseQuery(query: UserQuery): UserQuery {
  const parsed = validate(QUERY, query, 'query')
  const { id, email, externalId } = parsed
  if ([id, email, externalId].filter((name) => name !== undefined).length !== 1)
    throw new InvalidInputError('query', 'must have exactly one of id, email and externalId')
  return parsed
}

async function findUser(repositories: Repositories, query: UserQuery): Promise<UserRecord | undefined> {
  const { companyId } = query
  const found = await listNamed(repositories, query)
  const users = companyId === undefined ? found : found.filter((user) => user.companyId === companyId)
  if (users.length > 1) throw new CompanyRequiredError(query.email === undefined ? 'external id' : 'address')
  return users[0]
}

async function listNamed(
  { users }: Repositories,
  { id, email, externalId }: UserQuery,
): Promise<readonly UserRecord[]> {
  if (email !== undefined) return await users.listByEmailKey(parseEmailAddress(email).emailKey)
  if (externalId !== undefined) return await users.listByExternalId(externalId)
  const user = await users.get(id ?? 0)
  return user === undefined ? [] : [user]
}
