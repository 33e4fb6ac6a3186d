import { bm25Maximum, type ChunkKey, type LexicalAnswer } from '../ports/index.js'
import { type BestWindows, nameOf } from './best-windows.js'
import type { ChunkQuery } from './chunk-query.js'
import { type FusionQuestion, fuse } from './fusion.js'
import type { KnownChunks } from './known-chunks.js'
import type { OpenCandidate } from './open-candidates.js'
import type { FoundBy, RankedChunk } from './ranked-chunk.js'

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
