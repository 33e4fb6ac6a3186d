import { z } from 'zod'
import { recordChange } from '../../audit/index.js'
import { AlreadyExistsError, errorReason } from '../../kernel/errors.js'
import { booleanSchema, idSchema, objectSchema, validate } from '../../kernel/validate.js'
import type { Clock, Repositories, Storage, UserChanges, UserRecord } from '../../ports/index.js'
import type { Actor } from '../access/authorizer.js'
import type { Principal } from '../access/principal.js'
import { type Reach, requireCompany } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import { cancelLinks } from '../mail-queue.js'
import { toUser, type User } from '../records.js'
import {
  completeNames,
  type EmailAddress,
  emailSchema,
  externalIdSchema,
  type FullName,
  OPTIONAL_NAME,
  parseEmailAddress,
} from './identity.js'
import type { NewUsers } from './new-users.js'
import { otpMethodOf } from './second-factor.js'
import { mainPrincipal, type UserPrincipal, userPrincipals } from './user-principals.js'
import { applyRoles, planRoles, type WantedRole, wantedRolesSchema } from './wanted-roles.js'

/** A user as the host's own login knows it. */
export interface EnsureUserInput {
  /** The id of the user in the host's login, such as the subject of a token: 1 to 255 characters, compared exactly. */
  readonly externalId: string
  readonly companyId: number
  /** Default: a new user has no address, and a known one keeps it. */
  readonly email?: string | undefined
  /** As of `users.add`. Default: a new user has no name, and a known one keeps it. */
  readonly name?: string | undefined
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  /** True to send a new user an invitation, which needs an address. Default: false. */
  readonly invite?: boolean | undefined
  /**
   * Roles that the user must have. Roles on other accounts stay as they are. Default: a new user gets the role Member on
   * the company's assistant account, and a known one keeps its roles.
   */
  readonly roles?: readonly WantedRole[] | undefined
  /**
   * True if the login has verified that the address belongs to the user. The external id is then given to a user of the
   * company who has this address and no external id yet. Default: false, such a user is an error.
   */
  readonly linkByEmail?: boolean | undefined
}

/** The user of a login, with the principals for it. */
export interface EnsuredUser {
  readonly user: User
  /** True if this call has added the user. */
  readonly isNew: boolean
  /** The principal on the company's assistant account; on another account if the user has no role there. */
  readonly principal: Principal
  /** All accounts on which the user may act now, in the order of their ids. */
  readonly principals: readonly UserPrincipal[]
}

const SCHEMA = objectSchema({
  externalId: externalIdSchema(),
  companyId: idSchema(),
  email: emailSchema().optional(),
  name: OPTIONAL_NAME,
  firstName: OPTIONAL_NAME,
  lastName: OPTIONAL_NAME,
  invite: booleanSchema().default(false),
  roles: wantedRolesSchema.optional(),
  linkByEmail: z.boolean({ error: 'must be true or false' }).default(false),
})

/** Processes that add one user at the same time meet at most once: then the user exists. */
const ATTEMPTS = 3

interface Wanted extends Pick<z.infer<typeof SCHEMA>, 'externalId' | 'companyId' | 'invite' | 'roles' | 'linkByEmail'> {
  readonly address: EmailAddress | undefined
  readonly names: FullName | undefined
}

