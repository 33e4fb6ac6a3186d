/** What the core needs from outside: one interface for each need, and the errors that adapters throw. */
export {
  AlcoveError,
  AlreadyExistsError,
  ClosedError,
  type ErrorCode,
  ExtractionError,
  type ExtractionErrorCode,
  FileMissingError,
  InvalidInputError,
  ModelError,
  type ModelErrorCode,
  QuotaExceededError,
  SchemaTooNewError,
  StorageError,
  UnsupportedError,
  VectorInvalidError,
} from '../shared/errors.js'
export type { Clock } from './clock.js'
export type { EmbeddingModel, EmbeddingProfile, EmbedOptions } from './embedding-model.js'
export type { FileStore, StoredFile } from './file-store.js'
export type { StarterPromptSubject, StarterPromptWriter } from './starter-prompt-writer.js'
export type {
  ChunkKey,
  ChunkRecord,
  ContextRecord,
  DocumentRecord,
  IngestionReceipt,
  NewChunk,
  UploadRecord,
  WindowRecord,
} from './storage/document-records.js'
export type {
  ChunkRepository,
  ContextRepository,
  DocumentRepository,
  UploadRepository,
} from './storage/document-repositories.js'
export type { ClaimedJob, JobRepository, NewJob } from './storage/job-repository.js'
export type {
  AccessRecord,
  AccountRecord,
  ApiKeyRecord,
  CompanyRecord,
  PermissionRecord,
  RegionRecord,
  RoleRecord,
  UserRecord,
} from './storage/tenancy-records.js'
export type {
  AccountRepository,
  ApiKeyRepository,
  CompanyRepository,
  PermissionRepository,
  RegionRepository,
  RoleRepository,
  UserRepository,
} from './storage/tenancy-repositories.js'
export type { Repositories, SettingRepository, Storage } from './storage.js'
export type { Telemetry, TelemetryEvent } from './telemetry.js'
export type { ExtractedPiece, ExtractionSource, TextExtractor, TextFormat } from './text-extractor.js'
export type { Encoding, Tokenizer, WordSpans } from './tokenizer.js'
export type { VectorCollection, VectorHit, VectorIndex, VectorKey, VectorRows } from './vector-index.js'
