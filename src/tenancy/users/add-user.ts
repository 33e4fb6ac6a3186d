import type { z } from 'zod'
import { type AuditActor, recordChange } from '../../audit/index.js'
import { idSchema, objectSchema, textSchema } from '../../kernel/validate.js'
import type { Repositories, UserRecord } from '../../ports/index.js'
import type { EmailAddress } from './email-address.js'
import { joinNames, personNameSchema } from './person-name.js'

const OPTIONAL_NAME = personNameSchema().optional()

/** Body of `POST /tenant/user`. */
export const newUserSchema: z.ZodType<NewUser> = objectSchema({
  email: textSchema({ min: 1, max: 320 }),
  customerId: idSchema().optional(),
  firstName: OPTIONAL_NAME,
  lastName: OPTIONAL_NAME,
  name: OPTIONAL_NAME,
})

export interface NewUser {
  readonly email: string
  /** Company of the user. Default: the caller's company. */
  readonly customerId?: number | undefined
  /** At most 100 characters, in one line, without `<`, `>` and web addresses. The same holds for the other names. */
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  /** Full name. It is split at its last space if `firstName` and `lastName` are empty. */
  readonly name?: string | undefined
}

/** Inserts a user without any permission. */
export async function insertUser(
  repositories: Repositories,
  user: {
    readonly companyId: number
    readonly address: EmailAddress
    readonly created: string
    readonly isService?: boolean
  } & FullName,
  by: AuditActor,
): Promise<UserRecord> {
  const { address, isService = false, ...fields } = user
  const inserted = await repositories.users.insert({ ...fields, ...address, lastAccess: null, passwordHash: null })
  await recordChange(repositories, by, new Date(inserted.created), {
    action: 'user.added',
    companyId: inserted.companyId,
    targetId: inserted.id,
    details: { service: isService },
  })
  return inserted
}

interface FullName {
  readonly firstName: string
  readonly lastName: string
  readonly name: string
}

/** Completes the names of a new user. Specification: Tenant API. */
export function completeNames(names: Pick<NewUser, 'firstName' | 'lastName' | 'name'>): FullName {
  const { firstName = '', lastName = '', name = '' } = names
  const fullName = name.trim()
  if (firstName !== '' || lastName !== '') {
    return { firstName, lastName, name: fullName === '' ? joinNames(firstName, lastName) : fullName }
  }
  const space = fullName.lastIndexOf(' ')
  if (space < 0) return { firstName: fullName, lastName: '', name: fullName }
  return { firstName: fullName.slice(0, space).trim(), lastName: fullName.slice(space + 1), name: fullName }
}
