import { ANALYZER_VERSION } from '../analysis/index.js'
import type { EmbeddingModels } from '../documents/index.js'
import type { TurnTaker } from '../kernel/scheduling/fair-scheduler.js'
import type {
  ContextRecord,
  DocumentConditions,
  DocumentRepository,
  DocumentVisibility,
  LexicalQuery,
  LexicalStatistics,
  SearchMode,
  Storage,
  Tracer,
  VersionMark,
  VisibleChunk,
  WordVisibility,
} from '../ports/index.js'
import type { Authorizer } from '../tenancy/index.js'
import type { PromptReader } from './prompt.js'
import { type MissingChunks, VisibleDocuments } from './ranking/chunks.js'
import type { ScoreScale } from './ranking/fusion.js'
import type { SearchIndexes } from './ranking/index-reader.js'
import type { PlacedChunk } from './results.js'
import type { SearchOptions } from './search-input.js'
import type { SearchTurns } from './search-turns.js'

/** The parts of the search of one context that searches of several contexts, and explanations, use too. */
export interface SearchParts {
  readonly storage: Storage
  readonly indexes: SearchIndexes
  readonly models: EmbeddingModels
  readonly authorizer: Authorizer
  readonly prompts: PromptReader
  readonly turns: SearchTurns
  readonly tracer: Tracer
  readonly findChunks: (context: ContextRecord, request: SearchRequest) => Promise<FoundChunks>
}

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

/** @returns the mode of a search in a context */
export function modeOf(context: ContextRecord, { mode }: Pick<SearchOptions, 'mode'>): SearchMode {
  return mode ?? context.searchMode
}

/** @returns a request with the checked options of a call, and the settings of the context where they are missing */
export function requestFor(
  context: ContextRecord,
  input: SearchOptions & { readonly prompt: string },
  taker: TurnTaker,
): SearchRequest {
  return {
    prompt: input.prompt,
    mode: modeOf(context, input),
    topN: input.topN ?? context.topN,
    scoreThreshold: input.scoreThreshold ?? context.scoreThreshold,
    conditions: input.filter,
    taker,
    signal: input.signal,
    maxBytes: undefined,
  }
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

/** The documents that a search may find, for each of the two indexes. */
export interface SearchableDocuments {
  readonly byMeaning: VisibleDocuments
  readonly byWords: VisibleDocuments
  /** Ids of the documents that meet the conditions, whether the search may find them or not; undefined for all. */
  readonly matching: ReadonlySet<number> | undefined
  /** A moment that is not later than the read of these documents. */
  readonly versions: VersionMark
}

const NONE_VISIBLE: DocumentVisibility = { lastId: 0, hidden: [] }

/**
 * Reads which documents a search may find, and then which of them meet the conditions.
 *
 * @param rules.hasTerms true if the prompt has words
 * @param rules.missing chunks and documents to leave out
 */
export async function readSearchable(
  documents: DocumentRepository,
  context: ContextRecord,
  rules: {
    readonly conditions: DocumentConditions | undefined
    readonly hasTerms: boolean
    readonly missing: MissingChunks
  },
): Promise<SearchableDocuments> {
  const { conditions, hasTerms, missing } = rules
  const { mark, byMeaning, byWords } = await documents.searchable(
    context.id,
    hasTerms ? wordVisibilityOf(context) : undefined,
  )
  // The newest document that the visibility shows is older than this read, so its metadata are there.
  const matching = conditions && new Set(await documents.matching(context.id, conditions))
  return {
    byMeaning: new VisibleDocuments(byMeaning, missing, matching),
    byWords: new VisibleDocuments(byWords ?? NONE_VISIBLE, missing, matching),
    versions: mark,
    matching,
  }
}
