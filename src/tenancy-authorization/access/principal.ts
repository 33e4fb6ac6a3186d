import type { AuditActor } from '../../audit/index.js'
import { choiceSchema, idSchema, listSchema, objectSchema, textSchema, validate } from '../../shared/validate.js'
import { CAPABILITIES, type Capability } from './capability.js'

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
