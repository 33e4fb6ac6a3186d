import type { ContextRecord, DocumentRecord, IngestionReceipt } from '../../ports/index.js'
import { type ProcessingStage, percentOf } from '../document-state.js'
import type { DocumentEventEmitter } from '../watch/document-events.js'
import { emptySummary, type TextSummary } from './chunks.js'
import type { EmbeddedBatch } from './window-embedder.js'

/** Counts the work of one run, and reports it: by progress events during the run, and by the receipt at its end. */
export class RunReport {
  readonly text: TextSummary = emptySummary()
  chunks = 0
  windows = 0
  embedded = 0
  #reused = 0
  #embedMs = 0
  #wordsMs = 0
  readonly #startedAt = performance.now()

  constructor(
    private readonly events: DocumentEventEmitter,
    private readonly document: DocumentRecord,
    private readonly context: ContextRecord,
  ) {}

  countEmbedded({ windowCount, reused, embedMs }: EmbeddedBatch): void {
    this.embedded += windowCount
    this.#reused += reused
    this.#embedMs += embedMs
  }

  /** @param startedAt the time at which the work on words began, by `performance.now()` */
  countWordsSince(startedAt: number): void {
    this.#wordsMs += performance.now() - startedAt
  }

  /** Emits `document.progress`, but not for a shadow, which nobody sees. */
  emitProgress(stage: ProcessingStage, windowsEmbedded: number): void {
    if (this.document.generation !== null) return
    const windowsTotal = stage === 'reading' ? null : this.windows
    this.events.emit('document.progress', {
      contextId: this.context.id,
      fileName: this.document.uuid,
      stage,
      charactersExtracted: this.text.characters,
      windowsEmbedded,
      windowsTotal,
      percent: percentOf(windowsEmbedded, windowsTotal),
    })
  }

  receipt(indexMs: number): IngestionReceipt {
    const { characters, pages, recognised, tokens, extractMs, language, warnings, warningReasons } = this.text
    return {
      bytes: this.document.sizeBytes,
      characters,
      pages,
      ...(recognised > 0 && { recognised }),
      tokens,
      chunks: this.chunks,
      windows: this.windows,
      windowsReused: this.#reused,
      embeddingModel: this.context.embeddingModel,
      language,
      durationsMs: {
        extract: Math.round(extractMs),
        words: Math.round(this.#wordsMs),
        embed: Math.round(this.#embedMs),
        index: Math.round(indexMs),
        total: Math.round(performance.now() - this.#startedAt),
      },
      warnings,
      warningReasons,
    }
  }
}
