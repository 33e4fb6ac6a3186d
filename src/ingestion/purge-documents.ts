import { PURGE_CONTEXT } from '../context/index.js'
import type { JobHandler, JobRun } from '../jobs/index.js'
import type { Clock, FileStore } from '../ports/index.js'
import { type CollectionIndex, collectionsOf } from './collection-index.js'
import { INDEX_WORDS, INGEST_DOCUMENT, PURGE_DOCUMENT } from './job-kinds.js'
import { removeChunks } from './processing/remove-chunks.js'
import { untilNoBackup } from './until-no-backup.js'

/**
 * Removes what is left of a deleted document: its file, chunks, vectors and words, and its row at last. The file comes
 * first: it is what takes no room to remove, and so makes some on a full disk.
 */
export class PurgeDocument implements JobHandler {
  readonly kind: string = PURGE_DOCUMENT
  readonly #indexes: readonly CollectionIndex[]
  readonly #fileStore: FileStore

  /** @param indexes of vectors and of words */
  constructor(indexes: readonly CollectionIndex[], fileStore: FileStore) {
    this.#indexes = indexes
    this.#fileStore = fileStore
  }

  async run(run: JobRun): Promise<void> {
    await untilNoBackup((work) => run.transaction(work), run.signal)
    const [document] = await run.transaction(({ documents }) => documents.find([run.subject]))
    const doomed = document?.deleted === null ? undefined : document
    if (doomed !== undefined) {
      await this.#fileStore.delete(doomed.uuid)
      await removeChunks(run, doomed.id)
      for (const index of this.#indexes) {
        for (const name of await collectionsOf(index, doomed.contextId)) await index.deleteDocument(name, doomed.id, 0)
      }
    }
    await run.complete(async ({ documents }) => {
      if (doomed !== undefined) await documents.remove(doomed.id)
    })
  }

  /** Nothing to record: the sweep at the next start tries again. */
  async fail(): Promise<void> {
    await Promise.resolve()
  }
}

/**
 * Removes what is left of a deleted context: the files of its documents, its vectors and its words as a whole, for that
 * takes no room; then the rows of its documents, and its own.
 */
export class PurgeContext implements JobHandler {
  readonly kind: string = PURGE_CONTEXT
  readonly #indexes: readonly CollectionIndex[]
  readonly #fileStore: FileStore
  readonly #clock: Clock

  /** @param indexes of vectors and of words */
  constructor(indexes: readonly CollectionIndex[], fileStore: FileStore, clock: Clock) {
    this.#indexes = indexes
    this.#fileStore = fileStore
    this.#clock = clock
  }

  async run(run: JobRun): Promise<void> {
    await untilNoBackup((work) => run.transaction(work), run.signal)
    const isDeleted = await run.transaction(({ contexts }) => contexts.isDeleted(run.subject))
    if (isDeleted) {
      const doomed = await run.transaction(async ({ documents, jobs }) => {
        await jobs.cancelLane(INGEST_DOCUMENT, run.subject)
        await jobs.cancel({ kind: INDEX_WORDS, subject: run.subject })
        // They were left as they were where a user's contexts were deleted together.
        await documents.deleteOfContext(run.subject, this.#clock.now().toISOString())
        return await documents.listDeleted(run.subject)
      })
      for (const { uuid } of doomed) {
        run.signal.throwIfAborted()
        await this.#fileStore.delete(uuid)
      }
      await this.#dropCollections(run.subject)
      for (const document of doomed) {
        await removeChunks(run, document.id)
        await run.transaction(async ({ documents, jobs }) => {
          await jobs.cancel({ kind: PURGE_DOCUMENT, subject: document.id })
          await documents.remove(document.id)
        })
      }
      // What was being written when it was cancelled.
      await this.#dropCollections(run.subject)
    }
    await run.complete(async ({ contexts }) => {
      if (isDeleted) await contexts.remove(run.subject)
    })
  }

  async #dropCollections(contextId: number): Promise<void> {
    for (const index of this.#indexes) {
      for (const name of await collectionsOf(index, contextId)) await index.drop(name)
    }
  }

  /** Nothing to record: the sweep at the next start tries again. */
  async fail(): Promise<void> {
    await Promise.resolve()
  }
}
