export { DeleteDocument, RetryDocument, resetDocument } from './change-documents.js'
export { type ChunkTextOptions, chunkText, textWindows } from './chunking/chunk-text.js'
export type { Chunk } from './chunking/chunker.js'
export type { Window as ChunkWindow } from './chunking/windows.js'
export {
  type CollectionIndex,
  collectionOf,
  collectionsOf,
  contextOfCollection,
  isOfOlderAnalyzer,
  wordCollectionOf,
} from './collections.js'
export {
  type Document,
  type DocumentReference,
  type DocumentWithReceipt,
  displayName,
  isUnfinished,
  shownName,
} from './document.js'
export {
  DocumentEventEmitter,
  type DocumentEvents,
  type DocumentProgress,
  type FindableDocument,
} from './document-events.js'
export { EmbeddingModels, windowTokensFor } from './embedding-models.js'
export {
  companyOfContext,
  enqueueMissingWords,
  enqueueWords,
  INDEX_WORDS,
  INGEST_DOCUMENT,
  ingestionJob,
  PURGE_DOCUMENT,
} from './enqueue.js'
export { removeChunks } from './pipeline/chunk-writer.js'
export { IndexWords } from './pipeline/index-words.js'
export { LateWrites } from './pipeline/late-writes.js'
export { ProcessDocument } from './process-document.js'
export { type DocumentChunk, GetDocument, ListDocuments } from './read-documents.js'
export type { UploadContent } from './upload-content.js'
export { type NewDocument, UploadDocument, type UploadOptions } from './upload-document.js'
export { WaitForDocument } from './wait-for-document.js'
export { countWithoutWords, IndexContextWords, type RebuildWordsOptions, rebuildWords } from './word-jobs.js'
