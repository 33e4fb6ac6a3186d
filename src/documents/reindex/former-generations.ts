import { type JobRun, untilNoBackup } from '../../jobs/index.js'
import type { FileStore, Repositories } from '../../ports/index.js'
import { type CollectionIndex, collectionsOf, isOfOtherGeneration } from '../collections.js'

const [VERSIONS_PER_STEP, CHUNKS_PER_STEP] = [50, 500]

/** Removes what generations that no search reads have left: collections, then chunks and rows. */
export class FormerGenerations {
  readonly #indexes: readonly CollectionIndex[]
  readonly #fileStore: FileStore

  /** @param indexes the vector index and the word index */
  constructor(indexes: readonly CollectionIndex[], fileStore: FileStore) {
    this.#indexes = indexes
    this.#fileStore = fileStore
  }

  async remove(job: JobRun, contextId: number): Promise<void> {
    await untilNoBackup((work) => job.transaction(work), job.signal)
    for (const index of this.#indexes) {
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
    const versions = await job.transaction(async ({ contexts, shadows }) => {
      const generations = await contexts.generations(contextId)
      const exceptGeneration = generations?.reindexing?.generation
      return await shadows.listDeleted(contextId, { limit: VERSIONS_PER_STEP, exceptGeneration })
    })
    for (const { uuid } of versions) {
      const isInUse = await job.transaction(({ documents }) => documents.isFileInUse(uuid))
      if (!isInUse) await this.#fileStore.delete(uuid)
    }
    const remove = async ({ chunks, documents }: Repositories): Promise<void> => {
      let limit = CHUNKS_PER_STEP
      for (const { id } of versions) {
        limit -= await chunks.remove(id, { fromOrdinal: 0, limit })
        if (limit <= 0) return
        await documents.remove(id)
      }
    }
    await job.transaction(remove, { isProgress: true })
    return versions.length > 0
  }
}
