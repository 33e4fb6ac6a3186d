import { type AuditActor, recordChanges } from '../audit/index.js'
import { pages } from '../kernel/lists.js'
import type { Clock, Repositories } from '../ports/index.js'
import type { ContextRemoval } from '../tenancy/index.js'

/** The kind of the job that deletes the contexts of a deleted account, one after the other. */
export const PURGE_ACCOUNT = 'purge-account'

/** The kind of the job that removes the data of a deleted context: chunks, vectors, words and files. */
export const PURGE_CONTEXT = 'purge-context'

/** Makes a context invisible at once, and enqueues the job that removes its data. The caller has locked the context. */
export async function removeContext(
  { contexts, documents, jobs }: Repositories,
  id: number,
  deleted: string,
): Promise<void> {
  await contexts.update(id, { deleted })
  await documents.deleteOfContext(id, deleted)
  await jobs.enqueue({ kind: PURGE_CONTEXT, subject: id })
}

const IDS_PER_READ = 500

/** Deletes the contexts of a deleted account or user. There is no limit to their number or size. */
export class RemoveContexts implements ContextRemoval {
  constructor(private readonly clock: Clock) {}

  async removeOfAccount(repositories: Repositories, accountId: number, by: AuditActor): Promise<void> {
    const now = this.clock.now()
    const { accounts, contexts, jobs } = repositories
    const companyId = (await accounts.get(accountId))?.companyId ?? null
    // These reads also conflict with a transaction that adds a context at the same time.
    for await (const ids of pages(IDS_PER_READ, async (page) => await contexts.listIds({ accountId }, page))) {
      await recordChanges(
        repositories,
        by,
        now,
        ids.map((targetId) => ({ action: 'context.deleted', companyId, targetId, details: { accountId } })),
      )
    }
    await jobs.enqueue({ kind: PURGE_ACCOUNT, subject: accountId })
  }

  async removeMadeBy(repositories: Repositories, userId: number, by: AuditActor): Promise<void> {
    const now = this.clock.now()
    const { accounts, contexts, jobs } = repositories
    const removed = await contexts.deleteMadeBy(userId, now.toISOString())
    await jobs.enqueueAll(removed.map(({ id }) => ({ kind: PURGE_CONTEXT, subject: id })))
    const companies = new Map<number, number | undefined>()
    for (const accountId of new Set(removed.map((context) => context.accountId))) {
      companies.set(accountId, (await accounts.get(accountId))?.companyId)
    }
    await recordChanges(
      repositories,
      by,
      now,
      removed.flatMap(({ id: targetId, accountId }) => {
        const companyId = companies.get(accountId)
        // The deletion of the account has already recorded this context.
        if (companyId === undefined) return []
        return [{ action: 'context.deleted', companyId, targetId, details: { accountId } } as const]
      }),
    )
  }
}
