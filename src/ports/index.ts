/** The ports: one interface for each thing that the core needs from outside, and the errors that adapters throw. */

/** Failures in words for callers who may not see the inside of the engine. */
export { type CallFailure, describeFailure } from '../kernel/errors/call-failure.js'
export {
  AlcoveError,
  AlreadyExistsError,
  ClosedError,
  DestinationRefusedError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorReason,
  type ErrorReasonCode,
  ExtractionError,
  type ExtractionErrorCode,
  errorReason,
  FileMissingError,
  InvalidInputError,
  MailError,
  ModelError,
  type ModelErrorCode,
  NativePartError,
  QuotaExceededError,
  type ReasonArguments,
  SchemaTooNewError,
  SchemaTooOldError,
  SigningKeyError,
  StorageError,
  StorageFullError,
  StorageReadOnlyError,
  UnresolvedDestinationError,
  UnsupportedError,
  VectorInvalidError,
  VectorsDamagedError,
} from '../kernel/errors.js'
/** Types and schemas of list pages. */
export { type ListPage, type ListQuery, listQuerySchemaWith, type RowPage } from '../kernel/lists.js'
/** Texts of documents between tags that they cannot forge. */
export { codeFor, escapeLine, quote } from '../kernel/quotations.js'
/** Reads the header of a server that asks for a pause. */
export { readBytes } from '../kernel/read-bytes.js'
/** Checks of values of the platform that hold across realms. */
export { asError, isBytes, isError, messageOf } from '../kernel/realms.js'
/** Waits that end early, retries after transient errors, and time slices for long work. */
export { itemsUntilAborted, untilAborted, withAnySignal } from '../kernel/scheduling/abort.js'
export { type RetryOptions, retry } from '../kernel/scheduling/retry.js'
export { retryAfterMs } from '../kernel/scheduling/retry-after.js'
export { TimeSlice } from '../kernel/scheduling/time-slice.js'
/** Validation of inputs, the same in every API. */
export {
  choiceSchema,
  closedObjectSchema,
  idSchema,
  integerSchema,
  objectSchema,
  refuseUnknownMembers,
  textSchema,
  validate,
  validateTolerantly,
  withinField,
} from '../kernel/validate.js'
export { type Clock, type Telemetry, type TelemetryEvent, tracerOf } from './clock-and-telemetry.js'
export {
  type EmbeddingModel,
  type EmbeddingProfile,
  type EmbedOptions,
  type Encoding,
  isTokenizer,
  readableText,
  type SimilarityScale,
  type TokenCounter,
  type Tokenizer,
  type WordSpans,
  wordSpansOf,
} from './embedding-model.js'
export { EstimatingTokenCounter } from './estimating-token-counter.js'
export { type FileStore, isFileKey, requireFileKey, type StoredFile } from './file-store.js'
export {
  type HttpOutcome,
  type HttpPost,
  type HttpTransport,
  MAX_RESPONSE_BODY_BYTES,
  MAX_RETRY_AFTER_LENGTH,
  type VetOptions,
} from './http-transport.js'
export {
  bm25,
  bm25LengthFactor,
  bm25Maximum,
  bm25OfTerm,
  byLexicalScore,
  type ChunkTerms,
  inverseDocumentFrequency,
  type LexicalAnswer,
  type LexicalHit,
  type LexicalIndex,
  type LexicalQuery,
  type LexicalRows,
  type LexicalSearchOptions,
  type LexicalStatistics,
  MAX_FOUND_TERMS,
  type TermCount,
} from './lexical-index.js'
export type {
  DestinationMailPurpose,
  DestinationMailSubject,
  LinkMailSubject,
  LinkPurpose,
  Mail,
  Mailer,
  MailPurpose,
  MailSubject,
  MailWriter,
  NoticeMailSubject,
  NoticePurpose,
} from './mailer.js'
export {
  GAUGES,
  type GaugeDescription,
  type GaugeName,
  type Measure,
  type Measurement,
} from './measurements.js'
export type { CommonPasswords, OneTimePasswords, PasswordHasher } from './passwords.js'
export type { ProcessLocks } from './process-locks.js'
export { type Reranker, type RerankHit, type RerankOptions, rerankText } from './reranker.js'
export {
  canBeSimilar,
  canHaveSimilar,
  findSimilar,
  gramsOf,
  mostSimilar,
  partsOf,
  type SharingTerm,
  type SimilarTerms,
  sharedGrams,
  type Vocabulary,
} from './similar-terms.js'
export { SPANS, type SpanDescription, type SpanKind, type SpanName } from './spans.js'
export type { StarterPromptSubject, StarterPromptWriter } from './starter-prompt-writer.js'
export {
  ACTOR_KINDS,
  type ActorKind,
  type AuditDetails,
  type AuditFilter,
  type AuditOutcome,
  type AuditRecord,
  type AuditRepository,
} from './storage/audit-repository.js'
export {
  type ChunkCounts,
  type ChunkGaps,
  type ChunkKey,
  type ChunkPlace,
  type ChunkRecord,
  type ChunkRepository,
  type FoundWindow,
  type NewChunk,
  NO_GAPS,
  NO_PLACE,
  type VisibleChunk,
  type WindowRecord,
} from './storage/documents/chunk-repository.js'
export {
  type ChunkSettings,
  type ContextFilter,
  type ContextGenerations,
  type ContextHandOver,
  type ContextRecord,
  type ContextReindexing,
  type ContextRepository,
  type ContextSize,
  type ContextsSize,
  SEARCH_MODES,
  type SearchMode,
} from './storage/documents/context-repository.js'
export {
  type DocumentFilter,
  itemsOf,
  type KeyRule,
  type KeyTests,
  keyRulesOf,
  type MetadataCondition,
  type MetadataScalar,
  passesFilter,
  passesTests,
  type ValueTests,
} from './storage/documents/document-filter.js'
export {
  comparePositions,
  DOCUMENT_ORDERS,
  DOCUMENT_STATUSES,
  type DocumentOrder,
  type DocumentPage,
  type DocumentPosition,
  type DocumentSelection,
  type DocumentStatus,
  isSelected,
  statusOf,
} from './storage/documents/document-list.js'
export {
  type DocumentNames,
  displayName,
  displayNameOf,
  type FoldedNames,
  foldedNamesOf,
  foldName,
  shownName,
} from './storage/documents/document-names.js'
export type {
  DocumentMetadata,
  DocumentRecord,
  DocumentStateCounts,
  DocumentVisibility,
  IngestionReceipt,
  LanguageCount,
  MetadataValue,
  SearchableVersions,
  VersionMark,
  WordVisibility,
} from './storage/documents/document-record.js'
export type { DocumentRepository, NewDocumentRecord } from './storage/documents/document-repository.js'
export type {
  ReindexProgress,
  ShadowRepository,
  SwitchedVersions,
  UncompletedShadow,
} from './storage/documents/shadow-repository.js'
export {
  UPLOAD_TTL_BOUND_MS,
  UPLOAD_TTL_MS,
  type UploadRecord,
  type UploadRepository,
} from './storage/documents/upload-repository.js'
export {
  BACKUP_JOB,
  type ClaimedJob,
  CRASHING_CLAIMS,
  type EnqueueOptions,
  type JobRepository,
  type JobStates,
  type LaneShare,
  MAX_COUNTED_JOBS,
  type NewJob,
  type QueueState,
  type WaitingLane,
} from './storage/job-repository.js'
export {
  type AttemptOutcome,
  type AttemptRecord,
  type Cancellation,
  DELIVERY_STATUSES,
  type DeliveryFilter,
  type DeliveryRecord,
  type DeliveryRepository,
  type DeliveryState,
  type DeliveryStatus,
  type FannedEvent,
  type FanOutOptions,
  type NewAttempt,
  type NewDelivery,
  type SendableDelivery,
  type UnsentDelivery,
} from './storage/outbox/delivery-repository.js'
export {
  type DestinationRecord,
  type DestinationRepository,
  type DestinationVersion,
  type DisabledReason,
  RETRY_SCHEDULES,
  type RetrySchedule,
  SIGNATURE_SCHEMES,
  type SignatureScheme,
} from './storage/outbox/destination-repository.js'
export type { EventRecord, EventRepository } from './storage/outbox/event-repository.js'
export type { Page } from './storage/page.js'
export type {
  OneTimePasswordRecord,
  OneTimePasswordRepository,
  RateLimit,
  RateOutcome,
  RateRepository,
  RevokedToken,
  RevokedTokenRepository,
} from './storage/rate-and-token-repositories.js'
export type { AccountRecord, AccountRepository } from './storage/tenancy/account-repository.js'
export type {
  ApiKeyFilter,
  ApiKeyName,
  ApiKeyRecord,
  ApiKeyRepository,
  KeyOfToken,
  Sight,
  TokenIds,
} from './storage/tenancy/api-key-repository.js'
export type {
  CompanyRecord,
  CompanyRepository,
  RegionRecord,
  RegionRepository,
  WithinFilter,
} from './storage/tenancy/company-repository.js'
export type { MailRecord, MailRepository, NewMailRecord } from './storage/tenancy/mail-repository.js'
export type {
  AccessRecord,
  PermissionAbroad,
  PermissionDetails,
  PermissionRecord,
  PermissionRepository,
} from './storage/tenancy/permission-repository.js'
export type { RoleRecord, RoleRepository } from './storage/tenancy/role-repository.js'
export type {
  ExpiryRange,
  PasswordTokenRecord,
  PasswordTokenRepository,
  UserChanges,
  UserRecord,
  UserRepository,
  UsersFilter,
} from './storage/tenancy/user-repository.js'
export type { Repositories, SettingRepository, Storage, StorageSize, TransactionOptions } from './storage.js'
export type {
  ExtractedPiece,
  ExtractionSource,
  HeadingMark,
  PageMark,
  StructureMark,
  TextExtractor,
  TextFormat,
} from './text-extractor.js'
export type { RecognizedText, TextRecognizer } from './text-recognizer.js'
export type { PublicKey, TokenClaims, TokenSigner, VerifiedClaims } from './token-signer.js'
export {
  errorTypeOf,
  formatTraceparent,
  parseTraceparent,
  type Span,
  type SpanOptions,
  type TraceParent,
  type Tracer,
  type TraceValues,
} from './tracing.js'
export {
  cosine,
  type DocumentIds,
  hasDirection,
  type IndexedChunk,
  type NearestWindow,
  passesOf,
  requireQuery,
  requireRows,
  type VectorCollection,
  type VectorHit,
  type VectorIndex,
  type VectorKey,
  type VectorRows,
  type VectorSearchOptions,
} from './vector-index.js'
