import type { EngineLimits } from '../kernel/limits.js'
import type {
  Clock,
  CommonPasswords,
  EmbeddingModel,
  FileStore,
  HttpTransport,
  LexicalIndex,
  Mailer,
  OneTimePasswords,
  PasswordHasher,
  Reranker,
  StarterPromptWriter,
  Storage,
  Telemetry,
  TextExtractor,
  TokenSigner,
  VectorIndex,
} from '../ports/index.js'
import type { InitializeInput, MailSettings } from '../tenancy/index.js'

/** `ingest`: process documents, and purge deleted data. `relay`: send events and mails. */
export type EngineRole = 'ingest' | 'relay'

/**
 * The options of {@link createEngine}: one adapter for each port, and settings. When the engine closes, it closes the
 * ports.
 */
export interface EngineOptions {
  /** Stores all records. Required. */
  readonly storage: Storage
  /** Finds chunks by meaning. Required. */
  readonly vectorIndex: VectorIndex
  /** Finds chunks by words. Required. */
  readonly lexicalIndex: LexicalIndex
  /** At least one model, each with its own id. The first one is the default of new contexts. Required. */
  readonly embeddingModels: readonly EmbeddingModel[]
  /** Extracts the text of documents. Required. */
  readonly textExtractor: TextExtractor
  /** Keeps the bytes of documents. Required. */
  readonly fileStore: FileStore
  /** Writes the conversation starters of contexts that are created without any. Required. */
  readonly starterPromptWriter: StarterPromptWriter
  /** Signs access tokens. Required. */
  readonly tokenSigner: TokenSigner
  /** Hashes the passwords of users. Required. */
  readonly passwordHasher: PasswordHasher
  /** Passwords that users must not choose, because attackers try them first. Required. */
  readonly commonPasswords: CommonPasswords
  /** The second factor of the password check. Required. */
  readonly oneTimePasswords: OneTimePasswords
  /** Sends invitations, password links and notices. Required. */
  readonly mailer: Mailer
  /** Sends events to destinations. Required. */
  readonly httpTransport: HttpTransport
  /**
   * The key that encrypts signing secrets and the secrets of one-time passwords (AES-256-GCM). 32 bytes, the same for
   * all engines on a storage. Required.
   */
  readonly secretKey: Uint8Array
  /**
   * Retention of deliveries in the delivery log, in days after their creation. Integer from 1 to 36,500. Default: 30.
   */
  readonly deliveryRetentionDays?: number
  /** Retention of entries of the audit trail, in days. Integer from 1 to 36,500. Default: 400. */
  readonly auditRetentionDays?: number
  /**
   * Client id that the audit trail records for the host's own administration, such as the name of the program. One line
   * of 1 to 255 characters. Default: no client id.
   */
  readonly hostClientId?: string
  /**
   * Issuer of access tokens (`iss`): the web address at which clients reach the service, without query and fragment.
   * All engines on a storage need the same issuer: each refuses tokens of another one. Default: `alcove`.
   */
  readonly tokenIssuer?: string
  /**
   * The texts of mails, and the page that their links open. Default: English texts, and the page of the REST server.
   */
  readonly mail?: MailSettings
  /** Orders the best chunks of each search once more. Default: none, and the order is that of words and meaning. */
  readonly reranker?: Reranker
  /** The source of timestamps. Default: the system's clock. */
  readonly clock?: Clock
  /** Receives facts, spans and measurements of the engine. Default: the engine reports nothing. */
  readonly telemetry?: Telemetry
  /**
   * True to send the W3C header `traceparent` with each event, so that receivers continue the trace of the request that
   * recorded it. The headers are otherwise those of the specification alone. Default: false.
   */
  readonly sendsTraceparent?: boolean
  /**
   * False for an engine without workers, which only reads and changes records beside an engine with workers. Default:
   * true.
   */
  readonly isWorking?: boolean
  /** The work that this engine does. Other engines on the storage do the rest. Default: `['ingest', 'relay']`. */
  readonly roles?: readonly EngineRole[]
  /**
   * True if the caller guarantees that no other engine works on this storage. The engine then continues the documents,
   * words and removals of a crashed process at once. Its deliveries and mails wait until their leases expire, and so
   * does all its work if this is false. Default: false.
   */
  readonly isAlone?: boolean
  /**
   * True if engines in other processes work on this storage at the same time. One of the engines with the role `ingest`
   * then runs the sweep and the cheap check every hour, and no engine runs them at its start. Default: false.
   */
  readonly isShared?: boolean
  /**
   * True if an engine with the role `ingest` runs the sweep in the background at its start, which removes the remains
   * of crashes. If false, the remains wait for `administration.verify({ repair: true })`, which then reports them. All
   * workers then also wait until a check in the background has found no damage in the database. Default: true.
   */
  readonly isSweeping?: boolean
  /** Limits of a tenant: on data, on work in progress and on rates. Default: `DEFAULT_LIMITS`. */
  readonly limits?: Partial<EngineLimits>
  /**
   * Maximum number of documents that the engine processes at a time, at most half of them of one context. 1 or more.
   * One document more is processed for a company that has no other in progress: one company never takes all places.
   * Default: 4.
   */
  readonly ingestionConcurrency?: number
  /**
   * The root company and the owner that the engine creates on an empty storage. Default: the engine's default values.
   */
  readonly initial?: InitializeInput
}
