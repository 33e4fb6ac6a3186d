import { ANALYZER_VERSION } from '../analysis/index.js'
import type { ContextRecord, EmbeddingProfile, LexicalIndex, VectorCollection, VectorIndex } from '../ports/index.js'

/** The collection of a context's vectors under a model. It is dropped with the context. */
export function collectionOf(context: Pick<ContextRecord, 'id'>, profile: EmbeddingProfile): VectorCollection {
  return { name: `${collectionPrefix(context.id)}${profile.fingerprint}`, dimensions: profile.dimensions }
}

/** The name of the collection of a context's words, made by one version of the analyzer. */
export function wordCollectionOf(contextId: number, analyzerVersion: number = ANALYZER_VERSION): string {
  return `${collectionPrefix(contextId)}words-${analyzerVersion}`
}

/**
 * True if an older version of the analyzer made the words of a collection. A newer version does not count: a newer
 * engine on the same database may be writing them.
 */
export function isOfOlderAnalyzer(name: string): boolean {
  const match = /^context-\d+-words-(\d+)$/.exec(name)
  return match?.[1] !== undefined && Number(match[1]) < ANALYZER_VERSION
}

/** The start of the names of all collections of a context. */
function collectionPrefix(contextId: number): string {
  return `context-${contextId}-`
}

/** The id of the context that owns the collection; `undefined` if the name is not the engine's. */
export function contextOfCollection(name: string): number | undefined {
  const match = /^context-(\d+)-/.exec(name)
  return match?.[1] === undefined ? undefined : Number(match[1])
}

/** The common members of the vector index and the word index: collections of contexts, with rows of documents. */
export type CollectionIndex = Pick<VectorIndex, SharedMember> & Pick<LexicalIndex, SharedMember>

type SharedMember = 'count' | 'countByDocument' | 'deleteDocument' | 'listCollections' | 'drop'

/** The names of a context's collections in an index. */
export async function collectionsOf(index: CollectionIndex, contextId: number): Promise<readonly string[]> {
  const prefix = collectionPrefix(contextId)
  return (await index.listCollections()).filter((name) => name.startsWith(prefix))
}
