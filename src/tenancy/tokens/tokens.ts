import { recordChange } from '../../audit/index.js'
import { randomToken, sha256Hex } from '../../kernel/crypto.js'
import { DiskUnwritableError, ForbiddenError, TokenRequestError, UnauthenticatedError } from '../../kernel/errors.js'
import type { AccessRecord, ApiKeyRecord, Clock, Repositories, Storage, TokenSigner } from '../../ports/index.js'
import { givesAccess } from '../access/authorizer.js'
import type { RequestOrigin } from '../access/principal.js'
import { type AuthenticateToken, type LiveToken, parseScope, requireScope, type TokenIssuer } from './access-token.js'
import { TARGETS } from './api-keys.js'
import type { AuthenticateClient, ClientCredentials } from './authenticate-client.js'
import { tokenEpochOf } from './login-epoch.js'

/** Lifetime of an access token. Specification: Limits. */
const TOKEN_LIFETIME_SECONDS = 900

/** A client-credentials request, parsed from its form. Specification: Authentication. */
export interface TokenRequest extends ClientCredentials {
  /** `assistant` or `tenant`. */
  readonly targetApp: string
  /** Limits the token to one account. */
  readonly accountId?: number
  /** Limits the token to these capabilities, separated by spaces. Default: all capabilities of the user's role. */
  readonly scope?: string
}

/** The answer, with the member names of RFC 6749. */
export interface TokenResponse {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  /** The requested scope; missing if the request had none. */
  readonly scope?: string
}

/** A client's request about one token, parsed from its form. */
export interface TokenStateRequest extends ClientCredentials {
  readonly token: string
}

/** The state of a token, with the member names of RFC 7662. */
export type Introspection =
  | { readonly active: false }
  | {
      readonly active: true
      readonly client_id: string
      /** Id of the user. */
      readonly sub: string
      readonly aud: string
      readonly iss: string
      /** In seconds since 1970. */
      readonly exp: number
      readonly iat: number
      readonly jti: string
      readonly token_type: 'Bearer'
      /** The capabilities that a request with the token has now, separated by spaces. */
      readonly scope: string
      /** `assistant` or `tenant`. */
      readonly target_app: string
      readonly account_id: number
      /** The company of the token's API key. */
      readonly company_id: number
    }

