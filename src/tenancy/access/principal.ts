import { type AuditActor } from '../../audit/index.js'
import { choiceSchema, idSchema, listSchema, objectSchema, textSchema, validate } from '../../kernel/validate.js'
import type { ApiKeyRecord, Repositories, UserRecord } from '../../ports/index.js'

/** What a role may allow. */
export const CAPABILITIES = [
  'context:read',
  'context:write',
  'document:write',
  'search',
  'tenant:manage',
  'webhook:manage',
] as const

export type Capability = (typeof CAPABILITIES)[number]

/** By what means and from where a principal acts: for records and logs, never for a decision about rights. */
export interface Origin {
  /** Client id of the API key, or the name of another means. */
  readonly clientId?: string | undefined
  /** IP address of the client, as far as the server knows it. */
  readonly remoteAddress?: string | undefined
  /** Id of the request, as its answer carries it in `x-request-id`. */
  readonly requestId?: string | undefined
}

/** For whom something is done. */
export interface Principal {
  readonly companyId: number
  readonly userId: number
  /** The application account in which it is done. */
  readonly accountId: number
  /**
   * What is seen of the account: `user`, the user's own contexts and shared ones (default);
   * `account`, all of them, as an API token does.
   */
  readonly sight?: 'user' | 'account'
  /** Capabilities that it acts with at most, whatever its role has. Default: all that its role has. */
  readonly scope?: readonly Capability[] | undefined
  /** By what means and from where it acts. Default: unknown. */
  readonly origin?: Origin | undefined
}

/** A principal as the audit trail names it. */
export function actorOf({ userId, companyId, origin }: Principal): AuditActor {
  return { ...origin, kind: 'user', userId, companyId }
}

const ORIGIN_TEXT = textSchema({ max: 255, isLine: true }).optional()

const PRINCIPAL = objectSchema({
  companyId: idSchema(),
  userId: idSchema(),
  accountId: idSchema(),
  sight: choiceSchema(['user', 'account']).default('user'),
  scope: listSchema(choiceSchema(CAPABILITIES), CAPABILITIES.length).optional(),
  origin: objectSchema({ clientId: ORIGIN_TEXT, remoteAddress: ORIGIN_TEXT, requestId: ORIGIN_TEXT }).optional(),
})

/** @throws InvalidInputError where a member is missing or of the wrong type */
export function parsePrincipal(input: unknown): Principal {
  return validate(PRINCIPAL, input, 'principal')
}

/** Whether a company exists and is enabled. */
export async function isCompanyOpen({ companies }: Repositories, companyId: number): Promise<boolean> {
  return (await companies.get(companyId))?.isDisabled === false
}

/** The user, unless they or their company are disabled: then there is none, as far as rights, logins and mails go. */
export async function ifUsable(
  repositories: Repositories,
  user: UserRecord | undefined,
): Promise<UserRecord | undefined> {
  if (user === undefined || user.isDisabled) return undefined
  return (await isCompanyOpen(repositories, user.companyId)) ? user : undefined
}

/** As {@link ifUsable}, of the user with an id. */
export async function findUsableUser(repositories: Repositories, userId: number): Promise<UserRecord | undefined> {
  return await ifUsable(repositories, await repositories.users.get(userId))
}

/**
 * The capabilities of a role that a scope leaves.
 * @param scope capabilities that somebody acts with at most; omitted, all that the role has
 */
export function narrowed(capabilities: readonly string[], scope: readonly Capability[] | undefined): readonly string[] {
  if (scope === undefined) return capabilities
  return capabilities.filter((capability) => scope.some((allowed) => allowed === capability))
}

/** Whether a key is neither revoked nor expired. */
export function isUsable({ revoked, expires }: Pick<ApiKeyRecord, 'revoked' | 'expires'>, now: Date): boolean {
  return revoked === null && (expires === null || new Date(expires) > now)
}
