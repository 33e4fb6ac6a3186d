import { AlcoveApiError, errorOf, jsonIn } from './api-error.js'
import { check, checkMembers } from './arguments.js'
import { invalid } from './client-error.js'
import type { Fetch } from './retrying-fetch.js'

/** The applications that a token can be for: contexts and their documents, or users, permissions and webhooks. */
export type TargetApp = 'assistant' | 'tenant'

/** An API key. Only for servers: a page would show its secret to every visitor. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
  /** The account of the tokens. Default: the one of the key with the lowest id. */
  readonly accountId?: number | undefined
  /** Capabilities of the tokens, with a space between them. Default: all that the key has. */
  readonly scope?: string | undefined
}

/** The client's way to show who it is. */
export type ClientAccess =
  | ClientCredentials
  /** A function that gives a token, such as one of the host's own server. It is called before each request. */
  | { readonly token: (targetApp: TargetApp) => string | Promise<string> }
  /** Cookies of the host's login, for pages of a host with an `authenticate` of its own, on the origin of the server. */
  | {
      readonly cookies: true
      /**
       * Further headers of each request, such as `x-alcove-account` to choose an account of the login. Default: none. A
       * function gives those for an application, and is called before each request that needs one.
       */
      readonly headers?:
        | Readonly<Record<string, string>>
        | ((targetApp: TargetApp) => Readonly<Record<string, string>>)
        | undefined
    }

/** A token is used up to this time before it expires. */
const MARGIN_MS = 60_000

interface CachedToken {
  readonly token: Promise<string>
  /** Time from which a new token is needed. Unknown until the first answer. */
  staleAt: number
}

/** @throws AlcoveClientError `ERR_INVALID_INPUT` */
function checkAccess(access: ClientAccess): void {
  if ('token' in access) checkMembers('access', access, ['token'])
  else if ('cookies' in access) checkMembers('access', access, ['cookies'], ['headers'])
  else if ('clientId' in access || 'clientSecret' in access)
    checkMembers('access', access, ['clientId', 'clientSecret'], ['accountId', 'scope'])
  // None of the ways: the sentence of the whole option names them.
  else check({ access: undefined })
}

/** Finds the token of each request. */
export class Access {
  readonly #access: ClientAccess
  readonly #baseUrl: string
  readonly #send: Fetch
  readonly #tokens = new Map<TargetApp, CachedToken>()

  /** @throws AlcoveClientError `ERR_INVALID_INPUT` */
  constructor(access: ClientAccess, baseUrl: string, send: Fetch) {
    checkAccess(access)
    this.#access = access
    this.#baseUrl = baseUrl
    this.#send = send
  }

  /** True if a request that was refused with 401 may succeed with another token. */
  get canRenew(): boolean {
    return !('cookies' in this.#access)
  }

  /** @returns the headers of a request. @throws AlcoveApiError if the server gives no token. @throws AlcoveClientError */
  async headersOf(path: string): Promise<Readonly<Record<string, string>>> {
    const targetApp = targetOf(path)
    if ('cookies' in this.#access) {
      const { headers = {} } = this.#access
      if (typeof headers !== 'function') return headers
      return targetApp === undefined ? {} : headers(targetApp)
    }
    if (targetApp === undefined) return {}
    const token = 'token' in this.#access ? await this.#access.token(targetApp) : await this.#cached(targetApp)
    // Another text cannot be sent in a header.
    if (typeof token !== 'string' || !/^[!-~]+$/.test(token)) throw invalid('token', 'gave no token')
    return { authorization: `Bearer ${token}` }
  }

  /** Forgets the token of a request that the server has refused. */
  forget(path: string): void {
    const targetApp = targetOf(path)
    if (targetApp !== undefined) this.#tokens.delete(targetApp)
  }

  /** Requests at the same time share one request for a token. */
  async #cached(targetApp: TargetApp): Promise<string> {
    const cached = this.#tokens.get(targetApp)
    if (cached !== undefined && Date.now() < cached.staleAt) return await cached.token
    const requested: CachedToken = {
      staleAt: Number.POSITIVE_INFINITY,
      token: this.#request(targetApp).then(({ token, lifetimeMs }) => {
        // Half of a short lifetime: the margin would leave nothing of it.
        requested.staleAt = Date.now() + Math.max(lifetimeMs - MARGIN_MS, lifetimeMs / 2)
        return token
      }),
    }
    this.#tokens.set(targetApp, requested)
    try {
      return await requested.token
    } catch (error) {
      if (this.#tokens.get(targetApp) === requested) this.#tokens.delete(targetApp)
      throw error
    }
  }

  async #request(targetApp: TargetApp): Promise<{ readonly token: string; readonly lifetimeMs: number }> {
    const { clientId, clientSecret, accountId, scope } = this.#access as ClientCredentials
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      target_app: targetApp,
      ...(accountId !== undefined && { account_id: String(accountId) }),
      ...(scope !== undefined && { scope }),
    })
    const response = await this.#send(new Request(`${this.#baseUrl}/connect/token`, { method: 'POST', body }))
    if (!response.ok) throw await errorOf(response)
    const answer = jsonIn(await response.text()) as Partial<Readonly<Record<string, unknown>>> | null | undefined
    if (typeof answer?.['access_token'] !== 'string') throw new AlcoveApiError({}, response)
    return { token: answer['access_token'], lifetimeMs: Number(answer['expires_in']) * 1_000 }
  }
}

/** The application whose token an operation needs; undefined for one that needs none. */
function targetOf(path: string): TargetApp | undefined {
  if (/^\/(?:context(?:\/|$)|auth\/login$)/.test(path)) return 'assistant'
  return /^\/(?:tenant|permission|v1|operator)(?:\/|$)/.test(path) ? 'tenant' : undefined
}
