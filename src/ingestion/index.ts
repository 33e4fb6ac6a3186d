export { type ChunkTextOptions, chunkText } from './chunking/chunk-text.js'
export type { Chunk } from './chunking/chunker.js'
export { textWindows } from './chunking/text-windows.js'
export type { Window as ChunkWindow } from './chunking/windows.js'
export { DeleteDocument } from './delete-document.js'
export type { Document, DocumentReference, DocumentWithReceipt } from './document.js'
export {
  DocumentEventEmitter,
  type DocumentEvents,
  type DocumentProgress,
  type FindableDocument,
} from './document-events.js'
export { displayName, shownName } from './document-names.js'
export { EmbeddingModels, windowTokensFor } from './embedding-models.js'
export { enqueueMissingWords } from './enqueue-words.js'
export { type DocumentChunk, GetDocument } from './get-document.js'
export { IndexContextWords } from './index-context-words.js'
export { INGEST_DOCUMENT } from './job-kinds.js'
export { ListDocuments } from './list-documents.js'
export { ProcessDocument } from './process-document.js'
export { IndexWords } from './processing/index-words.js'
export { LateWrites } from './processing/late-writes.js'
export { PurgeAccount } from './purge-account.js'
export { PurgeCompany } from './purge-company.js'
export { PurgeContext, PurgeDocument } from './purge-documents.js'
export { type RebuildWordsOptions, rebuildWords } from './rebuild-words.js'
export { RetryDocument } from './retry-document.js'
export { Sweep } from './sweep.js'
export { SweepCollections } from './sweep-collections.js'
export { SWEEP_JOB, SweepInTurn } from './sweep-in-turn.js'
export type { UploadContent } from './upload-content.js'
export { type NewDocument, UploadDocument, type UploadOptions } from './upload-document.js'
export { collectionOf, wordCollectionOf } from './vector-collection.js'
export { ContextCheck } from './verify/context-check.js'
export { DocumentCheck } from './verify/document-check.js'
export { Examination } from './verify/examination.js'
export { FoundationCheck } from './verify/foundation-check.js'
export { LeftoverCheck } from './verify/leftover-check.js'
export type {
  Checked,
  Problem,
  ProblemCode,
  ProblemSubject,
  VerifyOptions,
  VerifyProgress,
  VerifyReport,
} from './verify/problem.js'
export { Repair, type RepairWorkers } from './verify/repair.js'
export { StartCheck } from './verify/start-check.js'
export { Verify } from './verify/verify.js'
export { WordRepair } from './verify/word-repair.js'
export { WaitForDocument } from './wait-for-document.js'
