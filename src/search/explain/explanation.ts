import type { SearchMode } from '../../ports/index.js'
import type { SearchResult } from '../results.js'

/** Causes of an empty or short answer. The codes are stable. */
export const REASON_CODES = [
  'model-unavailable',
  'other-context',
  'no-documents',
  'filter-excludes-all',
  'all-failed',
  'early-finding-off',
  'words-only-yet',
  'still-processing',
  'vectors-missing',
  'words-not-indexed',
  'prompt-without-words',
  'only-question-words',
  'words-not-found',
  'no-evidence',
  'language-unknown',
  'threshold-too-high',
] as const

export type ReasonCode = (typeof REASON_CODES)[number]

/** A cause of an empty or short answer. */
export interface Reason {
  readonly code: ReasonCode
  /** One sentence that says the cause and what to do. */
  readonly message: string
}

/** The reasons for the results of a search, or for their absence. */
export interface SearchExplanation {
  readonly contextId: number
  /** The mode of the search. */
  readonly mode: SearchMode
  readonly topN: number
  readonly scoreThreshold: number
  readonly model: ExplainedModel
  readonly documents: ExplainedDocuments
  /**
   * Cosine of the prompt and the nearest chunk, 0 to 1, also if it is below `scoreThreshold`. In the mode `keyword`, only
   * chunks with a word of the prompt count. Null without any such chunk.
   */
  readonly bestSimilarity: number | null
  /**
   * Evidence that the documents answer the prompt, 0 to 1, by words and meaning; the search gives nothing if it is below
   * `minEvidence`. Null if it was not measured, as in the other modes: then all results count.
   */
  readonly evidence: number | null
  /** The parts of a prompt of several sentences or lines, in their order, at most 24; empty for any other prompt. */
  readonly parts: readonly ExplainedPart[]
  /** The words of the prompt, in its order, at most 256; then at most 64 that only the history has. */
  readonly words: readonly ExplainedWord[]
  /** The results of the search, the best first. */
  readonly hits: readonly ExplainedHit[]
  /** Reasons for an empty or short answer, the likeliest first. Empty if the answer is full. */
  readonly reasons: readonly Reason[]
  /** The work of the reranker; null for an engine without one. */
  readonly reranking: ExplainedReranking | null
}

/** The work of the host's reranker, which orders the best chunks of a search once more. */
export interface ExplainedReranking {
  /** The name of the reranker. */
  readonly id: string
  /** Number of chunks that it was to score. */
  readonly chunks: number
  /** One sentence that says why the order is that of before; null if the reranker made the order. */
  readonly problem: string | null
}

/** The embedding model of the context. */
export interface ExplainedModel {
  readonly id: string
  /**
   * Share of the prompt that it knows, 0 to 1: by its vocabulary, or 1 for a model of many languages. Null if the model
   * cannot be used.
   */
  readonly knowledge: number | null
}

/** Numbers of the documents of the context. */
export interface ExplainedDocuments {
  readonly total: number
  /** Completed documents: found by meaning, and by words unless they are in `withoutWords`. */
  readonly searchable: number
  /** Documents that the engine still processes. */
  readonly waiting: number
  /** Waiting documents that words find already. */
  readonly foundByWordsOnly: number
  readonly failed: number
  /** Completed documents whose words the engine still indexes: only meaning finds them. */
  readonly withoutWords: number
  /** Documents that the filter of the search left; null for a search without a filter. */
  readonly filtered: number | null
}

/** A part of a long prompt: a sentence, a line, or some of them. */
export interface ExplainedPart {
  readonly text: string
  /** True if it ends with a question mark, which counts three times. */
  readonly isQuestion: boolean
  /** BM25 of the chunk that covers it best. */
  readonly score: number
  /** The BM25 that no chunk can exceed. */
  readonly maximum: number
  /**
   * True for the part that decides: it is embedded beside the prompt. Without such a part, the prompt as a whole decides.
   */
  readonly decides: boolean
}

/** A word of the prompt. */
export interface ExplainedWord {
  /** The word as the prompt or the history has it. */
  readonly word: string
  /** The form that the word index compares. */
  readonly term: string
  /** True for a word such as "how" or "the", which counts little. */
  readonly isQuestionWord: boolean
  /** True for a word that only the history has: it counts less. */
  readonly isFromHistory: boolean
  /** Number of documents that words may find now and that have the word. */
  readonly documents: number
  /** Number of their chunks that have the word. */
  readonly chunks: number
  /** The terms of the context that count as this word, with their weights, at most 24; the most alike first. */
  readonly similar: readonly { readonly term: string; readonly weight: number }[]
}

/** A result with the ranks of both sides. */
export interface ExplainedHit extends Omit<SearchResult, 'content'> {
  /** The part of the chunk that matched. */
  readonly passage: string
  readonly words: {
    /** Place among the chunks that words find, from 1; null beyond the first 200, and without words of the prompt. */
    readonly rank: number | null
    /** BM25; 0 for a chunk without words of the prompt. */
    readonly score: number
    /** The terms of the prompt that the name of the document, or the headings above the chunk, have: it is found by them. */
    readonly inNames: readonly string[]
  }
  readonly meaning: {
    /** Place among the chunks that meaning finds, from 1; null beyond the nearest 200 windows. */
    readonly rank: number | null
    readonly similarity: number
  }
  /** Place, from 1, and score before the reranker; null if it did not make the order. */
  readonly beforeReranking: { readonly rank: number; readonly score: number } | null
}
