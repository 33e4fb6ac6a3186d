import { type AuditActor, recordChange } from '../audit/index.js'
import type { Clock, ContextRecord, Repositories } from '../ports/index.js'
import type { ContextRemoval } from '../tenancy-authorization/index.js'

/** The job that removes what is left of a deleted context: chunks, vectors and files. */
export const PURGE_CONTEXT = 'purge-context'

/** Deletes a context for everybody who looks; the job does the rest. The caller holds the context. */
export async function removeContext(
  { contexts, documents, jobs }: Repositories,
  id: number,
  deleted: string,
): Promise<void> {
  await contexts.update(id, { deleted })
  await documents.deleteOfContext(id, deleted)
  await jobs.enqueue({ kind: PURGE_CONTEXT, subject: id })
}

/** Deletes the contexts of what is deleted itself. */
export class RemoveContexts implements ContextRemoval {
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async remove(
    repositories: Repositories,
    of: { readonly accountId: number } | { readonly userId: number },
    by: AuditActor,
  ): Promise<void> {
    for (const context of await repositories.contexts.list(of)) await this.#remove(repositories, context, by)
  }

  async #remove(repositories: Repositories, { id, accountId }: ContextRecord, by: AuditActor): Promise<void> {
    const now = this.#clock.now()
    // An upload that is being settled holds it, and is a document by then.
    await repositories.contexts.lock(id)
    await removeContext(repositories, id, now.toISOString())
    await recordChange(repositories, by, now, {
      action: 'context.deleted',
      companyId: (await repositories.accounts.get(accountId))?.companyId ?? null,
      targetId: id,
      details: { accountId },
    })
  }
}
