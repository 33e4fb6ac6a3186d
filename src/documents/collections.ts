import { ANALYZER_VERSION } from '../analysis/index.js'
import type { ContextRecord, EmbeddingProfile, LexicalIndex, VectorCollection, VectorIndex } from '../ports/index.js'

/** Where the vectors of a context under a model are: its own collection, dropped with it. */
export function collectionOf(context: Pick<ContextRecord, 'id'>, profile: EmbeddingProfile): VectorCollection {
  return { name: `${collectionPrefix(context.id)}${profile.fingerprint}`, dimensions: profile.dimensions }
}

/** Where the words of a context are, as one version of the analyzer makes them. */
export function wordCollectionOf(contextId: number, analyzerVersion: number = ANALYZER_VERSION): string {
  return `${collectionPrefix(contextId)}words-${analyzerVersion}`
}

/**
 * Whether a collection has words that an older version of the analyzer made. Those of a newer version may be what a newer
 * engine, on the same database, is making.
 */
export function isOfOlderAnalyzer(name: string): boolean {
  const match = /^context-\d+-words-(\d+)$/.exec(name)
  return match?.[1] !== undefined && Number(match[1]) < ANALYZER_VERSION
}

/** How the names of all collections of a context begin. */
function collectionPrefix(contextId: number): string {
  return `context-${contextId}-`
}

/** The context whose collection has this name; `undefined` for a name that is not the engine's. */
export function contextOfCollection(name: string): number | undefined {
  const match = /^context-(\d+)-/.exec(name)
  return match?.[1] === undefined ? undefined : Number(match[1])
}

/** What the vector index and the word index have in common: collections of a context, with rows of documents. */
export type CollectionIndex = Pick<VectorIndex, SharedMember> & Pick<LexicalIndex, SharedMember>

type SharedMember = 'count' | 'countByDocument' | 'deleteDocument' | 'listCollections' | 'drop'

/** The names of a context's collections in an index. */
export async function collectionsOf(index: CollectionIndex, contextId: number): Promise<readonly string[]> {
  const prefix = collectionPrefix(contextId)
  return (await index.listCollections()).filter((name) => name.startsWith(prefix))
}
