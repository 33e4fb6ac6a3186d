import type { AuditRefusals } from '../../audit/index.js'
import { ThrottledError, type TokenErrorCode, TokenRequestError } from '../../kernel/errors.js'
import { sha256Hex } from '../../kernel/random.js'
import type { ApiKeyRecord, Clock, Storage } from '../../ports/index.js'
import type { Origin } from '../access/principal.js'
import { isUsable } from '../access/principal.js'
import { type FailureThrottle, networkOf } from '../throttles/throttle.js'

/** Characters of a counter's name. */
const MOST_OF_COUNTER = 200

/** No row has this id; it is looked for all the same where a client id is unknown. */
const NOBODY = 0
const NO_HASH = '0'.repeat(64)

/** Id and secret of an API key, as a client of OAuth sends them. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** From where a client's request comes. */
export type ClientOrigin = Omit<Origin, 'clientId'>

/**
 * Finds out which API key sends a request about tokens. All such requests are throttled, refused and recorded alike:
 * none of them is a better place to guess secrets at.
 */
export class AuthenticateClient {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #throttle: FailureThrottle
  readonly #refusals: AuditRefusals

  constructor(storage: Storage, clock: Clock, throttle: FailureThrottle, refusals: AuditRefusals) {
    this.#storage = storage
    this.#clock = clock
    this.#throttle = throttle
    this.#refusals = refusals
  }

  /**
   * The key of a client. One answer, and one way to it, for every reason: nobody learns which ids exist.
   *
   * @throws TokenRequestError `invalid_client`
   * @throws ThrottledError for a wrong secret, after too many for the client id, or from the network address, within a
   *   minute; the right secret is never refused for that
   */
  async authenticate({ clientId, clientSecret }: ClientCredentials, origin?: ClientOrigin): Promise<ApiKeyRecord> {
    const secretHash = await sha256Hex(clientSecret)
    const { key, isWhole } = await this.#storage.read(async ({ apiKeys, users, companies }) => {
      const found = await apiKeys.findByClientId(clientId)
      const user = await users.get(found?.userId ?? NOBODY)
      const company = await companies.get(found?.companyId ?? NOBODY)
      const employer = await companies.get(user?.companyId ?? NOBODY)
      return { key: found, isWhole: [user, company, employer].every((one) => one?.isDisabled === false) }
    })
    const isRight = isSame(key?.secretHash ?? NO_HASH, secretHash)
    if (key !== undefined && isRight && isWhole && isUsable(key, this.#clock.now())) return key
    await this.#throttle.failed({ kind: 'secret', name: clientId, origin })
    throw new TokenRequestError('invalid_client', 'the client id or the secret is wrong, revoked, disabled or expired')
  }

  /**
   * Does what a client asks for, and records a refusal in the audit trail.
   * @throws what the work throws
   */
  async recordRefusals<T>(
    request: ClientCredentials,
    origin: ClientOrigin | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof TokenRequestError) await this.#recordRefusal(request, origin, error.error)
      if (error instanceof ThrottledError) await this.#recordRefusal(request, origin, 'throttled')
      throw error
    }
  }

  /** The client id is kept where it is that of a key: what a stranger sends as one may be a secret. */
  async #recordRefusal(
    { clientId: given }: ClientCredentials,
    origin: ClientOrigin = {},
    reason: TokenErrorCode | 'throttled',
  ): Promise<void> {
    const counter = `token:${networkOf(origin.remoteAddress ?? '')}`.slice(0, MOST_OF_COUNTER)
    await this.#refusals.record(counter, async ({ apiKeys }) => {
      const key = await apiKeys.findByClientId(given)
      const { remoteAddress, requestId } = origin
      return {
        by: { kind: 'anonymous', clientId: key?.clientId, remoteAddress, requestId },
        refusal: { action: 'token.refused', companyId: key?.companyId ?? null, targetId: key?.id ?? null, reason },
      }
    })
  }
}

/** In a time that does not tell how much agrees. */
function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}
