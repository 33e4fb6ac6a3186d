import { randomToken } from '../../kernel/crypto.js'
import { InvalidInputError } from '../../kernel/errors.js'
import { type EngineLimits, requireBelow } from '../../kernel/limits.js'
import type { AccountRecord, Clock, Repositories, RoleRecord, UserRecord } from '../../ports/index.js'
import type { Actor } from '../access/authorizer.js'
import type { Rights } from '../access/rights.js'
import { ensureSystemRole, MEMBER } from '../access/roles.js'
import type { MailQueue } from '../mail-queue.js'
import { completeNames, type EmailAddress, type FullName, insertUser, noAddress } from './identity.js'
import { applyRoles, planRoles, type WantedRole } from './wanted-roles.js'

/** A user to be added. */
interface Newcomer {
  readonly companyId: number
  readonly externalId: string | undefined
  /** Undefined for a user without an address. */
  readonly address: EmailAddress | undefined
  /** Default: no name. */
  readonly names: FullName | undefined
  /** True to send an invitation. */
  readonly invite: boolean
  /** Default: the role Member on the company's assistant account. */
  readonly roles?: readonly WantedRole[] | undefined
}

/** Adds users within transactions of other use cases. */
export class NewUsers {
  constructor(
    private readonly clock: Clock,
    private readonly limits: EngineLimits,
    private readonly mailQueue: MailQueue,
  ) {}

  /**
   * Inserts a user with its roles, and enqueues the invitation. The caller has checked the company.
   *
   * @returns the user, and the id of the mail for {@link afterCommit}
   * @throws InvalidInputError for an invitation without an address, and for roles that do not exist
   * @throws ForbiddenError within a limited reach, if the caller lacks a capability of the role Member
   * @throws AlreadyExistsError if the company has a user with that address or external id
   * @throws LimitReachedError if the company has reached its limit of users
   * @throws ThrottledError if the invitation would exceed a limit of mails
   */
  async insert(
    repositories: Repositories,
    rights: Rights,
    { companyId, externalId, address, names = completeNames({}), invite, roles }: Newcomer,
    actor: Actor,
  ): Promise<{ readonly user: UserRecord; readonly mailId: number | undefined }> {
    if (invite && address === undefined) throw new InvalidInputError('email', 'is required for an invitation')
    const created = this.clock.now().toISOString()
    const { by, companyId: causedBy } = rights.reach
    const membership = roles === undefined ? await membershipOf(repositories, companyId) : undefined
    // This check comes before the address is read: a caller who may not add users learns nothing about it.
    if (membership !== undefined) rights.requireHeld(membership.role)
    requireBelow(this.limits, 'usersPerCompany', companyId, await repositories.users.count(companyId))
    const plans = await planRoles(repositories, { id: undefined, companyId }, roles ?? [])
    const identity = { externalId: externalId ?? null, address: address ?? noAddress(externalId ?? randomToken(12)) }
    const user = await insertUser(repositories, { companyId, ...identity, created, ...names }, by)
    if (membership !== undefined) {
      const { account, role } = membership
      await rights.grant({ userId: user.id, accountId: account.id, roleId: role.id, created }, actor)
    }
    await applyRoles(rights, plans, { userId: user.id, actor, created })
    if (!invite) return { user, mailId: undefined }
    return { user, mailId: await this.mailQueue.enqueue(repositories, { user, purpose: 'invitation', causedBy }) }
  }

  /** Sends the mail of {@link insert}, if there is one. */
  async afterCommit(mailId: number | undefined): Promise<void> {
    if (mailId !== undefined) await this.mailQueue.afterCommit(mailId)
  }
}

/** The access that every new user of a company gets; `undefined` if the company has no assistant account. */
async function membershipOf(
  repositories: Repositories,
  companyId: number,
): Promise<{ readonly account: AccountRecord; readonly role: RoleRecord } | undefined> {
  const accounts = await repositories.accounts.list({ companyId })
  const account = accounts.find(({ application }) => application === 'assistant')
  return account && { account, role: await ensureSystemRole(repositories, MEMBER) }
}
