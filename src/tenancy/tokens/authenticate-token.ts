import { ForbiddenError, UnauthenticatedError } from '../../kernel/errors.js'
import { sha256Hex } from '../../kernel/random.js'
import type { ApiKeyRecord, Clock, Repositories, Storage, TokenSigner, VerifiedClaims } from '../../ports/index.js'
import { isOpen, missingOf } from '../access/authorizer.js'
import { isUsable, narrowed, type Principal } from '../access/principal.js'
import { scopeOf, type TokenIssuer } from './token-scope.js'

/** For whom an access token speaks. */
export interface Caller {
  readonly principal: Principal
  /** `assistant` or `tenant`. */
  readonly targetApp: string
  readonly clientId: string
  /** Lower-case hex SHA-256 of the token's id, by which it is revoked. */
  readonly tokenHash: string
}

/** A token that is valid, and what is known of it. */
export interface LiveToken {
  readonly caller: Caller
  readonly claims: VerifiedClaims
  /** Capabilities that a request with the token has. */
  readonly capabilities: readonly string[]
}

/** Whom a token names, and how it is narrowed. */
interface Named extends Omit<Caller, 'principal'> {
  /** The company of the API key. Tokens of before it was part of them have none. */
  readonly companyId: number | undefined
  readonly userId: number
  readonly accountId: number
  readonly scope: Principal['scope']
}

/** Finds out for whom an access token speaks, from live state: what was revoked since ends it at once. */
export class AuthenticateToken {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #signer: TokenSigner
  readonly #issuer: TokenIssuer

  constructor(storage: Storage, clock: Clock, signer: TokenSigner, issuer: TokenIssuer) {
    this.#issuer = issuer
    this.#storage = storage
    this.#clock = clock
    this.#signer = signer
  }

  /**
   * @throws UnauthenticatedError for a token that is not authentic, has expired or was revoked, and where its key, user
   *   or company is gone, disabled or revoked
   * @throws ForbiddenError where its permission, role or account is disabled, gone or moved out of reach
   */
  async execute(token: string): Promise<Caller> {
    return (await this.inspect(token)).caller
  }

  /** Finds out all that is known of a token. @throws UnauthenticatedError @throws ForbiddenError as {@link execute} */
  async inspect(token: string): Promise<LiveToken> {
    const now = this.#clock.now()
    const claims = await this.#signer.verify(token, { ...this.#issuer, now })
    const userId = Number(claims?.sub)
    if (claims === undefined || !Number.isSafeInteger(userId))
      throw new UnauthenticatedError('the access token is not valid, or has expired')
    const named = {
      userId,
      companyId: claims.company_id,
      accountId: claims.account_id,
      targetApp: claims.target_app,
      clientId: claims.client_id,
      tokenHash: await sha256Hex(claims.jti),
      scope: scopeOf(claims.scope),
    }
    return await this.#storage.read(async (repositories) => {
      const live = await liveCaller(repositories, repositories.apiKeys.get(claims.key_id), named, now)
      return { ...live, claims }
    })
  }

  /**
   * Checks by live state that a caller may go on: for answers that take longer than their token lives.
   * @throws as {@link execute}, but not because the token has expired
   */
  async renew({ principal, ...caller }: Caller): Promise<void> {
    const now = this.#clock.now()
    const { companyId, userId, accountId, scope } = principal
    const named = { ...caller, companyId, userId, accountId, scope }
    await this.#storage.read(async (repositories) => {
      await liveCaller(repositories, repositories.apiKeys.findByClientId(caller.clientId), named, now)
    })
  }
}

/** For whom a token speaks that was given to a key. */
async function liveCaller(
  repositories: Repositories,
  ofKey: Promise<ApiKeyRecord | undefined>,
  { scope, ...named }: Named,
  now: Date,
): Promise<Pick<LiveToken, 'caller' | 'capabilities'>> {
  const { companies, permissions, revokedTokens } = repositories
  const { userId, accountId, targetApp, clientId, tokenHash } = named
  // At the same time: each request waits for all of them.
  const [key, access, isRevoked] = await Promise.all([
    ofKey,
    permissions.findAccess(userId, accountId),
    revokedTokens.has(tokenHash),
  ])
  if (isRevoked) throw new UnauthenticatedError('the access token was revoked')
  const isKey = key?.clientId === clientId && key.userId === userId
  if (!isKey || !isUsable(key, now)) {
    throw new UnauthenticatedError('the API key of this token was revoked, or has expired')
  }
  const { companyId } = key
  if (named.companyId !== undefined && named.companyId !== companyId)
    throw new UnauthenticatedError('the access token is for another company than its API key')
  if ((await missingOf(repositories, key, access)) !== undefined)
    throw new UnauthenticatedError('the user or the company of this token does not exist, or is disabled')
  if (access === undefined || !isOpen(access)) {
    throw new ForbiddenError('the permission, the role or the account of this token is disabled or gone')
  }
  const isInReach = access.account.companyId === companyId || targetApp === 'tenant'
  if (!isInReach && !(await companies.isWithin(access.account.companyId, companyId))) {
    throw new ForbiddenError('the account of this token is out of reach of its company')
  }
  const principal: Principal = { companyId, userId, accountId, sight: 'account', ...(scope && { scope }) }
  const { applications, capabilities } = access.role
  const held = applications.includes(targetApp) ? narrowed(capabilities, scope) : []
  return { caller: { principal, targetApp, clientId, tokenHash }, capabilities: held }
}
