import type { TurnTaker } from '../kernel/fair-scheduler.js'
import {
  bm25Maximum,
  type ChunkKey,
  type LexicalAnswer,
  type LexicalQuery,
  type SearchMode,
  type VectorCollection,
} from '../ports/index.js'
import { type FusionQuestion, fuse, jointScore } from './fusion.js'
import {
  type BestWindows,
  type FoundBy,
  type KnownChunks,
  type NearChunk,
  type RankedChunk,
  toMapKey,
} from './known-chunks.js'
import type { VisibleDocuments } from './visible-documents.js'

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
  readonly wordCollection: string
  /** The documents that words may find. */
  readonly wordVisible: VisibleDocuments
  /** @returns how much of the prompt the model's vocabulary knows, 0 to 1 */
  readonly measureKnowledge: () => Promise<number>
  /** Computes the similarity of chunks that have no vectors yet. Leaves out chunks that are deleted. */
  readonly embedNow: (chunks: readonly ChunkKey[]) => Promise<readonly NearChunk[]>
  readonly taker: TurnTaker
  readonly signal: AbortSignal | undefined
}

/** The answer of the word index. */
export interface WordSide extends Pick<LexicalAnswer, 'maximum' | 'scoresOf'> {
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

/** True if any chunk may have a word of the question that counts. */
export function hasWords({ hits, unseenWordScore }: BothSides): boolean {
  return hits.length > 0 || unseenWordScore > 0
}

/** @returns the chunks that either side found, each with the known parts of its score, in any order */
export function listCandidates(
  { meaning, hits, unseenWordScore }: BothSides,
  known: KnownChunks,
  wordScores: ReadonlyMap<string, number>,
  { visible, wordVisible }: ChunkQuery,
): OpenCandidate[] {
  const compared = known.bestWindows.all().map((chunk): OpenCandidate => {
    const wordScore = wordScores.get(toMapKey(chunk))
    const isScored = wordScore !== undefined || unseenWordScore === 0 || !wordVisible.has(chunk.documentId)
    return {
      ...chunk,
      similarity: { known: chunk.similarity },
      wordScore: isScored ? { known: wordScore ?? 0 } : { most: unseenWordScore },
    }
  })
  // Chunks that turned out to have no vectors are left out.
  const notCompared = hits
    .filter((hit) => !known.has(hit))
    .map((hit): OpenCandidate => {
      // A document without vectors, or one whose vectors are lost, can have any similarity up to 1.
      const hasBound = visible.has(hit.documentId) && meaning.unseenSimilarity >= 0
      const similarity = { most: hasBound ? meaning.unseenSimilarity : 1 }
      return { ...hit, similarity, wordScore: { known: hit.wordScore } }
    })
  return [...compared, ...notCompared]
}

/** @returns all chunks whose similarity is known, with their joint score, the best first */
export function rankChunks(
  { meaning, words }: BothSides,
  known: KnownChunks,
  wordScores: ReadonlyMap<string, number>,
  question: FusionQuestion,
): RankedChunk[] {
  const withWords = new Set(words.found.map(toMapKey))
  const candidates = known.bestWindows.all().map((chunk) => {
    const key = toMapKey(chunk)
    const wordScore = wordScores.get(key) ?? 0
    const foundBy: FoundBy[] = wordScore > 0 || withWords.has(key) ? ['words'] : []
    if (meaning.found.get(chunk) !== undefined) foundBy.push('meaning')
    return { ...chunk, wordScore, foundBy }
  })
  return fuse(candidates, question)
}

/** Minimum mean of the inverse document frequencies of a question. Below it, most chunks have the question's words. */
const MIN_IDF = 0.3

/** True if the words of a question tell chunks apart. */
export function areWordsSelective({ maximum }: WordSide, { terms }: ChunkQuery): boolean {
  return maximum >= bm25Maximum(new Map([...terms].map(([term, weight]) => [term, weight * MIN_IDF])))
}

/** One of the two parts of a chunk's score: the known value, or the highest value that it can have. */
type ScorePart = { readonly known: number } | { readonly most: number }

/** A chunk that one side of a search found. The other side may not have its part of the score yet. */
export interface OpenCandidate extends ChunkKey {
  readonly similarity: ScorePart
  readonly wordScore: ScorePart
}

/** The limits of a search, and the values that scores depend on. */
interface ScoringRules {
  readonly question: FusionQuestion
  /** True if any candidate has a word of the question. */
  readonly hasWords: boolean
  /** Maximum number of results. */
  readonly topN: number
  /** Minimum similarity of a result, 0 to 1. */
  readonly scoreThreshold: number
}

/**
 * Selects the candidates whose missing part of the score can change the results. All other candidates stay behind the
 * `topN` best, whatever the missing part is. After the threshold algorithm of Fagin, Lotem and Naor 2001, "Optimal
 * Aggregation Algorithms for Middleware".
 *
 * @returns the selected candidates, those with the highest possible score first
 */
export function selectIncomplete<Candidate extends OpenCandidate>(
  candidates: readonly Candidate[],
  { question, hasWords, topN, scoreThreshold }: ScoringRules,
): Candidate[] {
  const scoreOf = (similarity: number, wordScore: number): number =>
    jointScore({ similarity, wordScore }, question, hasWords)
  const certainScores = candidates
    .filter(({ similarity }) => lowestOf(similarity) >= scoreThreshold)
    .map(({ similarity, wordScore }) => scoreOf(lowestOf(similarity), lowestOf(wordScore)))
    .sort((one, other) => other - one)
  const scoreToReach = certainScores[topN - 1] ?? Number.NEGATIVE_INFINITY
  return candidates
    .filter(({ similarity, wordScore }) => !('known' in similarity && 'known' in wordScore))
    .filter(({ similarity }) => highestOf(similarity) >= scoreThreshold)
    .map((candidate) => {
      return { candidate, highest: scoreOf(highestOf(candidate.similarity), highestOf(candidate.wordScore)) }
    })
    .filter(({ highest }) => highest >= scoreToReach)
    .sort((one, other) => other.highest - one.highest)
    .map(({ candidate }) => candidate)
}

function lowestOf(part: ScorePart): number {
  return 'known' in part ? part.known : 0
}

function highestOf(part: ScorePart): number {
  return 'known' in part ? part.known : part.most
}
