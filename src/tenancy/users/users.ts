import { recordChange } from '../../audit/index.js'
import { errorReason, ForbiddenError, InUseError, InvalidInputError } from '../../kernel/errors.js'
import { RowList } from '../../kernel/lists.js'
import { choiceSchema, objectSchema, parseId, validate } from '../../kernel/validate.js'
import type { Clock, PermissionDetails, Repositories, Storage, UserRecord } from '../../ports/index.js'
import type { AccessRecorder, Actor, TenantAccess } from '../access/authorizer.js'
import { isUserUsable } from '../access/principal.js'
import { type Reach, requireCompany } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import type { ContextRemoval } from '../accounts.js'
import { readOwner } from '../initialize.js'
import { cancelLinks, type MailQueue } from '../mail-queue.js'
import { toListedUser, toUser, type User, type UserWithPermissions } from '../records.js'
import { completeNames, type NewUser, newUserSchema, parseEmailAddress } from './identity.js'
import type { NewUsers } from './new-users.js'
import { otpMethodOf, readOtpMethods } from './second-factor.js'

export interface DeleteUserOptions {
  /**
   * Contexts that the user created, in all accounts. `keep` (default): they stay in their accounts. `delete`: they are
   * deleted with their documents.
   */
  readonly contexts?: 'keep' | 'delete'
}

const DELETE_OPTIONS = objectSchema({ contexts: choiceSchema(['keep', 'delete']).default('keep') })

/** Users of companies. */
export class Users {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly newUsers: NewUsers,
    private readonly recorder: AccessRecorder,
    private readonly mailQueue: MailQueue,
    private readonly contexts: ContextRemoval,
  ) {}

  /** All users of all companies, ordered by id: for the host. */
  async listAll(): Promise<User[]> {
    return await this.storage.read(async (repositories) => {
      const otpMethod = await readOtpMethods(repositories)
      return (await repositories.users.list()).map((user) => toUser(user, otpMethod(user.id)))
    })
  }

  /**
   * The users of one company, with their permissions on accounts within the caller's reach. Reading the list throws an
   * InvalidInputError, or a ForbiddenError if the company is missing or out of reach.
   *
   * @param authorize returns the caller's reach of this moment
   * @param companyId default: the caller's own
   */
  list(authorize: () => Promise<TenantAccess>, companyId?: number): RowList<UserWithPermissions> {
    type ReadRows<T> = (repositories: Repositories, id: number, reach: Reach) => Promise<T>
    const read = async <T>(readRows: ReadRows<T>): Promise<T> => {
      const { principal, reach } = await authorize()
      const id = parseId(companyId ?? principal.companyId, 'cid')
      return await this.storage.read(async (repositories) => {
        await requireCompany(repositories, reach, id)
        return await readRows(repositories, id, reach)
      })
    }
    return new RowList({
      read: async (page) => {
        await this.recorder.flush()
        return await read(async (repositories, id, reach) => {
          return await withPermissions(repositories, reach, await repositories.users.list({ companyId: id }, page))
        })
      },
      ids: async (page) => await read(async ({ users }, id) => await users.listIds({ companyId: id }, page)),
    })
  }

  /** One user, as {@link list} returns it. */
  async find({ reach }: TenantAccess, userId: number): Promise<UserWithPermissions | undefined> {
    return await this.storage.read(async (repositories) => {
      const user = await repositories.users.get(userId)
      return user && (await withPermissions(repositories, reach, [user]))[0]
    })
  }

  /**
   * Adds a user to a company, with the role Member on the company's assistant account. Sends an invitation, unless
   * `invite` is false.
   *
   * @param companyId the user's company
   * @throws InvalidInputError
   * @throws NotFoundError if the company does not exist
   * @throws ForbiddenError within a limited reach, if the company does not exist, or the caller lacks a capability of
   *   the role Member; also for an external id, if the caller does not see all contexts
   * @throws AlreadyExistsError if the company has a user with that address or external id; users of other companies do
   *   not count
   * @throws LimitReachedError if the company has reached its limit of users
   * @throws ThrottledError if the invitation would exceed a limit of mails; nothing is created then
   */
  async add(input: NewUser, companyId: number, actor: Actor, reach: Reach): Promise<User> {
    const { email, externalId, invite = true, customerId: _company, ...given } = validate(newUserSchema, input)
    const address = parseEmailAddress(email)
    const newcomer = { companyId, externalId, address, names: completeNames(given), invite }
    const { user, mailId } = await this.storage.transaction(async (repositories) => {
      const rights = await Rights.of(repositories, reach, this.clock.now())
      await requireCompany(repositories, rights.reach, companyId)
      if (externalId !== undefined) requireLoginOwner(rights.reach)
      return await this.newUsers.insert(repositories, rights, newcomer, actor)
    })
    await this.newUsers.afterCommit(mailId)
    return toUser(user, 'none')
  }

  /**
   * Sends the invitation a second time. Links of earlier invitations become invalid.
   *
   * @throws NotFoundError if the user is missing or out of reach
   * @throws ForbiddenError within a limited reach, if the user has a right that the caller may not take
   * @throws InvalidInputError if the user has completed the setup, or the user or their company is disabled
   * @throws ThrottledError if the mail would exceed a limit; links of earlier invitations stay valid then
   */
  async reinitiate(userId: number, reach: Reach): Promise<void> {
    const id = parseId(userId, 'id')
    const mailId = await this.storage.transaction(async (repositories) => {
      const now = this.clock.now()
      const rights = await Rights.of(repositories, reach, now)
      const user = await rights.userToInvite(id)
      if (!(await isUserUsable(repositories, user)))
        throw new InvalidInputError('id', `the user ${id}, or their company, is disabled: no mail is sent`)
      if (user.passwordHash !== null)
        throw new InvalidInputError('id', `the user ${id} has completed the setup already`)
      if (user.email === '') throw new InvalidInputError('id', `the user ${id} has no e-mail address`)
      await repositories.passwordTokens.removeOfUser(id)
      await recordChange(repositories, rights.reach.by, now, {
        action: 'user.reinitiated',
        companyId: user.companyId,
        targetId: id,
        details: {},
      })
      return await this.mailQueue.enqueue(repositories, { user, purpose: 'invitation', causedBy: reach.companyId })
    })
    await this.mailQueue.afterCommit(mailId)
  }

  /**
   * Disables or enables a user. The engine treats a disabled user as missing, at once. Disabling cancels the links of
   * mails, and mails that are not yet sent. Logins and tokens of before end for good: enabling brings none back. A second
   * call with the same value changes nothing.
   *
   * @throws NotFoundError @throws ForbiddenError @throws LastManagerError as {@link delete}
   * @throws InUseError for the owner of the installation
   */
  async setDisabled(userId: number, isDisabled: boolean, reach: Reach): Promise<User> {
    const id = parseId(userId, 'id')
    return await this.storage.transaction(async (repositories) => {
      const now = this.clock.now()
      const rights = await Rights.of(repositories, reach, now)
      return await rights.changeUser(id, async (user) => {
        if (isDisabled) {
          await requireNotOwner(repositories, id)
          await cancelLinks(repositories, { userId: id })
        }
        if (user.isDisabled !== isDisabled)
          await repositories.users.update(id, { isDisabled, loginEpoch: user.loginEpoch + 1 })
        await recordChange(repositories, rights.reach.by, now, {
          action: isDisabled ? 'user.disabled' : 'user.enabled',
          companyId: user.companyId,
          targetId: id,
          details: {},
        })
        return toUser({ ...user, isDisabled }, await otpMethodOf(repositories, id))
      })
    })
  }

  /**
   * Deletes a user and erases their personal data. The row stays, without a name and an address, because contexts,
   * documents and the audit trail refer to its id. The address can be added a second time.
   *
   * @throws NotFoundError if the user is missing or out of reach
   * @throws ForbiddenError within a limited reach, if the user has a right that the caller may not take
   * @throws LastManagerError within a limited reach, if a company would be left without a manager
   * @throws InUseError for the owner of the installation
   */
  async delete(userId: number, reach: Reach, options: DeleteUserOptions = {}): Promise<void> {
    const id = parseId(userId, 'id')
    const { contexts } = validate(DELETE_OPTIONS, options, 'options')
    await this.storage.transaction(async (repositories) => {
      const now = this.clock.now()
      const rights = await Rights.of(repositories, reach, now)
      await rights.deleteUser(id, async (user) => {
        await requireNotOwner(repositories, id)
        if (contexts === 'delete') await this.contexts.removeMadeBy(repositories, id, rights.reach.by)
        await revokeKeys(repositories, id, rights.reach, now)
        await cancelLinks(repositories, { userId: id })
        await repositories.oneTimePasswords.removeOf({ userId: id })
        await repositories.permissions.eraseCreators({ userId: id })
        await repositories.users.erase({ userId: id }, now.toISOString())
        await recordChange(repositories, rights.reach.by, now, {
          action: 'user.deleted',
          companyId: user.companyId,
          targetId: id,
          details: { contexts },
        })
      })
    })
  }
}

