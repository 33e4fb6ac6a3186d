import type { z } from 'zod'
import { type AuditActor, recordChange, recordChanges } from '../audit/index.js'
import { errorReason, ForbiddenError, InUseError, InvalidInputError, NotFoundError } from '../kernel/errors.js'
import { pages } from '../kernel/lists.js'
import { idSchema, objectSchema, parseId, validate } from '../kernel/validate.js'
import type { AccountRecord, Clock, ContextRecord, Repositories, Storage, UserRecord } from '../ports/index.js'
import {
  type Authorizer,
  covers,
  findUsableUser,
  givesAccess,
  type Principal,
  parsePrincipal,
  type Reach,
} from '../tenancy/index.js'
import { ASSISTANT, type Context, findWritable, toContext } from './context.js'

/** The user who gets a context. */
export interface HandOverInput {
  /** A user with a role on the context's account that may read contexts. */
  readonly toUserId: number
}

/** The user who gets the contexts of another user. */
export interface HandOverAllInput extends HandOverInput {
  /** Only contexts of this account. Default: of all accounts. */
  readonly accountId?: number | undefined
}

/** The contexts that have another user now. */
export interface HandedOver {
  readonly contextIds: readonly number[]
}

/** The body of `PUT /context/owner/{contextId}`. */
export const handOverSchema: z.ZodType<HandOverInput> = objectSchema({ toUserId: idSchema() })

/** The body of `POST /tenant/user/{id}/hand-over`. */
export const handOverAllSchema: z.ZodType<HandOverAllInput> = objectSchema({
  toUserId: idSchema(),
  accountId: idSchema().optional(),
})

/** Contexts that one statement changes: each row may have a megabyte of text. */
const CONTEXTS_PER_STATEMENT = 10

/**
 * Gives contexts to other users: what their former user made stays in use after that user has left. Documents, sharing
 * and searches do not change.
 */
export class HandOverContexts {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly authorizer: Authorizer,
  ) {}

  /**
   * Gives one context to another user, for a principal that can change it.
   *
   * @throws InvalidInputError if the user may not read contexts of the account
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND` @throws ForbiddenError if another user shares the context
   */
  async execute(principal: Principal, contextId: number, input: HandOverInput): Promise<Context> {
    const access = await this.authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:write')
    return await this.#handOver(contextId, input, access.by, async (repositories, id) => {
      return await findWritable(repositories, access, id)
    })
  }

  /** As {@link execute}, for the host. */
  async executeForHost(contextId: number, input: HandOverInput, { by }: Reach): Promise<Context> {
    return await this.#handOver(contextId, input, by, async ({ contexts }, id) => {
      const context = await contexts.get(id)
      if (context === undefined) throw new NotFoundError('context', id)
      return context
    })
  }

  /**
   * Gives all contexts of a user to another user. Within a limited reach, only those of accounts within it, and only if
   * the user is disabled or deleted: nobody takes contexts from a user who still works with them.
   *
   * @throws InvalidInputError if the new user may not read contexts of one of the accounts; nothing changes then
   * @throws NotFoundError if the former user never existed, or is out of reach
   * @throws InUseError within a limited reach, if the former user is enabled
   * @throws ForbiddenError within a limited reach, if the caller may not read and write contexts
   */
  async ofUser(fromUserId: number, input: HandOverAllInput, givenReach: Reach): Promise<HandedOver> {
    const from = parseId(fromUserId, 'id')
    const { toUserId, accountId } = validate(handOverAllSchema, input)
    if (from === toUserId) {
      throw new InvalidInputError('toUserId', 'must be another user', { reason: errorReason('same-user') })
    }
    return await this.storage.transaction(async (repositories) => {
      const reach = await givenReach.renew(repositories)
      const { companyId } = await requireFormer(repositories, reach, from)
      const listed = await repositories.contexts.listAccountsOf(from)
      const chosen = accountId === undefined ? listed : listed.filter((id) => id === accountId)
      const accounts = await reachedAccounts(repositories, reach, chosen)
      for (const account of accounts) await requireReader(repositories, toUserId, account)
      const changes: ReturnType<typeof handedOver>[] = []
      for (const account of accounts) {
        const change = { accountId: account.id, fromUserId: from, toUserId }
        const next = pages(CONTEXTS_PER_STATEMENT, async (page) => await repositories.contexts.handOver(change, page))
        for await (const ids of next) changes.push(...ids.map((id) => handedOver(id, account, from, toUserId)))
      }
      const now = this.clock.now()
      await recordChange(repositories, reach.by, now, {
        action: 'user.contexts-handed-over',
        companyId,
        targetId: from,
        details: { newUserId: toUserId, contexts: changes.length },
      })
      await recordChanges(repositories, reach.by, now, changes)
      return { contextIds: changes.map(({ targetId }) => targetId).sort((one, other) => one - other) }
    })
  }

  async #handOver(
    contextId: number,
    input: HandOverInput,
    by: AuditActor,
    find: (repositories: Repositories, id: number) => Promise<ContextRecord>,
  ): Promise<Context> {
    const id = parseId(contextId, 'contextId')
    const { toUserId } = validate(handOverSchema, input)
    return await this.storage.transaction(async (repositories) => {
      const context = await find(repositories, id)
      const account = await repositories.accounts.get(context.accountId)
      // The contexts of a deleted account are invisible, and about to be removed.
      if (account === undefined) throw new NotFoundError('context', id)
      await requireReader(repositories, toUserId, account)
      if (context.userId === toUserId) return toContext(context)
      const change = handedOver(id, account, context.userId, toUserId)
      await recordChange(repositories, by, this.clock.now(), change)
      return toContext((await repositories.contexts.update(id, { userId: toUserId })) ?? context)
    })
  }
}

