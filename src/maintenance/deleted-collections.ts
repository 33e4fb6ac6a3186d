import { type CollectionIndex, contextOfCollection } from '../documents/index.js'
import { Batcher } from '../kernel/batches.js'
import type { Storage } from '../ports/index.js'

interface DeletedCollection {
  readonly index: CollectionIndex
  readonly name: string
}

/**
 * The collections of deleted contexts. One list of all collections serves each context that was deleted before it: a
 * list for each context would make the deletion of many contexts slow.
 */
export class DeletedCollections {
  readonly #known = new Map<number, readonly DeletedCollection[]>()
  readonly #lookUps: Batcher<number, readonly DeletedCollection[]>

  /** @param indexes the vector index and the word index */
  constructor(
    private readonly storage: Storage,
    private readonly indexes: readonly CollectionIndex[],
  ) {
    this.#lookUps = new Batcher(async (contextIds) => {
      const found: (readonly DeletedCollection[])[] = []
      for (const contextId of contextIds) found.push(await this.#take(contextId))
      return found
    })
  }

  /** The collections of a deleted context. */
  async of(contextId: number): Promise<readonly DeletedCollection[]> {
    return await this.#lookUps.run(contextId)
  }

  async #take(contextId: number): Promise<readonly DeletedCollection[]> {
    if (!this.#known.has(contextId)) await this.#list()
    const collections = this.#known.get(contextId) ?? []
    // The next look-up of this context follows a failure, and reads a new list.
    this.#known.delete(contextId)
    return collections
  }

  async #list(): Promise<void> {
    // Read these first: a context that is deleted in the meantime may still get collections.
    const deleted = await this.storage.read(({ contexts }) => contexts.listDeleted())
    const listed = new Map(deleted.map((id) => [id, [] as DeletedCollection[]]))
    for (const index of this.indexes) {
      for (const name of await index.listCollections())
        listed.get(contextOfCollection(name) ?? -1)?.push({ index, name })
    }
    this.#known.clear()
    for (const [id, ofContext] of listed) this.#known.set(id, ofContext)
  }
}
