import type { z } from 'zod'
import { type AuditActor, recordChange } from '../../audit/index.js'
import { randomToken, sha256Hex } from '../../kernel/crypto.js'
import { errorReason, ForbiddenError, InvalidInputError, NotFoundError } from '../../kernel/errors.js'
import { type EngineLimits, requireBelow } from '../../kernel/limits.js'
import { RowList } from '../../kernel/lists.js'
import {
  choiceSchema,
  idSchema,
  listSchema,
  objectSchema,
  parseId,
  textSchema,
  validate,
} from '../../kernel/validate.js'
import type { ApiKeyRecord, Clock, Repositories, Sight, Storage, UserRecord } from '../../ports/index.js'
import { SIGHTS } from '../access/principal.js'
import { covers, type Reach, requireCompany, withinFilter } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import { grantAdministrator } from '../access/roles.js'
import { type ApiKey, toApiKey } from '../records.js'
import { insertUser, isServiceUser, newServiceAddress } from '../users/identity.js'

/** Values of `target_app`. */
export const TARGETS = ['assistant', 'tenant'] as const

type Target = (typeof TARGETS)[number]

const TARGET_LIST = listSchema(choiceSchema(TARGETS), TARGETS.length)
const FIELDS = {
  userId: idSchema().optional(),
  sight: choiceSchema(SIGHTS).optional(),
  expires: textSchema({ max: 40 }).optional(),
}
const SCHEMA = objectSchema({ ...FIELDS, companyId: idSchema(), targets: TARGET_LIST.default([...TARGETS]) })

export interface NewApiKey {
  readonly companyId: number
  /** The user for whom the key acts. Default: a new service user, Administrator on the company's accounts. */
  readonly userId?: number | undefined
  /** Default: both. */
  readonly targets?: readonly Target[] | undefined
  /**
   * The contexts that tokens of the key see. `account` (default): all contexts of the token's account. `user`: the
   * user's own and shared ones, so it needs `userId`.
   */
  readonly sight?: Sight | undefined
  /** ISO 8601. Default: the key does not expire. */
  readonly expires?: string | undefined
}

/** Body of `POST /tenant/keys`. */
export const newTenantApiKeySchema: z.ZodType<NewTenantApiKey> = objectSchema({
  ...FIELDS,
  companyId: idSchema().optional(),
  targets: TARGET_LIST,
})

/** A new API key of a user who manages the company. */
export interface NewTenantApiKey extends Omit<NewApiKey, 'companyId' | 'targets' | 'sight'> {
  /** Default: the caller's company. */
  readonly companyId?: number | undefined
  /** At least one. */
  readonly targets: readonly Target[]
  /**
   * The contexts that tokens of the key see. `user`: the user's own and shared ones. `account`: all contexts of the
   * token's account, also private ones; only for a caller who sees them too. Default: `user` for a key with a `userId`,
   * so that nobody gives away a sight of the whole account by accident. Otherwise the sight of the caller.
   */
  readonly sight?: Sight | undefined
}

/** A new key with its secret, which cannot be read a second time. */
export interface ApiKeyWithSecret extends ApiKey {
  readonly clientSecret: string
}

