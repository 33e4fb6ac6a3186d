import { type RetryOptions, retry } from '../../kernel/retry.js'
import { BACKUP_JOB, type LexicalIndex, type Storage, type VectorIndex } from '../../ports/index.js'
import { wordCollectionOf } from '../collections.js'
import type { WordsOwner } from './index-words.js'

/** Any failure may pass: the document is gone, so nothing else depends on this work. */
const REMOVAL_RETRY: RetryOptions = { backoff: { firstMs: 150, maxRetries: 3 }, isTransient: () => true }

/** Removes from the indexes data of a deleted document that a run wrote after the deletion, perhaps after its purge. */
export class LateWrites {
  readonly #storage: Storage
  readonly #vectors: VectorIndex
  readonly #words: LexicalIndex

  constructor(storage: Storage, vectors: VectorIndex, words: LexicalIndex) {
    this.#storage = storage
    this.#vectors = vectors
    this.#words = words
  }

  /**
   * Does nothing if the document is live.
   * @param vectorCollection the collection of its vectors; undefined if the run wrote none
   */
  async removeIfDeleted({ id, contextId }: WordsOwner, vectorCollection?: string): Promise<void> {
    const { isLive, hasContext, isBackup } = await this.#storage.read(async ({ documents, contexts, jobs }) => ({
      isLive: (await documents.get(id)) !== undefined,
      hasContext: (await contexts.get(contextId)) !== undefined,
      isBackup: await jobs.isHeld(BACKUP_JOB),
    }))
    if (isLive) return
    const removeFrom = async (index: VectorIndex | LexicalIndex, name: string): Promise<void> => {
      // A backup may still copy this collection. The context's purge waits for the backup, then drops the collection.
      if (hasContext || isBackup) await index.deleteDocument(name, id, 0)
      else await index.drop(name)
    }
    // Without this removal, the data stays until the sweep of the next start.
    const remove = async (): Promise<void> => {
      await removeFrom(this.#words, wordCollectionOf(contextId))
      if (vectorCollection !== undefined) await removeFrom(this.#vectors, vectorCollection)
    }
    await retry(remove, REMOVAL_RETRY)
  }
}
