/** The ports: one interface for each thing that the core needs from outside, and the errors that adapters throw. */

/** Waits that end early, retries after transient errors, and time slices for long work. */
export { itemsUntilAborted, untilAborted, withAnySignal } from '../kernel/abort.js'
/** Failures in words for callers who may not see the inside of the engine. */
export { type CallFailure, describeFailure } from '../kernel/errors/call-failure.js'
export {
  AlcoveError,
  AlreadyExistsError,
  ClosedError,
  DestinationRefusedError,
  type ErrorCode,
  ExtractionError,
  type ExtractionErrorCode,
  errorCodeIn,
  FileMissingError,
  InvalidInputError,
  MailError,
  ModelError,
  type ModelErrorCode,
  NativePartError,
  QuotaExceededError,
  SchemaTooNewError,
  SchemaTooOldError,
  SigningKeyError,
  StorageError,
  StorageFullError,
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
export { type RetryOptions, retry } from '../kernel/retry.js'
export { retryAfterMs } from '../kernel/retry-after.js'
export { TimeSlice } from '../kernel/time-slice.js'
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
  type DocumentConditions,
  itemsOf,
  type KeyRule,
  type KeyTests,
  keyRulesOf,
  type MetadataCondition,
  type MetadataScalar,
  meetsConditions,
  type ValueTests,
} from './storage/document-conditions.js'
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
} from './storage/document-list.js'
export {
  type DocumentNames,
  displayName,
  displayNameOf,
  type FoldedNames,
  foldedNamesOf,
  foldName,
  shownName,
} from './storage/document-names.js'
export {
  type ChunkCounts,
  type ChunkGaps,
  type ChunkKey,
  type ChunkPlace,
  type ChunkRecord,
  type ChunkSettings,
  type ContextGenerations,
  type ContextRecord,
  type ContextReindexing,
  type DocumentMetadata,
  type DocumentRecord,
  type DocumentStateCounts,
  type DocumentVisibility,
  type IngestionReceipt,
  type MetadataValue,
  type NewChunk,
  NO_GAPS,
  NO_PLACE,
  type Page,
  SEARCH_MODES,
  type SearchMode,
  type UploadRecord,
  type VersionMark,
  type VisibleChunk,
  type WindowRecord,
  type WordVisibility,
} from './storage/document-records.js'
export type {
  ChunkRepository,
  ContextFilter,
  ContextHandOver,
  ContextRepository,
  ContextSize,
  ContextsSize,
  DocumentRepository,
  FoundWindow,
  NewDocumentRecord,
  UploadRepository,
} from './storage/document-repositories.js'
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
  type DestinationRecord,
  type DestinationRepository,
  type DestinationVersion,
  type DisabledReason,
  type EventRecord,
  type EventRepository,
  type FannedEvent,
  type NewAttempt,
  type NewDelivery,
  RETRY_SCHEDULES,
  type RetrySchedule,
  type SendableDelivery,
  SIGNATURE_SCHEMES,
  type SignatureScheme,
  type UnsentDelivery,
} from './storage/outbox-repositories.js'
export type {
  OneTimePasswordRecord,
  OneTimePasswordRepository,
  RateLimit,
  RateOutcome,
  RateRepository,
  RevokedToken,
  RevokedTokenRepository,
} from './storage/rate-and-token-repositories.js'
export type {
  ReindexProgress,
  ShadowRepository,
  SwitchedVersions,
  UncompletedShadow,
} from './storage/shadow-repository.js'
export type {
  AccessRecord,
  AccountRecord,
  AccountRepository,
  ApiKeyFilter,
  ApiKeyRecord,
  ApiKeyRepository,
  CompanyRecord,
  CompanyRepository,
  MailRecord,
  MailRepository,
  NewMailRecord,
  PasswordTokenRecord,
  PasswordTokenRepository,
  PermissionAbroad,
  PermissionDetails,
  PermissionRecord,
  PermissionRepository,
  RegionRecord,
  RegionRepository,
  RoleRecord,
  RoleRepository,
  Sight,
  UserChanges,
  UserRecord,
  UserRepository,
  UsersFilter,
  WithinFilter,
} from './storage/tenancy-repositories.js'
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
export type { PublicKey, TokenClaims, TokenSigner, VerifiedClaims } from './token-signer.js'
export {
  errorTypeOf,
  formatTraceparent,
  NO_SPAN,
  NO_TRACER,
  parseTraceparent,
  type Span,
  type SpanOptions,
  type TraceParent,
  type Tracer,
  type TraceValues,
} from './tracing.js'
export {
  cosine,
  type DocumentFilter,
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