/** API keys of companies. Each key acts for a user. */
export class ApiKeys {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly limits: EngineLimits,
  ) {}

  /**
   * Makes a key. Within a limited reach, it gives its maker no right and no context that the maker does not have:
   *
   * - The company is within reach, and so is the user, unless it is the caller's own.
   * - The caller could grant every permission of the user. Without a user, that is the role Administrator.
   * - A caller who sees only their own and shared contexts makes no key that sees more. None shows them the private
   *   contexts of others either: of a person, or of a service user with a key that somebody else made.
   * - A caller who acts by an API key makes no key for an application that is not one of that key.
   *
   * @throws InvalidInputError
   * @throws NotFoundError if the user does not exist or is out of reach; without a limit, also for the company
   * @throws ForbiddenError within a limited reach, if the company is missing or out of reach, or for a rule above
   * @throws LimitReachedError if the company has reached its limit of keys, or of users if the key needs a new one
   */
  async create(input: NewApiKey, reach: Reach): Promise<ApiKeyWithSecret> {
    const { companyId, userId, targets, sight = defaultSight(input, reach), expires } = validate(SCHEMA, input)
    if (targets.length === 0) throw new InvalidInputError('targets', `must name at least one of ${TARGETS.join(', ')}`)
    if (sight === 'user' && userId === undefined && !reach.isLimited) {
      throw new InvalidInputError(
        'sight',
        'can be "user" only together with userId: a key without it acts for a new service user, who has no contexts',
      )
    }
    const now = this.clock.now()
    const expiry = expires === undefined ? null : parseExpiry(expires, now)
    return await this.storage.transaction(async (repositories) => {
      const { apiKeys, companies, users } = repositories
      const rights = await Rights.of(repositories, reach, now)
      await requireCompany(repositories, rights.reach, companyId)
      const company = await companies.get(companyId)
      if (company === undefined) throw new NotFoundError('company', companyId)
      requireTargets(rights.reach, targets)
      const user = userId === undefined ? undefined : await rights.userToActFor(userId, targets)
      await requireSight(repositories, rights.reach, { user, targets, sight })
      const created = now.toISOString()
      requireBelow(this.limits, 'apiKeysPerCompany', companyId, await apiKeys.countUsable(companyId, created))
      if (user === undefined) requireBelow(this.limits, 'usersPerCompany', companyId, await users.count(companyId))
      return await insertApiKey(
        repositories,
        {
          companyId,
          userId: user?.id ?? (await insertServiceUser(repositories, company, created, rights.reach)),
          targets: [...new Set(targets)],
          sight,
          makerId: rights.reach.userId,
          expires: expiry,
          created,
        },
        rights.reach.by,
      )
    })
  }

  /** All keys of all companies, without secrets, ordered by id: for the host. */
  async listAll(): Promise<ApiKey[]> {
    return (await this.storage.read(({ apiKeys }) => apiKeys.list())).map(toApiKey)
  }

  /**
   * The keys of the companies within reach, without secrets, ordered by id.
   *
   * @param authorize returns the caller's reach of this moment
   */
  list(authorize: () => Promise<Reach>): RowList<ApiKey> {
    return new RowList({
      read: async (page) => {
        const filter = withinFilter(await authorize())
        return (await this.storage.read(({ apiKeys }) => apiKeys.list(filter, page))).map(toApiKey)
      },
      ids: async (page) => {
        const filter = withinFilter(await authorize())
        return await this.storage.read(({ apiKeys }) => apiKeys.listIds(filter, page))
      },
    })
  }

  /**
   * Revokes a key. Within a limited reach, the caller could grant every permission of the key's user, or it is the
   * caller's own user.
   *
   * @throws InvalidInputError
   * @throws NotFoundError if the key is missing, or its company is out of reach
   * @throws ForbiddenError within a limited reach, if the caller may not revoke keys of that user
   */
  async revoke(keyId: number, reach: Reach): Promise<ApiKey> {
    const id = parseId(keyId, 'id')
    return await this.storage.transaction(async (repositories) => {
      const now = this.clock.now()
      const { apiKeys } = repositories
      const rights = await Rights.of(repositories, reach, now)
      const key = await apiKeys.get(id)
      const isReached = key !== undefined && (await covers(rights.reach, repositories, key.companyId))
      if (!isReached) throw new NotFoundError('API key', id)
      await requireRevocable(repositories, rights, key)
      await apiKeys.revoke(id, now.toISOString())
      const { companyId, userId } = key
      await recordChange(repositories, rights.reach.by, now, {
        action: 'api-key.revoked',
        companyId,
        targetId: id,
        details: { userId },
      })
      return toApiKey({ ...key, revoked: key.revoked ?? now.toISOString() })
    })
  }
}

function defaultSight({ userId }: NewApiKey, reach: Reach): Sight {
  return reach.isLimited && userId !== undefined ? 'user' : reach.sight
}

/** Without this, a key for one application would get its holder the contexts of another. @throws ForbiddenError */
function requireTargets(reach: Reach, targets: readonly string[]): void {
  const others = targets.filter((target) => reach.targets?.includes(target) === false)
  if (others.length === 0) return
  throw new ForbiddenError(
    `you act by an API key that is not for ${others.join(', ')}: log in as a user, or with a key for it`,
    errorReason('key-of-other-application', { applications: others.join(', ') }),
  )
}

