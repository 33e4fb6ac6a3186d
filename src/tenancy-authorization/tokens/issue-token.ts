import type { AccessRecord, ApiKeyRecord, Clock, Repositories, Storage, TokenSigner } from '../../ports/index.js'
import { TokenRequestError } from '../../shared/errors.js'
import { randomToken, sha256Hex } from '../../shared/random.js'
import { isOpen } from '../access/authorizer.js'
import { TARGETS } from './create-api-key.js'
import type { FailureThrottle } from './failure-throttle.js'
import { TOKEN_ISSUER } from './token-issuer.js'

/** Seconds that an access token lives (specification, Limits). */
const TOKEN_LIFETIME_SECONDS = 900

/** A client-credentials request (specification, Authentication), its form already read. */
export interface TokenRequest {
  readonly clientId: string
  readonly clientSecret: string
  /** `assistant` or `tenant`. */
  readonly targetApp: string
  /** Scopes the token to one account. */
  readonly accountId?: number
}

/** The answer, in the words of RFC 6749. */
export interface TokenResponse {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
}

/** Exchanges an API key for an access token. */
export class IssueToken {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #signer: TokenSigner
  readonly #throttle: FailureThrottle

  constructor(storage: Storage, clock: Clock, signer: TokenSigner, throttle: FailureThrottle) {
    this.#storage = storage
    this.#clock = clock
    this.#signer = signer
    this.#throttle = throttle
  }

  /**
   * @throws TokenRequestError
   * @throws ThrottledError after ten wrong secrets of a client id within a minute
   */
  async execute(request: TokenRequest): Promise<TokenResponse> {
    const { clientId, targetApp } = request
    if (!(TARGETS as readonly string[]).includes(targetApp)) {
      throw new TokenRequestError('invalid_request', `target_app must be one of ${TARGETS.join(', ')}`)
    }
    const key = await this.#authenticate(request)
    if (!key.targets.includes(targetApp)) {
      throw new TokenRequestError('unauthorized_client', `this API key may not ask for tokens for ${targetApp}`)
    }
    const account = await this.#storage.read((repositories) => findAccount(repositories, key, request))
    const issuedAt = this.#clock.now()
    const token = await this.#signer.sign(
      {
        ...TOKEN_ISSUER,
        sub: String(key.userId),
        client_id: clientId,
        jti: randomToken(16),
        target_app: targetApp,
        account_id: account.account.id,
        key_id: key.id,
      },
      { issuedAt, lifetimeSeconds: TOKEN_LIFETIME_SECONDS },
    )
    await this.#storage.transaction(async ({ apiKeys, users }) => {
      await apiKeys.touch(key.id, issuedAt.toISOString())
      await users.update(key.userId, { lastAccess: issuedAt.toISOString() })
    })
    return { access_token: token, token_type: 'Bearer', expires_in: TOKEN_LIFETIME_SECONDS }
  }

  /** One answer for every reason: nobody learns which ids exist. */
  async #authenticate({ clientId, clientSecret }: TokenRequest): Promise<ApiKeyRecord> {
    const secretHash = await sha256Hex(clientSecret)
    const { key, isWhole } = await this.#storage.read(async ({ apiKeys, users, companies }) => {
      const found = await apiKeys.findByClientId(clientId)
      const user = found && (await users.get(found.userId))
      const company = found && (await companies.get(found.companyId))
      return { key: found, isWhole: user !== undefined && company !== undefined }
    })
    const isRight = key !== undefined && isSame(key.secretHash, secretHash)
    if (isRight && isWhole && isUsable(key, this.#clock.now())) return key
    this.#throttle.failed(clientId, key !== undefined)
    throw new TokenRequestError('invalid_client', 'the client id or the secret is wrong, revoked or expired')
  }
}

/** Whether a key is neither revoked nor expired. */
export function isUsable({ revoked, expires }: ApiKeyRecord, now: Date): boolean {
  return revoked === null && (expires === null || new Date(expires) > now)
}

/** Decisions 13 and 14. */
async function findAccount(
  repositories: Repositories,
  key: ApiKeyRecord,
  { targetApp, accountId }: TokenRequest,
): Promise<AccessRecord> {
  const open = (await repositories.permissions.listAccess(key.userId, targetApp)).filter(isOpen)
  const companyIds = open.map(({ account }) => account.companyId)
  const reached = await repositories.companies.within([...new Set(companyIds)], key.companyId)
  const isReached = ({ account }: AccessRecord): boolean => reached.has(account.companyId)
  if (accountId !== undefined) {
    const named = open.find((access) => access.account.id === accountId && isReached(access))
    if (named !== undefined) return named
    throw new TokenRequestError('invalid_scope', `no access to an active account ${accountId} of ${targetApp}`)
  }
  // A tenant token manages companies, by the key's reach; its account only carries the permission.
  const account = open.find(isReached) ?? (targetApp === 'tenant' ? open[0] : undefined)
  if (account !== undefined) return account
  throw new TokenRequestError('invalid_scope', `the key's user has no enabled permission on an account of ${targetApp}`)
}

/** In a time that does not tell how much agrees. */
function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}
