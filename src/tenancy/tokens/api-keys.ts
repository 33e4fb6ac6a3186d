import { type AuditActor, recordChange } from '../../audit/index.js'
import { InvalidInputError, NotFoundError } from '../../kernel/errors.js'
import { type EngineLimits, requireBelow } from '../../kernel/limits.js'
import { randomToken, sha256Hex } from '../../kernel/random.js'
import { choiceSchema, idSchema, listSchema, objectSchema, textSchema, validate } from '../../kernel/validate.js'
import type { Clock, Repositories, Storage } from '../../ports/index.js'
import { type Reach, UNLIMITED } from '../access/reach.js'
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
  /** For whom it acts. Default: a service user made for it, with the role Administrator on the company's accounts. */
  readonly userId?: number
  /** Default: both. */
  readonly targets?: readonly Target[]
  /** ISO 8601; omitted, the key does not expire. */
  readonly expires?: string
}

/** A new key with its secret, which cannot be read again. */
export interface ApiKeyWithSecret extends ApiKey {
  readonly clientSecret: string
}

/** Makes an API key of a company that acts for a user. */
export class CreateApiKey {
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
   * @throws NotFoundError where the company or the user does not exist
   * @throws LimitReachedError where the company has as many keys as it may, or as many users where one is made
   */
  async execute(input: NewApiKey, reach: Reach = UNLIMITED): Promise<ApiKeyWithSecret> {
    const { companyId, userId, targets, expires } = validate(SCHEMA, input)
    if (targets.length === 0) throw new InvalidInputError('targets', `must name at least one of ${TARGETS.join(', ')}`)
    const now = this.#clock.now()
    const expiry = expires === undefined ? null : parseExpiry(expires, now)
    return await this.#storage.transaction(async (repositories) => {
      const company = await repositories.companies.get(companyId)
      if (company === undefined) throw new NotFoundError('company', companyId)
      if (userId !== undefined && (await repositories.users.get(userId)) === undefined)
        throw new NotFoundError('user', userId)
      const { apiKeys, users } = repositories
      const held = await apiKeys.countUsable(companyId, now.toISOString())
      requireBelow(this.#limits, 'apiKeysPerCompany', companyId, held)
      if (userId === undefined) {
        requireBelow(this.#limits, 'usersPerCompany', companyId, await users.count(companyId))
      }
      const created = now.toISOString()
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
}

/** A user that is no person: it has an address that cannot exist, and no password (decision 14). */
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

/** Inserts a key; its secret is kept as a hash only. */
export async function insertApiKey(
  repositories: Repositories,
  key: Pick<ApiKey, 'companyId' | 'userId' | 'targets' | 'expires' | 'created'>,
  by: AuditActor,
): Promise<ApiKeyWithSecret> {
  const clientId = `ak_${randomToken(12)}`
  const clientSecret = `sk_${randomToken(32)}`
  // A secret of 256 random bits needs no slow hash.
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
  // A day that there is not would be moved to one that there is.
  const isReal = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
  if (!isReal || Number.isNaN(date.getTime())) {
    throw new InvalidInputError('expires', 'must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z')
  }
  if (date <= now) throw new InvalidInputError('expires', 'must lie in the future')
  return date.toISOString()
}
