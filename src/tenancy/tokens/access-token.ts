import { sha256Hex } from '../../kernel/crypto.js'
import {
  errorReason,
  ForbiddenError,
  InvalidInputError,
  TokenRequestError,
  UnauthenticatedError,
} from '../../kernel/errors.js'
import { LruMap } from '../../kernel/lru-map.js'
import type { ApiKeyName, Clock, Repositories, Storage, TokenSigner, VerifiedClaims } from '../../ports/index.js'
import { findMissing, givesAccess } from '../access/authorizer.js'
import { CAPABILITIES, type Capability, isKeyUsable, narrowToScope, type Principal } from '../access/principal.js'
import type { CallTurns } from '../call-turns.js'
import { tokenEpochOf } from './login-epoch.js'

/** The principal of an access token, with the token's client. */
export interface Caller {
  readonly principal: Principal
  /** `assistant` or `tenant`. */
  readonly targetApp: string
  readonly clientId: string
  /** Lower-case hex SHA-256 of the token's id. Revoked tokens are stored by this hash. */
  readonly tokenHash: string
  /** The state of the user and the companies at the time of issue. */
  readonly epoch: number
}

/** A valid token with its claims. */
export interface LiveToken {
  readonly caller: Caller
  readonly claims: VerifiedClaims
  /** The capabilities of a request with the token. */
  readonly capabilities: readonly string[]
}

/** The issuer and the audience of access tokens: an engine issues tokens for itself. */
export interface TokenIssuer {
  readonly iss: string
  readonly aud: string
}

/** The ids and the scope of a token, not yet checked against the storage. */
interface TokenSubject extends Omit<Caller, 'principal'> {
  /** The company of the API key. */
  readonly companyId: number
  readonly userId: number
  readonly accountId: number
  readonly scope: Principal['scope']
}

/** Maximum number of tokens whose hashes are kept. To compute one costs a hop to another thread. */
const MAX_KEPT_HASHES = 10_000

/** Finds the principal of an access token. It reads the current rows, so that revoking or disabling works at once. */
export class AuthenticateToken {
  /** By the token's id. */
  readonly #hashes = new LruMap<string, string>(MAX_KEPT_HASHES)

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly signer: TokenSigner,
    private readonly issuer: TokenIssuer,
    private readonly turns: CallTurns,
  ) {}

  /**
   * @throws UnauthenticatedError if the token is not authentic, has expired or was revoked, and if its key, user or
   *   company is missing, disabled or revoked
   * @throws ForbiddenError if its permission, role or account is disabled, missing or out of reach
   * @throws ThrottledError as {@link CallTurns.run}
   */
  async execute(token: string): Promise<Caller> {
    return (await this.inspect(token)).caller
  }

  /** As {@link execute}, with the token's claims and capabilities. @throws as {@link execute} */
  async inspect(token: string): Promise<LiveToken> {
    const now = this.clock.now()
    const claims = await this.signer.verify(token, { ...this.issuer, now })
    const userId = Number(claims?.sub)
    if (claims === undefined || !Number.isSafeInteger(userId))
      throw new UnauthenticatedError('the access token is not valid, or has expired')
    const subject = {
      userId,
      companyId: claims.company_id,
      accountId: claims.account_id,
      targetApp: claims.target_app,
      clientId: claims.client_id,
      tokenHash: await this.#hashOf(claims.jti),
      epoch: claims.epoch,
      scope: knownScopeOf(claims.scope),
    }
    // The signature tells the company before any read: requests beyond its share cost no more than that.
    const caller = { companyId: subject.companyId, userId, origin: { clientId: subject.clientId } }
    return await this.turns.run(caller, async () => {
      return await this.storage.read(async (repositories) => {
        const live = await readLiveToken(repositories, { id: claims.key_id }, subject, now)
        return { ...live, claims }
      })
    })
  }

  /**
   * Checks with the current rows that a caller may continue. Long answers call it after their token has expired.
   * @throws as {@link execute}, except for an expired token
   */
  async renew({ principal, ...caller }: Caller): Promise<void> {
    const now = this.clock.now()
    const { companyId, userId, accountId, scope } = principal
    const subject = { ...caller, companyId, userId, accountId, scope }
    await this.turns.run(principal, async () => {
      await this.storage.read(async (repositories) => {
        await readLiveToken(repositories, { clientId: caller.clientId }, subject, now)
      })
    })
  }

  async #hashOf(jti: string): Promise<string> {
    const known = this.#hashes.get(jti)
    if (known !== undefined) return known
    const hash = await sha256Hex(jti)
    this.#hashes.set(jti, hash)
    return hash
  }
}

