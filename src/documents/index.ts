export { type Chunk, type ChunkTextOptions, chunkText, textWindows } from './chunking/chunker.js'
export { wholeSentences } from './chunking/sentences.js'
export type { Window as ChunkWindow } from './chunking/windows.js'
export {
  type CollectionIndex,
  collectionOf,
  collectionsOf,
  contextOfCollection,
  type GenerationOwner,
  generationOfCollection,
  isOfOlderAnalyzer,
  isOfOtherGeneration,
  wordCollectionOf,
} from './collections.js'
export {
  type Document,
  type DocumentReference,
  type DocumentReplacement,
  type DocumentWithReceipt,
  isUnfinished,
} from './document.js'
export { type DocumentChunk, type PageRange, pagesOf } from './document-chunk.js'
export { composedFilter, documentFilterSchema } from './document-filter.js'
export {
  companyOfContext,
  enqueueMissingWords,
  enqueueWords,
  INDEX_NAME,
  INDEX_WORDS,
  INGEST_DOCUMENT,
  ingestionJob,
  MEND_WORDS,
  PURGE_DOCUMENT,
  shadowLaneOf,
} from './document-jobs.js'
export {
  DOCUMENT_LIST_SHAPE,
  type DocumentListOptions,
  type DocumentListPage,
  type DocumentListQuery,
  parseListQuery,
} from './document-list.js'
export type { DocumentState, ProcessingStage } from './document-state.js'
export { type DocumentText, type TextRange, textRangeSchema } from './document-text.js'
export { type ChunkQuery, chunkQuerySchema, Documents, resetDocument } from './documents.js'
export { EmbeddingModels, type ModelState, windowTokensFor } from './embedding-models.js'
export { IndexName } from './index-name.js'
export {
  type ContextLanguages,
  type DocumentLanguage,
  ReadContextLanguages,
  readLanguages,
} from './languages/context-languages.js'
export {
  knowsManyLanguages,
  readScale,
  type SampleLanguage,
  similarityKeyOf,
} from './languages/known-languages.js'
export { measureModelKnowledge } from './languages/model-knowledge.js'
export { DamagedWords, MendWords, withDamageNoted } from './mend-words.js'
export { type DocumentChanges, documentChangesSchema, documentMetadataSchema, parseJson } from './metadata.js'
export { IndexWords } from './pipeline/index-words.js'
export { LateWrites } from './pipeline/late-writes.js'
export { namesFor } from './pipeline/name-terms.js'
export { ProcessDocument } from './pipeline/process-document.js'
export { CHUNKS_PER_REMOVAL, removeChunks } from './pipeline/stored-chunks.js'
export { FormerGenerations } from './reindex/former-generations.js'
export { ReindexContext } from './reindex/reindex-context.js'
export { FileReceiver, type UploadOptions } from './upload/receive-file.js'
export { type NewVersion, ReplaceDocument } from './upload/replace-document.js'
export { type NewDocument, UploadDocument } from './upload/upload-document.js'
export type { UploadContent } from './upload/upload-stream.js'
export {
  DocumentEventEmitter,
  type DocumentEvents,
  type DocumentProgress,
  type FindableDocument,
  type ReindexedContext,
} from './watch/document-events.js'
export { WaitForDocument, type WaitOptions } from './watch/wait-for-document.js'
export {
  WatchDocuments,
  type WatchOptions,
  type WatchSelection,
  watchSelectionSchema,
} from './watch/watch-documents.js'
export { countWithoutWords, IndexContextWords, type RebuildWordsOptions, rebuildWords } from './word-jobs.js'
