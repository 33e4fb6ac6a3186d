import type { ChunkSettings, ContextRecord, Repositories } from '../ports/index.js'

/** The kind of the jobs that re-index contexts. The subject is the context. */
export const REINDEX_CONTEXT = 'reindex-context'

/**
 * Enqueues the re-index of a context, or the removal of what an earlier one left. If that job exists, it stays until the
 * end of this transaction: a run that ends meanwhile reads the change. Call it before other changes of the context: the
 * job locks in this order too.
 */
export async function enqueueReindex(
  { jobs }: Pick<Repositories, 'jobs'>,
  contextId: number,
  { companyId, ...options }: { readonly companyId?: number | undefined; readonly delayMs?: number } = {},
): Promise<void> {
  const job = { kind: REINDEX_CONTEXT, subject: contextId, lane: contextId }
  await jobs.enqueue({ ...job, ...(companyId !== undefined && { companyId }) }, { ...options, isLocked: true })
}

/** @returns true while a job removes what a re-index of the context has left, or is due to do so */
export async function isRemovingGenerations(
  { jobs, contexts }: Pick<Repositories, 'jobs' | 'contexts'>,
  contextId: number,
): Promise<boolean> {
  const generations = await contexts.generations(contextId)
  if (generations === undefined || generations.reindexing?.error === null) return false
  if (await jobs.isHeld({ kind: REINDEX_CONTEXT, subject: contextId })) return true
  // A job that is due later has failed.
  return (await jobs.waiting([REINDEX_CONTEXT])).some(({ lane, dueInMs }) => lane === contextId && dueInMs === 0)
}

/**
 * Decides what a change of settings does, and prepares it. The caller has enqueued the job, and locked the context.
 *
 * - The present settings cancel a re-index in progress.
 * - The settings of the re-index in progress change nothing. If it has failed, its failed documents are tried again.
 * - Other settings start a re-index, and end the one in progress. A context without documents has them at once.
 *
 * @param changes the members that are given; the others stay as in the re-index in progress, or else as they are
 * @param requireRoom throws if the disk has no room for a re-index to these settings
 * @returns the changes of the context
 */
export async function changeChunkSettings(
  { documents, shadows }: Pick<Repositories, 'documents' | 'shadows'>,
  context: ContextRecord,
  changes: Partial<ChunkSettings>,
  now: string,
  requireRoom: (wanted: ChunkSettings) => Promise<void>,
): Promise<Partial<ContextRecord>> {
  const { id, reindexing, lastGeneration } = context
  const { embeddingModel, chunkSizeTokens, overlap } = { ...context, ...reindexing, ...changes }
  const wanted: ChunkSettings = { embeddingModel, chunkSizeTokens, overlap }
  if (haveSameChunks(wanted, context)) return reindexing === null ? {} : { reindexing: null }
  if (reindexing !== null && haveSameChunks(wanted, reindexing)) {
    if (reindexing.error === null) return {}
    await shadows.delete(id, { isFailed: true }, now)
    return { reindexing: { ...reindexing, error: null } }
  }
  const generation = lastGeneration + 1
  if ((await documents.count(id)) === 0) return { ...wanted, generation, lastGeneration: generation, reindexing: null }
  await requireRoom(wanted)
  return { lastGeneration: generation, reindexing: { ...wanted, generation, started: now, error: null } }
}

/** @returns true if the same texts get the same chunks and vectors */
export function haveSameChunks(one: ChunkSettings, other: ChunkSettings): boolean {
  return (
    one.embeddingModel === other.embeddingModel &&
    one.chunkSizeTokens === other.chunkSizeTokens &&
    one.overlap === other.overlap
  )
}
