import { choiceSchema, idSchema, objectSchema, validate } from '../../shared/validate.js'

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
}

const PRINCIPAL = objectSchema({
  companyId: idSchema(),
  userId: idSchema(),
  accountId: idSchema(),
  sight: choiceSchema(['user', 'account']).default('user'),
})

/** @throws InvalidInputError where a member is missing or of the wrong type */
export function parsePrincipal(input: unknown): Principal {
  return validate(PRINCIPAL, input, 'principal')
}
