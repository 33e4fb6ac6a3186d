import {
  type DocumentMetadata,
  type DocumentNames,
  type DocumentRecord,
  type DocumentRepository,
  foldedNamesOf,
  type IngestionReceipt,
} from '../../../src/ports/index.js'
import { json, jsonOrNull, number, numberOrNull, type Row, text, textOrNull } from '../tables.js'

/** The members of a document that can change. */
export type DocumentChanges = Parameters<DocumentRepository['update']>[1]

/** The columns of the given members, without those by which lists find and order a document. */
export function toRow(changes: DocumentChanges): Row {
  const { sizeBytes, chunkCount, started, completed, error, receipt, deleted, wordsVersion, embeddedChunks } = changes
  const { originalName, nameIndex, displayName, metadata, replaces, excessBytes } = changes
  return {
    ...(sizeBytes !== undefined && { size_bytes: sizeBytes }),
    ...(excessBytes !== undefined && { excess_bytes: excessBytes }),
    ...(chunkCount !== undefined && { chunk_count: chunkCount }),
    ...(started !== undefined && { started }),
    ...(completed !== undefined && { completed }),
    ...(error !== undefined && { error }),
    ...(receipt !== undefined && { receipt: receipt && JSON.stringify(receipt) }),
    ...(deleted !== undefined && { deleted }),
    ...(wordsVersion !== undefined && { words_version: wordsVersion }),
    ...(embeddedChunks !== undefined && { embedded_chunks: embeddedChunks }),
    ...(replaces !== undefined && { replaces }),
    ...(originalName !== undefined && { original_name: originalName }),
    ...(nameIndex !== undefined && { name_index: nameIndex }),
    ...(displayName !== undefined && { display_name: displayName }),
    ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
  }
}

/** The columns by which lists find and order a document. */
export function toNameColumns(names: DocumentNames): Row {
  const { shown, original } = foldedNamesOf(names)
  return { folded_name: shown, folded_original: original }
}

export function toDocument(row: Row): DocumentRecord {
  return {
    id: number(row, 'id'),
    publicId: number(row, 'public_id'),
    replaces: numberOrNull(row, 'replaces'),
    generation: numberOrNull(row, 'generation'),
    uuid: text(row, 'uuid'),
    contextId: number(row, 'context_id'),
    originalName: text(row, 'original_name'),
    nameIndex: number(row, 'name_index'),
    displayName: textOrNull(row, 'display_name'),
    metadata: toMetadata(row),
    contentType: text(row, 'content_type'),
    contentHash: text(row, 'content_hash'),
    sizeBytes: number(row, 'size_bytes'),
    excessBytes: number(row, 'excess_bytes'),
    chunkCount: number(row, 'chunk_count'),
    created: text(row, 'created'),
    createdBy: number(row, 'created_by'),
    started: textOrNull(row, 'started'),
    completed: textOrNull(row, 'completed'),
    error: textOrNull(row, 'error'),
    receipt: jsonOrNull(row, 'receipt') as IngestionReceipt | null,
    wordsVersion: numberOrNull(row, 'words_version'),
    embeddedChunks: number(row, 'embedded_chunks'),
    deleted: textOrNull(row, 'deleted'),
  }
}

/** Reads the metadata of a row that has the column of documents. */
export function toMetadata(row: Row): DocumentMetadata {
  return json(row, 'metadata') as DocumentMetadata
}
