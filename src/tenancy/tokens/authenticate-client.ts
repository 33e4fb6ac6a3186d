import type { AuditRefusals } from '../../audit/index.js'
import { sha256Hex } from '../../kernel/crypto.js'
import { ThrottledError, type TokenErrorCode, TokenRequestError } from '../../kernel/errors.js'
import type { ApiKeyRecord, Clock, Storage } from '../../ports/index.js'
import { isKeyUsable, type RequestOrigin } from '../access/principal.js'
import { counterName, type FailureThrottle } from '../throttle.js'

/** Id and secret of an API key, sent by an OAuth client. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** No row has this id. It is read for an unknown client id, so that both cases take the same time. */
const MISSING_ID = 0
const NO_HASH = '0'.repeat(64)

/**
 * Finds the API key of a request about tokens. All such requests are throttled, refused and recorded in the same way,
 * so that no endpoint makes it easier to guess secrets.
 */
export class AuthenticateClient {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly throttle: FailureThrottle,
    private readonly refusals: AuditRefusals,
  ) {}

  /**
   * The key of a client. Every refusal has the same message and takes the same steps, so that no client learns which
   * ids exist.
   *
   * @throws TokenRequestError `invalid_client`
   * @throws ThrottledError for a wrong secret, after too many wrong ones for the client id or from the network address
   *   within a minute; the right secret always passes
   */
  async authenticate({ clientId, clientSecret }: ClientCredentials, origin?: RequestOrigin): Promise<ApiKeyRecord> {
    const secretHash = await sha256Hex(clientSecret)
    const { key, isOwnerEnabled } = await this.storage.read(async ({ apiKeys, users, companies }) => {
      const found = await apiKeys.findByClientId(clientId)
      const user = await users.get(found?.userId ?? MISSING_ID)
      const keyCompany = await companies.get(found?.companyId ?? MISSING_ID)
      const userCompany = await companies.get(user?.companyId ?? MISSING_ID)
      return {
        key: found,
        isOwnerEnabled: [user, keyCompany, userCompany].every((record) => record?.isDisabled === false),
      }
    })
    const isSecretRight = isEqualInConstantTime(key?.secretHash ?? NO_HASH, secretHash)
    if (key !== undefined && isSecretRight && isOwnerEnabled && isKeyUsable(key, this.clock.now())) return key
    await this.throttle.countFailure({ kind: 'secret', name: clientId, origin })
    throw new TokenRequestError('invalid_client', 'the client id or the secret is wrong, revoked, disabled or expired')
  }

  /**
   * Runs the work of a client's request, and records a refusal in the audit trail.
   * @throws the errors of `work`
   */
  async recordRefusals<T>(
    request: ClientCredentials,
    origin: RequestOrigin | undefined,
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

  /** Records the client id only if a key has it: an unknown one may be a secret that a client sent by mistake. */
  async #recordRefusal(
    { clientId }: ClientCredentials,
    origin: RequestOrigin = {},
    reason: TokenErrorCode | 'throttled',
  ): Promise<void> {
    const counter = counterName('token', origin.remoteAddress)
    await this.refusals.record(counter, async ({ apiKeys }) => {
      const key = await apiKeys.findByClientId(clientId)
      const { remoteAddress, requestId } = origin
      return {
        by: { kind: 'anonymous', clientId: key?.clientId, remoteAddress, requestId },
        refusal: { action: 'token.refused', companyId: key?.companyId ?? null, targetId: key?.id ?? null, reason },
      }
    })
  }
}

/** The time depends on the lengths only: it does not reveal how many characters are equal. */
function isEqualInConstantTime(left: string, right: string): boolean {
  let difference = left.length ^ right.length
  for (let index = 0; index < left.length; index += 1) difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  return difference === 0
}
