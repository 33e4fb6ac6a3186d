import type { AuditActor } from '../audit/index.js'
import type { Repositories } from '../ports/index.js'

/**
 * Deletes the contexts of accounts and users that are deleted. The contexts room implements it, because tenancy must
 * not import that room.
 */
export interface ContextRemoval {
  /**
   * Enqueues the job that deletes the contexts of an account, one after the other, with their documents. The caller's
   * transaction deletes the account, and that alone hides the contexts. Each context gets an entry in the audit trail.
   */
  removeOfAccount(repositories: Repositories, accountId: number, by: AuditActor): Promise<void>
  /**
   * Deletes the contexts that a user created, in all accounts, with their documents. The caller's transaction makes
   * them inaccessible; jobs remove the files. Each context gets an entry in the audit trail.
   */
  removeMadeBy(repositories: Repositories, userId: number, by: AuditActor): Promise<void>
}
