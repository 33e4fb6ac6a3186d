import { type CollectionIndex, contextOfCollection } from '../documents/index.js'
import { Batcher } from '../kernel/batches.js'
import type { Storage } from '../ports/index.js'

/**
 * The names of the collections of deleted contexts in an index. One list of all collections serves each context that
 * was deleted before it: a list for each context would make the deletion of many contexts slow.
 */
export class DeletedCollections {
  readonly #index: Pick<CollectionIndex, 'listCollections'>
  readonly #known = new Map<number, readonly string[]>()
  readonly #lookUps: Batcher<LookUp, readonly string[]>

  constructor(index: Pick<CollectionIndex, 'listCollections'>) {
    this.#index = index
    this.#lookUps = new Batcher(async (lookUps) => {
      const names: (readonly string[])[] = []
      for (const lookUp of lookUps) names.push(await this.#take(lookUp))
      return names
    })
  }

  /** The names of a deleted context's collections. @param read reads the storage */
  async of(contextId: number, read: Storage['read']): Promise<readonly string[]> {
    return await this.#lookUps.run({ contextId, read })
  }

  async #take({ contextId, read }: LookUp): Promise<readonly string[]> {
    if (!this.#known.has(contextId)) await this.#list(read)
    const names = this.#known.get(contextId) ?? []
    // The next look-up of this context follows a failure, and reads a new list.
    this.#known.delete(contextId)
    return names
  }

  async #list(read: Storage['read']): Promise<void> {
    // Read these first: a context that is deleted in the meantime may still get collections.
    const deleted = await read(({ contexts }) => contexts.listDeleted())
    const names = new Map(deleted.map((id) => [id, [] as string[]]))
    for (const name of await this.#index.listCollections()) names.get(contextOfCollection(name) ?? -1)?.push(name)
    this.#known.clear()
    for (const [id, ofContext] of names) this.#known.set(id, ofContext)
  }
}

interface LookUp {
  readonly contextId: number
  readonly read: Storage['read']
}
