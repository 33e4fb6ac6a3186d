import type { DocumentState, Schema } from '../api/api.js'

/** A document as lists have it. */
export type Listed = Schema<'Document'>
/** A document as it is read alone. */
export type Detailed = Schema<'DocumentWithReceipt'>
export type Receipt = Schema<'IngestionReceipt'>
export type Chunk = Schema<'DocumentChunk'>
export type ContextName = Pick<Schema<'Context'>, 'id' | 'name'>
export type Metadata = Listed['metadata']

export type Stage = 'waiting' | 'reading' | 'embedding' | 'completed' | 'failed'

/** A sentence of the server about a document, and the code at its end. */
export interface Told {
  readonly sentence: string
  readonly code: string | null
}

/** @returns null without a sentence */
export function toldOf(sentence: string | null, code: string | null): Told | null {
  return sentence === null ? null : { sentence, code }
}

/** The progress of a version of a document. */
export interface Progress {
  readonly stage: Stage
  /** 0 to 1 of the stage `embedding`; undefined if it is unknown. */
  readonly part?: number | undefined
  readonly error?: Told | null
}

/** The progress of the version that searches find. @param state what the stream of states has told of the document */
export function progressOf(document: Listed, state: DocumentState | undefined): Progress {
  if (state !== undefined && !state.isReplacement && state.status !== 'deleted') return progressOfState(state)
  const { error, errorCode, completed, started } = document
  if (error !== null) return { stage: 'failed', error: toldOf(error, errorCode) }
  if (completed !== null) return { stage: 'completed' }
  return { stage: started === null ? 'waiting' : 'reading' }
}

/** The progress of the version that is to replace the present one; undefined without one. */
export function replacementOf({ replacement }: Listed, state: DocumentState | undefined): Progress | undefined {
  if (state?.isReplacement === true && state.status !== 'deleted') return progressOfState(state)
  if (replacement === null) return undefined
  const { error, errorCode } = replacement
  if (error !== null) return { stage: 'failed', error: toldOf(error, errorCode) }
  return { stage: replacement.started === null ? 'waiting' : 'reading' }
}

export function progressOfState({ status, stage, percent, error, errorCode }: DocumentState): Progress {
  if (status === 'processing') return { stage: stage ?? 'reading', part: percent === null ? undefined : percent / 100 }
  return status === 'deleted' ? { stage: 'waiting' } : { stage: status, error: toldOf(error, errorCode) }
}

export function isFinal({ stage }: Progress): boolean {
  return stage === 'completed' || stage === 'failed'
}

type Value = Metadata[string]

/** On one line, such as `year: 2026, tags: rent; board`. */
export function metadataText(metadata: Metadata): string {
  return Object.entries(metadata)
    .map(([key, value]) => `${key}: ${valueText(value)}`)
    .join(', ')
}

export function valueText(value: Value): string {
  return typeof value === 'object' ? value.join('; ') : String(value)
}
