import type { Storage } from '../../ports/index.js'
import { ForbiddenError, UnauthenticatedError } from '../../shared/errors.js'
import type { AuthenticateClient, ClientOrigin } from './authenticate-client.js'
import type { AuthenticateToken, LiveToken } from './authenticate-token.js'
import type { TokenStateRequest } from './revoke-token.js'

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
