import type { ChunkKey, LexicalQuery, SearchMode, VectorCollection } from '../ports/index.js'
import type { TurnTaker } from '../shared/fair-turns.js'
import type { NearChunk } from './best-windows.js'
import type { VisibleDocuments } from './visible-documents.js'

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
