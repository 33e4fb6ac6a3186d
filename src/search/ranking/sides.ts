import type { TurnTaker } from '../../kernel/scheduling/fair-scheduler.js'
import {
  bm25Maximum,
  type ChunkKey,
  type LexicalAnswer,
  type LexicalQuery,
  type LexicalStatistics,
  type SearchMode,
  type VectorCollection,
} from '../../ports/index.js'
import type { BestWindows, NearChunk, VisibleDocuments } from './chunks.js'

/** The inputs of a search for chunks, and the places where it searches. */
export interface ChunkQuery {
  readonly mode: SearchMode
  /** Maximum number of results. */
  readonly topN: number
  /** Minimum similarity of a result, 0 to 1. */
  readonly scoreThreshold: number
  /** Vectors of the prompt's windows. The model may still compute them while the word index is read. */
  readonly vectors: Promise<readonly Float32Array[]>
  readonly collection: VectorCollection
  /** The documents that meaning may find. */
  readonly visible: VisibleDocuments
  readonly terms: LexicalQuery
  /** Statistics of the words of several contexts together. Default: those of the word collection. */
  readonly statistics?: LexicalStatistics | undefined
  readonly wordCollection: string
  /** The documents that words may find. */
  readonly wordVisible: VisibleDocuments
  /** @returns how much of the prompt the model's vocabulary knows, 0 to 1 */
  readonly measureKnowledge: () => Promise<number>
  /**
   * Reads once more whether a document that the search may find is still there, with its vectors or words. A search asks
   * only if an index has nothing at all.
   */
  readonly hasStored: (visible: VisibleDocuments) => Promise<boolean>
  /** Computes the similarity of chunks that have no vectors yet. Leaves out chunks that are deleted. */
  readonly embedNow: (chunks: readonly ChunkKey[]) => Promise<readonly NearChunk[]>
  readonly taker: TurnTaker
  readonly signal: AbortSignal | undefined
}

/** The answer of the word index. */
export interface WordSide extends Pick<LexicalAnswer, 'maximum' | 'scoresOf'> {
  /** The most by which the score of a found chunk may be too low. */
  readonly shortfall: number
  readonly found: readonly WordHit[]
  /** True if a larger limit would find no further chunks, or if the limit cannot grow. */
  readonly isComplete: boolean
  /** About the highest score by words that a chunk outside `found` can have. */
  readonly unseenWordScore: number
}

/** A chunk that the word index found. */
export interface WordHit extends ChunkKey {
  /** BM25, above 0. */
  readonly wordScore: number
}

/** The answer of the vector index. */
export interface MeaningSide {
  readonly found: BestWindows
  /** The highest similarity that a chunk outside `found` can have; -1 if there is no such chunk. */
  readonly unseenSimilarity: number
}

/** The answers of both indexes. */
export interface BothSides {
  readonly meaning: MeaningSide
  readonly words: WordSide
  /** The hits by words whose scores count. */
  readonly hits: readonly WordHit[]
  /** The highest score by words that counts for a chunk which the word index did not find. */
  readonly unseenWordScore: number
}

/** Combines both sides. Words that do not tell chunks apart do not count. */
export function combineSides(words: WordSide, meaning: MeaningSide, query: ChunkQuery): BothSides {
  if (areWordsSelective(words, query)) {
    return { words, meaning, hits: words.found, unseenWordScore: words.unseenWordScore }
  }
  // Only words can find documents without vectors, so these hits stay.
  const hits = words.found.filter(({ documentId }) => !query.visible.has(documentId))
  return { words, meaning, hits, unseenWordScore: 0 }
}

/** Minimum mean of the inverse document frequencies of a question. Below it, most chunks have the question's words. */
const MIN_IDF = 0.3

/** True if the words of a question tell chunks apart. */
export function areWordsSelective({ maximum }: WordSide, { terms }: ChunkQuery): boolean {
  return maximum >= bm25Maximum(new Map([...terms].map(([term, weight]) => [term, weight * MIN_IDF])))
}

/** True if any chunk may have a word of the question that counts. */
export function mayHaveWords({ hits, unseenWordScore }: BothSides): boolean {
  return hits.length > 0 || unseenWordScore > 0
}