/** Access tokens of API keys. */
export class Tokens {
  readonly #authenticateToken: AuthenticateToken

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly signer: TokenSigner,
    private readonly issuer: TokenIssuer,
    private readonly clients: AuthenticateClient,
    authenticateToken: AuthenticateToken,
  ) {
    this.#authenticateToken = authenticateToken
  }

  /**
   * Exchanges an API key for an access token.
   *
   * @param origin the origin of the request; without it, wrong secrets are counted only for the client id
   * @throws TokenRequestError
   * @throws ThrottledError for a wrong secret, after too many wrong ones for the client id or from the network address
   *   within a minute; the right secret always passes
   */
  async issue(request: TokenRequest, origin?: RequestOrigin): Promise<TokenResponse> {
    return await this.clients.recordRefusals(request, origin, async () => await this.#issue(request, origin))
  }

  /**
   * Reports to a resource server whether a token is valid now (RFC 7662). Every invalid token gets the same answer, and
   * so does a token of a company that is neither the client's own nor below it: no client learns which case it is.
   *
   * @throws TokenRequestError `invalid_client` @throws ThrottledError as {@link issue}
   */
  async introspect(request: TokenStateRequest, origin?: RequestOrigin): Promise<Introspection> {
    return await this.clients.recordRefusals(request, origin, async () => {
      const key = await this.clients.authenticate(request, origin)
      const live = await this.#findLiveToken(request.token)
      if (live === undefined) return { active: false }
      const { companyId } = live.caller.principal
      const isReached = await this.storage.read(({ companies }) => companies.isWithin(companyId, key.companyId))
      return isReached ? toIntrospection(live) : { active: false }
    })
  }

  /**
   * Revokes an access token before it expires (RFC 7009), for all processes at once. Does nothing for a text that is no
   * token or an expired one: nothing is left to revoke then.
   *
   * @throws TokenRequestError `invalid_client`, and `unauthorized_client` for a token of another client
   * @throws ThrottledError as {@link issue}
   */
  async revoke(request: TokenStateRequest, origin?: RequestOrigin): Promise<void> {
    await this.clients.recordRefusals(request, origin, async () => await this.#revoke(request, origin))
  }

  async #issue(request: TokenRequest, origin?: RequestOrigin): Promise<TokenResponse> {
    const { clientId, targetApp } = request
    if (!(TARGETS as readonly string[]).includes(targetApp)) {
      throw new TokenRequestError('invalid_request', `target_app must be one of ${TARGETS.join(', ')}`)
    }
    const scope = request.scope === undefined ? undefined : parseScope(request.scope)
    const key = await this.clients.authenticate(request, origin)
    if (!key.targets.includes(targetApp)) {
      throw new TokenRequestError('unauthorized_client', `this API key may not ask for tokens for ${targetApp}`)
    }
    const { role, account, epoch } = await this.storage.read(async (repositories) => {
      const access = await findAccess(repositories, key, request)
      return { ...access, epoch: await tokenEpochOf(repositories, access, key.companyId) }
    })
    requireScope(scope, role, targetApp)
    const scopeClaim = scope === undefined ? {} : { scope: scope.join(' ') }
    const issuedAt = this.clock.now()
    const token = await this.signer.sign(
      {
        ...this.issuer,
        sub: String(key.userId),
        client_id: clientId,
        jti: randomToken(16),
        target_app: targetApp,
        company_id: key.companyId,
        account_id: account.id,
        key_id: key.id,
        epoch,
        ...scopeClaim,
      },
      { issuedAt, lifetimeSeconds: TOKEN_LIFETIME_SECONDS },
    )
    await this.#noteUse(key, issuedAt)
    return { access_token: token, token_type: 'Bearer', expires_in: TOKEN_LIFETIME_SECONDS, ...scopeClaim }
  }

  /** A full or read-only disk refuses no token: clients that only read go on, and the last use stays an earlier one. */
  async #noteUse({ id, userId }: ApiKeyRecord, at: Date): Promise<void> {
    try {
      await this.storage.transaction(async ({ apiKeys, users }) => {
        await apiKeys.touch(id, at.toISOString())
        await users.update(userId, { lastAccess: at.toISOString() })
      })
    } catch (error) {
      if (!(error instanceof DiskUnwritableError)) throw error
    }
  }

  async #findLiveToken(token: string): Promise<LiveToken | undefined> {
    try {
      return await this.#authenticateToken.inspect(token)
    } catch (error) {
      if (error instanceof UnauthenticatedError || error instanceof ForbiddenError) return undefined
      throw error
    }
  }

  async #revoke(request: TokenStateRequest, origin?: RequestOrigin): Promise<void> {
    const key = await this.clients.authenticate(request, origin)
    const now = this.clock.now()
    const claims = await this.signer.verify(request.token, { ...this.issuer, now })
    if (claims === undefined) return
    if (claims.client_id !== key.clientId || claims.key_id !== key.id) {
      throw new TokenRequestError(
        'unauthorized_client',
        'the token was issued to another client: only that client may revoke it',
      )
    }
    const revoked = { tokenHash: await sha256Hex(claims.jti), expiresMs: claims.exp * 1_000 }
    const { companyId, userId, clientId } = key
    const by = { ...origin, kind: 'user', userId, companyId, clientId } as const
    const change = { action: 'token.revoked', companyId, targetId: key.id, details: {} } as const
    await this.storage.transaction(async (repositories) => {
      if (await repositories.revokedTokens.add(revoked)) await recordChange(repositories, by, now, change)
    })
  }
}

/** The access on the requested account. Without `accountId`, the account with the lowest id counts. */
async function findAccess(
  repositories: Repositories,
  key: ApiKeyRecord,
  { targetApp, accountId }: TokenRequest,
): Promise<AccessRecord> {
  const candidates = (await repositories.permissions.listAccess(key.userId, targetApp)).filter(givesAccess)
  const companyIds = candidates.map(({ account }) => account.companyId)
  const reachedIds = await repositories.companies.within([...new Set(companyIds)], key.companyId)
  const isReached = ({ account }: AccessRecord): boolean => reachedIds.has(account.companyId)
  if (accountId !== undefined) {
    const requested = candidates.find((access) => access.account.id === accountId && isReached(access))
    if (requested !== undefined) return requested
    throw new TokenRequestError('invalid_scope', `no access to an active account ${accountId} of ${targetApp}`)
  }
  // A tenant token manages companies within the key's reach. Its account only carries the permission.
  const access = candidates.find(isReached) ?? (targetApp === 'tenant' ? candidates[0] : undefined)
  if (access !== undefined) return access
  throw new TokenRequestError('invalid_scope', `the key's user has no enabled permission on an account of ${targetApp}`)
}

function toIntrospection({ caller, claims, capabilities }: LiveToken): Introspection {
  const { client_id, sub, aud, iss, exp, iat, jti, target_app, account_id } = claims
  const { companyId } = caller.principal
  const ids = { target_app, account_id, company_id: companyId }
  const scope = capabilities.join(' ')
  return { active: true, client_id, sub, aud, iss, exp, iat, jti, token_type: 'Bearer', scope, ...ids }
}
