import { pause } from '../../kernel/abort.js'
import { BACKUP_JOB, type LexicalIndex, type Storage, type VectorIndex } from '../../ports/index.js'
import { wordCollectionOf } from '../collections.js'
import type { WordsOwner } from './index-words.js'

const RETRY_PAUSES_MS = [100, 300, 1_000]

/** Removes from the indexes what a run wrote of a document that was deleted meanwhile: its purge may have come before. */
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
   * Does nothing where the document is live.
   * @param vectorCollection where its vectors were written, if any were
   */
  async removeIfDeleted({ id, contextId }: WordsOwner, vectorCollection?: string): Promise<void> {
    const { isLive, hasContext, isBackup } = await this.#storage.read(async ({ documents, contexts, jobs }) => ({
      isLive: (await documents.get(id)) !== undefined,
      hasContext: (await contexts.get(contextId)) !== undefined,
      isBackup: await jobs.isHeld(BACKUP_JOB),
    }))
    if (isLive) return
    const removeFrom = async (index: VectorIndex | LexicalIndex, name: string): Promise<void> => {
      // A backup may be about to copy what the context had when it began: its purge waits for that, and drops it.
      if (hasContext || isBackup) await index.deleteDocument(name, id, 0)
      else await index.drop(name)
    }
    // Nothing else would look for it before the next start.
    await retry(async () => {
      await removeFrom(this.#words, wordCollectionOf(contextId))
      if (vectorCollection !== undefined) await removeFrom(this.#vectors, vectorCollection)
    })
  }
}

/** Tries again after a moment; the last error is thrown. */
async function retry(work: () => Promise<void>): Promise<void> {
  for (const pauseMs of RETRY_PAUSES_MS) {
    try {
      await work()
      return
    } catch {
      await pause(pauseMs)
    }
  }
  await work()
}
