import type { Clock, Repositories, Storage } from '../ports/index.js'
import { InvalidInputError, NotFoundError } from '../shared/errors.js'
import { randomToken, sha256Hex } from '../shared/random.js'
import { choiceSchema, idSchema, listSchema, objectSchema, textSchema, validate } from '../shared/validate.js'
import { type ApiKey, toApiKey } from './records.js'

/** Values of `target_app`. */
export const TARGETS = ['assistant', 'tenant'] as const

type Target = (typeof TARGETS)[number]

const SCHEMA = objectSchema({
  companyId: idSchema(),
  userId: idSchema(),
  targets: listSchema(choiceSchema(TARGETS), TARGETS.length).default([...TARGETS]),
  expires: textSchema({ max: 40 }).optional(),
})

export interface NewApiKey {
  readonly companyId: number
  readonly userId: number
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

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /**
   * @throws InvalidInputError
   * @throws NotFoundError where the company or the user does not exist
   */
  async execute(input: NewApiKey): Promise<ApiKeyWithSecret> {
    const { companyId, userId, targets, expires } = validate(SCHEMA, input)
    const now = this.#clock.now()
    const expiry = expires === undefined ? null : parseExpiry(expires, now)
    return await this.#storage.transaction(async (repositories) => {
      if ((await repositories.companies.get(companyId)) === undefined) throw new NotFoundError('company', companyId)
      if ((await repositories.users.get(userId)) === undefined) throw new NotFoundError('user', userId)
      return await insertApiKey(repositories, {
        companyId,
        userId,
        targets,
        expires: expiry,
        created: now.toISOString(),
      })
    })
  }
}

/** Inserts a key; its secret is kept as a hash only. */
export async function insertApiKey(
  { apiKeys }: Repositories,
  key: Pick<ApiKey, 'companyId' | 'userId' | 'targets' | 'expires' | 'created'>,
): Promise<ApiKeyWithSecret> {
  const clientId = `ak_${randomToken(12)}`
  const clientSecret = `sk_${randomToken(32)}`
  // A secret of 256 random bits needs no slow hash.
  const secretHash = await sha256Hex(clientSecret)
  const inserted = await apiKeys.insert({ ...key, clientId, secretHash, lastUsed: null, revoked: null })
  return { ...toApiKey(inserted), clientSecret }
}

function parseExpiry(expires: string, now: Date): string {
  const date = new Date(expires)
  if (!/^\d{4}-\d\d-\d\d/.test(expires) || Number.isNaN(date.getTime())) {
    throw new InvalidInputError('expires', 'must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z')
  }
  if (date <= now) throw new InvalidInputError('expires', 'must lie in the future')
  return date.toISOString()
}
