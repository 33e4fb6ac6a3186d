import type { SearchMode } from '../../../src/index.js'
import type { RetrievalScores } from './retrieval-scores.js'

/** A question of a user, with an answer that a search must find. */
export interface EvaluationQuestion {
  /** The prompt of a search. Rows with the same question are one question with several expected answers. */
  readonly question: string
  /** The document with the answer: its display name, its file name, its path in a synchronised folder, its UUID or id. */
  readonly document: string
  /** Text that a hit must have. Default: any hit in the document counts. */
  readonly passage?: string | undefined
  /** Line of the question in its file, for error messages. Default: messages name its index. */
  readonly line?: number | undefined
}

/** Settings that decide what a search finds. */
export interface ComparedSettings {
  readonly mode: SearchMode
  readonly embeddingModel: string
  readonly chunkSizeTokens: number
  readonly overlap: number
}

/** Settings with their scores for the questions. */
export interface MeasuredSettings extends ComparedSettings, RetrievalScores {
  /** True for the present settings of the context: the first of all. */
  readonly isPresent: boolean
  /** Documents that were searched. */
  readonly documents: number
  /** Chunks of these documents. */
  readonly chunks: number
  /** Time of a search, in milliseconds: the median of all questions, one after the other. */
  readonly p50Ms: number
  /** Mean length of the texts that a search returned, in UTF-16 units. */
  readonly characters: number
  /** Null for the present settings. */
  readonly change: SettingsChange | null
}

/** Differences of the mean scores to those of the present settings. */
export interface SettingsChange extends RetrievalScores {
  /** The probability that a difference in nDCG as large as this comes about by chance: a paired randomization test. */
  readonly chance: number
  /** True if that probability is 0.05 or more. */
  readonly isWithinChance: boolean
}

/** The result of an evaluation. */
export interface Evaluation {
  readonly contextId: number
  /** Results of each search: the k of recall@k and nDCG@k. */
  readonly topN: number
  /** Different questions. */
  readonly questions: number
  /** The present settings, then the others. */
  readonly settings: readonly MeasuredSettings[]
}

/** The work that an evaluation is about to do. */
export interface EvaluationPlan {
  readonly topN: number
  readonly questions: number
  /** All settings, the present ones included. */
  readonly settings: number
  /** Copies of the context that are made, one after the other. */
  readonly copies: number
  /** Documents that are completed and so searched. */
  readonly documents: number
  /** Documents that are left out, because they are not processed yet or have failed. */
  readonly leftOut: number
  /** A rough estimate of the disk space that one copy needs, in bytes; 0 without copies. */
  readonly neededBytes: number
  /** Free disk space, in bytes; null without copies. */
  readonly freeBytes: number | null
}

/** The progress of an evaluation with some settings. */
export interface EvaluationProgress {
  /** The settings that are measured now. */
  readonly settings: ComparedSettings
  /** `documents`: the copy is made; `questions`: the questions are asked. */
  readonly work: 'documents' | 'questions'
  readonly done: number
  readonly total: number
}
