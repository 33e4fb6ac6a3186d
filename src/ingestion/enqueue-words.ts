import { ANALYZER_VERSION } from '../analysis/index.js'
import type { NewJob, Repositories, Storage } from '../ports/index.js'
import { inParts } from '../shared/in-parts.js'
import { companyOfContext } from './enqueue-ingestion.js'
import { INDEX_WORDS } from './job-kinds.js'

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
