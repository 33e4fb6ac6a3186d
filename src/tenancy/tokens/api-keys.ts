import { type AuditActor, type AuditRefusals, recordChange } from '../../audit/index.js'
import { randomToken, sha256Hex } from '../../kernel/crypto.js'
import {
  InvalidInputError,
  NotFoundError,
  ThrottledError,
  type TokenErrorCode,
  TokenRequestError,
} from '../../kernel/errors.js'
import { type EngineLimits, requireBelow } from '../../kernel/limits.js'
import {
  choiceSchema,
  idSchema,
  listSchema,
  objectSchema,
  parseId,
  textSchema,
  validate,
} from '../../kernel/validate.js'
import type { ApiKeyRecord, Clock, Repositories, Sight, Storage } from '../../ports/index.js'
import { isKeyUsable, type RequestOrigin, SIGHTS } from '../access/principal.js'
import type { Reach } from '../access/reach.js'
import { grantAdministrator } from '../access/roles.js'
import { type ApiKey, toApiKey } from '../records.js'
import { counterName, type FailureThrottle } from '../throttle.js'
import { insertUser, parseEmailAddress } from '../users/identity.js'

/** Values of `target_app`. */
export const TARGETS = ['assistant', 'tenant'] as const

type Target = (typeof TARGETS)[number]

const SCHEMA = objectSchema({
  companyId: idSchema(),
  userId: idSchema().optional(),
  targets: listSchema(choiceSchema(TARGETS), TARGETS.length).default([...TARGETS]),
  sight: choiceSchema(SIGHTS).default('account'),
  expires: textSchema({ max: 40 }).optional(),
})

export interface NewApiKey {
  readonly companyId: number
  /** The user for whom the key acts. Default: a new service user, Administrator on the company's accounts. */
  readonly userId?: number
  /** Default: both. */
  readonly targets?: readonly Target[]
  /**
   * The contexts that tokens of the key see. `account` (default): all contexts of the token's account. `user`: the
   * user's own and shared ones, so it needs `userId`.
   */
  readonly sight?: Sight
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
    const { companyId, userId, targets, sight, expires } = validate(SCHEMA, input)
    if (targets.length === 0) throw new InvalidInputError('targets', `must name at least one of ${TARGETS.join(', ')}`)
    if (sight === 'user' && userId === undefined) {
      throw new InvalidInputError(
        'sight',
        'can be "user" only for a key with a userId: a key without one acts for a new service user, who has no contexts',
      )
    }
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
          sight,
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
  const service = { companyId: company.id, address, externalId: null, created, ...names, isService: true }
  const user = await insertUser(repositories, service, reach.by)
  await grantAdministrator(repositories, user, created, reach)
  return user.id
}

/** Inserts a key. The database stores only a hash of its secret. */
export async function insertApiKey(
  repositories: Repositories,
  key: Pick<ApiKey, 'companyId' | 'userId' | 'targets' | 'sight' | 'expires' | 'created'>,
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
    throw new InvalidInputError('expires', 'must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z')
  }
  if (date <= now) throw new InvalidInputError('expires', 'must lie in the future')
  return date.toISOString()
}

/** Id and secret of an API key, sent by an OAuth client. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** No row has this id. It is read for an unknown client id, so that both cases take the same time. */
const MISSING_ID = 0
const NO_HASH = '0'.repeat(64)

/**
 * Finds the API key of a request about tokens. All such requests are throttled, refused and recorded in the same way,
 * so that no endpoint makes it easier to guess secrets.
 */
export class AuthenticateClient {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #throttle: FailureThrottle
  readonly #refusals: AuditRefusals

  constructor(storage: Storage, clock: Clock, throttle: FailureThrottle, refusals: AuditRefusals) {
    this.#storage = storage
    this.#clock = clock
    this.#throttle = throttle
    this.#refusals = refusals
  }

  /**
   * The key of a client. Every refusal has the same message and takes the same steps, so that no client learns which
   * ids exist.
   *
   * @throws TokenRequestError `invalid_client`
   * @throws ThrottledError for a wrong secret, after too many wrong ones for the client id or from the network address
   *   within a minute; the right secret always passes
   */
  async authenticate({ clientId, clientSecret }: ClientCredentials, origin?: RequestOrigin): Promise<ApiKeyRecord> {
    const secretHash = await sha256Hex(clientSecret)
    const { key, isOwnerEnabled } = await this.#storage.read(async ({ apiKeys, users, companies }) => {
      const found = await apiKeys.findByClientId(clientId)
      const user = await users.get(found?.userId ?? MISSING_ID)
      const keyCompany = await companies.get(found?.companyId ?? MISSING_ID)
      const userCompany = await companies.get(user?.companyId ?? MISSING_ID)
      return {
        key: found,
        isOwnerEnabled: [user, keyCompany, userCompany].every((record) => record?.isDisabled === false),
      }
    })
    const isSecretRight = isEqualInConstantTime(key?.secretHash ?? NO_HASH, secretHash)
    if (key !== undefined && isSecretRight && isOwnerEnabled && isKeyUsable(key, this.#clock.now())) return key
    await this.#throttle.countFailure({ kind: 'secret', name: clientId, origin })
    throw new TokenRequestError('invalid_client', 'the client id or the secret is wrong, revoked, disabled or expired')
  }

  /**
   * Runs the work of a client's request, and records a refusal in the audit trail.
   * @throws the errors of `work`
   */
  async recordRefusals<T>(
    request: ClientCredentials,
    origin: RequestOrigin | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof TokenRequestError) await this.#recordRefusal(request, origin, error.error)
      if (error instanceof ThrottledError) await this.#recordRefusal(request, origin, 'throttled')
      throw error
    }
  }

  /** Records the client id only if a key has it: an unknown one may be a secret that a client sent by mistake. */
  async #recordRefusal(
    { clientId }: ClientCredentials,
    origin: RequestOrigin = {},
    reason: TokenErrorCode | 'throttled',
  ): Promise<void> {
    const counter = counterName('token', origin.remoteAddress)
    await this.#refusals.record(counter, async ({ apiKeys }) => {
      const key = await apiKeys.findByClientId(clientId)
      const { remoteAddress, requestId } = origin
      return {
        by: { kind: 'anonymous', clientId: key?.clientId, remoteAddress, requestId },
        refusal: { action: 'token.refused', companyId: key?.companyId ?? null, targetId: key?.id ?? null, reason },
      }
    })
  }
}

/** The time depends on the lengths only: it does not reveal how many characters are equal. */
function isEqualInConstantTime(left: string, right: string): boolean {
  let difference = left.length ^ right.length
  for (let index = 0; index < left.length; index += 1) difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  return difference === 0
}
