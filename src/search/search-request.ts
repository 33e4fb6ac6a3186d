import { ANALYZER_VERSION } from '../analysis/index.js'
import type { TurnTaker } from '../kernel/fair-scheduler.js'
import type {
  ContextRecord,
  DocumentConditions,
  LexicalQuery,
  LexicalStatistics,
  SearchMode,
  VisibleChunk,
  WordVisibility,
} from '../ports/index.js'
import type { ScoreScale } from './fusion.js'
import type { PlacedChunk } from './results.js'

/** A search of one context, with checked options and the settings of the context. */
export interface SearchRequest {
  readonly prompt: string
  readonly mode: SearchMode
  readonly taker: TurnTaker
  readonly signal: AbortSignal | undefined
  readonly topN: number
  readonly scoreThreshold: number
  /** The conditions that documents must meet. Default: none. */
  readonly conditions: DocumentConditions | undefined
  /** Limit for the texts of all results together, in bytes of UTF-8. Default: no limit. */
  readonly maxBytes: number | undefined
  /** Default: the search prepares the prompt itself. */
  readonly prepared?: PreparedPrompt
}

/** The inputs that the searches of several contexts for one prompt share. */
export interface PreparedPrompt {
  readonly terms: LexicalQuery
  /** Vectors of the prompt's windows, by the model of the context. */
  readonly vectors: Promise<readonly Float32Array[]>
  /** @returns how much of the prompt the model's vocabulary knows, 0 to 1 */
  readonly measureKnowledge: () => Promise<number>
  /** Statistics of the words of all contexts together. Default: those of the context. */
  readonly statistics?: LexicalStatistics
  /** Maximum number of windows that the search of one context embeds, unless one chunk has more. Default: 128. */
  readonly maxEmbeddedWindows?: number
}

/** The chunks that a search found. */
export interface FoundChunks {
  /** The best first. */
  readonly ranked: readonly PlacedChunk[]
  /** The stored records of these chunks, in any order. */
  readonly records: readonly VisibleChunk[]
  readonly terms: LexicalQuery
  readonly scale: ScoreScale
}

/** @returns the rules for documents of the context that words may find */
export function wordVisibilityOf({ findsEarly }: ContextRecord): WordVisibility {
  return { version: ANALYZER_VERSION, findsEarly }
}
