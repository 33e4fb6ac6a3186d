import type { AuditRefusals } from '../../audit/index.js'
import type { AccessRecord, ApiKeyRecord, Clock, Repositories, Storage, TokenSigner } from '../../ports/index.js'
import { ThrottledError, type TokenErrorCode, TokenRequestError } from '../../shared/errors.js'
import { randomToken, sha256Hex } from '../../shared/random.js'
import { isOpen } from '../access/authorizer.js'
import type { Origin } from '../access/principal.js'
import type { FailureThrottle } from '../throttles/failure-throttle.js'
import { networkOf } from '../throttles/network-of.js'
import { TARGETS } from './create-api-key.js'
import { isUsable } from './is-usable.js'
import { TOKEN_ISSUER } from './token-issuer.js'

/** Seconds that an access token lives (specification, Limits). */
const TOKEN_LIFETIME_SECONDS = 900

/** Characters of a counter's name. */
const MOST_OF_COUNTER = 200

/** No row has this id; it is looked for all the same where a client id is unknown. */
const NOBODY = 0
const NO_HASH = '0'.repeat(64)

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
  readonly #refusals: AuditRefusals

  constructor(storage: Storage, clock: Clock, signer: TokenSigner, throttle: FailureThrottle, refusals: AuditRefusals) {
    this.#refusals = refusals
    this.#storage = storage
    this.#clock = clock
    this.#signer = signer
    this.#throttle = throttle
  }

  /**
   * @throws TokenRequestError
   * @param origin from where the request comes; without it, only the client id is counted
   * @throws ThrottledError for a wrong secret, after too many for the client id, or from the network address, within a
   *   minute; the right secret is never refused for that
   */
  async execute(request: TokenRequest, origin?: Omit<Origin, 'clientId'>): Promise<TokenResponse> {
    try {
      return await this.#issue(request, origin)
    } catch (error) {
      if (error instanceof TokenRequestError) await this.#recordRefusal(request, origin, error.error)
      if (error instanceof ThrottledError) await this.#recordRefusal(request, origin, 'throttled')
      throw error
    }
  }

  /** The client id is kept where it is that of a key: what a stranger sends as one may be a secret. */
  async #recordRefusal(
    { clientId: given }: TokenRequest,
    origin: Omit<Origin, 'clientId'> = {},
    reason: TokenErrorCode | 'throttled',
  ): Promise<void> {
    const counter = `token:${networkOf(origin.remoteAddress ?? '')}`.slice(0, MOST_OF_COUNTER)
    await this.#refusals.record(counter, async ({ apiKeys }) => {
      const key = await apiKeys.findByClientId(given)
      const { remoteAddress, requestId } = origin
      return {
        by: { kind: 'anonymous', clientId: key?.clientId, remoteAddress, requestId },
        refusal: { action: 'token.refused', companyId: key?.companyId ?? null, targetId: key?.id ?? null, reason },
      }
    })
  }

  async #issue(request: TokenRequest, origin?: Omit<Origin, 'clientId'>): Promise<TokenResponse> {
    const { clientId, targetApp } = request
    if (!(TARGETS as readonly string[]).includes(targetApp)) {
      throw new TokenRequestError('invalid_request', `target_app must be one of ${TARGETS.join(', ')}`)
    }
    const key = await this.#authenticate(request, origin)
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
        company_id: key.companyId,
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

  /** One answer, and one way to it, for every reason: nobody learns which ids exist. */
  async #authenticate(
    { clientId, clientSecret }: TokenRequest,
    origin: Pick<Origin, 'remoteAddress'> | undefined,
  ): Promise<ApiKeyRecord> {
    const secretHash = await sha256Hex(clientSecret)
    const { key, isWhole } = await this.#storage.read(async ({ apiKeys, users, companies }) => {
      const found = await apiKeys.findByClientId(clientId)
      const user = await users.get(found?.userId ?? NOBODY)
      const company = await companies.get(found?.companyId ?? NOBODY)
      return { key: found, isWhole: user !== undefined && company !== undefined }
    })
    const isRight = isSame(key?.secretHash ?? NO_HASH, secretHash)
    if (key !== undefined && isRight && isWhole && isUsable(key, this.#clock.now())) return key
    await this.#throttle.failed({ kind: 'secret', name: clientId, origin })
    throw new TokenRequestError('invalid_client', 'the client id or the secret is wrong, revoked or expired')
  }
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
