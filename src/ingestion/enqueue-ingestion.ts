import type { DocumentRecord, Repositories } from '../ports/index.js'
import { INGEST_DOCUMENT } from './job-kinds.js'

/**
 * Has a document processed. It waits in the lane of its context, so that a long queue of one context or of one
 * company does not hold up the others.
 */
export async function enqueueIngestion(
  { accounts, contexts, jobs }: Repositories,
  { id, contextId }: Pick<DocumentRecord, 'id' | 'contextId'>,
): Promise<void> {
  const context = await contexts.get(contextId)
  const account = context && (await accounts.get(context.accountId))
  const company = account && { companyId: account.companyId }
  await jobs.enqueue({ kind: INGEST_DOCUMENT, subject: id, lane: contextId, ...company })
}