/**
 * The host's login would make the person with the external id a user whose password the caller may have set: with it, the
 * caller would see the private contexts of that person.
 *
 * @throws ForbiddenError
 */
function requireLoginOwner({ isLimited, sight }: Reach): void {
  if (!isLimited || sight === 'account') return
  throw new ForbiddenError(
    'an external id gives its person the private contexts of the user, which you do not see: leave out externalId, or use an API key with the sight "account"',
    errorReason('external-id-shows-contexts'),
  )
}

/** Adds to users their permissions on accounts within a reach. */
export async function withPermissions(
  repositories: Repositories,
  reach: Reach,
  users: readonly UserRecord[],
): Promise<UserWithPermissions[]> {
  const userIds = users.map(({ id }) => id)
  const permissions = await repositories.permissions.listDetails(userIds)
  const otpMethod = await readOtpMethods(repositories, userIds)
  const reachedCompanies = await reach.within(
    repositories,
    permissions.map(({ account }) => account.companyId),
  )
  const permissionsByUser = new Map<number, PermissionDetails[]>(userIds.map((id) => [id, []]))
  for (const permission of permissions) {
    if (reachedCompanies.has(permission.account.companyId)) permissionsByUser.get(permission.userId)?.push(permission)
  }
  return users.map((user) => toListedUser(user, otpMethod(user.id), permissionsByUser.get(user.id) ?? []))
}

/** @throws InUseError */
async function requireNotOwner(repositories: Repositories, userId: number): Promise<void> {
  if ((await readOwner(repositories))?.userId !== userId) return
  throw new InUseError(
    `the user ${userId} is the owner of this installation and cannot be disabled or deleted: ` +
      'the host and the command line act for the owner',
    errorReason('user-is-owner', { user: userId }),
  )
}

async function revokeKeys(repositories: Repositories, userId: number, { by }: Reach, now: Date): Promise<void> {
  const keys = await repositories.apiKeys.list({ userId })
  for (const { id, companyId } of keys.filter(({ revoked }) => revoked === null)) {
    await recordChange(repositories, by, now, {
      action: 'api-key.revoked',
      companyId,
      targetId: id,
      details: { userId },
    })
  }
  await repositories.apiKeys.deleteOf({ userId })
}
