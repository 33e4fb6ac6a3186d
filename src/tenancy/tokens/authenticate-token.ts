import { ForbiddenError, UnauthenticatedError } from '../../kernel/errors.js'
import { sha256Hex } from '../../kernel/random.js'
import type { ApiKeyRecord, Clock, Repositories, Storage, TokenSigner, VerifiedClaims } from '../../ports/index.js'
import { findMissing, givesAccess } from '../access/authorizer.js'
import { isKeyUsable, narrowToScope, type Principal } from '../access/principal.js'
import { knownScopeOf, type TokenIssuer } from './token-scope.js'

/** The principal of an access token, with the token's client. */
export interface Caller {
  readonly principal: Principal
  /** `assistant` or `tenant`. */
  readonly targetApp: string
  readonly clientId: string
  /** Lower-case hex SHA-256 of the token's id. Revoked tokens are stored by this hash. */
  readonly tokenHash: string
}

/** A valid token with its claims. */
export interface LiveToken {
  readonly caller: Caller
  readonly claims: VerifiedClaims
  /** The capabilities of a request with the token. */
  readonly capabilities: readonly string[]
}

/** The ids and the scope of a token, not yet checked against the storage. */
interface TokenSubject extends Omit<Caller, 'principal'> {
  /** The company of the API key. Tokens of older versions do not have it. */
  readonly companyId: number | undefined
  readonly userId: number
  readonly accountId: number
  readonly scope: Principal['scope']
}

/** Finds the principal of an access token. It reads the current rows, so that revoking or disabling works at once. */
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
   * @throws UnauthenticatedError if the token is not authentic, has expired or was revoked, and if its key, user or
   *   company is missing, disabled or revoked
   * @throws ForbiddenError if its permission, role or account is disabled, missing or out of reach
   */
  async execute(token: string): Promise<Caller> {
    return (await this.inspect(token)).caller
  }

  /** As {@link execute}, with the token's claims and capabilities. @throws as {@link execute} */
  async inspect(token: string): Promise<LiveToken> {
    const now = this.#clock.now()
    const claims = await this.#signer.verify(token, { ...this.#issuer, now })
    const userId = Number(claims?.sub)
    if (claims === undefined || !Number.isSafeInteger(userId))
      throw new UnauthenticatedError('the access token is not valid, or has expired')
    const subject = {
      userId,
      companyId: claims.company_id,
      accountId: claims.account_id,
      targetApp: claims.target_app,
      clientId: claims.client_id,
      tokenHash: await sha256Hex(claims.jti),
      scope: knownScopeOf(claims.scope),
    }
    return await this.#storage.read(async (repositories) => {
      const live = await readLiveToken(repositories, repositories.apiKeys.get(claims.key_id), subject, now)
      return { ...live, claims }
    })
  }

  /**
   * Checks with the current rows that a caller may continue. Long answers call it after their token has expired.
   * @throws as {@link execute}, except for an expired token
   */
  async renew({ principal, ...caller }: Caller): Promise<void> {
    const now = this.#clock.now()
    const { companyId, userId, accountId, scope } = principal
    const subject = { ...caller, companyId, userId, accountId, scope }
    await this.#storage.read(async (repositories) => {
      await readLiveToken(repositories, repositories.apiKeys.findByClientId(caller.clientId), subject, now)
    })
  }
}

/** @throws UnauthenticatedError @throws ForbiddenError */
async function readLiveToken(
  repositories: Repositories,
  keyRead: Promise<ApiKeyRecord | undefined>,
  { userId, accountId, targetApp, clientId, tokenHash, scope, ...subject }: TokenSubject,
  now: Date,
): Promise<Pick<LiveToken, 'caller' | 'capabilities'>> {
  const { companies, permissions, revokedTokens } = repositories
  // These reads run in parallel, because every request waits for all of them.
  const [key, access, isRevoked] = await Promise.all([
    keyRead,
    permissions.findAccess(userId, accountId),
    revokedTokens.has(tokenHash),
  ])
  if (isRevoked) throw new UnauthenticatedError('the access token was revoked')
  const isTokenOfKey = key?.clientId === clientId && key.userId === userId
  if (!isTokenOfKey || !isKeyUsable(key, now)) {
    throw new UnauthenticatedError('the API key of this token was revoked, or has expired')
  }
  const { companyId } = key
  if (subject.companyId !== undefined && subject.companyId !== companyId)
    throw new UnauthenticatedError('the access token is for another company than its API key')
  if ((await findMissing(repositories, key, access)) !== undefined)
    throw new UnauthenticatedError('the user or the company of this token does not exist, or is disabled')
  if (access === undefined || !givesAccess(access)) {
    throw new ForbiddenError('the permission, the role or the account of this token is disabled or deleted')
  }
  const isInReach = access.account.companyId === companyId || targetApp === 'tenant'
  if (!isInReach && !(await companies.isWithin(access.account.companyId, companyId))) {
    throw new ForbiddenError('the account of this token is out of reach of its company')
  }
  const principal: Principal = { companyId, userId, accountId, sight: 'account', ...(scope && { scope }) }
  const { applications, capabilities } = access.role
  return {
    caller: { principal, targetApp, clientId, tokenHash },
    capabilities: applications.includes(targetApp) ? narrowToScope(capabilities, scope) : [],
  }
}
