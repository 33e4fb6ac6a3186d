import type { ChunkSettings, ContextRecord, Repositories } from '../ports/index.js'
import type { RoomCheck } from './reindex-room.js'

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
 * @param requireRoom throws if the disk has no room for a re-index to the wanted settings: see `roomCheck`
 * @returns the changes of the context
 */
export async function changeChunkSettings(
  repositories: Pick<Repositories, 'documents' | 'shadows'>,
  context: ContextRecord,
  changes: Partial<ChunkSettings>,
  now: string,
  requireRoom: RoomCheck,
): Promise<Partial<ContextRecord>> {
  const { documents, shadows } = repositories
  const { id, reindexing, lastGeneration } = context
  const wanted = chunkSettingsOf({ ...context, ...reindexing, ...changes })
  if (haveSameChunks(wanted, context)) return reindexing === null ? {} : { reindexing: null }
  if (reindexing !== null && haveSameChunks(wanted, reindexing)) {
    if (reindexing.error === null) return {}
    await shadows.delete(id, { isFailed: true }, now)
    return { reindexing: { ...reindexing, error: null } }
  }
  const generation = lastGeneration + 1
  if ((await documents.count(id)) === 0) return { ...wanted, generation, lastGeneration: generation, reindexing: null }
  await requireRoom(repositories, context, wanted)
  return { lastGeneration: generation, reindexing: { ...wanted, generation, started: now, error: null } }
}

/** The settings of a context, or of a re-index, that decide its chunks and vectors. */
export function chunkSettingsOf({ embeddingModel, chunkSizeTokens, overlap }: ChunkSettings): ChunkSettings {
  return { embeddingModel, chunkSizeTokens, overlap }
}

/** @returns true if the same texts get the same chunks and vectors */
function haveSameChunks(one: ChunkSettings, other: ChunkSettings): boolean {
  return (
    one.embeddingModel === other.embeddingModel &&
    one.chunkSizeTokens === other.chunkSizeTokens &&
    one.overlap === other.overlap
  )
}
