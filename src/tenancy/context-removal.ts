import type { AuditActor } from '../audit/index.js'
import type { Repositories } from '../ports/index.js'

/** Contexts, as far as the end of what owns them goes. They are of a module above, which is bound to this. */
export interface ContextRemoval {
  /**
   * Deletes the contexts of an account that the caller's transaction deletes, which is what hides them: a job deletes
   * one after the other, with their documents. Each leaves an entry in the audit trail.
   */
  removeOfAccount(repositories: Repositories, accountId: number, by: AuditActor): Promise<void>
  /**
   * Deletes the contexts that a user has made, in whichever account, with their documents: in the caller's transaction
   * for everybody who looks, on the disk by jobs. Each leaves an entry in the audit trail.
   */
  removeMadeBy(repositories: Repositories, userId: number, by: AuditActor): Promise<void>
}
