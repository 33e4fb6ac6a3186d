import { ANALYZER_VERSION } from '../analysis/index.js'
import { inParts } from '../kernel/in-parts.js'
import type { ContextRecord, DocumentRecord, NewJob, Repositories, Storage } from '../ports/index.js'

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

/** Contexts of one transaction: a caller that writes meanwhile waits for one transaction, not for all. */
const CONTEXTS_PER_TRANSACTION = 100

/**
 * Has the words indexed of all completed documents of a context that lack them, or have those of another version of the
 * analyzer. Does nothing where that is enqueued already.
 */
export async function enqueueWords(
  repositories: Repositories,
  contextId: number,
  options: { readonly delayMs?: number } = {},
): Promise<void> {
  await repositories.jobs.enqueue(await wordsJob(repositories, contextId), options)
}

/**
 * Does the same for every context that has such documents.
 * @returns the number of these contexts
 */
export async function enqueueMissingWords(storage: Storage, signal: AbortSignal): Promise<number> {
  const contextIds = await storage.read(({ contexts }) => contexts.listWithoutWords(ANALYZER_VERSION))
  for (const part of inParts(contextIds, CONTEXTS_PER_TRANSACTION)) {
    signal.throwIfAborted()
    await storage.transaction(async (repositories) => {
      const enqueued: NewJob[] = []
      for (const contextId of part) enqueued.push(await wordsJob(repositories, contextId))
      await repositories.jobs.enqueueAll(enqueued)
    })
  }
  return contextIds.length
}

/** The job waits in the lane of its context, on behalf of its company, so that companies take turns. */
async function wordsJob(repositories: Repositories, contextId: number): Promise<NewJob> {
  const companyId = await companyOfContext(repositories, contextId)
  return { kind: INDEX_WORDS, subject: contextId, lane: contextId, ...(companyId !== undefined && { companyId }) }
}

/** Turns a document's bytes into searchable chunks. */
export const INGEST_DOCUMENT = 'ingest-document'
/** Indexes the words of a context's completed documents that lack them, from the stored chunks. Its subject is the context. */
export const INDEX_WORDS = 'index-words'
/** Removes what is left of a deleted document. */
export const PURGE_DOCUMENT = 'purge-document'
