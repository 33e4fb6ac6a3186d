import type { TurnTaker } from '../kernel/fair-turns.js'
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
  nameOf,
  type RankedChunk,
} from './known-chunks.js'
import type { VisibleDocuments } from './visible-documents.js'

/** What words have found. */
export interface WordSide extends Pick<LexicalAnswer, 'maximum' | 'scoresOf'> {
  readonly found: readonly WordHit[]
  /** Whether there is no more. */
  readonly isWhole: boolean
  /** About the highest score that a chunk can have which is not there. */
  readonly unseen: number
}

/** A chunk that words have found. */
export interface WordHit extends ChunkKey {
  readonly wordScore: number
}

/** What vectors have found. */
export interface MeaningSide {
  readonly found: BestWindows
  /** The highest similarity that a chunk can have which is not there; -1 where there is none. */
  readonly unseen: number
}

/** What both sides have found. */
export interface BothSides {
  readonly meaning: MeaningSide
  readonly words: WordSide
  /** Those of the words' whose scores count. */
  readonly hits: readonly WordHit[]
  /** The highest score by words that counts, of a chunk which the words have not found. */
  readonly unseenWordScore: number
}

/** Both sides, where words that tell nothing do not count. */
export function bothSides(words: WordSide, meaning: MeaningSide, query: ChunkQuery): BothSides {
  if (isTelling(words, query)) return { words, meaning, hits: words.found, unseenWordScore: words.unseen }
  // Words that say nothing find what has no vectors yet all the same.
  const hits = words.found.filter(({ documentId }) => !query.visible.has(documentId))
  return { words, meaning, hits, unseenWordScore: 0 }
}

/** Whether any chunk may have a word of the question that counts. */
export function hasWords({ hits, unseenWordScore }: BothSides): boolean {
  return hits.length > 0 || unseenWordScore > 0
}

/** The chunks that either side has found, with what is known of them. */
export function candidatesOf(
  { meaning, hits, unseenWordScore }: BothSides,
  known: KnownChunks,
  wordScores: ReadonlyMap<string, number>,
  { visible, wordVisible }: ChunkQuery,
): OpenCandidate[] {
  const near = known.near.all().map((place): OpenCandidate => {
    const wordScore = wordScores.get(nameOf(place))
    const isScored = wordScore !== undefined || unseenWordScore === 0 || !wordVisible.has(place.documentId)
    return {
      ...place,
      similarity: { known: place.similarity },
      wordScore: isScored ? { known: wordScore ?? 0 } : { most: unseenWordScore },
    }
  })
  // Chunks without vectors, which were looked up before, are left out.
  const others = hits
    .filter((hit) => !known.has(hit))
    .map((hit): OpenCandidate => {
      // A document without vectors, or one whose vectors are lost, may be as similar as can be.
      const isSeen = visible.has(hit.documentId) && meaning.unseen >= 0
      return { ...hit, similarity: { most: isSeen ? meaning.unseen : 1 }, wordScore: { known: hit.wordScore } }
    })
  return [...near, ...others]
}

/** All candidates whose similarity is known, the best first. */
export function joined(
  { meaning, words }: BothSides,
  known: KnownChunks,
  wordScores: ReadonlyMap<string, number>,
  question: FusionQuestion,
): RankedChunk[] {
  const withWords = new Set(words.found.map(nameOf))
  const candidates = known.near.all().map((place) => {
    const name = nameOf(place)
    const wordScore = wordScores.get(name) ?? 0
    const foundBy: FoundBy[] = wordScore > 0 || withWords.has(name) ? ['words'] : []
    if (meaning.found.get(place) !== undefined) foundBy.push('meaning')
    return { ...place, wordScore, foundBy }
  })
  return fuse(candidates, question)
}

/** Least mean of the inverse document frequencies of a question: below it, its words are in most chunks and tell nothing. */
const LEAST_IDF = 0.3

/** Whether the words of a question tell chunks apart. */
export function isTelling({ maximum }: WordSide, { terms }: ChunkQuery): boolean {
  return maximum >= bm25Maximum(new Map([...terms].map(([term, weight]) => [term, weight * LEAST_IDF])))
}

/** What is known of one of the two parts of a chunk's score: itself, or the most that it can be. */
type Part = { readonly known: number } | { readonly most: number }

/** A chunk that one side of a search has found, as far as the other side has told of it. */
export interface OpenCandidate extends ChunkKey {
  readonly similarity: Part
  readonly wordScore: Part
}

/** What a search wants, and by what it scores. */
interface Wanted {
  readonly question: FusionQuestion
  /** Whether any candidate has a word of the question. */
  readonly hasWords: boolean
  readonly topN: number
  /** Least similarity. */
  readonly scoreThreshold: number
}

/**
 * The candidates of which it must be found out what is not known of them, those that may be the best first: all others stay
 * behind the `topN` best, however much it is. After the threshold algorithm of Fagin, Lotem and Naor 2001, "Optimal
 * Aggregation Algorithms for Middleware".
 */
export function toBeCompleted<Candidate extends OpenCandidate>(
  candidates: readonly Candidate[],
  { question, hasWords, topN, scoreThreshold }: Wanted,
): Candidate[] {
  const scoreOf = (similarity: number, wordScore: number): number =>
    jointScore({ similarity, wordScore }, question, hasWords)
  const sure = candidates
    .filter(({ similarity }) => leastOf(similarity) >= scoreThreshold)
    .map(({ similarity, wordScore }) => scoreOf(leastOf(similarity), leastOf(wordScore)))
    .sort((one, other) => other - one)
  const least = sure[topN - 1] ?? Number.NEGATIVE_INFINITY
  return candidates
    .filter(({ similarity, wordScore }) => !('known' in similarity && 'known' in wordScore))
    .filter(({ similarity }) => mostOf(similarity) >= scoreThreshold)
    .map((candidate) => ({ candidate, most: scoreOf(mostOf(candidate.similarity), mostOf(candidate.wordScore)) }))
    .filter(({ most }) => most >= least)
    .sort((one, other) => other.most - one.most)
    .map(({ candidate }) => candidate)
}

function leastOf(part: Part): number {
  return 'known' in part ? part.known : 0
}

function mostOf(part: Part): number {
  return 'known' in part ? part.known : part.most
}

/** What is looked for, and where. */
export interface ChunkQuery {
  readonly mode: SearchMode
  readonly topN: number
  /** Least similarity, 0 to 1. */
  readonly scoreThreshold: number
  /** Vectors of the prompt's windows; they may still be computed while the words are looked for. */
  readonly vectors: Promise<readonly Float32Array[]>
  readonly collection: VectorCollection
  readonly visible: VisibleDocuments
  readonly terms: LexicalQuery
  readonly wordCollection: string
  readonly wordVisible: VisibleDocuments
  /** How much of the prompt the model's vocabulary knows, 0 to 1. */
  readonly knowledge: () => Promise<number>
  /** How near chunks are that have no vectors yet; those that are gone are left out. */
  readonly embedNow: (chunks: readonly ChunkKey[]) => Promise<readonly NearChunk[]>
  readonly taker: TurnTaker
  readonly signal: AbortSignal | undefined
}
