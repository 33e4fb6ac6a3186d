import type { ChunkKey } from '../ports/index.js'
import { byAge } from './best-windows.js'

/** Which side of a search has found a chunk. */
export type FoundBy = 'words' | 'meaning'

/** A chunk that a search found, by its key. */
export interface RankedChunk extends ChunkKey {
  /** Cosine of the prompt and the chunk, 0 to 1, whichever side found it. */
  readonly similarity: number
  /** By which chunks are ordered, 0 to 1: comparable within one search. */
  readonly score: number
  /** The window that is nearest in meaning, by its ordinal in the chunk. */
  readonly window: number
  readonly foundBy: readonly FoundBy[]
}

/** What the order of chunks follows. */
type Relevance = ChunkKey & Pick<RankedChunk, 'score' | 'similarity'>

/** The best first; equal ones by similarity, then by age: the same chunks always come in the same order. */
export function byRelevance(one: Relevance, other: Relevance): number {
  return other.score - one.score || other.similarity - one.similarity || byAge(one, other)
}
