import type { z } from 'zod'
import { type AuditActor, recordChange } from '../../audit/index.js'
import { type EngineLimits, requireBelow } from '../../kernel/limits.js'
import { idSchema, objectSchema, textSchema, validate } from '../../kernel/validate.js'
import type { AccountRecord, Clock, Repositories, RoleRecord, Storage, UserRecord } from '../../ports/index.js'
import type { Actor } from '../access/authorizer.js'
import { type Reach, requireCompany, UNLIMITED } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import type { MailQueue } from '../mail/mail-queue.js'
import { toUser, type User } from '../records.js'
import { ensureSystemRole, MEMBER } from '../roles/roles.js'
import { type EmailAddress, parseEmailAddress } from './email-address.js'
import { joinedName, personNameSchema } from './person-name.js'

const OPTIONAL_NAME = personNameSchema().optional()

/** What adds a user (`POST /tenant/user`). */
export const newUserSchema: z.ZodType<NewUser> = objectSchema({
  email: textSchema({ min: 1, max: 320 }),
  customerId: idSchema().optional(),
  firstName: OPTIONAL_NAME,
  lastName: OPTIONAL_NAME,
  name: OPTIONAL_NAME,
})

export interface NewUser {
  readonly email: string
  /** Company; default the one of who adds. */
  readonly customerId?: number | undefined
  /** 100 characters at most, as `lastName` and `name`: one line, without `<`, `>` and web addresses. */
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
  readonly #limits: EngineLimits

  constructor(storage: Storage, clock: Clock, mailQueue: MailQueue, limits: EngineLimits) {
    this.#storage = storage
    this.#clock = clock
    this.#mailQueue = mailQueue
    this.#limits = limits
  }

  /**
   * @param companyId the user's company
   * @throws InvalidInputError
   * @throws NotFoundError where there is no such company
   * @throws ForbiddenError within a limited reach, where there is no such company, or the caller does not hold every
   *   capability of the role Member
   * @throws AlreadyExistsError where the company has a user with that address; those of other companies do not count
   * @throws LimitReachedError where the company has as many users as it may
   * @throws ThrottledError where the invitation would be one mail too many; nothing is created then
   */
  async execute(input: NewUser, companyId: number, actor: Actor, reach: Reach = UNLIMITED): Promise<User> {
    const { email, customerId: _company, ...names } = validate(newUserSchema, input)
    const address = parseEmailAddress(email)
    const { user, mailId } = await this.#storage.transaction(async (repositories) => {
      const now = this.#clock.now()
      const rights = await Rights.of(repositories, reach, now)
      await requireCompany(repositories, rights.reach, companyId)
      const membership = await membershipOf(repositories, companyId)
      // Before the address is looked at: whoever may not add users learns nothing of it.
      if (membership !== undefined) rights.requireHeld(membership.role)
      requireBelow(this.#limits, 'usersPerCompany', companyId, await repositories.users.count(companyId))
      const created = now.toISOString()
      const added = await insertUser(repositories, { companyId, address, created, ...splitName(names) }, reach.by)
      if (membership !== undefined) {
        const { account, role } = membership
        await rights.grant({ userId: added.id, accountId: account.id, roleId: role.id, created }, actor)
      }
      const invitation = { user: added, purpose: 'invitation', causedBy: reach.companyId } as const
      return { user: added, mailId: await this.#mailQueue.enqueue(repositories, invitation) }
    })
    await this.#mailQueue.committed(mailId)
    return toUser(user, 'none')
  }
}

/** The access that every new user of a company gets: none where it has no account of the application `assistant`. */
async function membershipOf(
  repositories: Repositories,
  companyId: number,
): Promise<{ readonly account: AccountRecord; readonly role: RoleRecord } | undefined> {
  const accounts = await repositories.accounts.list({ companyId })
  const account = accounts.find(({ application }) => application === 'assistant')
  return account && { account, role: await ensureSystemRole(repositories, MEMBER) }
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
  const { address, isService = false, ...rest } = user
  const inserted = await repositories.users.insert({ ...rest, ...address, lastAccess: null, passwordHash: null })
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

function splitName(names: {
  firstName?: string | undefined
  lastName?: string | undefined
  name?: string | undefined
}): FullName {
  const { firstName = '', lastName = '', name = '' } = names
  const full = name.trim()
  if (firstName !== '' || lastName !== '') {
    return { firstName, lastName, name: full === '' ? joinedName(firstName, lastName) : full }
  }
  const space = full.lastIndexOf(' ')
  if (space < 0) return { firstName: full, lastName: '', name: full }
  return { firstName: full.slice(0, space).trim(), lastName: full.slice(space + 1), name: full }
}
