import type { Clock, Storage, TokenSigner } from '../../ports/index.js'
import { ForbiddenError, UnauthenticatedError } from '../../shared/errors.js'
import { isOpen, missingOf } from '../access/authorizer.js'
import type { Principal } from '../access/principal.js'
import { isUsable } from './is-usable.js'
import { TOKEN_ISSUER } from './token-issuer.js'

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

  constructor(storage: Storage, clock: Clock, signer: TokenSigner) {
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
    const claims = await this.#signer.verify(token, { ...TOKEN_ISSUER, now })
    const userId = Number(claims?.sub)
    if (claims === undefined || !Number.isSafeInteger(userId))
      throw new UnauthenticatedError('the access token is not valid, or has expired')
    const { key_id: keyId, account_id: accountId, company_id: named, target_app: targetApp } = claims
    return await this.#storage.read(async (repositories) => {
      const { apiKeys, companies, permissions } = repositories
      // At the same time: each request waits for both.
      const [key, access] = await Promise.all([apiKeys.get(keyId), permissions.findAccess(userId, accountId)])
      const isKey = key?.clientId === claims.client_id && key.userId === userId
      if (!isKey || !isUsable(key, now)) {
        throw new UnauthenticatedError('the API key of this token was revoked, or has expired')
      }
      if (named !== undefined && named !== key.companyId)
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
    })
  }
}
