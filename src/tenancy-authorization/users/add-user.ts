import type { z } from 'zod'
import type { Clock, Repositories, Storage, UserRecord } from '../../ports/index.js'
import { idSchema, objectSchema, textSchema, validate } from '../../shared/validate.js'
import type { Actor } from '../access/authorizer.js'
import { type Reach, requireCompany, UNLIMITED } from '../access/reach.js'
import type { MailQueue } from '../mail/mail-queue.js'
import { insertPermission } from '../permissions/insert-permission.js'
import { toUser, type User } from '../records.js'
import { ensureSystemRole, MEMBER } from '../roles/system-roles.js'
import { type EmailAddress, parseEmailAddress } from './email-address.js'

const NAME = textSchema({ max: 255, isLine: true }).optional()

/** What adds a user (`POST /tenant/user`). */
export const newUserSchema: z.ZodType<NewUser> = objectSchema({
  email: textSchema({ min: 1, max: 320 }),
  customerId: idSchema().optional(),
  firstName: NAME,
  lastName: NAME,
  name: NAME,
})

export interface NewUser {
  readonly email: string
  /** Company; default the one of who adds. */
  readonly customerId?: number | undefined
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  /** Full name; split at its last space where first and last name are empty. */
  readonly name?: string | undefined
}

/** Adds a user to a company, with the role Member on the company's assistant account, and invites them by mail. */
export class AddUser {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #mailQueue: MailQueue

  constructor(storage: Storage, clock: Clock, mailQueue: MailQueue) {
    this.#storage = storage
    this.#clock = clock
    this.#mailQueue = mailQueue
  }

  /**
   * @param companyId the user's company
   * @throws InvalidInputError
   * @throws NotFoundError where there is no such company; ForbiddenError within a limited reach
   * @throws AlreadyExistsError where the address is known, in whichever company
   */
  async execute(input: NewUser, companyId: number, actor: Actor, reach: Reach = UNLIMITED): Promise<User> {
    const { email, customerId: _company, ...names } = validate(newUserSchema, input)
    const address = parseEmailAddress(email)
    const { user, mailId } = await this.#storage.transaction(async (repositories) => {
      await requireCompany(repositories, reach, companyId)
      const created = this.#clock.now().toISOString()
      const added = await insertUser(repositories, { companyId, address, created, ...splitName(names) })
      await grantMember(repositories, added, actor, created)
      return { user: added, mailId: await this.#mailQueue.enqueue(repositories, added.id, 'invitation') }
    })
    await this.#mailQueue.committed(mailId)
    return toUser(user)
  }
}

/** The user receives access to the assistant application (specification, Add user). */
async function grantMember(repositories: Repositories, user: UserRecord, actor: Actor, created: string): Promise<void> {
  const accounts = await repositories.accounts.list({ companyId: user.companyId })
  const assistant = accounts.find(({ application }) => application === 'assistant')
  if (assistant === undefined) return
  const role = await ensureSystemRole(repositories, MEMBER)
  await insertPermission(repositories, { userId: user.id, accountId: assistant.id, roleId: role.id, created }, actor)
}

/** Inserts a user without any permission. */
export async function insertUser(
  { users }: Repositories,
  user: { readonly companyId: number; readonly address: EmailAddress; readonly created: string } & FullName,
): Promise<UserRecord> {
  const { address, ...rest } = user
  return await users.insert({ ...rest, ...address, lastAccess: null, passwordHash: null })
}

export interface FullName {
  readonly firstName: string
  readonly lastName: string
  readonly name: string
}

function splitName(names: {
  firstName?: string | undefined
  lastName?: string | undefined
  name?: string | undefined
}): FullName {
  const { firstName = '', lastName = '', name = '' } = names
  const full = name.trim()
  if (firstName !== '' || lastName !== '') {
    return { firstName, lastName, name: full === '' ? `${firstName} ${lastName}`.trim() : full }
  }
  const space = full.lastIndexOf(' ')
  if (space < 0) return { firstName: full, lastName: '', name: full }
  return { firstName: full.slice(0, space).trim(), lastName: full.slice(space + 1), name: full }
}
