/** What the core needs from outside: one interface for each need, and the errors that adapters throw. */

/** How a wait ends early. */
export { withAnySignal } from '../shared/any-signal.js'
export {
  AlcoveError,
  AlreadyExistsError,
  ClosedError,
  DestinationRefusedError,
  type ErrorCode,
  ExtractionError,
  type ExtractionErrorCode,
  FileMissingError,
  InvalidInputError,
  MailError,
  ModelError,
  type ModelErrorCode,
  QuotaExceededError,
  SchemaTooNewError,
  SigningKeyError,
  StorageError,
  StorageFullError,
  UnresolvedDestinationError,
  UnsupportedError,
  VectorInvalidError,
  VectorsDamagedError,
} from '../shared/errors.js'
/** Parts of a list. */
export { type ListPage, type ListQuery, listQuerySchemaWith, type RowPage } from '../shared/row-list.js'
export { itemsUntilAborted, untilAborted } from '../shared/until-aborted.js'
/** How inputs are checked, at every door the same. */
export { choiceSchema, idSchema, integerSchema, objectSchema, textSchema, validate } from '../shared/validate.js'
export { bm25, bm25LengthFactor, bm25Maximum, bm25OfTerm, type ChunkTerms, inverseDocumentFrequency } from './bm25.js'
export type { Clock } from './clock.js'
export type { CommonPasswords } from './common-passwords.js'
export { cosine } from './cosine.js'
export { passesOf } from './document-filter.js'
export type { EmbeddingModel, EmbeddingProfile, EmbedOptions } from './embedding-model.js'
export { isFileKey, requireFileKey } from './file-keys.js'
export type { FileStore, StoredFile } from './file-store.js'
export {
  type HttpOutcome,
  type HttpPost,
  type HttpTransport,
  MAX_RESPONSE_BODY_BYTES,
  type VetOptions,
} from './http-transport.js'
export type {
  LexicalAnswer,
  LexicalHit,
  LexicalIndex,
  LexicalQuery,
  LexicalRows,
  LexicalSearchOptions,
} from './lexical-index.js'
export { byLexicalScore } from './lexical-order.js'
export type {
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
export type { OneTimePasswords } from './one-time-passwords.js'
export type { PasswordHasher } from './password-hasher.js'
export type { ProcessLocks } from './process-locks.js'
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
  type ChunkKey,
  type ChunkRecord,
  type ContextRecord,
  type DocumentRecord,
  type DocumentVisibility,
  type IngestionReceipt,
  type NewChunk,
  type Page,
  SEARCH_MODES,
  type SearchMode,
  type UploadRecord,
  type VisibleChunk,
  type WindowRecord,
  type WordVisibility,
} from './storage/document-records.js'
export type {
  ChunkRepository,
  ContextFilter,
  ContextRepository,
  DocumentRepository,
  UploadRepository,
} from './storage/document-repositories.js'
export {
  BACKUP_JOB,
  type ClaimedJob,
  type JobRepository,
  type LaneShare,
  type NewJob,
  type WaitingLane,
} from './storage/job-repository.js'
export type { OneTimePasswordRecord, OneTimePasswordRepository } from './storage/one-time-password-repository.js'
export {
  type AttemptOutcome,
  type AttemptRecord,
  DELIVERY_STATUSES,
  type DeliveryRecord,
  type DeliveryStatus,
  type DestinationRecord,
  type EventRecord,
} from './storage/outbox-records.js'
export type {
  Cancellation,
  DeliveryFilter,
  DeliveryRepository,
  DeliveryState,
  DestinationRepository,
  EventRepository,
  NewAttempt,
  NewDelivery,
  SendableDelivery,
} from './storage/outbox-repositories.js'
export type { RateLimit, RateOutcome, RateRepository } from './storage/rate-repository.js'
export type { RevokedToken, RevokedTokenRepository } from './storage/revoked-token-repository.js'
export type {
  AccessRecord,
  AccountRecord,
  ApiKeyRecord,
  CompanyRecord,
  MailRecord,
  PasswordTokenRecord,
  PermissionDetails,
  PermissionRecord,
  RegionRecord,
  RoleRecord,
  UserRecord,
} from './storage/tenancy-records.js'
export type {
  AccountRepository,
  ApiKeyRepository,
  CompanyRepository,
  MailRepository,
  PasswordTokenRepository,
  PermissionAbroad,
  PermissionRepository,
  RegionRepository,
  RoleRepository,
  UserRepository,
  UsersFilter,
} from './storage/tenancy-repositories.js'
export type { Repositories, SettingRepository, Storage, TransactionOptions } from './storage.js'
export type { Telemetry, TelemetryEvent } from './telemetry.js'
export type { ExtractedPiece, ExtractionSource, TextExtractor, TextFormat } from './text-extractor.js'
export type { PublicKey, TokenClaims, TokenSigner, VerifiedClaims } from './token-signer.js'
export type { Encoding, Tokenizer, WordSpans } from './tokenizer.js'
export { requireQuery, requireRows } from './vector-checks.js'
export type {
  DocumentFilter,
  IndexedChunk,
  NearestWindow,
  VectorCollection,
  VectorHit,
  VectorIndex,
  VectorKey,
  VectorRows,
  VectorSearchOptions,
} from './vector-index.js'
