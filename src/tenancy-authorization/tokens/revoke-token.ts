import { recordChange } from '../../audit/index.js'
import type { Clock, Storage, TokenSigner } from '../../ports/index.js'
import { TokenRequestError } from '../../shared/errors.js'
import { sha256Hex } from '../../shared/random.js'
import type { AuthenticateClient, ClientCredentials, ClientOrigin } from './authenticate-client.js'
import type { TokenIssuer } from './token-issuer.js'

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