/**
 * The maker of a key knows its secret, and so sees what the key sees.
 * @param key `user` is undefined for a new service user
 * @throws ForbiddenError
 */
async function requireSight(
  { apiKeys }: Repositories,
  reach: Reach,
  { user, targets, sight }: { readonly user: UserRecord | undefined } & Pick<ApiKey, 'targets' | 'sight'>,
): Promise<void> {
  if (reach.sight === 'account') return
  if (sight === 'account') {
    throw new ForbiddenError(
      'a key with the sight "account" shows private contexts of all users, which you do not see: choose "user"',
      errorReason('key-shows-all-contexts'),
    )
  }
  if (user === undefined || user.id === reach.userId || !targets.includes('assistant')) return
  // Revoked keys count too: the contexts that they made are still there.
  const keys = isServiceUser(user) ? await apiKeys.list({ userId: user.id }) : []
  if (keys.length > 0 && keys.every(({ makerId }) => makerId !== undefined && makerId === reach.userId)) return
  const isService = isServiceUser(user)
  const because = isService ? ', because you did not make all of its keys' : ''
  throw new ForbiddenError(
    `a key for assistant shows the private contexts of the user ${user.id}, which you do not see${because}: leave out userId, or ask the operator`,
    errorReason(isService ? 'key-shows-contexts-of-service-user' : 'key-shows-contexts-of-user', { user: user.id }),
  )
}

/** @throws ForbiddenError */
async function requireRevocable(repositories: Repositories, rights: Rights, key: ApiKeyRecord): Promise<void> {
  const { reach } = rights
  if (!reach.isLimited || key.userId === reach.userId) return
  const user = await repositories.users.get(key.userId)
  if (user === undefined || !(await covers(reach, repositories, user.companyId))) {
    throw new ForbiddenError(
      `the API key ${key.id} acts for a user of a company that is not accessible: a manager of that company must revoke it`,
      errorReason('key-of-user-elsewhere', { key: key.id }),
    )
  }
  await rights.userToActFor(key.userId, key.targets)
}

/**
 * Inserts the user of a key that names no user. It is not a person: its address cannot exist, and it has no password.
 */
async function insertServiceUser(
  repositories: Repositories,
  company: { readonly id: number; readonly name: string },
  created: string,
  reach: Reach,
): Promise<number> {
  const address = newServiceAddress()
  const names = { firstName: 'Service', lastName: company.name, name: `Service ${company.name}` }
  const service = { companyId: company.id, address, externalId: null, created, ...names, isService: true }
  const user = await insertUser(repositories, service, reach.by)
  await grantAdministrator(repositories, user, created, reach)
  return user.id
}

/** Inserts a key. The database stores only a hash of its secret. */
export async function insertApiKey(
  repositories: Repositories,
  key: Pick<ApiKeyRecord, 'companyId' | 'userId' | 'targets' | 'sight' | 'makerId' | 'expires' | 'created'>,
  by: AuditActor,
): Promise<ApiKeyWithSecret> {
  const clientId = `ak_${randomToken(12)}`
  const clientSecret = `sk_${randomToken(32)}`
  // A fast hash is enough: nobody can guess a secret of 256 random bits.
  const secretHash = await sha256Hex(clientSecret)
  const inserted = await repositories.apiKeys.insert({ ...key, clientId, secretHash, lastUsed: null, revoked: null })
  const { userId, targets, sight } = inserted
  await recordChange(repositories, by, new Date(key.created), {
    action: 'api-key.created',
    companyId: key.companyId,
    targetId: inserted.id,
    details: { userId, assistant: targets.includes('assistant'), tenant: targets.includes('tenant'), sight },
  })
  return { ...toApiKey(inserted), clientSecret }
}

function parseExpiry(expires: string, now: Date): string {
  const date = new Date(expires)
  const [day = ''] = /^\d{4}-\d\d-\d\d/.exec(expires) ?? []
  const midnight = new Date(day)
  // `Date` would turn 30 February into a day of March without an error.
  const isRealDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
  if (!isRealDay || Number.isNaN(date.getTime())) {
    throw new InvalidInputError('expires', 'must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z', {
      reason: errorReason('not-a-date'),
    })
  }
  if (date <= now) {
    throw new InvalidInputError('expires', 'must lie in the future', { reason: errorReason('not-in-the-future') })
  }
  return date.toISOString()
}
