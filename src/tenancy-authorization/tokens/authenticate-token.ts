import type { Clock, Storage, TokenSigner } from '../../ports/index.js'
import { ForbiddenError, UnauthenticatedError } from '../../shared/errors.js'
import { isOpen } from '../access/authorizer.js'
import type { Principal } from '../access/principal.js'
import { isUsable } from './issue-token.js'
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
    if (claims === undefined) throw new UnauthenticatedError('the access token is not valid, or has expired')
    const { key_id: keyId, account_id: accountId, target_app: targetApp } = claims
    return await this.#storage.read(async ({ apiKeys, users, companies, permissions }) => {
      const key = await apiKeys.get(keyId)
      if (key === undefined || !isUsable(key, now) || key.clientId !== claims.client_id) {
        throw new UnauthenticatedError('the API key of this token was revoked, or has expired')
      }
      const company = await companies.get(key.companyId)
      if (company === undefined || (await users.get(key.userId)) === undefined) {
        throw new UnauthenticatedError('the user or the company of this token does not exist')
      }
      const access = await permissions.findAccess(key.userId, accountId)
      if (access === undefined || !isOpen(access)) {
        throw new ForbiddenError('the permission of this token, or its account, is disabled or gone')
      }
      if (targetApp !== 'tenant' && !(await companies.isWithin(access.account.companyId, key.companyId))) {
        throw new ForbiddenError('the account of this token is out of reach of its company')
      }
      const principal: Principal = { companyId: key.companyId, userId: key.userId, accountId, sight: 'account' }
      return { principal, targetApp, clientId: key.clientId }
    })
  }
}
