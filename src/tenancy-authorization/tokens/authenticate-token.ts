import type { ApiKeyRecord, Clock, Repositories, Storage, TokenSigner } from '../../ports/index.js'
import { ForbiddenError, UnauthenticatedError } from '../../shared/errors.js'
import { isOpen, missingOf } from '../access/authorizer.js'
import type { Principal } from '../access/principal.js'
import { isUsable } from './is-usable.js'
import type { TokenIssuer } from './token-issuer.js'

/** For whom an access token speaks. */
export interface Caller {
  readonly principal: Principal
  /** `assistant` or `tenant`. */
  readonly targetApp: string
  readonly clientId: string
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
   * @throws UnauthenticatedError for a token that is not authentic or has expired, and where its key, user
   *   or company is gone or revoked
   * @throws ForbiddenError where its permission or account is disabled, gone or moved out of reach
   */
  async execute(token: string): Promise<Caller> {
    const now = this.#clock.now()
    const claims = await this.#signer.verify(token, { ...this.#issuer, now })
    const userId = Number(claims?.sub)
    if (claims === undefined || !Number.isSafeInteger(userId))
      throw new UnauthenticatedError('the access token is not valid, or has expired')
    const { key_id: keyId, account_id: accountId, company_id: companyId, target_app: targetApp } = claims
    return await this.#storage.read((repositories) => {
      const of = { userId, accountId, companyId, targetApp, clientId: claims.client_id }
      return liveCaller(repositories, repositories.apiKeys.get(keyId), of, now)
    })
  }

  /**
   * Checks by live state that a caller may go on: for answers that take longer than their token lives.
   * @throws as {@link execute}, but not because the token has expired
   */
  async renew({ principal: { companyId, userId, accountId }, targetApp, clientId }: Caller): Promise<void> {
    const now = this.#clock.now()
    await this.#storage.read((repositories) => {
      const of = { userId, accountId, companyId, targetApp, clientId }
      return liveCaller(repositories, repositories.apiKeys.findByClientId(clientId), of, now)
    })
  }
}

/** Whom a token names. Tokens of before the company was part of them name none. */
interface Named {
  readonly companyId: number | undefined
  readonly userId: number
  readonly accountId: number
  readonly targetApp: string
  readonly clientId: string
}

/** For whom a token speaks that was given to a key. */
async function liveCaller(
  repositories: Repositories,
  ofKey: Promise<ApiKeyRecord | undefined>,
  of: Named,
  now: Date,
): Promise<Caller> {
  const { companies, permissions } = repositories
  const { userId, accountId, targetApp, clientId } = of
  // At the same time: each request waits for both.
  const [key, access] = await Promise.all([ofKey, permissions.findAccess(userId, accountId)])
  const isKey = key?.clientId === clientId && key.userId === userId
  if (!isKey || !isUsable(key, now)) {
    throw new UnauthenticatedError('the API key of this token was revoked, or has expired')
  }
  if (of.companyId !== undefined && of.companyId !== key.companyId)
    throw new UnauthenticatedError('the access token is for another company than its API key')
  if ((await missingOf(repositories, key, access)) !== undefined)
    throw new UnauthenticatedError('the user or the company of this token does not exist')
  if (access === undefined || !isOpen(access)) {
    throw new ForbiddenError('the permission of this token, or its account, is disabled or gone')
  }
  const { companyId } = access.account
  const isInReach = companyId === key.companyId || targetApp === 'tenant'
  if (!isInReach && !(await companies.isWithin(companyId, key.companyId))) {
    throw new ForbiddenError('the account of this token is out of reach of its company')
  }
  const principal: Principal = { companyId: key.companyId, userId: key.userId, accountId, sight: 'account' }
  return { principal, targetApp, clientId: key.clientId }
}
