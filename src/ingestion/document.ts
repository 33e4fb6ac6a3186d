import type { DocumentRecord, IngestionReceipt } from '../ports/index.js'
import { displayName, shownName } from './document-names.js'

/** A training document as the specification lists it, with `error` beside (decision 7). */
export interface Document {
  readonly id: number
  readonly contextId: number
  /** The UUID that the upload answered. */
  readonly fileName: string
  /** The name it had at upload: no path, no control character, no override of the direction of text. */
  readonly originalName: string
  /** The original name, or `report (1).pdf` for the second of that name: safe to save a file under. */
  readonly displayName: string
  readonly nameIndex: number
  readonly contentType: string
  /** Lower-case hex SHA-256 of the bytes. */
  readonly contentHash: string
  /** Bytes. */
  readonly size: number
  readonly chunks: number
  readonly created: string
  readonly createdBy: number
  readonly started: string | null
  readonly completed: string | null
  /** Null, or a sentence that ends in its code; set only when the failure is final. */
  readonly error: string | null
}

/** A document with the proof of what was done to it. */
export interface DocumentWithReceipt extends Document {
  /** Null until the document is completed. */
  readonly receipt: IngestionReceipt | null
}

/** Names a document: its UUID, or its id within its context, which is the `docId` of a hit in that context. */
export type DocumentReference = string | { readonly contextId: number; readonly id: number }

/** Whether it is still to be processed. */
export function isUnfinished({ completed, error, deleted }: DocumentRecord): boolean {
  return (completed ?? error ?? deleted) === null
}

export function toDocument(record: DocumentRecord): Document {
  return {
    id: record.id,
    contextId: record.contextId,
    fileName: record.uuid,
    originalName: shownName(record.originalName),
    displayName: displayName(record.originalName, record.nameIndex),
    nameIndex: record.nameIndex,
    contentType: record.contentType,
    contentHash: record.contentHash,
    size: record.sizeBytes,
    chunks: record.chunkCount,
    created: record.created,
    createdBy: record.createdBy,
    started: record.started,
    completed: record.completed,
    error: record.error,
  }
}
