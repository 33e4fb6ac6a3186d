import { ANALYZER_VERSION } from '../analysis/index.js'
import type {
  ContextGenerations,
  ContextRecord,
  DocumentRecord,
  EmbeddingProfile,
  LexicalIndex,
  VectorCollection,
  VectorIndex,
} from '../ports/index.js'

/** A context in one of its generations. Each generation has collections of its own. */
export type GenerationOwner = Pick<ContextRecord, 'id' | 'generation'>

/** The collection of a context's vectors under a model. It is dropped with the context, or with its generation. */
export function collectionOf(context: GenerationOwner, profile: EmbeddingProfile): VectorCollection {
  return { name: `${generationPrefix(context)}${profile.fingerprint}`, dimensions: profile.dimensions }
}

/** The name of the collection of a context's words, made by one version of the analyzer. */
export function wordCollectionOf(context: GenerationOwner, analyzerVersion: number = ANALYZER_VERSION): string {
  return `${generationPrefix(context)}words-${analyzerVersion}`
}

/** The generation of the context that owns a collection. */
export function generationOfCollection(name: string): number {
  return Number(/^context-\d+-g(\d+)-/.exec(name)?.[1] ?? 0)
}

/** True if a collection belongs to no generation that the context has, or builds. */
export function isOfOtherGeneration(name: string, { generation, reindexing }: ContextGenerations): boolean {
  const ofCollection = generationOfCollection(name)
  return ofCollection !== generation && ofCollection !== reindexing?.generation
}

/**
 * The context as a version of its documents sees it: a shadow is cut and embedded with the settings of the re-index.
 * @returns `undefined` for a shadow of a re-index that was cancelled or has failed
 */
export function contextFor(
  context: ContextRecord,
  { generation }: Pick<DocumentRecord, 'generation'>,
): ContextRecord | undefined {
  if (generation === null) return context
  const { reindexing } = context
  if (reindexing?.generation !== generation || reindexing.error !== null) return undefined
  const { embeddingModel, chunkSizeTokens, overlap } = reindexing
  return { ...context, generation, embeddingModel, chunkSizeTokens, overlap }
}

/**
 * True if an older version of the analyzer made the words of a collection. A newer version does not count: a newer
 * engine on the same database may be writing them.
 */
export function isOfOlderAnalyzer(name: string): boolean {
  const match = /^context-\d+-(?:g\d+-)?words-(\d+)$/.exec(name)
  return match?.[1] !== undefined && Number(match[1]) < ANALYZER_VERSION
}

/** The start of the names of the collections of a generation. The first one has no number. */
function generationPrefix({ id, generation }: GenerationOwner): string {
  return generation === 0 ? collectionPrefix(id) : `${collectionPrefix(id)}g${generation}-`
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
