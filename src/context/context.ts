import type { ContextRecord } from '../ports/index.js'
import type { ContextSettings } from './context-input.js'

/** A context as the specification shows it (Resources and their fields, Context). */
export interface Context {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly caption: string
  readonly userId: number
  readonly embeddingModel: string
  /** Bytes. */
  readonly maxSize: number
  readonly topN: number
  readonly scoreThreshold: number
  /** Tokens per chunk. */
  readonly chunkSize: number
  /** Fraction of a chunk that the next one repeats. */
  readonly overlap: number
  readonly toolsJson: string
  readonly starterPrompts: readonly string[]
  /** 0 private, 1 shared. */
  readonly shareState: 0 | 1
  readonly deleted: null
  /** ISO 8601. */
  readonly created: string
}

export function toContext(record: ContextRecord): Context {
  return {
    id: record.id,
    name: record.name,
    description: record.description,
    caption: record.caption,
    userId: record.userId,
    embeddingModel: record.embeddingModel,
    maxSize: record.maxSizeBytes,
    topN: record.topN,
    scoreThreshold: record.scoreThreshold,
    chunkSize: record.chunkSizeTokens,
    overlap: record.overlap,
    toolsJson: record.toolsJson,
    starterPrompts: record.starterPrompts,
    shareState: record.shareState,
    deleted: null,
    created: record.created,
  }
}

/** All settings of a context, as it was created with or changed to. */
export function toSettings(record: ContextRecord): Required<ContextSettings> {
  return {
    embeddingModel: record.embeddingModel,
    maxSizeBytes: record.maxSizeBytes,
    topN: record.topN,
    scoreThreshold: record.scoreThreshold,
    chunkSizeTokens: record.chunkSizeTokens,
    overlap: record.overlap,
    searchMode: record.searchMode,
    findsEarly: record.findsEarly,
  }
}
