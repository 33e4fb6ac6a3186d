import { type AuditActor, recordChange } from '../../audit/index.js'
import { InvalidInputError, NotFoundError } from '../../kernel/errors.js'
import { type EngineLimits, requireBelow } from '../../kernel/limits.js'
import { randomToken, sha256Hex } from '../../kernel/random.js'
import {
  choiceSchema,
  idSchema,
  listSchema,
  objectSchema,
  parseId,
  textSchema,
  validate,
} from '../../kernel/validate.js'
import type { Clock, Repositories, Storage } from '../../ports/index.js'
import type { Reach } from '../access/reach.js'
import { type ApiKey, toApiKey } from '../records.js'
import { grantAdministrator } from '../roles/roles.js'
import { insertUser } from '../users/add-user.js'
import { parseEmailAddress } from '../users/email-address.js'

/** Values of `target_app`. */
export const TARGETS = ['assistant', 'tenant'] as const

type Target = (typeof TARGETS)[number]

const SCHEMA = objectSchema({
  companyId: idSchema(),
  userId: idSchema().optional(),
  targets: listSchema(choiceSchema(TARGETS), TARGETS.length).default([...TARGETS]),
  expires: textSchema({ max: 40 }).optional(),
})

export interface NewApiKey {
  readonly companyId: number
  /** The user for whom the key acts. Default: a new service user, Administrator on the company's accounts. */
  readonly userId?: number
  /** Default: both. */
  readonly targets?: readonly Target[]
  /** ISO 8601. Default: the key does not expire. */
  readonly expires?: string
}

/** A new key with its secret, which cannot be read a second time. */
export interface ApiKeyWithSecret extends ApiKey {
  readonly clientSecret: string
}

/** API keys of companies. Each key acts for a user. */
export class ApiKeys {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #limits: EngineLimits

  constructor(storage: Storage, clock: Clock, limits: EngineLimits) {
    this.#storage = storage
    this.#clock = clock
    this.#limits = limits
  }

  /**
   * @throws InvalidInputError
   * @throws NotFoundError if the company or the user does not exist
   * @throws LimitReachedError if the company has reached its limit of keys, or of users if the key needs a new one
   */
  async create(input: NewApiKey, reach: Reach): Promise<ApiKeyWithSecret> {
    const { companyId, userId, targets, expires } = validate(SCHEMA, input)
    if (targets.length === 0) throw new InvalidInputError('targets', `must name at least one of ${TARGETS.join(', ')}`)
    const now = this.#clock.now()
    const expiry = expires === undefined ? null : parseExpiry(expires, now)
    return await this.#storage.transaction(async (repositories) => {
      const { apiKeys, companies, users } = repositories
      const company = await companies.get(companyId)
      if (company === undefined) throw new NotFoundError('company', companyId)
      if (userId !== undefined && (await users.get(userId)) === undefined) throw new NotFoundError('user', userId)
      const created = now.toISOString()
      requireBelow(this.#limits, 'apiKeysPerCompany', companyId, await apiKeys.countUsable(companyId, created))
      if (userId === undefined) {
        requireBelow(this.#limits, 'usersPerCompany', companyId, await users.count(companyId))
      }
      return await insertApiKey(
        repositories,
        {
          companyId,
          userId: userId ?? (await insertServiceUser(repositories, company, created, reach)),
          targets: [...new Set(targets)],
          expires: expiry,
          created,
        },
        reach.by,
      )
    })
  }

  /** All keys of all companies, without secrets, ordered by id. */
  async list(): Promise<ApiKey[]> {
    return (await this.#storage.read(({ apiKeys }) => apiKeys.list())).map(toApiKey)
  }

  /** @throws InvalidInputError @throws NotFoundError */
  async revoke(keyId: number, { by }: Pick<Reach, 'by'>): Promise<ApiKey> {
    const id = parseId(keyId, 'id')
    return await this.#storage.transaction(async (repositories) => {
      const now = this.#clock.now()
      const { apiKeys } = repositories
      await apiKeys.revoke(id, now.toISOString())
      const revoked = await apiKeys.get(id)
      if (revoked === undefined) throw new NotFoundError('API key', id)
      const { companyId, userId } = revoked
      await recordChange(repositories, by, now, {
        action: 'api-key.revoked',
        companyId,
        targetId: id,
        details: { userId },
      })
      return toApiKey(revoked)
    })
  }
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
  const address = parseEmailAddress(`service-${randomToken(9)}@alcove.invalid`)
  const names = { firstName: 'Service', lastName: company.name, name: `Service ${company.name}` }
  const service = { companyId: company.id, address, created, ...names, isService: true }
  const user = await insertUser(repositories, service, reach.by)
  await grantAdministrator(repositories, user, created, reach)
  return user.id
}

/** Inserts a key. The database stores only a hash of its secret. */
export async function insertApiKey(
  repositories: Repositories,
  key: Pick<ApiKey, 'companyId' | 'userId' | 'targets' | 'expires' | 'created'>,
  by: AuditActor,
): Promise<ApiKeyWithSecret> {
  const clientId = `ak_${randomToken(12)}`
  const clientSecret = `sk_${randomToken(32)}`
  // A fast hash is enough: nobody can guess a secret of 256 random bits.
  const secretHash = await sha256Hex(clientSecret)
  const inserted = await repositories.apiKeys.insert({ ...key, clientId, secretHash, lastUsed: null, revoked: null })
  const { userId, targets } = inserted
  await recordChange(repositories, by, new Date(key.created), {
    action: 'api-key.created',
    companyId: key.companyId,
    targetId: inserted.id,
    details: { userId, assistant: targets.includes('assistant'), tenant: targets.includes('tenant') },
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
    throw new InvalidInputError('expires', 'must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z')
  }
  if (date <= now) throw new InvalidInputError('expires', 'must lie in the future')
  return date.toISOString()
}