/**
 * The capabilities of a token's scope. Names that this version does not know allow nothing.
 * @param claim the scope claim of the token; undefined if the token has no scope and is not narrowed
 */
function knownScopeOf(claim: string | undefined): readonly Capability[] | undefined {
  if (claim === undefined) return undefined
  const names = claim.split(' ')
  return CAPABILITIES.filter((capability) => names.includes(capability))
}

/** @throws UnauthenticatedError @throws ForbiddenError */
async function readLiveToken(
  repositories: Repositories,
  keyName: ApiKeyName,
  { userId, accountId, targetApp, clientId, tokenHash, epoch, scope, ...subject }: TokenSubject,
  now: Date,
): Promise<Pick<LiveToken, 'caller' | 'capabilities'>> {
  const { apiKeys, companies } = repositories
  const found = await apiKeys.findOfToken(keyName, { tokenHash, userId, accountId })
  const { key, access } = found ?? {}
  if (found?.isTokenRevoked === true) throw new UnauthenticatedError('the access token was revoked')
  const isTokenOfKey = key?.clientId === clientId && key.userId === userId
  if (!isTokenOfKey || !isKeyUsable(key, now)) {
    throw new UnauthenticatedError('the API key of this token was revoked, or has expired')
  }
  const { companyId } = key
  if (subject.companyId !== companyId)
    throw new UnauthenticatedError('the access token is for another company than its API key')
  if ((await findMissing(repositories, key, access)) !== undefined)
    throw new UnauthenticatedError('the user or the company of this token does not exist, or is disabled')
  if (access !== undefined && epoch !== (await tokenEpochOf(repositories, access, companyId)))
    throw new UnauthenticatedError('the user or the company of this token was disabled since: get another token')
  if (access === undefined || !givesAccess(access)) {
    throw new ForbiddenError(
      'the permission, the role or the account of this token is disabled or deleted',
      errorReason('access-disabled'),
    )
  }
  const isInReach = access.account.companyId === companyId || targetApp === 'tenant'
  if (!isInReach && !(await companies.isWithin(access.account.companyId, companyId))) {
    throw new ForbiddenError(
      'the account of this token is out of reach of its company',
      errorReason('account-of-token-out-of-reach'),
    )
  }
  const { sight, targets } = key
  const principal: Principal = { companyId, userId, accountId, sight, targets, ...(scope && { scope }) }
  const { applications, capabilities } = access.role
  return {
    caller: { principal, targetApp, clientId, tokenHash, epoch },
    capabilities: applications.includes(targetApp) ? narrowToScope(capabilities, scope) : [],
  }
}

/**
 * The capabilities that a client requests (RFC 6749, section 3.3).
 * @throws TokenRequestError `invalid_scope` if the text does not list capabilities, each at most once
 */
export function parseScope(text: string): readonly Capability[] {
  const names = typeof text === 'string' ? text.split(' ') : []
  const found = CAPABILITIES.filter((capability) => names.includes(capability))
  if (found.length > 0 && found.length === names.length) return found
  throw new TokenRequestError(
    'invalid_scope',
    `scope must be capabilities with one space between them, each at most once: ${CAPABILITIES.join(', ')}`,
  )
}

/** @throws TokenRequestError `invalid_scope` if the role lacks a requested capability */
export function requireScope(
  scope: readonly Capability[] | undefined,
  {
    applications,
    capabilities,
  }: { readonly applications: readonly string[]; readonly capabilities: readonly string[] },
  application: string,
): void {
  const isRoleValid = applications.includes(application)
  const lacking = (scope ?? []).filter((capability) => !isRoleValid || !capabilities.includes(capability))
  if (lacking.length === 0) return
  const names = lacking.join(', ')
  throw new TokenRequestError(
    'invalid_scope',
    `the key's user does not have these capabilities on the account: ${names}`,
  )
}

const DEFAULT_ISSUER = 'alcove'
const AUDIENCE = 'alcove'
const MAX_URL_LENGTH = 255

/**
 * The issuer of an engine's tokens.
 * @param url the issuer identifier of RFC 8414; default `alcove`
 * @throws InvalidInputError if it is not a web address without query and fragment
 */
export function tokenIssuerOf(url?: string): TokenIssuer {
  if (url !== undefined && !isIssuerUrl(url)) {
    throw new InvalidInputError(
      'tokenIssuer',
      'must be a web address without query and fragment, such as https://alcove.example.com',
    )
  }
  return { iss: url ?? DEFAULT_ISSUER, aud: AUDIENCE }
}

function isIssuerUrl(url: unknown): boolean {
  if (typeof url !== 'string' || url.length > MAX_URL_LENGTH || !URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#\s]/.test(url)
}
