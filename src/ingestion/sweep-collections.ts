import { ANALYZER_VERSION } from '../analysis/index.js'
import { type LexicalIndex, type Storage, type VectorIndex, VectorsDamagedError } from '../ports/index.js'
import type { CollectionIndex } from './collection-index.js'
import { contextOfCollection, isOfOlderAnalyzer } from './vector-collection.js'

/** What was removed from an index. */
export interface SweptCollections {
  readonly dropped: number
  /** Documents that had rows in the index and none in the database. */
  readonly orphansRemoved: number
}

/** Removes from the indexes what belongs to no context and to no document. */
export class SweepCollections {
  readonly #storage: Storage
  readonly #vectors: VectorIndex
  readonly #words: LexicalIndex

  constructor(storage: Storage, vectors: VectorIndex, words: LexicalIndex) {
    this.#storage = storage
    this.#vectors = vectors
    this.#words = words
  }

  async vectors(signal: AbortSignal): Promise<SweptCollections> {
    return await this.#sweep(this.#vectors, signal, async () => false)
  }

  /**
   * Words of an older version of the analyzer go once all documents have those of this one: no search reads them. Those
   * of a newer version may be what a newer engine, on the same database, is making.
   */
  async words(signal: AbortSignal): Promise<SweptCollections> {
    return await this.#sweep(this.#words, signal, async (name, contextId) => {
      if (!isOfOlderAnalyzer(name)) return false
      const page = { after: 0, limit: 1 }
      const without = await this.#storage.read(({ documents }) =>
        documents.listWithoutWords(contextId, ANALYZER_VERSION, page),
      )
      return without.length === 0
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
      const ids = await documentsIn(index, name)
      const existing = await this.#storage.read(({ documents }) => documents.existing(ids))
      for (const id of ids.filter((one) => !existing.has(one))) {
        await index.deleteDocument(name, id, 0)
        orphansRemoved += 1
      }
    }
    return { dropped, orphansRemoved }
  }

  /** What is deleted and has its row still is removed by its purge, which waits for a backup. */
  async #hasRow(contextId: number): Promise<boolean> {
    return await this.#storage.read(
      async ({ contexts }) => (await contexts.get(contextId)) !== undefined || (await contexts.isDeleted(contextId)),
    )
  }
}

/** A collection that is damaged is for the doctor; the others are swept. */
async function documentsIn(index: CollectionIndex, name: string): Promise<readonly number[]> {
  try {
    return [...(await index.countByDocument(name)).keys()]
  } catch (error) {
    if (error instanceof VectorsDamagedError) return []
    throw error
  }
}
