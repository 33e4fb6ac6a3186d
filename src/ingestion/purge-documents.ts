import { PURGE_CONTEXT } from '../context/index.js'
import type { JobHandler, JobRun } from '../jobs/index.js'
import type { FileStore, VectorIndex } from '../ports/index.js'
import { INGEST_DOCUMENT, PURGE_DOCUMENT } from './job-kinds.js'
import { CHUNKS_PER_REMOVAL } from './processing/document-writer.js'
import { untilNoBackup } from './until-no-backup.js'
import { collectionPrefix } from './vector-collection.js'

interface Doomed {
  readonly id: number
  readonly uuid: string
  readonly contextId: number
}

/** Removes what is left of a deleted document: chunks, vectors, file, and its row at last. */
export class PurgeDocument implements JobHandler {
  readonly kind: string = PURGE_DOCUMENT
  readonly #index: VectorIndex
  readonly #fileStore: FileStore

  constructor(index: VectorIndex, fileStore: FileStore) {
    this.#index = index
    this.#fileStore = fileStore
  }

  async run(run: JobRun): Promise<void> {
    await untilNoBackup((work) => run.transaction(work), run.signal)
    const deleted = await run.transaction(({ documents }) => documents.listDeleted())
    const doomed = deleted.find(({ id }) => id === run.subject)
    if (doomed !== undefined) {
      await removeChunks(run, doomed)
      for (const name of await collectionsOf(this.#index, doomed.contextId)) {
        await this.#index.deleteDocument(name, doomed.id, 0)
      }
      await this.#fileStore.delete(doomed.uuid)
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

/** Removes what is left of a deleted context: its documents, then its vectors as a whole. */
export class PurgeContext implements JobHandler {
  readonly kind: string = PURGE_CONTEXT
  readonly #index: VectorIndex
  readonly #fileStore: FileStore

  constructor(index: VectorIndex, fileStore: FileStore) {
    this.#index = index
    this.#fileStore = fileStore
  }

  async run(run: JobRun): Promise<void> {
    await untilNoBackup((work) => run.transaction(work), run.signal)
    const isDeleted = await run.transaction(async ({ contexts }) =>
      (await contexts.listDeleted()).includes(run.subject),
    )
    if (isDeleted) {
      for (const doomed of await run.transaction(({ documents }) => documents.listDeleted(run.subject))) {
        await run.transaction(({ jobs }) => jobs.cancel({ kind: INGEST_DOCUMENT, subject: doomed.id }))
        await removeChunks(run, doomed)
        await this.#fileStore.delete(doomed.uuid)
        await run.transaction(async ({ documents, jobs }) => {
          await jobs.cancel({ kind: PURGE_DOCUMENT, subject: doomed.id })
          await documents.remove(doomed.id)
        })
      }
      for (const name of await collectionsOf(this.#index, run.subject)) await this.#index.drop(name)
    }
    await run.complete(async ({ contexts }) => {
      if (isDeleted) await contexts.remove(run.subject)
    })
  }

  /** Nothing to record: the sweep at the next start tries again. */
  async fail(): Promise<void> {
    await Promise.resolve()
  }
}

async function removeChunks(run: JobRun, { id }: Doomed): Promise<void> {
  const removal = { fromOrdinal: 0, limit: CHUNKS_PER_REMOVAL }
  while ((await run.transaction(({ chunks }) => chunks.remove(id, removal))) > 0);
}

async function collectionsOf(index: VectorIndex, contextId: number): Promise<readonly string[]> {
  const prefix = collectionPrefix(contextId)
  return (await index.listCollections()).filter((name) => name.startsWith(prefix))
}
