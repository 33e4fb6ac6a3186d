import { recordChange } from '../../audit/index.js'
import { ForbiddenError, TokenRequestError, UnauthenticatedError } from '../../kernel/errors.js'
import { randomToken, sha256Hex } from '../../kernel/random.js'
import type { AccessRecord, ApiKeyRecord, Clock, Repositories, Storage, TokenSigner } from '../../ports/index.js'
import { isOpen } from '../access/authorizer.js'
import { type Origin } from '../access/principal.js'
import { TARGETS } from './api-keys.js'
import type { AuthenticateClient, ClientCredentials, ClientOrigin } from './authenticate-client.js'
import type { AuthenticateToken, LiveToken } from './authenticate-token.js'
import { parseScope, requireScope, type TokenIssuer } from './token-scope.js'

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

/** The state of a token, in the words of RFC 7662. */
export type Introspection =
  | { readonly active: false }
  | {
      readonly active: true
      readonly client_id: string
      /** The user, by id. */
      readonly sub: string
      readonly aud: string
      readonly iss: string
      /** In seconds since 1970. */
      readonly exp: number
      readonly iat: number
      readonly jti: string
      readonly token_type: 'Bearer'
      /** Capabilities that a request with the token has now, with a space between them. */
      readonly scope: string
      /** `assistant` or `tenant`. */
      readonly target_app: string
      readonly account_id: number
      /** The company of the token's API key. */
      readonly company_id: number
    }

/** Tells a resource server whether a token is live (RFC 7662), from live state. */
export class IntrospectToken {
  readonly #storage: Storage
  readonly #tokens: AuthenticateToken
  readonly #clients: AuthenticateClient

  constructor(storage: Storage, tokens: AuthenticateToken, clients: AuthenticateClient) {
    this.#storage = storage
    this.#tokens = tokens
    this.#clients = clients
  }

  /**
   * One answer for every token that is not live, and for those of companies that are neither the asking key's nor below
   * it: nobody learns which of these a token is.
   *
   * @throws TokenRequestError `invalid_client` @throws ThrottledError as for a request for a token
   */
  async execute(request: TokenStateRequest, origin?: ClientOrigin): Promise<Introspection> {
    return await this.#clients.recordRefusals(request, origin, async () => {
      const key = await this.#clients.authenticate(request, origin)
      const live = await this.#find(request.token)
      if (live === undefined) return { active: false }
      const { companyId } = live.caller.principal
      const isReached = await this.#storage.read(({ companies }) => companies.isWithin(companyId, key.companyId))
      return isReached ? describe(live) : { active: false }
    })
  }

  async #find(token: string): Promise<LiveToken | undefined> {
    try {
      return await this.#tokens.inspect(token)
    } catch (error) {
      if (error instanceof UnauthenticatedError || error instanceof ForbiddenError) return undefined
      throw error
    }
  }
}

function describe({ caller, claims, capabilities }: LiveToken): Introspection {
  const { client_id, sub, aud, iss, exp, iat, jti, target_app, account_id } = claims
  const { companyId } = caller.principal
  const ids = { target_app, account_id, company_id: companyId }
  const scope = capabilities.join(' ')
  return { active: true, client_id, sub, aud, iss, exp, iat, jti, token_type: 'Bearer', scope, ...ids }
}

/** A client's request about one token, its form already read. */
export interface TokenStateRequest extends ClientCredentials {
  readonly token: string
}

/** Ends an access token before it expires (RFC 7009), for all processes at once. */
export class RevokeToken {
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
   * Does nothing for what is no token, or no longer one: then nothing is left to revoke.
   *
   * @throws TokenRequestError `invalid_client`, and `unauthorized_client` for a token of another client
   * @throws ThrottledError as for a request for a token
   */
  async execute(request: TokenStateRequest, origin?: ClientOrigin): Promise<void> {
    await this.#clients.recordRefusals(request, origin, async () => await this.#revoke(request, origin))
  }

  async #revoke(request: TokenStateRequest, origin?: ClientOrigin): Promise<void> {
    const key = await this.#clients.authenticate(request, origin)
    const now = this.#clock.now()
    const claims = await this.#signer.verify(request.token, { ...this.#issuer, now })
    if (claims === undefined) return
    if (claims.client_id !== key.clientId || claims.key_id !== key.id) {
      throw new TokenRequestError(
        'unauthorized_client',
        'the token was given to another client, which alone may revoke it',
      )
    }
    const revoked = { tokenHash: await sha256Hex(claims.jti), expiresMs: claims.exp * 1_000 }
    const { companyId, userId, clientId } = key
    const by = { ...origin, kind: 'user', userId, companyId, clientId } as const
    const change = { action: 'token.revoked', companyId, targetId: key.id, details: {} } as const
    await this.#storage.transaction(async (repositories) => {
      if (await repositories.revokedTokens.add(revoked)) await recordChange(repositories, by, now, change)
    })
  }
}
