import { ANALYZER_VERSION } from '../analysis/index.js'
import { inBatches } from '../kernel/batches.js'
import type { ContextRecord, DocumentRecord, NewJob, Repositories, Storage } from '../ports/index.js'

/** The kind of the jobs that turn a document's bytes into searchable chunks. */
export const INGEST_DOCUMENT = 'ingest-document'

/**
 * The kind of the jobs that index missing words of a context's completed documents, from the stored chunks. The subject
 * is the context.
 */
export const INDEX_WORDS = 'index-words'

/** The kind of the jobs that index the words of a document again after it got another name. */
export const INDEX_NAME = 'index-name'

/** The kind of the jobs that build damaged words of a context again. The subject is the context. */
export const MEND_WORDS = 'mend-words'

/** The kind of the jobs that remove the data of a deleted document. */
export const PURGE_DOCUMENT = 'purge-document'

type ContextOwner = Pick<ContextRecord, 'accountId'>

/**
 * Enqueues the processing of a document.
 * @param context the document's context, if the caller has read it; a read may load a megabyte of tools
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
 * The job that processes a document. It waits in the lane of its context, so that a long queue of one context or company
 * does not delay the others.
 */
export function ingestionJob(
  { id, contextId }: Pick<DocumentRecord, 'id' | 'contextId'>,
  companyId: number | undefined,
): NewJob {
  return { kind: INGEST_DOCUMENT, subject: id, lane: contextId, ...(companyId !== undefined && { companyId }) }
}

/** The lane of the jobs that process the shadows of a context: they take turns with its other documents. */
export function shadowLaneOf(contextId: number): number {
  return -contextId
}

/**
 * Enqueues the indexing of words for the completed documents of a context that have no words of this version of the
 * analyzer. Does nothing if that job exists.
 */
export async function enqueueWords(
  repositories: Repositories,
  contextId: number,
  options: { readonly delayMs?: number } = {},
): Promise<void> {
  await repositories.jobs.enqueue(await wordsJob(repositories, contextId), options)
}

/** Few, so that other writers wait for one transaction, not for all. */
const CONTEXTS_PER_TRANSACTION = 100

/**
 * Calls {@link enqueueWords} for each context that has such documents.
 * @returns the number of these contexts
 */
export async function enqueueMissingWords(storage: Storage, signal: AbortSignal): Promise<number> {
  const contextIds = await storage.read(({ contexts }) => contexts.listWithoutWords(ANALYZER_VERSION))
  for (const part of inBatches(contextIds, CONTEXTS_PER_TRANSACTION)) {
    signal.throwIfAborted()
    await storage.transaction(async (repositories) => {
      const newJobs: NewJob[] = []
      for (const contextId of part) newJobs.push(await wordsJob(repositories, contextId))
      await repositories.jobs.enqueueAll(newJobs)
    })
  }
  return contextIds.length
}

/** The job that indexes the words of a context. It has the company's id, so that companies take turns. */
async function wordsJob(repositories: Repositories, contextId: number): Promise<NewJob> {
  const companyId = await companyOfContext(repositories, contextId)
  return { kind: INDEX_WORDS, subject: contextId, lane: contextId, ...(companyId !== undefined && { companyId }) }
}

/** The id of the company that owns a context; undefined if the context or its account does not exist. */
export async function companyOfContext(
  { accounts, contexts }: Pick<Repositories, 'accounts' | 'contexts'>,
  contextId: number,
  known?: ContextOwner,
): Promise<number | undefined> {
  const context = known ?? (await contexts.get(contextId))
  return (context && (await accounts.get(context.accountId)))?.companyId
}
