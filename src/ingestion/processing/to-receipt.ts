import type { ContextRecord, DocumentRecord, IngestionReceipt } from '../../ports/index.js'
import type { TextSummary } from './chunk-stream.js'

/** What was done to a document. */
interface Work {
  readonly document: DocumentRecord
  readonly context: ContextRecord
  readonly summary: TextSummary
  readonly totals: {
    readonly chunks: number
    readonly windows: number
    readonly reused: number
    readonly embedMs: number
    readonly wordsMs: number
  }
  readonly indexMs: number
  readonly totalMs: number
}

export function toReceipt({ document, context, summary, totals, indexMs, totalMs }: Work): IngestionReceipt {
  return {
    bytes: document.sizeBytes,
    characters: summary.characters,
    pages: summary.pages,
    tokens: summary.tokens,
    chunks: totals.chunks,
    windows: totals.windows,
    windowsReused: totals.reused,
    embeddingModel: context.embeddingModel,
    durationsMs: {
      extract: Math.round(summary.extractMs),
      words: Math.round(totals.wordsMs),
      embed: Math.round(totals.embedMs),
      index: Math.round(indexMs),
      total: Math.round(totalMs),
    },
    warnings: summary.warnings,
  }
}
