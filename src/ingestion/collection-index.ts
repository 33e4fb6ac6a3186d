import type { LexicalIndex, VectorIndex } from '../ports/index.js'
import { collectionPrefix } from './vector-collection.js'

/** What the vector index and the word index have in common: collections of a context, with rows of documents. */
export type CollectionIndex = Pick<VectorIndex, SharedMember> & Pick<LexicalIndex, SharedMember>

type SharedMember = 'count' | 'countByDocument' | 'deleteDocument' | 'listCollections' | 'drop'

/** The names of a context's collections in an index. */
export async function collectionsOf(index: CollectionIndex, contextId: number): Promise<readonly string[]> {
  const prefix = collectionPrefix(contextId)
  return (await index.listCollections()).filter((name) => name.startsWith(prefix))
}
