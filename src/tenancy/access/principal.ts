import type { AuditActor } from '../../audit/index.js'
import { choiceSchema, idSchema, listSchema, openObjectSchema, textSchema, validate } from '../../kernel/validate.js'
import type { ApiKeyRecord, Repositories, Sight, UserRecord } from '../../ports/index.js'

/** The capabilities that a role can have. */
export const CAPABILITIES = [
  'context:read',
  'context:write',
  'document:write',
  'search',
  'tenant:manage',
  'webhook:manage',
] as const

export type Capability = (typeof CAPABILITIES)[number]

/** The client and the network address of a principal. Records and logs use it; decisions about rights never do. */
export interface Origin {
  /** Client id of the API key, or the name of another client such as `command-line`. */
  readonly clientId?: string | undefined
  /** IP address of the client, as far as the server knows it. */
  readonly remoteAddress?: string | undefined
  /** Id of the request. The answer has it in `x-request-id`. */
  readonly requestId?: string | undefined
}

/** The origin of a request before its client or user is known. */
export type RequestOrigin = Omit<Origin, 'clientId'>

/** The user or API key that acts, in an account. */
export interface Principal {
  readonly companyId: number
  readonly userId: number
  /** The application account in which the principal acts. */
  readonly accountId: number
  /**
   * The visible contexts of the account. `user` (default): the user's own and shared ones. `account`: all of them, as
   * for the tokens of most API keys.
   */
  readonly sight?: Sight
  /** Limits the principal to these capabilities of its role. Default: no limit. */
  readonly scope?: readonly Capability[] | undefined
  /**
   * The applications of the API key by which the principal acts. It makes no key for others. Default: no limit, as for a
   * user who has logged in.
   */
  readonly targets?: readonly string[] | undefined
  /** Default: unknown. */
  readonly origin?: Origin | undefined
}

/** A principal as the audit trail records it. */
export function actorOf({ userId, companyId, origin }: Principal): AuditActor {
  return { ...origin, kind: 'user', userId, companyId }
}

/** The values of a principal's `sight`. */
export const SIGHTS: readonly Sight[] = ['user', 'account']

const ORIGIN_TEXT = textSchema({ max: 255, isLine: true }).optional()

const MAX_TARGETS = 10

const PRINCIPAL = openObjectSchema({
  companyId: idSchema(),
  userId: idSchema(),
  accountId: idSchema(),
  sight: choiceSchema(SIGHTS).default('user'),
  scope: listSchema(choiceSchema(CAPABILITIES), CAPABILITIES.length).optional(),
  targets: listSchema(textSchema({ max: 100 }), MAX_TARGETS).optional(),
  origin: openObjectSchema({ clientId: ORIGIN_TEXT, remoteAddress: ORIGIN_TEXT, requestId: ORIGIN_TEXT }).optional(),
})

/** The results of {@link parsePrincipal}. A request checks its principal at several places. */
const parsed = new WeakSet<object>()

/** @throws InvalidInputError if a member is missing or of the wrong type */
export function parsePrincipal(input: unknown): Principal {
  if (typeof input === 'object' && input !== null && parsed.has(input)) return input as Principal
  const principal = Object.freeze(validate(PRINCIPAL, input, 'principal'))
  parsed.add(principal)
  return principal
}

/** True if the company exists and is enabled. */
export async function isCompanyEnabled({ companies }: Repositories, companyId: number): Promise<boolean> {
  return (await companies.get(companyId))?.isDisabled === false
}

/** True if the user and their company are enabled. Rights, logins and mails treat every other user as missing. */
export async function isUserUsable(repositories: Repositories, user: UserRecord): Promise<boolean> {
  return !user.isDisabled && (await isCompanyEnabled(repositories, user.companyId))
}

/** The user with that id if {@link isUserUsable}. */
export async function findUsableUser(repositories: Repositories, userId: number): Promise<UserRecord | undefined> {
  const user = await repositories.users.get(userId)
  return user !== undefined && (await isUserUsable(repositories, user)) ? user : undefined
}

/**
 * The capabilities of a role that a scope allows.
 * @param scope undefined for a principal without a scope, which has all capabilities of its role
 */
export function narrowToScope(
  capabilities: readonly string[],
  scope: readonly Capability[] | undefined,
): readonly string[] {
  if (scope === undefined) return capabilities
  return capabilities.filter((capability) => scope.some((allowed) => allowed === capability))
}

/** True if an API key is neither revoked nor expired. */
export function isKeyUsable({ revoked, expires }: Pick<ApiKeyRecord, 'revoked' | 'expires'>, now: Date): boolean {
  return revoked === null && (expires === null || new Date(expires) > now)
}
