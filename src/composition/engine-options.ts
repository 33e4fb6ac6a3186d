import type {
  Clock,
  EmbeddingModel,
  FileStore,
  HttpTransport,
  Mailer,
  PasswordHasher,
  StarterPromptWriter,
  Storage,
  Telemetry,
  TextExtractor,
  TokenSigner,
  VectorIndex,
} from '../ports/index.js'
import type { InitializeInput, MailSettings } from '../tenancy-authorization/index.js'

/** `ingest`: process documents, and clear away what was deleted. `relay`: send events and mails. */
export type EngineRole = 'ingest' | 'relay'

/** What an engine is made of: one adapter for each port. The engine closes them when it is closed. */
export interface EngineOptions {
  readonly storage: Storage
  readonly vectorIndex: VectorIndex
  /** At least one; the first is the default of new contexts. */
  readonly embeddingModels: readonly EmbeddingModel[]
  readonly textExtractor: TextExtractor
  readonly fileStore: FileStore
  readonly starterPromptWriter: StarterPromptWriter
  readonly tokenSigner: TokenSigner
  readonly passwordHasher: PasswordHasher
  readonly mailer: Mailer
  /** Sends events to destinations. */
  readonly httpTransport: HttpTransport
  /** 32 bytes, the same for all engines on a storage: what signing secrets are encrypted with (AES-256-GCM). */
  readonly secretKey: Uint8Array
  /** How long deliveries stay in the log after they were made; default 30 days. */
  readonly deliveryRetentionDays?: number
  /** How invitations are worded, and where their links lead. */
  readonly mail?: MailSettings
  /** Default: the system's clock. */
  readonly clock?: Clock
  /** Default: nobody listens. */
  readonly telemetry?: Telemetry
  /** Whether this engine works, rather than only looking after records beside one that does; default true. */
  readonly isWorking?: boolean
  /** What it works at; default all. What it does not do is left to other engines on the storage. */
  readonly roles?: readonly EngineRole[]
  /**
   * Whether no other engine works on this storage, which the caller has made sure of: then
   * work that a dead process held is taken up at once. Default false: when its leases run out.
   */
  readonly isAlone?: boolean
  /** Documents processed at a time; default 2. */
  readonly ingestionConcurrency?: number
  /** Names of what is made on an empty storage. */
  readonly initial?: InitializeInput
}
