import { ANALYZER_VERSION } from '../analysis/index.js'
import { enqueueReindex } from '../contexts/index.js'
import {
  type CollectionIndex,
  companyOfContext,
  contextOfCollection,
  isOfOlderAnalyzer,
  isOfOtherGeneration,
} from '../documents/index.js'
import { type LexicalIndex, type Storage, type VectorIndex, VectorsDamagedError } from '../ports/index.js'

/** The numbers of items that were removed from an index. */
interface SweptCollections {
  readonly dropped: number
  /** Documents that had rows in the index, but none in the database. */
  readonly orphansRemoved: number
}

/** Removes orphans from the indexes: collections without a context, and rows without a document. */
export class SweepCollections {
  constructor(
    private readonly storage: Storage,
    private readonly vectors: VectorIndex,
    private readonly words: LexicalIndex,
  ) {}

  async sweepVectors(signal: AbortSignal): Promise<SweptCollections> {
    return await this.#sweep(this.vectors, signal, async () => false)
  }

  /**
   * Drops words of an older version of the analyzer once all documents of the context have words of this version: no
   * search reads the older ones. Words of a newer version stay: a newer engine on the same database may be writing them.
   */
  async sweepWords(signal: AbortSignal): Promise<SweptCollections> {
    return await this.#sweep(this.words, signal, async (name, contextId) => {
      if (!isOfOlderAnalyzer(name)) return false
      const page = { after: 0, limit: 1 }
      const withoutWords = await this.storage.read(({ documents }) =>
        documents.listWithoutWords(contextId, ANALYZER_VERSION, page),
      )
      return withoutWords.length === 0
    })
  }

  async #sweep(
    index: CollectionIndex,
    signal: AbortSignal,
    isOutdated: (name: string, contextId: number) => Promise<boolean>,
  ): Promise<SweptCollections> {
    let dropped = 0
    let orphansRemoved = 0
    for (const name of await index.listCollections()) {
      if (signal.aborted) break
      const contextId = contextOfCollection(name)
      if (contextId === undefined) continue
      if (!(await this.#hasRow(contextId)) || (await isOutdated(name, contextId))) {
        await index.drop(name)
        dropped += 1
        continue
      }
      if (await this.#clearFormer(name, contextId)) continue
      const ids = await documentsIn(index, name)
      const existing = await this.storage.read(({ documents }) => documents.existing(ids))
      for (const id of ids.filter((documentId) => !existing.has(documentId))) {
        await index.deleteDocument(name, id, 0)
        orphansRemoved += 1
      }
    }
    return { dropped, orphansRemoved }
  }

  /** Has the collections of former generations removed by the job that waits for backups. @returns false for others */
  async #clearFormer(name: string, contextId: number): Promise<boolean> {
    const generations = await this.storage.read(({ contexts }) => contexts.generations(contextId))
    if (generations === undefined || !isOfOtherGeneration(name, generations)) return false
    await this.storage.transaction(async (repositories) => {
      await enqueueReindex(repositories, contextId, { companyId: await companyOfContext(repositories, contextId) })
    })
    return true
  }

  /** Also true for a deleted context that still has its row: its purge, which waits for backups, removes its data. */
  async #hasRow(contextId: number): Promise<boolean> {
    return await this.storage.read(
      async ({ contexts }) => (await contexts.get(contextId)) !== undefined || (await contexts.isDeleted(contextId)),
    )
  }
}

/** Ids of the documents in a collection; none if it is damaged: the doctor reports that, and the sweep goes on. */
async function documentsIn(index: CollectionIndex, name: string): Promise<readonly number[]> {
  try {
    return [...(await index.countByDocument(name)).keys()]
  } catch (error) {
    if (error instanceof VectorsDamagedError) return []
    throw error
  }
}
