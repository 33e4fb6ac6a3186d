import type { AuditActor } from '../audit/index.js'
import type { Repositories } from '../ports/index.js'

/** Contexts, as far as the end of what owns them goes. They are of a module above, which is bound to this. */
export interface ContextRemoval {
  /**
   * Deletes the contexts of an account, or those that a user has made, with their documents: in the caller's
   * transaction for everybody who looks, on the disk by jobs. Each leaves an entry in the audit trail.
   */
  remove(
    repositories: Repositories,
    of: { readonly accountId: number } | { readonly userId: number },
    by: AuditActor,
  ): Promise<void>
}
