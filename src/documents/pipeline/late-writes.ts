import { type RetryOptions, retry } from '../../kernel/scheduling/retry.js'
import { BACKUP_JOB, type LexicalIndex, type Storage, type VectorIndex } from '../../ports/index.js'
import { isOfOtherGeneration, wordCollectionOf } from '../collections.js'
import type { WordsOwner } from './index-words.js'

/** Any failure may pass: the document is gone, so nothing else depends on this work. */
const REMOVAL_RETRY: RetryOptions = { backoff: { firstMs: 150, maxRetries: 3 }, isTransient: () => true }

/**
 * Removes from the indexes data that a run wrote too late: after the deletion of its document, perhaps after the purge,
 * or after the context got another generation.
 */
export class LateWrites {
  constructor(
    private readonly storage: Storage,
    private readonly vectors: VectorIndex,
    private readonly words: LexicalIndex,
  ) {}

  /**
   * Does nothing if the document is live, and searches may read the collections.
   * @param vectorCollection the collection of its vectors; undefined if the run wrote none
   */
  async removeIfDeleted({ id, context }: WordsOwner, vectorCollection?: string): Promise<void> {
    const words = wordCollectionOf(context)
    const { isLive, generations, isBackup } = await this.storage.read(async ({ documents, contexts, jobs }) => ({
      isLive: (await documents.get(id)) !== undefined,
      generations: await contexts.generations(context.id),
      isBackup: await jobs.isHeld(BACKUP_JOB),
    }))
    const isInUse = generations !== undefined && !isOfOtherGeneration(words, generations)
    if (isLive && isInUse) return
    const removeFrom = async (index: VectorIndex | LexicalIndex, name: string): Promise<void> => {
      // A backup may still copy this collection. A job waits for the backup, then drops the collection.
      if (isInUse || isBackup) await index.deleteDocument(name, id, 0)
      else await index.drop(name)
    }
    // Without this removal, the data stays until the sweep of the next start.
    const remove = async (): Promise<void> => {
      await removeFrom(this.words, words)
      if (vectorCollection !== undefined) await removeFrom(this.vectors, vectorCollection)
    }
    await retry(remove, REMOVAL_RETRY)
  }
}
