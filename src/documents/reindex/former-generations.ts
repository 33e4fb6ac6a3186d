import { type JobRun, untilNoBackup } from '../../jobs/index.js'
import type { FileStore, Repositories } from '../../ports/index.js'
import { type CollectionIndex, collectionsOf, isOfOtherGeneration } from '../collections.js'
import { CHUNKS_PER_REMOVAL } from '../pipeline/stored-chunks.js'

const VERSIONS_PER_STEP = 50

/** Removes what generations that no search reads have left: collections, then chunks and rows. */
export class FormerGenerations {
  /** @param indexes the vector index and the word index */
  constructor(
    private readonly indexes: readonly CollectionIndex[],
    private readonly fileStore: FileStore,
  ) {}

  async remove(job: JobRun, contextId: number): Promise<void> {
    await untilNoBackup((work) => job.transaction(work), job.signal)
    for (const index of this.indexes) {
      // The names come first: a re-index that starts after this read has a generation that is not among them.
      const names = await collectionsOf(index, contextId)
      const generations = await job.transaction(({ contexts }) => contexts.generations(contextId))
      // The collections of a deleted context are dropped by its own job.
      if (generations === undefined) return
      for (const name of names) {
        job.signal.throwIfAborted()
        if (isOfOtherGeneration(name, generations)) await index.drop(name)
      }
    }
    while (await this.#removeRows(job, contextId)) job.signal.throwIfAborted()
  }

  /** @returns true if rows may be left */
  async #removeRows(job: JobRun, contextId: number): Promise<boolean> {
    const { versions, inUse } = await job.transaction(async ({ contexts, shadows, documents }) => {
      const generations = await contexts.generations(contextId)
      const exceptGeneration = generations?.reindexing?.generation
      const listed = await shadows.listDeleted(contextId, { limit: VERSIONS_PER_STEP, exceptGeneration })
      return { versions: listed, inUse: await documents.filesInUse(listed.map(({ uuid }) => uuid)) }
    })
    if (versions.length === 0) return false
    for (const { uuid } of versions) if (!inUse.has(uuid)) await this.fileStore.delete(uuid)
    const ids = versions.map(({ id }) => id)
    const remove = async ({ chunks, documents }: Repositories): Promise<void> =>
      await documents.remove(await chunks.removeOf(ids, CHUNKS_PER_REMOVAL))
    await job.transaction(remove, { isProgress: true })
    return true
  }
}
