import type { AccessRecord, ApiKeyRecord, Clock, Repositories, Storage, TokenSigner } from '../../ports/index.js'
import { TokenRequestError } from '../../shared/errors.js'
import { randomToken } from '../../shared/random.js'
import { isOpen } from '../access/authorizer.js'
import type { Origin } from '../access/principal.js'
import type { AuthenticateClient, ClientCredentials } from './authenticate-client.js'
import { TARGETS } from './create-api-key.js'
import type { TokenIssuer } from './token-issuer.js'
import { parseScope, requireScope } from './token-scope.js'

/** Seconds that an access token lives (specification, Limits). */
const TOKEN_LIFETIME_SECONDS = 900

/** A client-credentials request (specification, Authentication), its form already read. */
export interface TokenRequest extends ClientCredentials {
  /** `assistant` or `tenant`. */
  readonly targetApp: string
  /** Scopes the token to one account. */
  readonly accountId?: number
  /** Capabilities that the token has at most, with a space between them. Default: all that the user's role has. */
  readonly scope?: string
}

/** The answer, in the words of RFC 6749. */
export interface TokenResponse {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  /** The scope that was asked for; left out where none was. */
  readonly scope?: string
}

/** Exchanges an API key for an access token. */
export class IssueToken {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #signer: TokenSigner
  readonly #issuer: TokenIssuer
  readonly #clients: AuthenticateClient

  constructor(storage: Storage, clock: Clock, signer: TokenSigner, issuer: TokenIssuer, clients: AuthenticateClient) {
    this.#storage = storage
    this.#clock = clock
    this.#signer = signer
    this.#issuer = issuer
    this.#clients = clients
  }

  /**
   * @throws TokenRequestError
   * @param origin from where the request comes; without it, only the client id is counted
   * @throws ThrottledError for a wrong secret, after too many for the client id, or from the network address, within a
   *   minute; the right secret is never refused for that
   */
  async execute(request: TokenRequest, origin?: Omit<Origin, 'clientId'>): Promise<TokenResponse> {
    return await this.#clients.recordRefusals(request, origin, async () => await this.#issue(request, origin))
  }

  async #issue(request: TokenRequest, origin?: Omit<Origin, 'clientId'>): Promise<TokenResponse> {
    const { clientId, targetApp } = request
    if (!(TARGETS as readonly string[]).includes(targetApp)) {
      throw new TokenRequestError('invalid_request', `target_app must be one of ${TARGETS.join(', ')}`)
    }
    const scope = request.scope === undefined ? undefined : parseScope(request.scope)
    const key = await this.#clients.authenticate(request, origin)
    if (!key.targets.includes(targetApp)) {
      throw new TokenRequestError('unauthorized_client', `this API key may not ask for tokens for ${targetApp}`)
    }
    const account = await this.#storage.read((repositories) => findAccount(repositories, key, request))
    requireScope(scope, account.role, targetApp)
    const narrowing = scope === undefined ? {} : { scope: scope.join(' ') }
    const issuedAt = this.#clock.now()
    const token = await this.#signer.sign(
      {
        ...this.#issuer,
        sub: String(key.userId),
        client_id: clientId,
        jti: randomToken(16),
        target_app: targetApp,
        company_id: key.companyId,
        account_id: account.account.id,
        key_id: key.id,
        ...narrowing,
      },
      { issuedAt, lifetimeSeconds: TOKEN_LIFETIME_SECONDS },
    )
    await this.#storage.transaction(async ({ apiKeys, users }) => {
      await apiKeys.touch(key.id, issuedAt.toISOString())
      await users.update(key.userId, { lastAccess: issuedAt.toISOString() })
    })
    return { access_token: token, token_type: 'Bearer', expires_in: TOKEN_LIFETIME_SECONDS, ...narrowing }
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