/** Adds the users of a host's login when they first appear, and keeps them as the login knows them. */
export class EnsureUser {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly newUsers: NewUsers,
  ) {}

  /**
   * Costs one read if nothing changes.
   *
   * @param readActor the creator of the permissions that are granted
   * @throws InvalidInputError @throws NotFoundError if the company does not exist
   * @throws AlreadyExistsError if another user of the company has the address
   * @throws LimitReachedError if the company has reached its limit of users
   * @throws ThrottledError if an invitation would exceed a limit of mails; nothing is created then
   */
  async execute(input: EnsureUserInput, readActor: () => Promise<Actor>, reach: Reach): Promise<EnsuredUser> {
    const { email, name, firstName, lastName, ...rest } = validate(SCHEMA, input)
    const isNamed = [name, firstName, lastName].some((part) => part !== undefined)
    const wanted = {
      ...rest,
      address: email === undefined ? undefined : parseEmailAddress(email),
      names: isNamed ? completeNames({ name, firstName, lastName }) : undefined,
    }
    for (let attempt = 1; ; attempt += 1) {
      const known = await this.storage.read(async (repositories) => await readUnchanged(repositories, wanted))
      if (known !== undefined) return known
      try {
        return await this.#change(wanted, await readActor(), reach)
      } catch (error) {
        const isRaced = error instanceof AlreadyExistsError && (await this.#exists(wanted))
        if (!isRaced || attempt === ATTEMPTS) throw error
      }
    }
  }

  async #change(wanted: Wanted, actor: Actor, reach: Reach): Promise<EnsuredUser> {
    const { result, mailId } = await this.storage.transaction(async (repositories) => {
      const now = this.clock.now()
      const rights = await Rights.of(repositories, reach, now)
      await requireCompany(repositories, rights.reach, wanted.companyId)
      const known = await findKnown(repositories, wanted)
      if (known === undefined) {
        const added = await this.newUsers.insert(repositories, rights, wanted, actor)
        return { result: await toResult(repositories, added.user, true), mailId: added.mailId }
      }
      await updateKnown(repositories, rights, known, changesOf(known, wanted), now)
      const plans = await planRoles(repositories, known, wanted.roles ?? [])
      await applyRoles(rights, plans, { userId: known.id, actor, created: now.toISOString() })
      const user = (await repositories.users.get(known.id)) ?? known
      return { result: await toResult(repositories, user, false), mailId: undefined }
    })
    await this.newUsers.afterCommit(mailId)
    return result
  }

  async #exists({ companyId, externalId }: Wanted): Promise<boolean> {
    return (await this.storage.read(({ users }) => users.findByExternalId(companyId, externalId))) !== undefined
  }
}

/** The result if the user is already as wanted. */
async function readUnchanged(repositories: Repositories, wanted: Wanted): Promise<EnsuredUser | undefined> {
  const user = await repositories.users.findByExternalId(wanted.companyId, wanted.externalId)
  if (user === undefined || Object.keys(changesOf(user, wanted)).length > 0) return undefined
  const plans = await planRoles(repositories, user, wanted.roles ?? [])
  return plans.length > 0 ? undefined : await toResult(repositories, user, false)
}

async function toResult(repositories: Repositories, record: UserRecord, isNew: boolean): Promise<EnsuredUser> {
  const principals = await userPrincipals(repositories, record.id)
  return {
    user: toUser(record, await otpMethodOf(repositories, record.id)),
    isNew,
    principal: await mainPrincipal(repositories, record, principals),
    principals,
  }
}

/** @throws AlreadyExistsError if a user has the address, and may not be linked to the external id */
async function findKnown({ users }: Repositories, wanted: Wanted): Promise<UserRecord | undefined> {
  const { companyId, externalId, address, linkByEmail } = wanted
  const known = await users.findByExternalId(companyId, externalId)
  if (known !== undefined || address === undefined) return known
  const namesake = await users.findByEmailKey(companyId, address.emailKey)
  if (namesake === undefined) return undefined
  if (namesake.externalId !== null)
    throw new AlreadyExistsError(
      `the user ${namesake.id} has this e-mail address, and another external id`,
      errorReason('user-with-other-external-id', { user: namesake.id }),
    )
  if (linkByEmail) return namesake
  throw new AlreadyExistsError(
    `the user ${namesake.id} has this e-mail address, and no external id: pass linkByEmail: true if your login has ` +
      'verified that the address belongs to its user',
    errorReason('user-without-external-id', { user: namesake.id }),
  )
}

function changesOf(user: UserRecord, { externalId, address, names }: Wanted): UserChanges {
  const wanted: UserChanges = { externalId, ...address, ...names }
  const changed = Object.entries(wanted).filter(([member, value]) => user[member as keyof UserChanges] !== value)
  return Object.fromEntries(changed)
}

async function updateKnown(
  repositories: Repositories,
  { reach }: Rights,
  user: UserRecord,
  changes: UserChanges,
  now: Date,
): Promise<void> {
  if (Object.keys(changes).length === 0) return
  const emailChanged = changes.emailKey !== undefined
  // The mails that hold the links went to the former address.
  if (emailChanged) await cancelLinks(repositories, { userId: user.id })
  await repositories.users.update(user.id, changes)
  await recordChange(repositories, reach.by, now, {
    action: 'user.updated',
    companyId: user.companyId,
    targetId: user.id,
    details: { emailChanged, externalIdChanged: changes.externalId !== undefined },
  })
}