function handedOver(targetId: number, { id, companyId }: AccountRecord, oldUserId: number, newUserId: number) {
  const details = { accountId: id, oldUserId, newUserId }
  return { action: 'context.handed-over', companyId, targetId, details } as const
}

/** @throws NotFoundError @throws InUseError @throws ForbiddenError */
async function requireFormer(
  repositories: Repositories,
  reach: Reach,
  id: number,
): Promise<Pick<UserRecord, 'companyId'>> {
  const { users } = repositories
  const user = await users.get(id)
  const former = user ?? (await users.getDeleted(id))
  if (former === undefined) throw new NotFoundError('user', id)
  if (!reach.isLimited) return former
  if (!(await covers(reach, repositories, former.companyId))) throw new NotFoundError('user', id)
  if (!reach.mayGrant(['context:read', 'context:write']))
    throw new ForbiddenError(
      'your role does not read and write contexts: a user with such a role must hand them over',
      errorReason('hand-over-needs-rights'),
    )
  if (user !== undefined && !user.isDisabled)
    throw new InUseError(
      `the user ${id} is still active: disable or delete the user first`,
      errorReason('user-still-active', { user: id }),
    )
  return former
}

/** Those of the accounts that are not deleted and within reach. */
async function reachedAccounts(
  repositories: Repositories,
  reach: Reach,
  ids: readonly number[],
): Promise<readonly AccountRecord[]> {
  const found = await Promise.all(ids.map(async (id) => await repositories.accounts.get(id)))
  const accounts = found.filter((account) => account !== undefined)
  const reached = await reach.within(
    repositories,
    accounts.map(({ companyId }) => companyId),
  )
  return accounts.filter(({ companyId }) => reached.has(companyId))
}

/** @throws InvalidInputError if a user may not read contexts of an account; the same for a user who does not exist */
async function requireReader(repositories: Repositories, userId: number, { id }: AccountRecord): Promise<void> {
  const user = await findUsableUser(repositories, userId)
  const access = user && (await repositories.permissions.findAccess(userId, id))
  const mayRead =
    access?.role.applications.includes(ASSISTANT) === true && access.role.capabilities.includes('context:read')
  if (access !== undefined && givesAccess(access) && mayRead) return
  throw new InvalidInputError(
    'toUserId',
    `the user ${userId} may not read contexts of the account ${id}: give the user a role there first`,
  )
}
