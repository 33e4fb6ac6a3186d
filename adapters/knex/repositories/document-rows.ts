import {
  type DocumentMetadata,
  type DocumentNames,
  type DocumentRecord,
  foldedNamesOf,
  type IngestionReceipt,
} from '../../../src/ports/index.js'
import { Columns, INTEGER, INTEGER_OR_NULL, jsonColumn, jsonOrNullColumn, TEXT, TEXT_OR_NULL } from '../columns.js'
import { json, type Row } from '../tables.js'

/** The columns of a document, without those by which lists find and order it. */
export const DOCUMENT: Columns<DocumentRecord> = new Columns({
  id: INTEGER,
  publicId: INTEGER,
  replaces: INTEGER_OR_NULL,
  generation: INTEGER_OR_NULL,
  uuid: TEXT,
  contextId: INTEGER,
  originalName: TEXT,
  nameIndex: INTEGER,
  displayName: TEXT_OR_NULL,
  metadata: jsonColumn<DocumentMetadata>(),
  contentType: TEXT,
  contentHash: TEXT,
  sizeBytes: INTEGER,
  excessBytes: INTEGER,
  chunkCount: INTEGER,
  created: TEXT,
  createdBy: INTEGER,
  started: TEXT_OR_NULL,
  completed: TEXT_OR_NULL,
  error: TEXT_OR_NULL,
  receipt: jsonOrNullColumn<IngestionReceipt>(),
  wordsVersion: INTEGER_OR_NULL,
  embeddedChunks: INTEGER,
  deleted: TEXT_OR_NULL,
})

/** The columns by which lists find and order a document. */
export function toNameColumns(names: DocumentNames): Row {
  const { shown, original } = foldedNamesOf(names)
  return { folded_name: shown, folded_original: original }
}

/** Reads the metadata of a row that has the column of documents. */
export function toMetadata(row: Row): DocumentMetadata {
  return json(row, 'metadata') as DocumentMetadata
}
