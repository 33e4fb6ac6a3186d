import type { ContextRecord, DocumentRecord, NewJob, Repositories } from '../ports/index.js'
import { INGEST_DOCUMENT } from './job-kinds.js'

type ContextOwner = Pick<ContextRecord, 'accountId'>

/**
 * Has a document processed.
 * @param context where it is known already: it may have a megabyte of tools
 */
export async function enqueueIngestion(
  repositories: Repositories,
  document: Pick<DocumentRecord, 'id' | 'contextId'>,
  context?: ContextOwner,
): Promise<void> {
  const companyId = await companyOfContext(repositories, document.contextId, context)
  await repositories.jobs.enqueue(ingestionJob(document, companyId))
}

/**
 * A document waits in the lane of its context, so that a long queue of one context or of one company does not hold
 * up the others.
 */
export function ingestionJob(
  { id, contextId }: Pick<DocumentRecord, 'id' | 'contextId'>,
  companyId: number | undefined,
): NewJob {
  return { kind: INGEST_DOCUMENT, subject: id, lane: contextId, ...(companyId !== undefined && { companyId }) }
}

/** The company on whose behalf the documents of a context are processed. */
export async function companyOfContext(
  { accounts, contexts }: Pick<Repositories, 'accounts' | 'contexts'>,
  contextId: number,
  known?: ContextOwner,
): Promise<number | undefined> {
  const context = known ?? (await contexts.get(contextId))
  return (context && (await accounts.get(context.accountId)))?.companyId
}
