import { errorCodeOf } from '../kernel/errors.js'
import { type DocumentRecord, type DocumentStatus, displayNameOf, statusOf } from '../ports/index.js'
import type { Document } from './document.js'

/** The part of its processing that a document is in. Reading also cuts the text and indexes its words. */
export type ProcessingStage = 'reading' | 'embedding'

/** The state of a document, and how far its processing is. */
export interface DocumentState {
  readonly contextId: number
  /** It stays the same when the document is replaced. */
  readonly id: number
  /** UUID of the newest version: the one that waits, is being processed, or was processed last. */
  readonly uuid: string
  readonly displayName: string
  /** True if that version is to replace another one, which searches find until then. */
  readonly isReplacement: boolean
  readonly status: DocumentStatus | 'deleted'
  /** Null unless the document is being processed. */
  readonly stage: ProcessingStage | null
  /** Share of the windows that have their vectors, 0 to 100. Null as long as `windowsTotal` is null. */
  readonly percent: number | null
  /** Windows that have their vectors so far. */
  readonly windowsEmbedded: number
  /** Number of windows. Null until the whole text is read, and for a document that is not being processed. */
  readonly windowsTotal: number | null
  /** Null, or a sentence that ends in its error code. Set only when the failure is final. */
  readonly error: string | null
  /** The code at the end of `error`. */
  readonly errorCode: string | null
  /**
   * Null, or a sentence that ends in its error code: the reason for which the document waits, although it is neither
   * completed nor failed. See {@link DocumentWithReceipt.waiting}.
   */
  readonly waiting: string | null
  /** The code at the end of `waiting`. */
  readonly waitingCode: string | null
}

/** The progress of a version that is being processed. */
export interface ProcessingProgress {
  readonly stage: ProcessingStage
  readonly windowsEmbedded: number
  readonly windowsTotal: number | null
}

const BEGINNING: ProcessingProgress = { stage: 'reading', windowsEmbedded: 0, windowsTotal: null }

/**
 * @param progress default: the processing has just begun
 * @param waiting the reason for which unfinished documents wait. Default: none
 */
export function toDocumentState(
  record: DocumentRecord,
  progress: ProcessingProgress = BEGINNING,
  waiting: string | null = null,
): DocumentState {
  const status = record.deleted === null ? statusOf(record) : 'deleted'
  const isProcessing = status === 'processing'
  const { windowsEmbedded, windowsTotal } = isProcessing ? progress : BEGINNING
  const reason = isProcessing || status === 'waiting' ? waiting : null
  return {
    contextId: record.contextId,
    id: record.publicId,
    uuid: record.uuid,
    displayName: displayNameOf(record),
    isReplacement: record.replaces !== null,
    status,
    stage: isProcessing ? progress.stage : null,
    percent: status === 'completed' ? 100 : percentOf(windowsEmbedded, windowsTotal),
    windowsEmbedded,
    windowsTotal,
    error: record.error,
    errorCode: errorCodeOf(record.error),
    waiting: reason,
    waitingCode: errorCodeOf(reason),
  }
}

/** Whole percent. A document that is not completed has 99 at most: its last step is not done. */
export function percentOf(windowsEmbedded: number, windowsTotal: number | null): number | null {
  if (windowsTotal === null) return null
  return Math.min(99, Math.floor((100 * windowsEmbedded) / Math.max(1, windowsTotal)))
}

/** The members of a state that its deletion keeps. */
export type LastState = Pick<
  DocumentState,
  'contextId' | 'id' | 'uuid' | 'displayName' | 'isReplacement' | 'error' | 'errorCode'
>

/** The state of a document that is deleted. @param last its state before */
export function deletedState(last: LastState): DocumentState {
  const { contextId, id, uuid, displayName, isReplacement, error, errorCode } = last
  const ended = { status: 'deleted', stage: null, percent: null, windowsEmbedded: 0, windowsTotal: null } as const
  return {
    contextId,
    id,
    uuid,
    displayName,
    isReplacement,
    ...ended,
    error,
    errorCode,
    waiting: null,
    waitingCode: null,
  }
}

/** The last state of a document that this process has just deleted. */
export function lastStateOf({ contextId, id, displayName, replacement, ...current }: Document): LastState {
  const { uuid, error, errorCode } = replacement ?? current
  return { contextId, id, uuid, displayName, isReplacement: replacement !== null, error, errorCode }
}

export function isSameState(one: DocumentState, other: DocumentState): boolean {
  return (Object.keys(one) as (keyof DocumentState)[]).every((name) => one[name] === other[name])
}
